"""Signals that end a command behind the work in hand: `with stopping() as came: …`."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["stopping"]


@contextmanager
def stopping() -> Iterator[list[int]]:
    """The signals that came; the second of them is an interruption, which loses as little."""
    came: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        came.append(number)
        if len(came) > 1:
            raise KeyboardInterrupt

    before = {each: signal.signal(each, note) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
