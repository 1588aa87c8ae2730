"""Names of relations, as PostgreSQL reads and prints them."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

__all__ = ["RelationName", "path_name", "quote_identifier", "view_name"]

_PLAIN = re.compile(r"[a-z_][a-z0-9_$]*\Z")
_WORD = re.compile(r"\w+\Z", re.ASCII)
_LONGEST_PATH_NAME = 120


class RelationName(NamedTuple):
    """A table's schema and name, folded and unquoted: the plain names."""

    schema: str
    name: str

    def __str__(self) -> str:
        """As PostgreSQL prints it in a message: quoted only where needed.

        >>> str(RelationName("public", "My Table"))
        'public."My Table"'
        """
        return f"{quote_identifier(self.schema)}.{quote_identifier(self.name)}"

    @property
    def path(self) -> str:
        """The name of the folder or file that filtersql makes for it: `<schema>.<table>`."""
        return f"{path_name(self.schema)}.{path_name(self.name)}"


def quote_identifier(name: str) -> str:
    """The identifier as PostgreSQL's quote_identifier() writes it, but for its keywords.

    >>> quote_identifier("t1"), quote_identifier('a"b')
    ('t1', '"a""b"')
    """
    return name if _PLAIN.match(name) else '"' + name.replace('"', '""') + '"'


@lru_cache(maxsize=4096)
def path_name(name: str) -> str:
    """A name as part of a path: percent-encoded outside `[A-Za-z0-9_-]`, long ones cut and hashed.

    >>> path_name("größe.x")
    'gr%C3%B6%C3%9Fe%2Ex'
    """
    encoded = quote(name, safe="-_").replace(".", "%2E").replace("~", "%7E")
    if len(encoded) <= _LONGEST_PATH_NAME:
        return encoded
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"{encoded[: _LONGEST_PATH_NAME - 17].rstrip('%')}-{digest}"


def view_name(kind: str, relation: RelationName) -> str:
    """The name of a view that a statement reads: `filtersql_changes__public__t1`.

    Any other character than letters, digits and underscores becomes an underscore, and a hash keeps
    such names apart.
    """
    plain = f"filtersql_{kind}__{relation.schema}__{relation.name}"
    if _WORD.match(plain):
        return plain
    digest = hashlib.sha256("\0".join(relation).encode()).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9_]', '_', plain)}_{digest}"
