"""Python work on the executors of a Spark Connect server: `ConnectCluster(line, folder)`.

Example
    ConnectCluster(line, folder).answers(times_two, [1, 2, 3])          [2, 4, 6]

    The work travels inside of a function over Arrow batches, and its answers come back as bytes.
    The server's Python has to have this filtersql, and to see the folder under the same path: each
    task asks both first.
"""

from __future__ import annotations

import io
import pickle
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow
from msgspec import Struct
from pyspark import TaskContext
from pyspark.sql.conversion import ArrowTableToRowsConversion

from filtersql import __version__
from filtersql.errors import Mistakes

if TYPE_CHECKING:
    from filtersql.targets.connect import ConnectLine

__all__ = ["ConnectCluster"]

#: so many tasks at a time: what is done so far is told between them
_WAVE = 64
_ANSWERS = "number bigint, answer binary"

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")
#: what a package without types gives
_Spark = Any


class _Alike(Struct, frozen=True):
    """What a server has in common with this process: a version, and a file that holds a text."""

    version: str
    path: Path
    text: str

    def check(self) -> None:
        """Raises OSError or RuntimeError where it has not."""
        if (self.version, self.text) != (__version__, self.path.read_text(encoding="utf-8")):
            raise RuntimeError("the server's Python is not this one")


class ConnectCluster(Struct, frozen=True):
    """The executors of a server, which see a folder of this machine: `targets.model.Cluster`."""

    line: ConnectLine
    folder: Path

    def sees(self, path: Path) -> bool:
        """Whether they find the file of this machine under its path: it is in the folder."""
        return path.resolve().is_relative_to(self.folder.resolve())

    def answers(
        self,
        work: Callable[[_Task], _Answer],
        tasks: Sequence[_Task],
        on_answers: Callable[[Sequence[_Answer]], None] = lambda _: None,
    ) -> list[_Answer] | None:
        """What `work` answers to each task; None where an executor could not do it."""
        found: list[_Answer] = []
        with self._alike() as alike:
            while some := tasks[len(found) : len(found) + _WAVE]:
                each = self.line.session.range(0, len(some), 1, len(some))
                answers = self._told(each, partial(_answer_tasks, alike, work, some))
                if answers is None:
                    return None
                found += answers
                on_answers(answers)
        return found

    def answers_of_rows(
        self,
        work: Callable[[int, Iterator[Sequence[object]]], _Answer],
        query: str,
        order: str,
        parts: int,
    ) -> list[_Answer] | None:
        """The same for the rows of a query, as `targets.model.Cluster` has it."""
        frame = self.line.session.sql(query)
        column = frame[order]
        ordered = frame.repartitionByRange(parts, column).sortWithinPartitions(column)
        with self._alike() as alike:
            return self._told(ordered, partial(_answer_rows, alike, work, frame.schema))

    def _told(self, frame: _Spark, work: Callable[..., object]) -> list[Any] | None:
        """The answers to a function over a frame's batches, by their numbers."""
        try:
            table = self.line.arrow(frame.mapInArrow(work, _ANSWERS))
        except Mistakes:
            if self.line.lost:
                raise
            return None
        numbered = zip(*(column.to_pylist() for column in table.columns), strict=True)
        return [_Answers(io.BytesIO(told)).load() for _, told in sorted(numbered)]

    @contextmanager
    def _alike(self) -> Iterator[_Alike]:
        text = uuid.uuid4().hex
        path = self.folder / f"filtersql-{text}"
        path.write_text(text, encoding="utf-8")
        try:
            yield _Alike(__version__, path, text)
        finally:
            path.unlink()


class _Answers(pickle.Unpickler):
    """Reads records of filtersql alone: what a server sends is not run here."""

    def find_class(self, module: str, name: str) -> type:
        """One of filtersql's records. Raises UnpicklingError."""
        found = super().find_class(module, name) if module.startswith("filtersql.") else None
        if "." in name or not (isinstance(found, type) and issubclass(found, Struct | tuple)):
            raise pickle.UnpicklingError(f"{module}.{name} is no record")
        return found


def _answer_tasks(
    alike: _Alike,
    work: Callable[[_Task], _Answer],
    tasks: Sequence[_Task],
    batches: Iterator[pyarrow.RecordBatch],
) -> Iterator[pyarrow.RecordBatch]:
    alike.check()
    for number in (number for batch in batches for number in batch.column(0).to_pylist()):
        yield _told(number, work(tasks[number]))


def _answer_rows(
    alike: _Alike,
    work: Callable[[int, Iterator[Sequence[object]]], _Answer],
    schema: _Spark,
    batches: Iterator[pyarrow.RecordBatch],
) -> Iterator[pyarrow.RecordBatch]:
    alike.check()
    number = TaskContext.get().partitionId()
    rows = (
        row
        for batch in batches
        for row in ArrowTableToRowsConversion.convert(pyarrow.Table.from_batches([batch]), schema)
    )
    yield _told(number, work(number, rows))


def _told(number: int, answer: object) -> pyarrow.RecordBatch:
    return pyarrow.record_batch(
        {"number": [number], "answer": pyarrow.array([pickle.dumps(answer)], pyarrow.binary())}
    )
