"""Many tasks, some at a time: `in_waves(ask, tasks, size, on_answers)`.

Example
    in_waves(lambda some: [2 * one for one in some], [1, 2, 3], 2, tell)      [2, 4, 6]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["in_waves"]

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")


def in_waves(
    ask: Callable[[Sequence[_Task]], list[_Answer] | None],
    tasks: Sequence[_Task],
    size: int,
    on_answers: Callable[[Sequence[_Answer]], None],
) -> list[_Answer] | None:
    """The answers to all tasks; None where some have none. What is done so far is told between."""
    found: list[_Answer] = []
    while some := tasks[len(found) : len(found) + size]:
        answers = ask(some)
        if answers is None:
            return None
        found += answers
        on_answers(answers)
    return found
