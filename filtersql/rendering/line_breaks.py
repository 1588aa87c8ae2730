"""Where a long expression is broken: at OR, at AND, around its longest CASE or parentheses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from filtersql.storage import Engine

__all__ = ["INDENT", "STRINGS", "broken", "pieces_of"]

INDENT = "    "
#: what is no longer stays in one line, however far to the right that stands
_SHORT = 40
STRINGS: dict[Engine, str] = {
    "spark": r"'(?:[^'\\]|''|\\.)*'|\"(?:[^\"\\]|\"\"|\\.)*\"|`(?:[^`]|``)*`",
    "duckdb": r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"",
}
_TOKENS: dict[Engine, re.Pattern[str]] = {
    engine: re.compile(rf"(?P<space> *)(?P<text>\w*(?:{strings})|[\w.]+|[(),]|\s|.)", re.DOTALL)
    for engine, strings in STRINGS.items()
}


class _Piece(Struct, frozen=True):
    """A token, or all from `(` to `)` or from CASE to END; `space` stands before it."""

    space: bool
    text: str
    inner: tuple[_Piece, ...] = ()
    #: the text in one line, without the space before it
    flat: str = ""

    @property
    def ends(self) -> tuple[str, str]:
        return ("CASE", "END") if self.text == "CASE" else ("(", ")")


def pieces_of(text: str, engine: Engine) -> tuple[_Piece, ...]:
    """The tokens of a text; those of parentheses and of a CASE are one piece."""
    tokens = (
        _Piece(bool(token["space"]), token["text"]) for token in _TOKENS[engine].finditer(text)
    )
    return _until(tokens, None)


def _until(tokens: Iterator[_Piece], closing: str | None) -> tuple[_Piece, ...]:
    """The pieces before a closing token, which comes last, with its space."""
    pieces: list[_Piece] = []
    for token in tokens:
        upper = token.text.upper()
        if upper == closing:
            return (*pieces, token)
        if upper in ("(", "CASE"):
            inner = _until(tokens, ")" if upper == "(" else "END")
            token = replace(token, text=upper, inner=inner, flat=token.text + _flat(inner, True))
        pieces.append(token)
    return tuple(pieces)


def _flat(pieces: Sequence[_Piece], spaced: bool = False) -> str:
    text = "".join((" " if each.space else "") + (each.flat or each.text) for each in pieces)
    return text if spaced else text.removeprefix(" ")


def broken(pieces: Sequence[_Piece], width: int) -> list[str]:
    """The lines of an expression: one where it fits or cannot be broken."""
    flat = _flat(pieces)
    if len(flat) <= max(width, _SHORT):
        return [flat]
    for word in ("OR", "AND"):
        operands = list(_split(pieces, word))
        if len(operands) > 1:
            return _joined(operands, f"{word} ", width)
    longest = max((len(each.flat) for each in pieces), default=0)
    at = next((n for n, each in enumerate(pieces) if each.flat and len(each.flat) == longest), None)
    return [flat] if at is None else _around(pieces, at, width)


def _joined(operands: Sequence[Sequence[_Piece]], word: str, width: int) -> list[str]:
    joined = broken(operands[0], width)
    for operand in operands[1:]:
        first, *more = broken(operand, width - len(word))
        joined += [word + first, *more]
    return joined


def _split(pieces: Sequence[_Piece], word: str) -> Iterator[Sequence[_Piece]]:
    """The operands of a connective; the AND of a BETWEEN is none."""
    begin, between = 0, 0
    for position, each in enumerate(pieces):
        upper = each.text.upper()
        between += upper == "BETWEEN"
        if upper == word and word == "AND" and between:
            between -= 1
        elif upper == word:
            yield pieces[begin:position]
            begin = position + 1
    yield pieces[begin:]


def _around(pieces: Sequence[_Piece], at: int, width: int) -> list[str]:
    """Broken within one piece: what is before it and behind it stays beside its ends."""
    group = pieces[at]
    opening, _ = group.ends
    before = _flat(pieces[:at]) + (" " if group.space and at else "") + opening
    behind = group.inner[-1].text + _flat(pieces[at + 1 :], spaced=True)
    inside, inner = (_case if opening == "CASE" else _items), group.inner[:-1]
    if opening == "CASE" and inner[0].text.upper() != "WHEN":
        # what a CASE compares stays beside it
        asked = next(n for n, each in enumerate(inner) if each.text.upper() == "WHEN")
        before, inner = f"{before} {_flat(inner[:asked])}", inner[asked:]
    lines = inside(inner, width - len(INDENT))
    return [before, *(INDENT + line for line in lines), behind]


def _items(pieces: Sequence[_Piece], width: int) -> list[str]:
    """What stands in parentheses: one line where it fits, else each item of a list on its own."""
    if len(_flat(pieces)) <= max(width, _SHORT):
        return [_flat(pieces)]
    laid: list[str] = []
    items = list(_split(pieces, ","))
    for position, item in enumerate(items, 1):
        lines = broken(item, width)
        comma = "," if position < len(items) else ""
        laid += [*lines[:-1], lines[-1] + comma]
    return laid


def _case(pieces: Sequence[_Piece], width: int) -> list[str]:
    """The branches of a CASE, a line or more for each."""
    laid: list[str] = []
    for branch in _branches(pieces):
        flat = _flat(branch)
        then = next((n for n, each in enumerate(branch) if each.text.upper() == "THEN"), None)
        if len(flat) <= max(width, _SHORT):
            laid.append(flat)
        elif then is None:
            first, *more = broken(branch[1:], width - 5)
            laid += [f"ELSE {first}", *more]
        else:
            laid += _branch(branch[1:then], branch[then + 1 :], width)
    return laid


def _branch(condition: Sequence[_Piece], value: Sequence[_Piece], width: int) -> list[str]:
    narrow = width - len(INDENT)
    asked = broken(condition, width - 5)
    when = [f"WHEN {asked[0]}"] if len(asked) == 1 else ["WHEN"]
    if len(asked) > 1:
        when += [INDENT + line for line in broken(condition, narrow)]
    first, *more = broken(value, narrow - 5)
    return [*when, f"{INDENT}THEN {first}", *(INDENT + line for line in more)]


def _branches(pieces: Sequence[_Piece]) -> Iterator[Sequence[_Piece]]:
    begin = 0
    for position, each in enumerate(pieces):
        if each.text.upper() in ("WHEN", "ELSE") and position > begin:
            yield pieces[begin:position]
            begin = position
    yield pieces[begin:]
