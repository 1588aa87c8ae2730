"""Embedded Spark as a target, with Delta or Iceberg tables that a second process sees.

Example
    `{type: spark, method: session, format: delta, warehouse: warehouse, schema: shop}`

    Where the process has an active SparkSession already, that one is used as it is, with its own
    catalog; what was set in it is put back. Its tables are those of `session_tables.py`.
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import field

from filtersql.errors import Mistakes
from filtersql.errors.targets import SettingRefused
from filtersql.feeds.staged_files import StagedColumn
from filtersql.targets.cluster import SparkCluster
from filtersql.targets.embedded import interruptible
from filtersql.targets.raised import spark_refusals
from filtersql.targets.session_settings import MARKS, copied, put
from filtersql.targets.session_tables import SessionTables
from filtersql.targets.splitting import Split

__all__ = ["Session"]


class Session(SessionTables):
    """A Spark session: its settings, temporary views and staged rows; and its tables."""

    sent_rows: int = 0
    #: what the profile sets of a Spark that filtersql started; None: Spark is the user's
    given: frozenset[str] | None = None
    targets_at_once: int = 1
    #: what was set before, to be put back: the session may be the user's own
    before: dict[str, str | None] = field(default_factory=dict)
    #: puts back what was borrowed of the process, too
    give_back: Callable[[], object] = field(default=lambda: None)
    views: list[str] = field(default_factory=list)
    staging: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="filtersql-")))

    @property
    def title(self) -> str:
        """Spark, its version and the format of its tables."""
        return f"Spark {self.spark.version} with {self.format.capitalize()}"

    @property
    def cluster(self) -> SparkCluster:
        """Spark's processes."""
        return SparkCluster(self.spark)

    #: the files that Spark reads by URLs
    store = cluster

    def configure(self, settings: dict[str, str]) -> None:
        """Set what the meaning of statements depends on, and check that it is in force."""
        for name, value in settings.items():
            self._set(name, value)
            found = self.spark.conf.get(name, None)
            if found is None or found.lower() != value.lower():
                raise Mistakes([SettingRefused(name, value, str(found))])

    def borrow(self) -> None:
        """Take away what marks the user's own commits: it would stamp, or silence, these.

        Until the session is closed Ctrl-C is told as that.
        """
        self.give_back = interruptible()
        for name in MARKS:
            if self.spark.conf.get(name, None) is not None:
                self._set(name, None)

    def size(self, split: Split) -> None:
        """Set how work is split, until the session is closed.

        The user's session has never more parts than before; filtersql's own as many as it needs.
        """
        for name, value in split.settings(self._at_first, self.given).items():
            with suppress(Mistakes):
                self._set(name, value)

    def view(
        self,
        name: str,
        path: Path,
        columns: Sequence[StagedColumn],
        *,
        above: int | None = None,
        upto: int | None = None,
    ) -> None:
        """A temporary view over a staged file, of the changes above and up to a position."""
        schema = ", ".join(f"c{index} {column.sql_type}" for index, column in enumerate(columns))
        with spark_refusals():
            frame = self.spark.read.schema(schema).parquet(str(path))
            if above is not None:
                frame = frame.where(frame["c0"] > above)
            if upto is not None:
                frame = frame.where(frame["c0"] <= upto)
            frame.toDF(*(column.name for column in columns)).createOrReplaceTempView(name)
        self.views.append(name)

    def define(self, name: str, query: str) -> None:
        """A temporary view of a query."""
        with spark_refusals():
            self.spark.sql(query).createOrReplaceTempView(name)
        self.views.append(name)

    def stage(self, name: str, query: str) -> tuple[str, ...]:
        """Keep a query's rows in a file behind a temporary view; its columns."""
        path = str(self.staging / uuid.uuid4().hex)
        frame = self._sql(query)
        with spark_refusals():
            names = frame.columns
            numbered = frame.toDF(*(f"c{index}" for index in range(len(names))))
            numbered.write.parquet(path)
            again = self.spark.read.schema(numbered.schema).parquet(path)
            again.toDF(*names).createOrReplaceTempView(name)
        self.views.append(name)
        return tuple(names)

    def beside(self) -> Session:
        """A new session with the same settings: those around a MERGE would stamp any other."""
        return Session(
            copied(self.spark), self.format, self.catalog, self.warehouse,
            given=self.given, known_bytes=self.known_bytes, before=dict(self.before),
        )  # fmt: skip

    def interrupt(self) -> None:
        """Stop what another thread is running here."""
        self.spark.sparkContext.cancelAllJobs()

    def clear(self) -> None:
        """Forget temporary views and staged rows."""
        with suppress(Mistakes), spark_refusals():  # where Spark has ended, so have they
            for name in self.views:
                self.spark.catalog.dropTempView(name)
        self.views.clear()
        shutil.rmtree(self.staging, ignore_errors=True)
        self.staging.mkdir(exist_ok=True)

    def close(self) -> None:
        """Put the session's settings back; Spark itself ends with the process."""
        try:
            self.clear()
            shutil.rmtree(self.staging, ignore_errors=True)
            for name, value in self.before.items():
                put(self.spark, name, value)
            self.before.clear()
        finally:
            self.give_back()

    def _at_first(self, name: str) -> str | None:
        return self.before[name] if name in self.before else self.spark.conf.get(name, None)

    def _set(self, name: str, value: str | None) -> None:
        self.before[name] = self._at_first(name)
        put(self.spark, name, value)
