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
from functools import lru_cache

from filtersql.rendering.line_breaks import INDENT, STRINGS, broken, pieces_of
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
#: what stands beside a filter in its line: connective, parentheses, comma
_BESIDE = len("AND (),")
_BREAKS = re.compile(rf"({STRINGS['duckdb']})|\s*\n\s*", re.DOTALL)
_SPACES: dict[Engine, re.Pattern[str]] = {
    engine: re.compile(rf"({strings})|\s*([()])\s*|\s+", re.DOTALL)
    for engine, strings in STRINGS.items()
}


@lru_cache(maxsize=8192)
def laid_out(text: str, engine: Engine, width: int) -> tuple[str, ...]:
    """The expression in lines of that width, where it can be broken so far."""
    if len(text) <= width:
        return (text,)
    return tuple(broken(pieces_of(text, engine), width))


def criterion_lines(text: str, engine: Engine, width: int) -> tuple[str, ...]:
    """A row filter in parentheses, which stand on lines of their own where it needs several."""
    if len(text) <= width - _BESIDE:
        return (f"({text})",)
    return ("(", *(INDENT + line for line in laid_out(text, engine, width - len(INDENT))), ")")


@lru_cache(maxsize=8192)
def clause(keyword: str, items: tuple[str, ...], width: int) -> tuple[str, ...]:
    """A keyword and a list: beside it where that fits (one item always does), else below.

    >>> clause("SELECT", ("a", "b"), 0)
    ('SELECT', '    a,', '    b')
    """
    flat = f"{keyword} {', '.join(items)}"
    if len(items) < 2 or len(flat) <= width:
        return (flat,)
    return (keyword, *(f"{INDENT}{each}," for each in items[:-1]), INDENT + items[-1])


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
    return ("(", INDENT + first, *(f"{INDENT}OR {each}" for each in more), ")")


@lru_cache(maxsize=8192)
def wrapped(line: str, width: int, hanging: int) -> tuple[str, ...]:
    """A comment in lines of that width; those after the first are indented."""
    if len(line) <= width:
        return (line,)
    lines, before, room = [], "", width
    while len(line) > room:
        cut = line.rfind(" ", 0, room + 1)
        if cut < 0:  # a word is not broken
            cut = line.find(" ")
        elif not line[:cut].strip(" "):
            line = line.lstrip(" ")
            continue
        if cut < 0:
            break
        lines.append(before + line[:cut].rstrip(" "))
        line, before, room = line[cut:].lstrip(" "), " " * hanging, width - hanging
    return (*lines, before + line.rstrip(" ")) if line else tuple(lines)


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
