"""How PostgreSQL spells a type: `PgType("varchar", 24)` is `character varying(20)`.

Example
    ================== ========== ===============================
    name               typmod     spelled
    ================== ========== ===============================
    int4               -1         integer
    bpchar             9          character(5)
    bpchar             -1         bpchar
    numeric            655366     numeric(10,2)
    timestamptz        3          timestamp(3) with time zone
    interval           470286339  interval day to second(3)
    _varchar           14         character varying(10)[]
    ================== ========== ===============================

PostgreSQL
    format_type.c, format_type_extended(); timestamp.c, intervaltypmodout()
"""

from __future__ import annotations

from functools import lru_cache

from filtersql.catalog import PgType
from filtersql.names import quote_identifier

__all__ = ["format_type", "type_in_message"]

_SPELLED = {
    "bit": "bit",
    "bool": "boolean",
    "bpchar": "character",
    "char": '"char"',
    "float4": "real",
    "float8": "double precision",
    "int2": "smallint",
    "int4": "integer",
    "int8": "bigint",
    "time": "time without time zone",
    "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
    "timetz": "time with time zone",
    "varbit": "bit varying",
    "varchar": "character varying",
}
#: without a modifier these names would mean length 1, so PostgreSQL keeps the internal ones
_BARE = {"bpchar": "bpchar", "bit": '"bit"'}
_FIELDS = {
    0x0004: " year",
    0x0002: " month",
    0x0008: " day",
    0x0400: " hour",
    0x0800: " minute",
    0x1000: " second",
    0x0006: " year to month",
    0x0408: " day to hour",
    0x0C08: " day to minute",
    0x1C08: " day to second",
    0x0C00: " hour to minute",
    0x1C00: " hour to second",
    0x1800: " minute to second",
    0x7FFF: "",
}
_FULL_PRECISION = 0xFFFF


@lru_cache(maxsize=1024)
def format_type(pg_type: PgType) -> str:
    """The type as format_type() prints it, a user's own with its schema unless that is public.

    >>> format_type(PgType("_numeric", 655366)), format_type(PgType("_mood", schema="public"))
    ('numeric(10,2)[]', 'mood[]')
    """
    if pg_type.schema != "pg_catalog":
        element = pg_type.name.removeprefix("_")  # PostgreSQL's own name of an array type
        name = quote_identifier(element) + "[]" * (element != pg_type.name)
        return name if pg_type.schema == "public" else f"{quote_identifier(pg_type.schema)}.{name}"
    if pg_type.is_array:
        return format_type(PgType(pg_type.name[1:], pg_type.typmod)) + "[]"
    if pg_type.typmod < 0 and pg_type.name in _BARE:
        return _BARE[pg_type.name]
    spelled = _SPELLED.get(pg_type.name, pg_type.name)
    first, *rest = spelled.split(" ", 1)
    modifier = _modifier(pg_type)
    if pg_type.name.startswith("time") and modifier:
        return f"{first}{modifier} {rest[0]}"
    return spelled + modifier


def type_in_message(pg_type: PgType) -> str:
    """The type as format_type_be() prints it in messages: without its modifier.

    >>> type_in_message(PgType("bpchar", 7)), type_in_message(PgType("_bit", 3))
    ('character', 'bit[]')
    """
    if pg_type.schema == "pg_catalog" and pg_type.is_array:
        return type_in_message(PgType(pg_type.name[1:])) + "[]"
    if pg_type.schema == "pg_catalog" and pg_type.name in _BARE:
        return _SPELLED[pg_type.name]
    return format_type(PgType(pg_type.name, -1, pg_type.schema))


def _modifier(pg_type: PgType) -> str:
    typmod = pg_type.typmod
    if typmod < 0:
        return ""
    if pg_type.name == "interval":
        fields, precision = _FIELDS.get((typmod >> 16) & 0x7FFF, ""), typmod & 0xFFFF
        return fields + (f"({precision})" if precision != _FULL_PRECISION else "")
    digits = pg_type.numeric_precision_scale
    if digits is not None:
        return f"({digits[0]},{digits[1]})"
    return f"({typmod if pg_type.length is None else pg_type.length})"
