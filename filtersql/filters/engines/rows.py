"""The engines' tables of functions, read from the files of `functions/`.

Example
    ================================== ====================================================
    in a file                          is
    ================================== ====================================================
    `[spark]`, `[both]`                whose rows follow
    `int4div int8div = _1 DIV _2`      a row: functions, by name or by signature, and their
                                       text, in which `_1` and `_2` are the arguments
    `.year = YEAR(_1)`                 a piece, which the rules of `write/rules` ask for
    `int{2,4}up = _1`                  `int2up = _1` and `int4up = _1`
    `.let_{a,b} = {which}`             `.let_a = a` and `.let_b = b`; `{WHICH}` in capitals
    `{error} = raise_error`            a fragment: `{error}` stands for its text
    `{half: number} = {number} / 2`    the same with a parameter: `{half: _1}`, `{f: _1; _2}`
    ================================== ====================================================

    An indented line belongs to the row above it. tests/filters runs every row against PostgreSQL:
    on Spark in ANSI mode, on both with the time zone UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

from filtersql.storage import Engine

__all__ = ["of_family", "rows"]

_Value = TypeVar("_Value")
_FOLDER = Path(__file__).parent / "functions"
#: the beginning of a fragment in a text, other braces, and what parts arguments
_TOKEN = re.compile(r"\{(?P<name>[A-Za-z]\w*)(?P<behind>: |\})|\{|\}|; ")
#: the beginning of a fragment's own line
_HEAD = re.compile(r"\{(?P<name>[A-Za-z]\w*)(?P<behind>: |\}$)")
_CHOICES = re.compile(r"\{([^}]*)\}")


class _Call(NamedTuple):
    """A name in braces, with the texts of its arguments."""

    name: str
    args: tuple[list[str | _Call], ...]


_Text = list[str | _Call]


class _Fragment(NamedTuple):
    """A text that stands for its name; its parameters are names in braces, too."""

    parameters: tuple[str, ...]
    text: _Text


@cache
def rows(engine: Engine) -> Mapping[str, str]:
    """Name or signature of a function, or a piece's name -> SQL text of the engine."""
    return _Rows(engine, sorted(_FOLDER.glob("*.sql")))


def of_family(module: str) -> Callable[[Engine], Mapping[str, str]]:
    """The same of the file beside a module; it may use the fragments of all."""
    return lambda engine: _Rows(engine, [_FOLDER / "words.sql", Path(module).with_suffix(".sql")])


class _Rows(Mapping[str, str]):
    """A text is put together when it is asked for: a project needs few of some thousand."""

    def __init__(self, engine: Engine, paths: Iterable[Path]) -> None:
        entries = [(_HEAD.match(head), head, text) for head, text in _entries(engine, paths)]
        self._fragments = _Fragments(
            _unique((call["name"], (call, text)) for call, _, text in entries if call)
        )
        self._written = _unique(
            (name, (choice, text))
            for call, head, text in entries
            if not call
            for pattern in head.split()
            for name, choice in _names(pattern)
        )
        self._filled: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        if name not in self._filled:
            choice, text = self._written[name]
            given = {"which": choice, "WHICH": choice.upper()}
            self._filled[name] = _filled(_parsed(text), self._fragments, given)
        return self._filled[name]

    def __contains__(self, name: object) -> bool:
        return name in self._written

    def __iter__(self) -> Iterator[str]:
        return iter(self._written)

    def __len__(self) -> int:
        return len(self._written)


class _Fragments(dict[str, _Fragment]):
    """Fragments by name, each read when it is first asked for."""

    def __init__(self, written: Mapping[str, tuple[re.Match[str], str]]) -> None:
        self._written = written

    def __missing__(self, name: str) -> _Fragment:
        call, text = self._written[name]
        return self.setdefault(name, _fragment(call, _parsed(text)))


def _unique(pairs: Iterable[tuple[str, _Value]]) -> dict[str, _Value]:
    found: dict[str, _Value] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"two rows for {name}")
        found[name] = value
    return found


def _entries(engine: Engine, paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """What stands in front of the sign and behind it, of each row and fragment of an engine."""
    for path in paths:
        section, lines = "", [""]
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("["):
                section = line[1:-1]
            elif line.startswith(" ") and section in ("both", engine):
                lines[-1] += f" {line.strip()}"
            elif line and not line.startswith(("--", " ")) and section in ("both", engine):
                lines.append(line)
        for entry in lines[1:]:
            head, text = entry.split(" =", 1)
            yield head, text[1:]


def _names(pattern: str) -> Iterator[tuple[str, str]]:
    """The names that a pattern stands for, each with what was chosen in it."""
    choices = _CHOICES.search(pattern)
    if choices is None:
        yield pattern, ""
        return
    for choice in choices[1].split(","):
        yield pattern[: choices.start()] + choice + pattern[choices.end() :], choice


def _fragment(call: re.Match[str], text: _Text) -> _Fragment:
    parameters = call.string[call.end() : -1].split("; ")
    return _Fragment(tuple(parameters) if call["behind"] == ": " else (), text)


def _parsed(text: str) -> _Text:
    return _read(text, 0, within=False)[0]


def _read(text: str, place: int, *, within: bool) -> tuple[_Text, int, bool]:
    """The parts of a text, or of an argument; where it ends, and whether another one follows."""
    parts: _Text = []
    begin, depth = place, 0
    while token := _TOKEN.search(text, place):
        place = token.end()
        if token["name"]:
            parts.append(text[begin : token.start()])
            args, more = [], token["behind"] == ": "
            while more:
                arg, place, more = _read(text, place, within=True)
                args.append(arg)
            parts.append(_Call(token["name"], tuple(args)))
            begin = place
        elif token[0] == "{":
            depth += 1
        elif within and depth == 0:
            parts.append(text[begin : token.start()])
            return parts, place, token[0] == "; "
        elif token[0] == "}":
            depth -= 1
    if within:
        raise ValueError(f"a brace is not closed: {text}")
    return [*parts, text[begin:]], len(text), False


def _filled(text: _Text, fragments: Mapping[str, _Fragment], given: Mapping[str, str]) -> str:
    """The text with all that stands in braces put in its place."""
    filled = []
    for part in text:
        if isinstance(part, str):
            filled.append(part)
        elif part.name in given:
            filled.append(given[part.name])
        else:
            fragment = fragments[part.name]
            values = [_filled(arg, fragments, given) for arg in part.args]
            named = dict(zip(fragment.parameters, values, strict=True))
            filled.append(_filled(fragment.text, fragments, named))
    return "".join(filled)
