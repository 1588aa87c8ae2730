"""How a method answers: what is said while it works becomes events, what it comes to is a record.

Example
    class Project(Answering, frozen=True):
        def ls(self, *, select=(), exclude=(), on_event=None) -> Listing:
            return self._answer(ls, on_event, select, exclude)
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgspec
from msgspec.structs import replace

from filtersql.api.documents import Record
from filtersql.api.listener import Event, Listener
from filtersql.api.options import Options
from filtersql.api.reporter import Reporter
from filtersql.api.watching import watched
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.concealing import concealed

__all__ = ["Answering", "Failed", "OnEvent", "listened", "several"]

_Answer = TypeVar("_Answer")
_Record = TypeVar("_Record", bound=Record)
OnEvent = Callable[[Event], object]


class Failed(Mistakes):
    """Mistakes of some targets, when all have ended: `record` tells what became of each."""

    def __init__(self, mistakes: Iterable[Mistake], record: Record) -> None:
        super().__init__(mistakes)
        self.record: Any = record


class Answering(msgspec.Struct, frozen=True):
    """Who is asked, by methods that take `on_event`: each has the flags of all, and its own."""

    options: Options
    #: the methods that `watch` knows
    watchable: ClassVar[Sequence[str]] = ()

    def watch(self, method: str = "run", **arguments: object) -> Generator[Event, None, Record]:
        """The events of another method as they happen; its record is what the generator returns.

        `arguments` are the method's. It works in a thread of its own, with the active SparkSession
        of this one; who leaves the loop waits for its end. Raises what the method raises, and
        ValueError where no such method works.
        """
        if method not in self.watchable:
            raise ValueError(f"{method} is no method that works: {', '.join(self.watchable)}")
        return watched(partial(getattr(self, method), **arguments))

    def _answer(
        self,
        work: Callable[[Reporter], _Record],
        on_event: OnEvent | None,
        select: Iterable[str] = (),
        exclude: Iterable[str] = (),
        *,
        state: str | Path | None = None,
        fail_fast: bool = False,
    ) -> _Record:
        """What a piece of work came to, as its command prints it: plain values, no secrets."""
        options = replace(
            self.options,
            select=several(select),
            exclude=several(exclude),
            state=None if state is None else Path(state),
            fail_fast=fail_fast,
        )
        listener, answer = listened(options, on_event, work)
        record = answer.from_json(concealed(answer.to_json()).encode())
        if listener.mistakes:
            raise Failed(listener.mistakes, record)
        return record


def listened(
    options: Options, on_event: OnEvent | None, work: Callable[[Listener], _Answer]
) -> tuple[Listener, _Answer]:
    """What is said while something works, and what it gives.

    Raises Mistakes, and ValueError for wrong usage.
    """
    listener = Listener(options, on_event)
    try:
        return listener, work(listener)
    except Mistake as mistake:
        raise Mistakes([mistake]) from None
    finally:
        listener.log.close()


def several(names: Iterable[str] | None) -> tuple[str, ...]:
    """Selectors; a text alone is one, and None, as of a task's empty argument, is none."""
    return (names,) if isinstance(names, str) else tuple(names or ())
