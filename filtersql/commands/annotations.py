"""Mistakes and warnings with their places, for GitHub (workflow commands) and others (SARIF).

Example
    >>> found = Annotation("error", "mistake", "no such column", "hint: y", "db/p.yml", 3, 31)
    >>> print(workflow_command(found))
    ::error file=db/p.yml,line=3,col=31,title=no such column::hint: y
    >>> sarif([found])["runs"][0]["results"][0]["ruleId"]
    'mistake'

GitHub
    Workflow commands: a property's value has no colon and no comma, and no value breaks a line.
OASIS
    Static Analysis Results Interchange Format 2.1.0, sections 3.14, 3.27 and 3.29
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, Literal
from urllib.parse import quote

from msgspec import Struct

__all__ = ["Annotation", "Level", "placed", "sarif", "workflow_command"]

Level = Literal["error", "warning"]

_BREAKS = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PLACE = re.compile(r"(.+?):(\d+):(\d+)")
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class Annotation(Struct, frozen=True):
    """A mistake or warning. `name` is the warning's, `more` its detail and hint; lines from 1."""

    level: Level
    name: str
    message: str
    more: str
    file: str | None = None
    line: int = 1
    column: int = 1


def placed(place: str | None, folder: str) -> tuple[str | None, int, int]:
    """File, line and column of `file:line:column` below a folder."""
    found = _PLACE.fullmatch(place or "")
    if found is None:
        return None, 1, 1
    return str(PurePosixPath(folder, found[1])), int(found[2]), int(found[3])


def workflow_command(found: Annotation) -> str:
    """As GitHub reads it from the output of a job."""
    facts = {"title": found.message}
    if found.file is not None:
        facts = {"file": found.file, "line": str(found.line), "col": str(found.column), **facts}
    listed = ",".join(f"{name}={_property(value)}" for name, value in facts.items())
    return f"::{found.level} {listed}::{_escaped(found.more or found.message, _BREAKS)}"


def sarif(found: Sequence[Annotation]) -> dict[str, Any]:
    """All of a command, as a document of one run."""
    rules = [{"id": name} for name in dict.fromkeys(one.name for one in found)]
    driver = {"name": "filtersql", "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one) for one in found],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(found: Annotation) -> dict[str, Any]:
    text = f"{found.message}\n{found.more}" if found.more else found.message
    result: dict[str, Any] = {
        "ruleId": found.name,
        "level": found.level,
        "message": {"text": text},
    }
    if found.file is not None:
        place = {
            "artifactLocation": {"uri": quote(found.file)},
            "region": {"startLine": found.line, "startColumn": found.column},
        }
        result["locations"] = [{"physicalLocation": place}]
    return result


def _property(text: str) -> str:
    return _escaped(text, {**_BREAKS, ":": "%3A", ",": "%2C"})


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(letter, letter) for letter in text)
