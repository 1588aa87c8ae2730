"""Array literals: `{1,NULL}`, `{{a,"b c"},{d,e}}`, `[0:1]={1,2}`.

Held as a tuple of elements, tuples of tuples for more dimensions, None for NULL.

PostgreSQL
    arrayfuncs.c, array_in(), ReadArrayStr(), array_out().
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from filtersql.errors.filters import BadLiteral, NotTranslated
from filtersql.filters.values.clock import Clock, Read, Reader, Show, Shower
from filtersql.filters.values.texts import BLANKS

__all__ = ["SEPARATORS", "of"]

#: pg_type.typdelim, where it is no comma
SEPARATORS = {"box": ";"}

_BOUNDS = re.compile(r"\s*((?:\[[+-]?\d+(?::[+-]?\d+)?\]\s*)+)=", re.ASCII)
_DIMENSION = re.compile(r"\[([+-]?\d+)(?::([+-]?\d+))?\]", re.ASCII)
_BOUND = re.compile(r"[+-]?\d+", re.ASCII)
_TOKEN = re.compile(
    r'\s*(?:([{},])|"((?:[^"\\]|\\.)*)"|((?:[^{},"\\]|\\.)+))', re.DOTALL | re.ASCII
)
_BARE = re.compile(rf"((?:\\.|[^\\])*?)[{BLANKS}]*", re.DOTALL)
_QUOTED = re.compile(r'[{},"\\\s]', re.ASCII)

#: since when an array that holds empty ones only is empty
_REWRITTEN = 17
_ELEMENTS = {"quoted", "bare"}


def of(element: str, read: Read, show: Show) -> tuple[Reader, Shower]:
    """The reader and the shower of arrays of a type."""

    def read_array(text: str, modifier: int, clock: Clock) -> object:
        bounds = _BOUNDS.match(text)
        if not bounds and text.lstrip(BLANKS).startswith("["):
            raise _malformed(text, _broken_bounds(text))
        lengths = _lengths(text, bounds[1]) if bounds else None
        tokens = _tokens(text, bounds.end() if bounds else 0)
        older = clock.postgres_version < _REWRITTEN
        _check_tokens(text, tokens, older)
        value, place = _array(text, tokens, 0, lambda item: read(element, item, modifier, clock))
        if place != len(tokens):
            raise _malformed(text, "Junk after closing right brace.")
        _same_shape(text, value)
        if lengths and _shape(value) != lengths:
            raise _malformed(text, "Specified array dimensions do not match array contents.")
        return value if any(_leaves(value)) else ()

    def show_array(value: object) -> str:
        assert isinstance(value, tuple)
        return _shown(value, lambda item: show(element, item))

    return read_array, show_array


def _lengths(text: str, dimensions: str) -> tuple[int, ...]:
    """How long each dimension is; refused where one does not begin with 1, as columns' do."""
    found = []
    for first, second in _DIMENSION.findall(dimensions):
        lower, upper = (int(first), int(second)) if second else (1, int(first))
        if lower > upper:
            raise BadLiteral("upper bound cannot be less than lower bound")
        if lower != 1:
            reason = "Arrays whose bounds do not begin with 1 are not held by the targets."
            raise NotTranslated(f'the array "{text}"', "any engine", reason, None)
        found.append(upper)
    return tuple(found)


def _broken_bounds(text: str) -> str:
    """What is wrong with `[1:2]=`, read from the left (ReadArrayDimensions())."""
    place = len(text) - len(text.lstrip(BLANKS))
    while text[place : place + 1] == "[":
        first = _BOUND.match(text, place + 1)
        if first is None:
            return '"[" must introduce explicitly-specified array dimensions.'
        place = first.end()
        if text[place : place + 1] == ":":
            second = _BOUND.match(text, place + 1)
            if second is None:
                return "Missing array dimension value."
            place = second.end()
        if text[place : place + 1] != "]":
            return 'Missing "]" after array dimensions.'
        place += 1 + len(text[place + 1 :]) - len(text[place + 1 :].lstrip(BLANKS))
    return 'Missing "=" after array dimensions.'


def _malformed(text: str, detail: str) -> BadLiteral:
    return BadLiteral(f'malformed array literal: "{text}"', detail)


def _tokens(text: str, place: int) -> list[tuple[str, str]]:
    """(kind, text): a brace or comma as its own kind, `quoted` or `bare` elements."""
    tokens: list[tuple[str, str]] = []
    end = len(text.rstrip(BLANKS))
    if not text[place:].lstrip(BLANKS).startswith("{"):
        what = "Array contents must start" if place else "Array value must start"
        raise _malformed(text, f'{what} with "{{"{"" if place else " or dimension information"}.')
    while place < end:
        match = _TOKEN.match(text, place)
        if not match:
            raise _malformed(text, "Unexpected end of input.")
        place = match.end()
        if match[1]:
            tokens.append((match[1], ""))
        elif match[2] is not None:
            tokens.append(("quoted", re.sub(r"\\(.)", r"\1", match[2], flags=re.DOTALL)))
        else:
            bare = _without_blanks(match[3])
            if bare:
                kind = "bare" if "\\" not in bare else "quoted"
                tokens.append((kind, re.sub(r"\\(.)", r"\1", bare, flags=re.DOTALL)))
    return tokens


def _check_tokens(text: str, tokens: list[tuple[str, str]], older: bool) -> None:
    """What stands beside an element, and empty arrays inside of others."""
    for (kind, _), (following, _) in pairwise(tokens):
        if {kind, following} <= _ELEMENTS:
            detail = "Unexpected array element." if older else "Incorrectly quoted array element."
            raise _malformed(text, detail)
    if older and ("{", "}") in pairwise(kind for kind, _ in tokens[1:]):
        raise _malformed(text, 'Unexpected "}" character.')


def _without_blanks(bare: str) -> str:
    """An element without the blanks behind it; one that is escaped belongs to it."""
    found = _BARE.fullmatch(bare)
    assert found is not None
    return found[1]


def _array(
    text: str, tokens: list[tuple[str, str]], place: int, read: Callable[[str], object]
) -> tuple[tuple[object, ...], int]:
    """The array that begins at token `place`, and the place behind it."""
    items: list[object] = []
    place += 1
    if place < len(tokens) and tokens[place][0] == "}":
        return (), place + 1
    while place < len(tokens):
        kind, word = tokens[place]
        if kind == "{":
            item, place = _array(text, tokens, place, read)
            items.append(item)
        elif kind in ("quoted", "bare"):
            null = kind == "bare" and word.lower() == "null"
            items.append(None if null else read(word))
            place += 1
        else:
            raise _malformed(text, f'Unexpected "{kind}" character.')
        if place < len(tokens) and tokens[place][0] == ",":
            place += 1
        elif place < len(tokens) and tokens[place][0] == "}":
            return tuple(items), place + 1
        elif place < len(tokens):
            brace = tokens[place][0] == "{"
            what = '"{" character' if brace else "array element"
            raise _malformed(text, f"Unexpected {what}.")
    raise _malformed(text, "Unexpected end of input.")


def _shape(value: object) -> tuple[int, ...] | None:
    if type(value) is not tuple:  # an interval is a tuple of its own class
        return ()
    shapes = {_shape(item) for item in value}
    if len(shapes) > 1 or None in shapes:
        return None
    inner = next(iter(shapes), ())
    return (len(value), *(inner or ()))


def _same_shape(text: str, value: object) -> None:
    if _shape(value) is None:
        raise _malformed(
            text, "Multidimensional arrays must have sub-arrays with matching dimensions."
        )


def _leaves(value: tuple[object, ...]) -> list[bool]:
    found: list[bool] = []
    for item in value:
        found.extend(_leaves(item) if type(item) is tuple else [True])
    return found


def _shown(value: tuple[object, ...], show: Callable[[object], str]) -> str:
    parts = []
    for item in value:
        if type(item) is tuple:
            parts.append(_shown(item, show))
        elif item is None:
            parts.append("NULL")
        else:
            text = show(item)
            if not text or text.lower() == "null" or _QUOTED.search(text):
                text = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
            parts.append(text)
    return "{" + ",".join(parts) + "}"
