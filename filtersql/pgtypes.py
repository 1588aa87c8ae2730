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
    format_type.c, format_type_extended(); timestamp.c, intervaltypmodout(); the types' typmodin
    functions (numerictypmodin, anychar_typmodin, anytimestamp_typmod_check, intervaltypmodin)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from filtersql.catalog import PgType
from filtersql.errors import columns as refusals
from filtersql.names import quote_identifier
from filtersql.source import Span

__all__ = ["format_type", "type_in_message", "typmod"]

_SPELLED = {
    "any": '"any"',
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
_FULL_PRECISION = 0xFFFF
_ANY_FIELDS = 0x7FFF
_LONGEST = 10485760
#: datetime.h: DAY, HOUR, … as bits of an interval's typmod, and the words they print as
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
    _ANY_FIELDS: "",
}


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


def typmod(name: str, values: Sequence[int], span: Span | None) -> int:
    """The modifier that `name(values…)` has; raises what the type's typmodin function raises.

    >>> typmod("_varchar", [10], None), typmod("numeric", [10, 2], None)
    (14, 655366)
    """
    match name.removeprefix("_"):
        case "numeric":
            return _of_numeric(values, span)
        case "interval":
            return _of_interval(values, span)
        case "varchar" | "bpchar" | "bit" | "varbit" as sized:
            return _of_length(sized, _only(values, span), span)
        case "time" | "timetz" | "timestamp" | "timestamptz" as timed:
            value = _only(values, span)
            if value < 0:
                zone = " WITH TIME ZONE" if timed.endswith("tz") else ""
                written = f"{timed.removesuffix('tz').upper()}({value}){zone}"
                raise refusals.NEGATIVE_PRECISION(span, written=written)
            return min(value, 6)  # PostgreSQL warns and takes 6
    raise refusals.MODIFIER_NOT_ALLOWED(span, name=name)


def _only(values: Sequence[int], span: Span | None) -> int:
    if len(values) != 1:
        raise refusals.MODIFIER_UNREAD(span)
    return values[0]


def _of_length(name: str, value: int, span: Span | None) -> int:
    word = "char" if name == "bpchar" else name
    in_bits = name in ("bit", "varbit")
    limit = _LONGEST * 8 if in_bits else _LONGEST
    if value < 1:
        raise refusals.LENGTH_ZERO(span, name=word)
    if value > limit:
        raise refusals.LENGTH_TOO_GREAT(span, name=word, most=limit)
    return value if in_bits else value + 4


def _of_numeric(values: Sequence[int], span: Span | None) -> int:
    if len(values) not in (1, 2):
        raise refusals.MODIFIER_INVALID(span, name="NUMERIC")
    precision, scale = values[0], values[1] if len(values) == 2 else 0
    if not 1 <= precision <= 1000:
        raise refusals.NUMERIC_PRECISION(span, value=precision)
    if not -1000 <= scale <= 1000:
        raise refusals.NUMERIC_SCALE(span, value=scale)
    return (precision << 16 | scale & 0x7FF) + 4


def _of_interval(values: Sequence[int], span: Span | None) -> int:
    fields, *precision = values
    if fields not in _FIELDS or len(precision) > 1:
        raise refusals.MODIFIER_INVALID(span, name="INTERVAL")
    if not precision:
        return -1 if fields == _ANY_FIELDS else fields << 16 | _FULL_PRECISION
    if precision[0] < 0:
        raise refusals.NEGATIVE_PRECISION(span, written=f"INTERVAL({precision[0]})")
    return fields << 16 | min(precision[0], 6)


def _modifier(pg_type: PgType) -> str:
    modifier = pg_type.typmod
    if modifier < 0:
        return ""
    if pg_type.name == "interval":
        fields = _FIELDS.get((modifier >> 16) & _ANY_FIELDS, "")
        precision = modifier & _FULL_PRECISION
        return fields + (f"({precision})" if precision != _FULL_PRECISION else "")
    digits = pg_type.numeric_precision_scale
    if digits is not None:
        return f"({digits[0]},{digits[1]})"
    return f"({modifier if pg_type.length is None else pg_type.length})"
