"""What a collation says of order and case, and the database's own where a project names it.

Example
    ================================================ =====================================
    `database_locale:` of the project                `s < 'b'`, `lower(s)`
    ================================================ =====================================
    (not said)                                       refused; raises beyond ASCII
    `C`                                              by bytes; letters of ASCII only
    `{collate: C, ctype: en_US.UTF-8}`               by bytes; all letters
    `{provider: icu, collate: en-US}`                refused; all letters
    ================================================ =====================================

    The tree that is written names it as `collate|ctype` where PostgreSQL says "default"; the
    printed filter does not. Without the key a database is taken to fold ASCII's letters as all
    languages but Turkish, Azerbaijani and Lithuanian do; with it, or with COLLATE, those are
    refused.

PostgreSQL
    pg_locale.c: pg_newlocale_from_collation(), create_pg_locale(); strcoll() of C, POSIX and
    C.UTF-8 compares code points, whose order is that of the bytes of UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from filtersql.definitions.collations import OF_ITS_OWN
from filtersql.filters.facts import facts
from filtersql.filters.tree.nodes import Node, RowCompare
from filtersql.filters.tree.rebuilding import rebuilt

__all__ = [
    "UNKNOWN",
    "ascii_only",
    "by_bytes",
    "by_icu",
    "of_its_own",
    "of_the_database",
    "of_the_files",
]

#: the collation of a database of which the project says nothing
UNKNOWN = "default"
_ASCII_ONLY = {"c", "posix", "ucs_basic"}
_BY_BYTES = _ASCII_ONLY | {"c.utf-8", "c.utf8", "pg_c_utf8", "pg_unicode_fast"}
_ICU = "icu:"
#: of a collation that the files make: its name may be that of another, and says nothing
_OWN = "own:"
#: how a locale of an operating system or of ICU is called
_LOCALE = re.compile(r"(?:icu:)?[a-z]{2,3}(?:[-_.@].*)?|c(?:[.]utf-?8)?|posix", re.IGNORECASE)


def of_the_database(tree: Node, name: str) -> Node:
    """The tree with the database's collation in the place of "default"."""
    return _renamed(tree, {UNKNOWN: name})


def of_the_files(tree: Node, names: Iterable[str | None]) -> Node:
    """The tree in which collations that the files make are told from PostgreSQL's."""
    return _renamed(tree, {name: _OWN + name for name in names if name is not None})


def _renamed(tree: Node, names: Mapping[str | None, str]) -> Node:
    """The tree with collations under other names."""

    def known(node: Node) -> Node:
        changes: dict[str, object] = {
            field: names[found]
            for field in ("collation", "input_collation")
            if (found := getattr(node, field, None)) in names
        }
        if isinstance(node, RowCompare):
            changes["collations"] = tuple(names.get(one, one) for one in node.collations)
        return replace(node, **changes) if changes else node

    return rebuilt(tree, known)


def by_bytes(collation: str | None) -> bool:
    """Whether texts are in the order of their bytes."""
    return (collation or "").partition("|")[0].lower() in _BY_BYTES


def ascii_only(collation: str | None) -> bool:
    """Whether only ASCII's letters have two cases, and are letters at all."""
    return _ctype(collation).lower() in _ASCII_ONLY


def of_its_own(collation: str | None) -> bool:
    """Whether the language has rules of its own for upper and lower case, or none is known."""
    ctype = _ctype(collation)
    if not (ctype in ("", UNKNOWN) or _LOCALE.fullmatch(ctype) or facts().collation(ctype)):
        return True
    language = _ctype(collation).removeprefix(_ICU).replace("_", "-").partition("-")[0].lower()
    return language in OF_ITS_OWN


def by_icu(collation: str | None) -> bool:
    """Whether ICU may be what finds the beginnings of words."""
    ctype = _ctype(collation)
    if ctype == UNKNOWN or ctype.startswith((_ICU, _OWN)):
        return True
    known = facts().collation(ctype)
    return known is not None and known.provider == "i"


def _ctype(collation: str | None) -> str:
    first, _, second = (collation or "").partition("|")
    return second or first
