"""Names of relations, as PostgreSQL reads and prints them.

PostgreSQL
    ruleutils.c, quote_identifier()
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

__all__ = ["KEYWORDS", "RelationName", "is_url", "path_name", "quote_identifier", "view_name"]

_PLAIN = re.compile(r"[a-z_][a-z0-9_]*\Z")
#: what quote_identifier() quotes, every keyword but the unreserved ones:
#: `SELECT word FROM pg_get_keywords() WHERE catcode <> 'U'` of PostgreSQL 18
KEYWORDS = frozenset(
    """
    all analyse analyze and any array as asc asymmetric authorization between bigint binary
    bit boolean both case cast char character check coalesce collate collation column
    concurrently constraint create cross current_catalog current_date current_role
    current_schema current_time current_timestamp current_user dec decimal default deferrable
    desc distinct do else end except exists extract false fetch float for foreign freeze from
    full grant greatest group grouping having ilike in initially inner inout int integer
    intersect interval into is isnull join json json_array json_arrayagg json_exists
    json_object json_objectagg json_query json_scalar json_serialize json_table json_value
    lateral leading least left like limit localtime localtimestamp merge_action national
    natural nchar none normalize not notnull null nullif numeric offset on only or order out
    outer overlaps overlay placing position precision primary real references returning right
    row select session_user setof similar smallint some substring symmetric system_user table
    tablesample then time timestamp to trailing treat trim true union unique user using
    values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement
    xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable
    """.split()
)
_WORD = re.compile(r"\w+\Z", re.ASCII)
_LONGEST_PATH_NAME = 120
#: what Windows takes for a device, whatever follows a dot
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)\Z", re.IGNORECASE)


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


@lru_cache(maxsize=4096)
def quote_identifier(name: str) -> str:
    """The identifier as PostgreSQL's quote_identifier() writes it.

    >>> quote_identifier("t1"), quote_identifier('a"b'), quote_identifier("user")
    ('t1', '"a""b"', '"user"')
    """
    if _PLAIN.match(name) and name not in KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


@lru_cache(maxsize=4096)
def path_name(name: str) -> str:
    """A name as part of a path: percent-encoded outside `[A-Za-z0-9_-]`, long ones cut and hashed.

    Nor is it the name of a device of Windows.

    >>> path_name("größe.x"), path_name("nul")
    ('gr%C3%B6%C3%9Fe%2Ex', '%6Eul')
    """
    encoded = quote(name, safe="-_").replace(".", "%2E").replace("~", "%7E")
    if _DEVICE.match(encoded):
        encoded = f"%{ord(encoded[0]):X}{encoded[1:]}"
    if len(encoded) <= _LONGEST_PATH_NAME:
        return encoded
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"{encoded[: _LONGEST_PATH_NAME - 17].rstrip('%')}-{digest}"


def is_url(place: str) -> bool:
    """Whether a place is a URL's and no path: a scheme of one letter is a drive of Windows.

    >>> is_url("s3a://lake/shop"), is_url("C://lake/shop"), is_url("lake")
    (True, False, False)
    """
    return place.find("://") > 1


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
