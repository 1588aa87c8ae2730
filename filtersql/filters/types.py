"""Names and modifiers of types: `varchar(10)` as written, as held, and as PostgreSQL prints it.

Example
    ======================= =========== ======== =============================
    written                 name        typmod   printed
    ======================= =========== ======== =============================
    `int`                   int4        -1       integer
    `varchar(10)`           varchar     14       character varying(10)
    `numeric(10,2)`         numeric     655366   numeric(10,2)
    `timestamp(0)`          timestamp   0        timestamp(0) without time zone
    ======================= =========== ======== =============================

PostgreSQL
    format_type.c, format_type_extended(); parse_type.c, LookupTypeName(); the types' typmodin
    functions (numerictypmodin, varchartypmodin, anytimestamp_typmod_check, intervaltypmodin).
"""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.errors import columns as refusals
from filtersql.filters.facts import facts
from filtersql.names import quote_identifier
from filtersql.source import Span

__all__ = ["INTERVAL_FIELDS", "display", "numeric_parts", "typmod"]

_PRINTED = {
    "bit": "bit",
    "bool": "boolean",
    "bpchar": "character",
    "char": '"char"',
    "float4": "real",
    "float8": "double precision",
    "int2": "smallint",
    "int4": "integer",
    "int8": "bigint",
    "interval": "interval",
    "json": "json",
    "numeric": "numeric",
    "time": "time without time zone",
    "timetz": "time with time zone",
    "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
    "varbit": "bit varying",
    "varchar": "character varying",
}
#: datetime.h: DAY, HOUR, … as bits of an interval's typmod, and the words they print as
INTERVAL_FIELDS = {
    1 << 2: " year",
    1 << 1: " month",
    1 << 3: " day",
    1 << 10: " hour",
    1 << 11: " minute",
    1 << 12: " second",
    1 << 2 | 1 << 1: " year to month",
    1 << 3 | 1 << 10: " day to hour",
    1 << 3 | 1 << 10 | 1 << 11: " day to minute",
    1 << 3 | 1 << 10 | 1 << 11 | 1 << 12: " day to second",
    1 << 10 | 1 << 11: " hour to minute",
    1 << 10 | 1 << 11 | 1 << 12: " hour to second",
    1 << 11 | 1 << 12: " minute to second",
    0x7FFF: "",
}
_LONGEST = 10485760


def display(name: str, modifier: int | None = None) -> str:
    """The type as PostgreSQL prints it: without a modifier in messages, with one in pg_get_expr.

    >>> display("_varchar", 14), display("bpchar"), display("bpchar", -1)
    ('character varying(10)[]', 'character', 'bpchar')
    """
    kind = facts().type(name)
    if kind.element:
        return display(kind.element, modifier) + "[]"
    if modifier is not None and modifier < 0 and name in ("bpchar", "bit"):
        return "bpchar" if name == "bpchar" else '"bit"'
    if name not in _PRINTED:
        # the schema that everybody's search_path holds is not shown
        shown = name.removeprefix("public.")
        parts = [name] if kind.oid else shown.split(".")
        return ".".join(map(quote_identifier, parts))
    printed = _PRINTED[name]
    if modifier is None or modifier < 0:
        return printed
    return _with_modifier(name, printed, modifier)


def _with_modifier(name: str, printed: str, modifier: int) -> str:
    match name:
        case "varchar" | "bpchar":
            return f"{printed}({modifier - 4})"
        case "numeric":
            precision, scale = numeric_parts(modifier)
            return f"numeric({precision},{scale})"
        case "bit" | "varbit":
            return f"{printed}({modifier})"
        case "interval":
            fields, precision = modifier >> 16 & 0x7FFF, modifier & 0xFFFF
            digits = "" if precision == 0xFFFF else f"({precision})"
            return f"interval{INTERVAL_FIELDS.get(fields, '')}{digits}"
        case "time" | "timetz" | "timestamp" | "timestamptz":
            word, rest = printed.split(" ", 1)
            return f"{word}({modifier}) {rest}"
    return printed


def numeric_parts(modifier: int) -> tuple[int, int]:
    """(precision, scale) of a numeric's typmod."""
    bare = modifier - 4
    scale = bare & 0x7FF
    return bare >> 16 & 0xFFFF, scale - 0x800 if scale & 0x400 else scale


def typmod(name: str, values: Sequence[int], span: Span | None) -> int:
    """The modifier that `name(values…)` has; raises what the type's typmodin function raises."""
    kind = facts().type(name)
    if kind.element:
        return typmod(kind.element, values, span)
    if not kind.takes_typmod:
        raise refusals.MODIFIER_NOT_ALLOWED(span, name=name)
    match name:
        case "numeric":
            return _numeric(values, span)
        case "interval":
            return _interval(values, span)
    if len(values) != 1:
        raise refusals.MODIFIER_UNREAD(span)
    value = values[0]
    if name in ("varchar", "bpchar", "bit", "varbit"):
        return _length(name, value, span)
    if value < 0:
        printed = "TIME" if name.startswith("time") and "stamp" not in name else "TIMESTAMP"
        zone = " WITH TIME ZONE" if name.endswith("tz") else ""
        written = f"{printed}({value}){zone}"
        raise refusals.NEGATIVE_PRECISION(span, written=written)
    return min(value, 6)


def _length(name: str, value: int, span: Span | None) -> int:
    word = {"bpchar": "char", "varbit": "varbit"}.get(name, name)
    if value < 1:
        raise refusals.LENGTH_ZERO(span, name=word)
    limit = _LONGEST if name in ("varchar", "bpchar") else _LONGEST * 8
    if value > limit:
        raise refusals.LENGTH_TOO_GREAT(span, name=word, most=limit)
    return value + 4 if name in ("varchar", "bpchar") else value


def _numeric(values: Sequence[int], span: Span | None) -> int:
    if len(values) not in (1, 2):
        raise refusals.MODIFIER_INVALID(span, name="NUMERIC")
    precision, scale = values[0], values[1] if len(values) == 2 else 0
    if not 1 <= precision <= 1000:
        raise refusals.NUMERIC_PRECISION(span, value=precision)
    if not -1000 <= scale <= 1000:
        raise refusals.NUMERIC_SCALE(span, value=scale)
    return (precision << 16 | scale & 0x7FF) + 4


def _interval(values: Sequence[int], span: Span | None) -> int:
    fields = values[0]
    if fields not in INTERVAL_FIELDS or len(values) > 2:
        raise refusals.MODIFIER_INVALID(span, name="INTERVAL")
    if len(values) == 1:
        return -1 if fields == 0x7FFF else fields << 16 | 0xFFFF
    if values[1] < 0:
        raise refusals.NEGATIVE_PRECISION(span, written=f"INTERVAL({values[1]})")
    return fields << 16 | min(values[1], 6)
