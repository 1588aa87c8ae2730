"""Arrays as PostgreSQL prints them.

Example
    >>> array_text('{1, null,"a b"}', str)
    '{1,NULL,"a b"}'
    >>> array_text([[1, 2], [3, None]], str)
    '{{1,2},{3,NULL}}'

PostgreSQL
    src/backend/utils/adt/arrayfuncs.c, array_in() and array_out().
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from filtersql.filters.values.texts import BLANKS

__all__ = ["array_text"]

_BOUNDS = re.compile(r"((?:\[[+-]?\d+:[+-]?\d+\])+)=(\{.*)", re.DOTALL | re.ASCII)
#: with % for what stands between two elements
_TOKEN = r'\s*(?:([{}%])|"((?:[^"\\]|\\.)*)"|((?:[^{}%"\\]|\\.)+))\s*'

#: A tree of an array: elements as text, None for NULL.
Tree = list["Tree | str | None"]


def array_text(
    value: str | list[object], element: Callable[[object], str], separator: str = ","
) -> str:
    """The array as PostgreSQL prints it; `element` gives an element's text. Raises ValueError."""
    if isinstance(value, str):
        bounds, tree = _parsed(value, separator)
    else:
        bounds, tree = "", _tree(value)
    _shape(tree)
    return bounds + (_printed(tree, element, separator) if tree else "{}")


@cache
def _token(separator: str) -> re.Pattern[str]:
    return re.compile(_TOKEN.replace("%", separator), re.DOTALL | re.ASCII)


def _tree(value: list[object]) -> Tree:
    return [_tree(item) if isinstance(item, list) else _leaf(item) for item in value]


def _leaf(item: object) -> str | None:
    if isinstance(item, dict):
        raise ValueError
    if isinstance(item, bool):
        return "true" if item else "false"
    return None if item is None else str(item)


def _parsed(text: str, separator: str) -> tuple[str, Tree]:
    bounds = ""
    text = text.strip(BLANKS)
    if match := _BOUNDS.fullmatch(text):
        bounds, text = f"{match[1]}=", match[2]
    stack: list[Tree] = [[]]
    # An element must follow `{` and a separator; a separator or the end must follow an element.
    wants_element = True
    position, token = 0, _token(separator)
    while position < len(text):
        match = token.match(text, position)
        if match is None or (len(stack) == 1 and position > 0):
            raise ValueError
        position = match.end()
        wants_element = _take(stack, match, wants_element)
    if len(stack) != 1 or len(stack[0]) != 1 or not isinstance(stack[0][0], list):
        raise ValueError
    return bounds, stack[0][0]


def _take(stack: list[Tree], match: re.Match[str], wants_element: bool) -> bool:
    mark, quoted, bare = match[1], match[2], match[3]
    if mark == "{" and wants_element:
        inner: Tree = []
        stack[-1].append(inner)
        stack.append(inner)
        return True
    if mark == "}" and len(stack) > 1 and (not wants_element or not stack[-1]):
        stack.pop()
        return False
    if mark not in (None, "{", "}") and not wants_element:
        return True
    if mark is not None or not wants_element or len(stack) == 1:
        raise ValueError
    if quoted is not None:
        stack[-1].append(re.sub(r"(?s)\\(.)", r"\1", quoted))
    else:
        text = bare.rstrip(BLANKS)
        plain = re.sub(r"(?s)\\(.)", r"\1", text)
        stack[-1].append(None if text.upper() == "NULL" else plain)
    return False


def _shape(tree: Tree) -> tuple[int, ...]:
    """The dimensions; PostgreSQL's arrays are rectangular."""
    shapes = {_shape(item) if isinstance(item, list) else () for item in tree}
    if len(shapes) > 1:
        raise ValueError
    return (len(tree), *(shapes.pop() if shapes else ()))


def _printed(tree: Tree, element: Callable[[object], str], separator: str) -> str:
    parts = []
    for item in tree:
        if isinstance(item, list):
            parts.append(_printed(item, element, separator))
        elif item is None:
            parts.append("NULL")
        else:
            parts.append(_quoted(element(item), separator))
    return "{" + separator.join(parts) + "}"


def _quoted(text: str, separator: str) -> str:
    marked = separator in text or re.search(r'[{}"\\ \t\n\r\v\f]', text)
    if text and text.upper() != "NULL" and not marked:
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
