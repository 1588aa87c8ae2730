"""The folder of a Delta table in a store that Spark reads by a URL: S3, ADLS, GCS, HDFS.

Example
    `warehouse: s3a://lake/warehouse` keeps shop.t1 in s3a://lake/warehouse/shop.db/t1

    Whether a table is there is asked of the store. What a commit wrote is asked of Delta: one
    question costs less than a file of the log after the other over a network.

Hadoop
    org.apache.hadoop.fs.FileSystem; its settings are Spark's `spark.hadoop.*`
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

from filtersql.targets.delta_folder import COMMIT, is_abandoned
from filtersql.targets.marks import Mark
from filtersql.targets.raised import spark_refusals

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["UrlFolder", "store_of"]


class UrlFolder(Struct, frozen=True):
    """A folder of one table or of a schema's tables; does what `LocalFolder` does."""

    spark: SparkSession
    url: str

    def __truediv__(self, name: str) -> UrlFolder:
        return UrlFolder(self.spark, f"{self.url.rstrip('/')}/{name}")

    @property
    def location(self) -> str:
        """As a statement names it."""
        return self.url

    def contains(self, location: str) -> bool:
        """Whether a place, as Spark names it, is below the folder."""
        return f"{_plain(location)}/".startswith(f"{_plain(self.url)}/")

    def holds_a_table(self) -> bool:
        """Whether a Delta table was committed in the folder."""
        return any(COMMIT.fullmatch(name) for name in (self / "_delta_log")._names())

    def tables(self) -> frozenset[str]:
        """The names of the tables below a schema's folder, folded."""
        return frozenset(name.casefold() for name in self._names() if (self / name).holds_a_table())

    def bytes_of(self) -> int:
        """The bytes of all files, those of earlier versions and the log included."""
        files, path = self._store()
        with spark_refusals():
            return int(files.getContentSummary(path).getLength()) if files.exists(path) else 0

    def rows(self, columns: Sequence[str]) -> None:
        """Not known: Delta has to be asked."""

    def newest_mark(self) -> None:
        """Not known."""

    def newest_writer(self, application: str) -> None:
        """Not known."""

    def rows_written(self, mark: Mark) -> None:
        """Not known."""

    def clear(self) -> None:
        """Remove the log of a table that was never committed, where a store has such folders."""
        log = self / "_delta_log"
        files, path = log._store()
        with spark_refusals():
            if not files.exists(path):
                return
            began = files.getFileStatus(path).getModificationTime() / 1000
        if is_abandoned(self.holds_a_table, began):
            log._remove_unfinished()

    def remove(self) -> None:
        """Remove a table's files."""
        files, path = self._store()
        with spark_refusals():
            files.delete(path, True)

    def _remove_unfinished(self) -> None:
        # A folder that is not empty stays: a commit that came at this moment is never lost.
        files, path = self._store()
        with suppress(Py4JJavaError):
            for entry in files.listStatus(path):
                if entry.isDirectory() or entry.getPath().getName().startswith("."):
                    files.delete(entry.getPath(), False)
            files.delete(path, False)

    def _names(self) -> list[str]:
        """What stands in the folder; nothing where it is not there."""
        files, path = self._store()
        with spark_refusals():
            if not files.exists(path):
                return []
            return [status.getPath().getName() for status in files.listStatus(path)]

    def _store(self) -> tuple[Any, Any]:
        with spark_refusals():
            return store_of(self.spark, self.url)


def store_of(spark: SparkSession, url: str) -> tuple[Any, Any]:
    """The store of a URL, and the path in it, as Hadoop's objects. Raises what Java does."""
    context = spark.sparkContext
    assert context._jvm is not None
    path = context._jvm.org.apache.hadoop.fs.Path(url)
    return path.getFileSystem(context._jsc.hadoopConfiguration()), path


def _plain(url: str) -> str:
    """file:///a/b/ as Hadoop may write it, too: file:/a/b."""
    scheme, _, rest = url.partition(":")
    return f"{scheme}:/{rest.strip('/')}"
