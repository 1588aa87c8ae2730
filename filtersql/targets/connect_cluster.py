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
import sys
import uuid
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

import pyarrow
from msgspec import Struct
from pyspark import TaskContext
from pyspark.sql.conversion import ArrowTableToRowsConversion

from filtersql import __version__
from filtersql.errors import Mistakes
from filtersql.targets.waves import in_waves

__all__ = ["ConnectCluster"]

#: so many tasks at a time
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


class _Line(Protocol):
    """A session of the server, as `connect.ConnectLine` is one."""

    lost: bool

    def arrow(self, frame: Callable[[_Spark], _Spark]) -> pyarrow.Table:
        """The rows of a frame that a function makes of the session."""
        ...


class ConnectCluster(Struct, frozen=True):
    """The executors of a server, which see a folder of this machine: `targets.model.Cluster`."""

    line: _Line
    folder: Path

    def sees(self, path: Path) -> bool:
        """Whether they find the file of this machine under its path: it is in the folder."""
        # They open it by its text, and no link leads out of the folder.
        inside = path.resolve().is_relative_to(self.folder.resolve())
        return inside and path.is_relative_to(self.folder)

    def answers(
        self,
        work: Callable[[_Task], _Answer],
        tasks: Sequence[_Task],
        on_answers: Callable[[Sequence[_Answer]], None] = lambda _: None,
    ) -> list[_Answer] | None:
        """What `work` answers to each task; None where an executor could not do it."""
        with self._alike() as alike:

            def ask(some: Sequence[_Task]) -> list[_Answer] | None:
                numbers = partial(_numbers, len(some))
                return self._told(numbers, partial(_answer_tasks, alike, work, some))

            return in_waves(ask, tasks, _WAVE, on_answers)

    def answers_of_rows(
        self,
        work: Callable[[int, Iterator[Sequence[object]]], _Answer],
        query: str,
        order: str,
        parts: int,
    ) -> list[_Answer] | None:
        """The same for the rows of a query, as `targets.model.Cluster` has it."""

        def ordered(session: _Spark) -> _Spark:
            frame = session.sql(query)
            column = frame[order]
            return frame.repartitionByRange(parts, column).sortWithinPartitions(column)

        with self._alike() as alike:
            return self._told(ordered, partial(_answer_rows, alike, work))

    def copied(self, pieces: str, copies: Mapping[str, Path]) -> list[tuple[str, int, int]] | None:
        """Write files that the server reads to paths of the folder, as `ServerCluster` has it."""
        with self._alike() as alike:
            told = self._told(
                lambda session: session.sql(pieces), partial(_write, alike, dict(copies))
            )
        return None if told is None else [one for some in told for one in some]

    def _told(
        self, frame: Callable[[_Spark], _Spark], work: Callable[..., object]
    ) -> list[Any] | None:
        """The answers to a function over the batches of a frame, by their numbers."""

        def answered(session: _Spark) -> _Spark:
            rows = frame(session)
            return rows.mapInArrow(partial(work, rows.schema), _ANSWERS)

        try:
            table = self.line.arrow(answered)
        except Mistakes:
            if self.line.lost:
                raise
            return None
        numbered = zip(*(column.to_pylist() for column in table.columns), strict=True)
        try:
            return [_Answers(io.BytesIO(told)).load() for _, told in sorted(numbered)]
        except pickle.UnpicklingError:
            return None

    @contextmanager
    def _alike(self) -> Iterator[_Alike]:
        text = uuid.uuid4().hex
        path = self.folder / f"filtersql-{text}"
        path.write_text(text, encoding="utf-8", newline="\n")
        try:
            yield _Alike(__version__, path, text)
        finally:
            path.unlink(missing_ok=True)


class _Answers(pickle.Unpickler):
    """Reads records of filtersql alone, of modules that are loaded: no program comes with them."""

    def find_class(self, module: str, name: str) -> type:
        """One of filtersql's records. Raises UnpicklingError."""
        known = sys.modules.get(module) if module.startswith("filtersql.") else None
        found = getattr(known, name, None)
        if not (isinstance(found, type) and issubclass(found, Struct | tuple)):
            raise pickle.UnpicklingError(f"{module}.{name} is no record")
        return found


def _numbers(count: int, session: _Spark) -> _Spark:
    """A frame of so many numbers, each in a partition of its own."""
    return session.range(0, count, 1, count)


def _answer_tasks(
    alike: _Alike,
    work: Callable[[_Task], _Answer],
    tasks: Sequence[_Task],
    schema: _Spark,
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


def _write(
    alike: _Alike,
    copies: Mapping[str, Path],
    schema: _Spark,
    batches: Iterator[pyarrow.RecordBatch],
) -> Iterator[pyarrow.RecordBatch]:
    """Each file is in one task. Another attempt may be under way: nothing is cut off first."""
    alike.check()
    sizes: dict[str, int] = {}
    written: Counter[str] = Counter()
    with ExitStack() as opened:
        files: dict[str, BinaryIO] = {}
        rows = (zip(*(c.to_pylist() for c in batch.columns), strict=True) for batch in batches)
        for url, size, place, text in chain.from_iterable(rows):
            if url not in files:
                files[url] = opened.enter_context(_opened(copies[url]))
            piece = b64decode(text)
            sizes[url] = size
            written[url] += len(piece)
            files[url].seek(place)
            files[url].write(piece)
    answer = [(url, size, written[url]) for url, size in sizes.items()]
    yield _told(TaskContext.get().partitionId(), answer)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("xb")
    except FileExistsError:
        return path.open("r+b")


def _told(number: int, answer: object) -> pyarrow.RecordBatch:
    return pyarrow.record_batch(
        {"number": [number], "answer": pyarrow.array([pickle.dumps(answer)], pyarrow.binary())}
    )
