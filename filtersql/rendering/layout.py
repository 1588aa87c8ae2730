"""Long expressions and comments on several lines, for people who review them.

Example
    ============================================== ==========================
    text                                           lines
    ============================================== ==========================
    a > 5 AND c = 'NSW'                            a > 5
                                                   AND c = 'NSW'
    CASE WHEN a > 5 THEN b ELSE c END              CASE
                                                       WHEN a > 5 THEN b
                                                       ELSE c
                                                   END
    COALESCE(a, b) > 0                             COALESCE(
                                                       a,
                                                       b
                                                   ) > 0
    ============================================== ==========================

What fits in one line stays there, and so does a short part of what is long. A longer text is broken
at its outermost OR, else at its AND, else around its longest CASE or pair of parentheses. A break
takes the place of one space, or stands beside a parenthesis, so the tokens of the statement are the
same; `squeezed` undoes it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from filtersql.storage import Engine

__all__ = [
    "WIDTH",
    "alternatives",
    "clause",
    "criterion_lines",
    "laid_out",
    "one_line",
    "squeezed",
    "wrapped",
]

#: sqlfluff's, and that of a terminal
WIDTH = 80
_INDENT = "    "
#: what is no longer stays in one line, however far to the right that stands
_SHORT = 40
#: what stands beside a filter in its line: connective, marks, parentheses, comma
_MARKS = len("AND /*<10*/ () /*10>*/,")
_STRINGS: dict[Engine, str] = {
    "spark": r"'(?:[^'\\]|''|\\.)*'|\"(?:[^\"\\]|\"\"|\\.)*\"|`(?:[^`]|``)*`",
    "duckdb": r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"",
}
_TOKENS: dict[Engine, re.Pattern[str]] = {
    engine: re.compile(rf"(?P<space> *)(?P<text>\w*(?:{strings})|[\w.]+|[(),]|\s|.)", re.DOTALL)
    for engine, strings in _STRINGS.items()
}
_BREAKS = re.compile(rf"({_STRINGS['duckdb']})|\s*\n\s*", re.DOTALL)
_SPACES: dict[Engine, re.Pattern[str]] = {
    engine: re.compile(rf"({strings})|\s*([()])\s*|\s+", re.DOTALL)
    for engine, strings in _STRINGS.items()
}


@dataclass(frozen=True, slots=True)
class _Piece:
    """A token, or all from `(` to `)` or from CASE to END; `space` stands before it."""

    space: bool
    text: str
    inner: tuple[_Piece, ...] = ()
    #: the text in one line, without the space before it
    flat: str = ""

    @property
    def ends(self) -> tuple[str, str]:
        return ("CASE", "END") if self.text == "CASE" else ("(", ")")


@lru_cache(maxsize=8192)
def laid_out(text: str, engine: Engine, width: int) -> tuple[str, ...]:
    """The expression in lines of that width, where it can be broken so far."""
    if len(text) <= width:
        return (text,)
    return tuple(_lines(_pieces(text, engine), width))


def criterion_lines(text: str, engine: Engine, width: int) -> tuple[str, ...]:
    """A row filter in parentheses, which stand on lines of their own where it needs several."""
    if len(text) <= width - _MARKS:
        return (f"({text})",)
    return ("(", *(_INDENT + line for line in laid_out(text, engine, width - len(_INDENT))), ")")


@lru_cache(maxsize=8192)
def clause(keyword: str, items: tuple[str, ...], width: int) -> tuple[str, ...]:
    """A keyword and a list: beside it where that fits (one item always does), else below.

    >>> clause("SELECT", ("a", "b"), 0)
    ('SELECT', '    a,', '    b')
    """
    flat = f"{keyword} {', '.join(items)}"
    if len(items) < 2 or len(flat) <= width:
        return (flat,)
    return (keyword, *(f"{_INDENT}{each}," for each in items[:-1]), _INDENT + items[-1])


@lru_cache(maxsize=8192)
def alternatives(conditions: tuple[str, ...], width: int) -> tuple[str, ...]:
    """Conditions with OR between them, in parentheses.

    >>> alternatives(("a <> b", "c <> d"), 9)
    ('(', '    a <> b', '    OR c <> d', ')')
    """
    flat = f"({' OR '.join(conditions)})"
    if len(flat) <= width:
        return (flat,)
    first, *more = conditions
    return ("(", _INDENT + first, *(f"{_INDENT}OR {each}" for each in more), ")")


@lru_cache(maxsize=8192)
def wrapped(line: str, width: int, hanging: int) -> tuple[str, ...]:
    """A comment in lines of that width; those after the first are indented."""
    if len(line) <= width:
        return (line,)
    lines = textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return tuple(lines) or (line,)


def squeezed(text: str, engine: Engine) -> str:
    """The text in one line, with one space where there is any and none beside parentheses.

    >>> squeezed("(\\n    a > 5\\n    AND c = ' b'\\n)", "spark")
    "(a > 5 AND c = ' b')"
    """
    return _SPACES[engine].sub(lambda found: found[1] or found[2] or " ", text)


@lru_cache(maxsize=8192)
def one_line(label: str) -> str:
    """PostgreSQL's text of a filter without the line ends that it prints in a CASE.

    >>> one_line("CASE\\n    WHEN a THEN b\\nEND")
    'CASE WHEN a THEN b END'
    """
    return _BREAKS.sub(lambda found: found[1] or " ", label)


def _pieces(text: str, engine: Engine) -> tuple[_Piece, ...]:
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


def _lines(pieces: Sequence[_Piece], width: int) -> list[str]:
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
    joined = _lines(operands[0], width)
    for operand in operands[1:]:
        first, *more = _lines(operand, width - len(word))
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
    lines = inside(inner, width - len(_INDENT))
    return [before, *(_INDENT + line for line in lines), behind]


def _items(pieces: Sequence[_Piece], width: int) -> list[str]:
    """What stands in parentheses: one line where it fits, else each item of a list on its own."""
    if len(_flat(pieces)) <= max(width, _SHORT):
        return [_flat(pieces)]
    laid: list[str] = []
    items = list(_split(pieces, ","))
    for position, item in enumerate(items, 1):
        lines = _lines(item, width)
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
            first, *more = _lines(branch[1:], width - 5)
            laid += [f"ELSE {first}", *more]
        else:
            laid += _branch(branch[1:then], branch[then + 1 :], width)
    return laid


def _branch(condition: Sequence[_Piece], value: Sequence[_Piece], width: int) -> list[str]:
    narrow = width - len(_INDENT)
    asked = _lines(condition, width - 5)
    when = [f"WHEN {asked[0]}"] if len(asked) == 1 else ["WHEN"]
    if len(asked) > 1:
        when += [_INDENT + line for line in _lines(condition, narrow)]
    first, *more = _lines(value, narrow - 5)
    return [*when, f"{_INDENT}THEN {first}", *(_INDENT + line for line in more)]


def _branches(pieces: Sequence[_Piece]) -> Iterator[Sequence[_Piece]]:
    begin = 0
    for position, each in enumerate(pieces):
        if each.text.upper() in ("WHEN", "ELSE") and position > begin:
            yield pieces[begin:position]
            begin = position
    yield pieces[begin:]
