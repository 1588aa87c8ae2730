"""What a run asks of an engine's own processes, and of the files that the engine reads by URLs.

Example
    engine.cluster.answers(judged, portions)    # None where they cannot do it
    engine.store.files("s3a://lake/changes/*.jsonl")
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

__all__ = ["Cluster", "Store"]

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")
_Row = Sequence[object]


class Store(Protocol):
    """The files that an engine reads by URLs."""

    def files(self, pattern: str) -> list[tuple[str, int, int]]:
        """The files that a URL with wildcards names: URL, bytes, and when it was written."""
        ...

    def fetch(self, copies: Mapping[str, Path]) -> None:
        """Copy the files of some URLs, each to a path of this machine."""
        ...


class Cluster(Protocol):
    """The processes of an engine that run Python."""

    @property
    def folder(self) -> Path | None:
        """Where files of this machine have to be for them to see them; None: anywhere."""
        ...

    def sees(self, path: Path) -> bool:
        """Whether they find the file of this machine under its path."""
        ...

    def answers(
        self,
        work: Callable[[_Task], _Answer],
        tasks: Sequence[_Task],
        on_answers: Callable[[Sequence[_Answer]], None] = lambda _: None,
    ) -> list[_Answer] | None:
        """What `work` answers to each task, in their order; None where it cannot be done there.

        `on_answers` is told some of them at a time.
        """
        ...

    def answers_of_rows(
        self,
        work: Callable[[int, Iterator[_Row]], _Answer],
        query: str,
        order: Sequence[str],
        parts: int,
    ) -> list[_Answer] | None:
        """The same for the rows of a query, in numbered parts, each ordered by some columns.

        A part follows another one in the order of the first column, and rows that are equal in it
        are not parted.
        """
        ...
