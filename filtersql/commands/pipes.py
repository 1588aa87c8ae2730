"""A reader that goes away (`filtersql run | head -2`): the work goes on, and nobody is told of it.

What is printed from then on goes nowhere. The exit code says how the work ended, as if somebody
had listened: a run is not left between two of its targets because a pager was closed.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["lasting"]


def lasting(stream: TextIO | None) -> TextIO:
    """The stream, but that it outlives its reader. One that was closed from the start is empty.

    On Windows what is no console is written in UTF-8, as elsewhere, and not in the code page.
    """
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8", newline="\n")
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return stream
    windows = sys.platform == "win32"
    if windows and stream.isatty():
        return stream  # a console takes characters, not bytes
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Pipe(descriptor, "wb", closefd=False)),
        encoding="utf-8" if windows else stream.encoding,
        errors=stream.errors,
        line_buffering=bool(stream.line_buffering),
    )


class _Pipe(io.FileIO):
    def write(self, content: Buffer, /) -> int:
        try:
            return super().write(content)
        except BrokenPipeError:
            return memoryview(content).nbytes
