"""The reader of Markdown cases; tests/cases/README.md says how to write one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Case", "Fence", "read", "read_fences", "rewrite"]

_FENCE = re.compile(r"(`{3,})\s*(\S*)\s*(.*)")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: ```` ```<language> <words> ````, and the lines between the fences."""

    language: str
    words: tuple[str, ...]
    text: str
    #: the numbers of its inner lines, from 0, `end` exclusive
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Case:
    """One `## sentence` of a file with the fences that the file's head shares and its own."""

    path: Path
    name: str
    line: int
    shared: tuple[Fence, ...]
    fences: tuple[Fence, ...]


def read(path: Path) -> list[Case]:
    """The cases of a Markdown file, in order."""
    (_, _, shared), *cases = _sections(path)
    names = [name for name, _, _ in cases]
    assert len(names) == len(set(names)), f"{path}: two cases have the same heading"
    return [Case(path, name, line, tuple(shared), tuple(own)) for name, line, own in cases]


def read_fences(path: Path) -> list[Fence]:
    """All fences of a Markdown file, whatever they stand under."""
    return [fence for _, _, fences in _sections(path) for fence in fences]


def _sections(path: Path) -> list[tuple[str, int, list[Fence]]]:
    """The head (without a name) and each `##` heading: its line's number and its fences."""
    lines = path.read_text(encoding="utf-8").split("\n")
    sections: list[tuple[str, int, list[Fence]]] = [("", 0, [])]
    number = 0
    while number < len(lines):
        opening = _FENCE.fullmatch(lines[number])
        if opening:
            end = _closing(path, lines, number, opening[1])
            words = tuple(opening[3].split())
            text = "\n".join(lines[number + 1 : end])
            sections[-1][2].append(Fence(opening[2], words, text, number + 1, end))
            number = end
        elif lines[number].startswith("## "):
            sections.append((lines[number].removeprefix("## ").strip(), number + 1, []))
        number += 1
    return sections


def rewrite(path: Path, answers: Mapping[Fence, str]) -> None:
    """Put new texts between the fences of a file, from its end, so that line numbers hold."""
    lines = path.read_text(encoding="utf-8").split("\n")
    for fence in sorted(answers, key=lambda fence: fence.begin, reverse=True):
        lines[fence.begin : fence.end] = answers[fence].split("\n") if answers[fence] else []
    path.write_text("\n".join(lines), encoding="utf-8")


def _closing(path: Path, lines: list[str], opening: int, ticks: str) -> int:
    for number in range(opening + 1, len(lines)):
        if lines[number].rstrip() == ticks:
            return number
    raise AssertionError(f"{path}:{opening + 1}: this fence is never closed")
