"""Python work on the executors of a Spark session, and the files that it reads by URLs.

Example
    SparkCluster(spark).answers(times_two, [1, 2, 3])              [2, 4, 6]
    SparkCluster(spark).files("s3a://lake/changes/*.jsonl")        [("s3a://lake/…", 17, 1700…)]

    Only what the work answers comes back. Executors need filtersql, as this process has it.

Hadoop
    org.apache.hadoop.fs.FileSystem; its settings are Spark's `spark.hadoop.*`
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from filtersql import __version__
from filtersql.errors import Mistakes
from filtersql.errors.reaching import UNSEEN_FOLDER
from filtersql.targets.raised import spark_refusals
from filtersql.targets.url_folder import store_of
from filtersql.targets.waves import in_waves

__all__ = ["SparkCluster", "check_seen"]

#: a store answers several questions in the time of one
_AT_ONCE = 8
#: so many tasks for each core at a time
_WAVE = 8

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")


class SparkCluster(Struct, frozen=True):
    """The executors of a session, and what it reads: `targets.workers.Cluster` and `Store`."""

    spark: SparkSession
    #: executors see what this machine sees, or `check_seen` refused it
    folder: None = None

    def sees(self, path: Path) -> bool:
        """Whether executors find a file of this machine."""
        return True

    def answers(
        self,
        work: Callable[[_Task], _Answer],
        tasks: Sequence[_Task],
        on_answers: Callable[[Sequence[_Answer]], None] = lambda _: None,
    ) -> list[_Answer] | None:
        """What `work` answers to each task; None where an executor could not do it."""
        context = self.spark.sparkContext

        def ask(some: Sequence[_Task]) -> list[_Answer]:
            return list(context.parallelize(some, len(some)).map(work).collect())

        with self._python(), suppress(PySparkException, Py4JError):
            if _is_here(context):
                return in_waves(ask, tasks, _WAVE * context.defaultParallelism, on_answers)
        return None

    def answers_of_rows(
        self,
        work: Callable[[int, Iterator[Sequence[object]]], _Answer],
        query: str,
        order: Sequence[str],
        parts: int,
    ) -> list[_Answer] | None:
        """The same for the rows of a query, as `targets.workers.Cluster` has it."""
        with self._python(), suppress(PySparkException, Py4JError):
            if not _is_here(self.spark.sparkContext):
                return None
            frame = self.spark.sql(query)
            columns = [frame[frame.columns.index(name)] for name in order]
            ordered = frame.repartitionByRange(parts, columns[0]).sortWithinPartitions(*columns)
            answers = ordered.rdd.mapPartitionsWithIndex(partial(_answer, work))
            return list(answers.collect())
        return None

    def files(self, pattern: str) -> list[tuple[str, int, int]]:
        """The files that a URL with Hadoop's wildcards names. Raises Mistakes."""
        with spark_refusals():
            store, path = store_of(self.spark, pattern)
            found = store.globStatus(path) or ()
            return [
                (each.getPath().toString(), each.getLen(), each.getModificationTime())
                for each in found
                if each.isFile()
            ]

    def fetch(self, copies: Mapping[str, Path]) -> None:
        """Copy the files of some URLs to paths of this machine. Raises Mistakes."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for _ in pool.map(self._fetch, copies, copies.values()):
                pass

    def _fetch(self, url: str, path: Path) -> None:
        with spark_refusals():
            store, source = store_of(self.spark, url)
            # As bytes alone: Hadoop would put a file with a checksum beside it.
            store.copyToLocalFile(False, source, store_of(self.spark, path.as_uri())[1], True)

    @contextmanager
    def _python(self) -> Iterator[None]:
        """The tasks of a Spark within this process run this Python; a cluster has its own."""
        context = self.spark.sparkContext
        before = context.pythonExec
        if context.master.startswith("local"):
            context.pythonExec = sys.executable
        try:
            yield
        finally:
            context.pythonExec = before


@lru_cache(maxsize=1)
def _is_here(context: SparkContext) -> bool:
    """Whether executors have this version of filtersql; a Spark within this process has."""
    if context.master.startswith("local"):
        return True
    count = context.defaultParallelism
    with suppress(PySparkException, Py4JError):
        asked = context.parallelize(range(count), count).map(_version)
        return {*asked.collect()} == {__version__}
    return False


def _version(_: int) -> str:
    return __version__


def check_seen(spark: SparkSession, folder: Path) -> None:
    """Whether executors on other machines see a folder of this one. Raises Mistakes."""
    if spark.sparkContext.master.startswith("local"):
        return
    mark = folder / "seen"
    mark.write_text("seen\n", encoding="utf-8", newline="\n")
    try:
        spark.read.text(mark.as_uri()).collect()
    except (PySparkException, Py4JError):
        raise Mistakes([UNSEEN_FOLDER(folder=folder.parent)]) from None


def _answer(
    work: Callable[[int, Iterator[Sequence[object]]], _Answer],
    number: int,
    rows: Iterator[Sequence[object]],
) -> Iterator[_Answer]:
    yield work(number, rows)
