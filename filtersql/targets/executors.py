"""Python work on the executors of a Spark session.

Example
    SparkExecutors(spark).answers(times_two, [1, 2, 3])    [2, 4, 6]

    Only what the work answers comes back. Executors need filtersql, as this process has it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from filtersql.errors import Mistakes
from filtersql.errors.reaching import UNSEEN_FOLDER

__all__ = ["SparkExecutors", "check_seen"]

#: so many tasks for each core at a time: what is done so far is told between them
_WAVE = 8

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")


class SparkExecutors(Struct, frozen=True):
    """The executors of a session, as `targets.model.Executors` has them."""

    spark: SparkSession

    def answers(
        self,
        work: Callable[[_Task], _Answer],
        tasks: Sequence[_Task],
        on_answers: Callable[[Sequence[_Answer]], None] = lambda _: None,
    ) -> list[_Answer] | None:
        """What `work` answers to each task; None where an executor could not do it."""
        context = self.spark.sparkContext
        size = _WAVE * context.defaultParallelism
        found: list[_Answer] = []
        with self._python(), suppress(PySparkException, Py4JError):
            while some := tasks[len(found) : len(found) + size]:
                answers = context.parallelize(some, len(some)).map(work).collect()
                found += answers
                on_answers(answers)
            return found
        return None

    def answers_of_rows(
        self,
        work: Callable[[int, Iterator[Sequence[object]]], _Answer],
        query: str,
        order: str,
        parts: int,
    ) -> list[_Answer] | None:
        """The same for the rows of a query, as `targets.model.Executors` has it."""
        with self._python(), suppress(PySparkException, Py4JError):
            frame = self.spark.sql(query)
            column = frame[frame.columns.index(order)]
            ordered = frame.repartitionByRange(parts, column).sortWithinPartitions(column)
            answers = ordered.rdd.mapPartitionsWithIndex(partial(_answer, work))
            return list(answers.collect())
        return None

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
