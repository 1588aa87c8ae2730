"""Python work on the executors of a Spark session.

Example
    SparkExecutors(spark).answers(times_two, [1, 2, 3])    [2, 4, 6]

    Only what the work answers comes back. Executors need filtersql, as this process has it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from msgspec import Struct
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

__all__ = ["SparkExecutors"]

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
        with self._same_python():
            while some := tasks[len(found) : len(found) + size]:
                try:
                    answers = context.parallelize(some, len(some)).map(work).collect()
                except (PySparkException, Py4JError):
                    return None
                found += answers
                on_answers(answers)
        return found

    @contextmanager
    def _same_python(self) -> Iterator[None]:
        """The tasks of a Spark within this process run this Python; a cluster has its own."""
        context = self.spark.sparkContext
        before = context.pythonExec
        if context.master.startswith("local"):
            context.pythonExec = sys.executable
        try:
            yield
        finally:
            context.pythonExec = before
