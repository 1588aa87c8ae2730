"""A Spark that runs elsewhere as a target: everything is said in SQL, in few round trips.

Example
    `{type: spark, method: thrift, host: spark.example.org, format: delta, schema: shop}`

    ====================================== =========================================================
    what the server has to see             how it sees it
    ====================================== =========================================================
    the staged changes of a target         a temporary view: over a file of `staging_path`, or with
                                           the rows inside; from 512 KiB on, a table that is filled
                                           in chunks and dropped at the end
    the rows that a MERGE is going to read CACHE TABLE on the server's disks: what was judged is
                                           what is written, though the source is read twice
    ====================================== =========================================================

A session that breaks off is never opened again by itself: what it had in hand may yet be committed.
The next run asks the mark that stands with the target's data.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import field
from pyarrow import parquet

from filtersql.feeds.staged_files import StagedColumn
from filtersql.targets.model import AT_ONCE
from filtersql.targets.scripts import immediately, setting
from filtersql.targets.server_cluster import ServerCluster
from filtersql.targets.server_files import ServerFiles
from filtersql.targets.server_settings import ServerSettings
from filtersql.targets.server_tables import ServerTables
from filtersql.targets.splitting import Split
from filtersql.targets.statements import (
    cache_table,
    drop,
    insert_rows,
    positional_view,
    rows_of,
    select_all,
    temporary_view,
)
from filtersql.targets.table_statements import drop_table
from filtersql.targets.uploading import chunks

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Remote"]


class Remote(ServerTables):
    """A session of a server, which sees the folder `staging`, too, under the same path."""

    staging: Path | None = None
    #: the schema of tables that hold what was uploaded
    state_schema: str = "filtersql"
    targets_at_once: int = AT_ONCE
    #: names this session's own things: no other session's cached rows are taken for its own
    own: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    settings: ServerSettings = field(default_factory=ServerSettings)
    views: list[str] = field(default_factory=list)
    #: rows that had to be sent to the server, by this session and those beside it
    sent: list[int] = field(default_factory=list)

    @property
    def title(self) -> str:
        """Spark, its version, how it is reached and the format of its tables."""
        return f"Spark {self.version} over {self.line.method} with {self.format.capitalize()}"

    @property
    def cluster(self) -> ServerCluster | None:
        """The server's processes, which have to see what this process sees."""
        return None if self.staging is None else ServerCluster(self.line, self.staging)

    @property
    def store(self) -> ServerFiles:
        """The files that the server reads by URLs."""
        return ServerFiles(self.stream, self.cluster)

    @property
    def sent_rows(self) -> int:
        """How many rows had to be sent to the server."""
        return sum(self.sent)

    def configure(self, settings: dict[str, str]) -> None:
        """Set what the meaning of statements depends on, and check that it is in force."""
        if wanted := self.settings.missing(settings):
            # One after the other: what the first ones set decides how later ones are read.
            self._ask(*(immediately(setting(*pair)) for pair in wanted.items()))
            self.settings.take(wanted, self.rows("SET"))

    def size(self, split: Split) -> None:
        """Set into how many parts work is split, with the next statement: the session is ours.

        Never into more than the server has set.
        """
        self.queued += self.settings.sizing(split)

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
        if self.staging is not None and path.is_relative_to(self.staging):
            source = f"{name}__file"
            made = positional_view(source, path, columns)
            query, statements = select_all(source), [drop("VIEW", source), made]
            self.views.append(source)
        else:
            query, statements = self._upload(path, columns, above, upto), []
            above = upto = None
        view = temporary_view(name, query, [column.name for column in columns], above, upto)
        self.queued += [*statements, view]
        self.views.append(name)

    def define(self, name: str, query: str) -> None:
        """A temporary view of a query."""
        self.queued.append(temporary_view(name, query))
        self.views.append(name)

    def stage(self, name: str, query: str) -> tuple[str, ...]:
        """Keep a query's rows on the server's disks; its columns."""
        self.views.append(name)
        kept = cache_table(name, query, self.own)
        return self._ask(drop("VIEW", name), kept, f"{select_all(name)} LIMIT 0")[0]

    def beside(self) -> Remote:
        """Another session of the server."""
        return Remote(
            self.line.beside(), self.version, self.format, self.catalog,
            staging=self.staging, state_schema=self.state_schema, sent=self.sent,
            settings=ServerSettings(told=self.settings.told),
        )  # fmt: skip

    def interrupt(self) -> None:
        """Stop what another thread is running here, and end the session."""
        self.line.interrupt()

    def clear(self) -> None:
        """Forget temporary views, staged rows, and tables that hold what was uploaded or copied."""
        self.queued += [drop("VIEW", name) for name in dict.fromkeys(reversed(self.views))]
        self.queued += [drop_table(self.table_sql(parts), "spark") for parts in self.own_tables]
        self.views, self.own_tables = [], []

    def close(self) -> None:
        """End the session."""
        self.clear()
        try:
            # A session that is gone has taken its views along.
            if self.queued and not self.line.lost:
                self._ask()
        finally:
            self.line.close()

    def _upload(
        self, path: Path, columns: Sequence[StagedColumn], above: int | None, upto: int | None
    ) -> str:
        """A query that gives a staged file's rows, which are sent in chunks."""
        parts = chunks(path, above, upto)
        first, second = next(parts, None), next(parts, None)
        if first is None:
            first = parquet.read_schema(path).empty_table()
        if second is None:
            return self._local(first, columns)
        table = (self.state_schema, f"upload_{self.own}_{len(self.own_tables)}")
        name = self.table_sql(table)
        fields = ",\n  ".join(f"c{index} {column.sql_type}" for index, column in enumerate(columns))
        self.discard(table)
        self.create(table, fields, {})
        for rows in chain((first, second), parts):
            self.execute(insert_rows(name, self._local(rows, columns)))
        return rows_of(name)

    def _local(self, rows: pyarrow.Table, columns: Sequence[StagedColumn]) -> str:
        query, views = self.line.local(rows, columns)
        self.views += views
        self.sent.append(rows.num_rows)
        return query
