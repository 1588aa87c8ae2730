"""A name in YAML, read as PostgreSQL reads an identifier: folded unless quoted, cut at 63 bytes.

Example
    ================== ==================
    written            plain name
    ================== ==================
    Orders             orders
    '"Orders"'         Orders
    sales.orders       sales, orders
    '"a.b"."c""d"'     a.b, c"d
    order              order (a keyword is a name here: no other word may stand in its place)
    ================== ==================

PostgreSQL
    scan.l (ident_start, ident_cont); scansup.c, downcase_truncate_identifier()
"""

from __future__ import annotations

import re

from filtersql.errors.definitions import InvalidName
from filtersql.names import RelationName
from filtersql.source import Passage

__all__ = ["WORD", "cut", "fold", "parts_of", "plain_name", "relation_name"]

_LONGEST = 63
#: A word: every character outside ASCII is a letter to PostgreSQL's scanner. It is said by what is
#: none, because Python takes long to compile a range of a million: `[A-Za-z_…][A-Za-z0-9_$…]*`.
WORD = r"[^\x00-@\[-^`{-\x7f][^\x00-#%-/:-@\[-^`{-\x7f]*"
_PART = re.compile(rf'\s*(?:({WORD})|"((?:[^"\0]|"")+)")\s*')
_SIMPLE = re.compile(r"[a-z_][a-z0-9_]{0,62}\Z")
_FOLD = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def plain_name(text: Passage) -> str:
    """The one name that the text is; raises InvalidName."""
    if _SIMPLE.match(text.text):
        return text.text
    parts = _parts(text)
    if len(parts) != 1:
        raise InvalidName(text.text, text.span())
    return parts[0]


def relation_name(text: Passage, schema: str = "public") -> RelationName:
    """`table` or `schema.table`; a bare name is in `schema`."""
    if _SIMPLE.match(text.text):
        return RelationName(schema, text.text)
    parts = _parts(text)
    if len(parts) > 2:
        raise InvalidName(text.text, text.span())
    return RelationName(parts[0] if len(parts) == 2 else schema, parts[-1])


def fold(word: str) -> str:
    """An unquoted identifier as the catalogs hold it: only ASCII letters have a lower case."""
    return cut(word.translate(_FOLD))


def cut(name: str) -> str:
    """The first 63 bytes, never half a character."""
    encoded = name.encode()
    return name if len(encoded) <= _LONGEST else encoded[:_LONGEST].decode(errors="ignore")


def parts_of(text: str) -> list[str] | None:
    """The names between the points of a text; None of one that PostgreSQL reads no name in."""
    parts, position = [], 0
    while match := _PART.match(text, position):
        parts.append(fold(match[1]) if match[1] else cut(match[2].replace('""', '"')))
        position = match.end()
        if position == len(text):
            return parts
        if text[position] != ".":
            break
        position += 1
    return None


def _parts(text: Passage) -> list[str]:
    parts = parts_of(text.text)
    if parts is None:
        raise InvalidName(text.text, text.span())
    return parts
