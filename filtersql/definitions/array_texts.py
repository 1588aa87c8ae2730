"""`text[]` as text: the names in an argument such as `columns := '{id,"b c"}'`.

Example
    >>> names_in('{id, "b,c"}')
    ['id', 'b,c']

PostgreSQL
    arrayfuncs.c: array_in(). pglogical_functions.c, textarray_to_list(): NULL is no name.
"""

from __future__ import annotations

import re

__all__ = ["NULL_ELEMENT", "BadArray", "names_in"]

NULL_ELEMENT = "null array element not allowed in this context"
_BLANKS = " \t\n\r\v\f"
_INSIDE = r'[^{},"\\ \t\n\r\v\f]|\\.'
_TOKEN = re.compile(
    rf'[{_BLANKS}]*(?:([{{}},])|"((?:[^"\\]|\\.)*)"|((?:{_INSIDE})(?:[{_BLANKS}]*(?:{_INSIDE}))*))',
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
#: what a brace or a comma may stand behind
_BEHIND = {",": ("element",), "}": ("element", "{"), "{": ()}


class BadArray(ValueError):
    """What is no array of names; its words are PostgreSQL's message and perhaps a detail."""


def names_in(text: str) -> list[str]:
    """The elements of an array of one dimension."""
    body = text.strip(_BLANKS)
    if body.startswith("["):
        raise _unread(text)
    if not body.startswith("{"):
        detail = 'Array value must start with "{" or dimension information.'
        raise _malformed(text, detail)
    names, before, place = [], "{", 1
    while before != "}":
        token = _TOKEN.match(body, place)
        if token is None:
            raise _malformed(text, "Unexpected end of input.")
        place = token.end()
        mark, quoted, bare = token.groups()
        if mark == "{" and before != "element":
            raise _unread(text)
        if mark and before not in _BEHIND[mark]:
            raise _malformed(text, f'Unexpected "{mark}" character.')
        if not mark:
            if before == "element":
                raise _malformed(text, "Unexpected array element.")
            names.append(_name(quoted, bare))
        before = mark or "element"
    if place != len(body):
        raise _malformed(text, "Junk after closing right brace.")
    return names


def _name(quoted: str | None, bare: str | None) -> str:
    if quoted is None and bare is not None and bare.upper() == "NULL":
        raise BadArray(NULL_ELEMENT)
    return _ESCAPED.sub(r"\1", quoted or bare or "")


def _malformed(text: str, detail: str) -> BadArray:
    return BadArray(f'malformed array literal: "{text}"', detail)


def _unread(text: str) -> BadArray:
    return BadArray(f'array "{text}" is not supported', "Names are read from arrays like {a,b}.")
