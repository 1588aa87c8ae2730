"""Whole numbers, of which few are in memory: the others are in a file without a name.

Example
    >>> found = Numbers(kept=2)
    >>> for number in (3, 5, 8, 8, 13):
    ...     found.append(number)
    >>> found.last(), found.last_below(8), found.last_below(3)
    (13, 5, None)
    >>> found.repeats()
    True

    A feed of 100 million transactions takes 800 MB in a file and 8 MB in memory.
"""

from __future__ import annotations

import tempfile
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO

import pyarrow
from pyarrow import compute

__all__ = ["Numbers"]

_SIZE = 8
_FEW = 10_000


@dataclass(slots=True)
class Numbers:
    """Numbers of 64 bits in the order in which they came; the newest can still be changed."""

    #: how many are in memory at most
    kept: int = 1_000_000
    count: int = 0
    newest: array[int] = field(default_factory=lambda: array("q"))
    file: IO[bytes] | None = None

    def __del__(self) -> None:
        if self.file is not None:
            self.file.close()

    def append(self, number: int) -> None:
        """Add one."""
        if len(self.newest) >= self.kept:
            self._write()
        self.newest.append(number)
        self.count += 1

    def extend(self, numbers: Sequence[int]) -> None:
        """Add some."""
        done = 0
        while done < len(numbers):
            if len(self.newest) >= self.kept:
                self._write()
            some = numbers[done : done + self.kept - len(self.newest)]
            self.newest.extend(some)
            done += len(some)
        self.count += len(numbers)

    def change_last(self, number: int) -> None:
        """Put another one in the place of the newest."""
        self.newest[-1] = number

    def last(self, before: int = 0) -> int | None:
        """The newest, or the one that came so many before it; None where there is none."""
        place = self.count - 1 - before
        return self._at(place) if place >= 0 else None

    def last_below(self, number: int) -> int | None:
        """Of numbers that rise: the largest that is smaller."""
        place = bisect_left(range(self.count), number, key=self._at)
        return self._at(place - 1) if place else None

    def repeats(self) -> bool:
        """Whether one comes twice; looks at a part of them at a time, equal ones in one part."""
        if self.file is None and self.count < _FEW:
            return len({*self.newest}) < self.count
        parts = 1 + self.count // self.kept
        for part in range(parts):
            some = []
            for numbers in self.arrays():
                if parts > 1:
                    tails = compute.bit_wise_and(numbers, 2**40 - 1)
                    rest = compute.subtract(
                        tails, compute.multiply(compute.divide(tails, parts), parts)
                    )
                    numbers = numbers.filter(compute.equal(rest, part))
                some.append(numbers)
            every = pyarrow.chunked_array(some, pyarrow.int64())
            if compute.count_distinct(every).as_py() != len(every):
                return True
        return False

    def arrays(self) -> Iterator[pyarrow.Array]:
        """All of them, some at a time."""
        for chunk in self._chunks():
            buffers = [None, pyarrow.py_buffer(chunk)]
            yield pyarrow.Array.from_buffers(pyarrow.int64(), len(chunk) // _SIZE, buffers)

    def _at(self, place: int) -> int:
        written = self.count - len(self.newest)
        if place >= written:
            return self.newest[place - written]
        assert self.file is not None
        self.file.seek(place * _SIZE)
        (number,) = array("q", self.file.read(_SIZE))
        return number

    def _write(self) -> None:
        if self.file is None:
            self.file = tempfile.TemporaryFile(prefix="filtersql-")  # noqa: SIM115 (ends with it)
        self.file.seek(0, 2)
        self.newest.tofile(self.file)
        self.newest = array("q")

    def _chunks(self) -> Iterator[bytes]:
        if self.file is not None:
            self.file.seek(0)
            while chunk := self.file.read(self.kept * _SIZE):
                yield chunk
        yield self.newest.tobytes()
