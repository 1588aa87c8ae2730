"""Python work on the processes of a Spark server: `ServerCluster(line, folder)`.

Example
    ServerCluster(line, folder).answers(times_two, [1, 2, 3])          [2, 4, 6]

    The work stands in a file of the folder, which they see as this machine does; how they are asked
    is the line's. None says that they cannot: then this process does the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct
from sqlglot import exp, select

from filtersql.errors import Mistakes
from filtersql.targets.line import Line
from filtersql.targets.server_work import (
    Work,
    answer_rows,
    answer_tasks,
    read_answers,
    sent,
    write_pieces,
)
from filtersql.targets.statements import in_parentheses
from filtersql.targets.waves import in_waves

__all__ = ["ServerCluster"]

#: so many tasks at a time
_WAVE = 64

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")


class ServerCluster(Struct, frozen=True):
    """The processes of a server, which see a folder of this machine: `targets.workers.Cluster`."""

    line: Line
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
        """What `work` answers to each task; None where it could not be done there."""

        def ask(some: Sequence[_Task]) -> list[_Answer] | None:
            told = self._told(_numbers(len(some)), partial(answer_tasks, work, some))
            return told if told is not None and len(told) == len(some) else None

        return in_waves(ask, tasks, _WAVE, on_answers)

    def answers_of_rows(
        self,
        work: Callable[[int, Iterator[Sequence[object]]], _Answer],
        query: str,
        order: Sequence[str],
        parts: int,
    ) -> list[_Answer] | None:
        """The same for the rows of a query, as `targets.workers.Cluster` has it."""
        return self._told(_ordered(query, order, parts), partial(answer_rows, work))

    def copied(self, pieces: str, copies: Mapping[str, Path]) -> list[tuple[str, int, int]] | None:
        """Write files that they read to paths of the folder; None where it cannot be done there.

        `pieces` is a query of path, size, place and base64. Of each file that was written: its URL,
        its size, and how many bytes were written.
        """
        told = self._told(pieces, partial(write_pieces, dict(copies)))
        return None if told is None else [one for some in told for one in some]

    def _told(self, query: str, work: Work) -> list[Any] | None:
        """The answers to the rows of a query, by their numbers."""
        with sent(self.folder, work) as at:
            try:
                told = self.line.worked(query, at)
            except Mistakes:
                if self.line.lost:
                    raise
                return None
        return None if told is None else read_answers(told)


def _numbers(count: int) -> str:
    """A query of so many numbers, each in a partition of its own."""
    bounds = (exp.convert(each) for each in (0, count, 1, count))
    return select("id").from_(exp.Anonymous(this="RANGE", expressions=[*bounds])).sql("spark")


def _ordered(query: str, order: Sequence[str], parts: int) -> str:
    """Rows of a query in numbered parts, each in its order, behind the number of their part."""
    columns = [exp.column(name, quoted=True) for name in order]
    hint = exp.Anonymous(this="REPARTITION_BY_RANGE", expressions=[exp.convert(parts), columns[0]])
    rows = select("*").from_(in_parentheses(query, "rows"))
    rows.set("hint", exp.Hint(expressions=[hint]))
    number = exp.Anonymous(this="SPARK_PARTITION_ID").as_("number")
    return (
        select(number, "parts.*")
        .from_(rows.sort_by(*(column.copy() for column in columns)).subquery("parts"))
        .sql("spark")
    )
