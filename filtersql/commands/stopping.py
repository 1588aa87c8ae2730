"""Signals that end a command behind the work in hand: `with stopping() as came: …`."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["stopping"]


@contextmanager
def stopping() -> Iterator[list[int]]:
    """The signals that came, in place of an interruption at any instant."""
    came: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        came.append(number)

    before = {each: signal.signal(each, note) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
