"""Python work that processes of a server do: sent in a file, answered in bytes.

Example
    with sent(folder, partial(answer_tasks, times_two, [1, 2, 3])) as work:
        told = [*work.answers(iter([(0,)])), *work.answers(iter([(2,)]))]
    read_answers(told)                                                      [2, 6]

    The other process has to have this filtersql, and to see the file under the same path: it looks
    at the version, and at a digest that came another way, before anything of the file is called.
"""

from __future__ import annotations

import io
import pickle
import sys
import uuid
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from msgspec import Struct

from filtersql import __version__

__all__ = ["Sent", "Work", "answer_rows", "answer_tasks", "read_answers", "sent", "write_pieces"]

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")
_Rows = Iterator[Sequence[Any]]
#: numbered answers to the rows of one partition
Work = Callable[[_Rows], Iterator[tuple[int, object]]]


class Sent(Struct, frozen=True):
    """The file in which work stands, behind a line with the version, and its digest."""

    path: Path
    digest: str

    def answers(self, rows: _Rows) -> Iterator[tuple[int, bytes]]:
        """What the work answers. Raises OSError, or RuntimeError where this Python is another."""
        data = self.path.read_bytes()
        version, _, work = data.partition(b"\n")
        if sha256(data).hexdigest() != self.digest or version.decode() != __version__:
            raise RuntimeError("the server's Python is not this one")
        for number, answer in pickle.loads(work)(rows):
            yield number, pickle.dumps(answer)


@contextmanager
def sent(folder: Path, work: Work) -> Iterator[Sent]:
    """A file of the folder that holds work, and is gone afterwards."""
    data = __version__.encode() + b"\n" + pickle.dumps(work)
    path = folder / f"filtersql-{uuid.uuid4().hex}"
    path.write_bytes(data)
    try:
        yield Sent(path, sha256(data).hexdigest())
    finally:
        path.unlink(missing_ok=True)


def read_answers(told: Iterable[tuple[int, bytes]]) -> list[Any] | None:
    """Answers in the order of their numbers; None where one is no record."""
    try:
        return [_Answers(io.BytesIO(answer)).load() for _, answer in sorted(told)]
    except (pickle.UnpicklingError, EOFError, ValueError):
        return None


class _Answers(pickle.Unpickler):
    """Reads records of filtersql alone, of modules that are loaded: no program comes with them."""

    def find_class(self, module: str, name: str) -> type:
        """One of filtersql's records. Raises UnpicklingError."""
        known = sys.modules.get(module) if module.startswith("filtersql.") else None
        found = getattr(known, name, None)
        if not (isinstance(found, type) and issubclass(found, Struct | tuple)):
            raise pickle.UnpicklingError(f"{module}.{name} is no record")
        return found


def answer_tasks(
    work: Callable[[_Task], _Answer], tasks: Sequence[_Task], rows: _Rows
) -> Iterator[tuple[int, _Answer]]:
    """What `work` answers to the tasks whose numbers are the rows."""
    for (number,) in rows:
        yield number, work(tasks[number])


def answer_rows(
    work: Callable[[int, Iterator[Sequence[object]]], _Answer], rows: _Rows
) -> Iterator[tuple[int, _Answer]]:
    """What `work` answers to all rows, which begin with the number of their part."""
    for first in rows:
        number = first[0]
        yield number, work(number, (row[1:] for row in chain([first], rows)))


def write_pieces(
    copies: Mapping[str, Path], rows: _Rows
) -> Iterator[tuple[int, list[tuple[str, int, int]]]]:
    """Write pieces of files to paths: of each file its URL, its size, and how much was written.

    Each file is in one task. Another attempt may be under way: nothing is cut off first.
    """
    sizes: dict[str, int] = {}
    written: Counter[str] = Counter()
    with ExitStack() as opened:
        files: dict[str, BinaryIO] = {}
        for url, size, place, text in rows:
            if url not in files:
                files[url] = opened.enter_context(_opened(copies[url]))
            piece = b64decode(text)
            sizes[url] = size
            written[url] += len(piece)
            files[url].seek(place)
            files[url].write(piece)
    yield 0, [(url, size, written[url]) for url, size in sizes.items()]


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("xb")
    except FileExistsError:
        return path.open("r+b")
