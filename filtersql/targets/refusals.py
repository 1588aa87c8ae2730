"""The part of an engine's error that a person needs.

Example
    >>> reason_of("[USER_RAISED_EXCEPTION] filtersql: public.t: x SQLSTATE: P0001\\n== SQL ==\\n…")
    'public.t: x'
"""

from __future__ import annotations

import re

__all__ = ["reason_of"]

_OURS = re.compile(r"filtersql: (.+?)(?: SQLSTATE: \w{5})?(?:[;\n]|\Z)")
_NOISE = re.compile(
    r"\n*(?:JVM stacktrace:|\s+at [\w.$]+\(|== SQL|Caused by:|LINE \d+:).*", re.DOTALL
)


def reason_of(text: str) -> str:
    """The engine's words without stack traces and statement texts; filtersql's own guard alone."""
    if ours := _OURS.search(text):
        return ours[1]
    return _NOISE.sub("", text).strip() or text.strip()
