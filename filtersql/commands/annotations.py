"""Mistakes and warnings as GitHub shows them beside a change: workflow commands on stdout.

Example
    >>> print(annotation("error", 'column "x" does not exist', "p.yml:3:31", "hint: y", "db"))
    ::error file=db/p.yml,line=3,col=31,title=column "x" does not exist::hint: y

GitHub
    Workflow commands: a property's value has no colon and no comma, and no value breaks a line.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

__all__ = ["annotation"]

_BREAKS = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PLACE = re.compile(r"(.+?):(\d+):(\d+)")


def annotation(level: str, message: str, place: str | None, more: str, folder: str = "") -> str:
    """One `error` or `warning`; `place` is `file:line:column` below a folder, `more` its text."""
    found = _PLACE.fullmatch(place or "")
    facts = {"title": message}
    if found is not None:
        file = PurePosixPath(folder, found[1])
        facts = {"file": str(file), "line": found[2], "col": found[3], **facts}
    listed = ",".join(f"{name}={_property(value)}" for name, value in facts.items())
    return f"::{level} {listed}::{_escaped(more or message, _BREAKS)}"


def _property(text: str) -> str:
    return _escaped(text, {**_BREAKS, ":": "%3A", ",": "%2C"})


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(letter, letter) for letter in text)
