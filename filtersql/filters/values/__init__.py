"""Literals as PostgreSQL's input functions read them, and constants as its output functions print.

Example
    =========== ==================== ============================ =======================
    type        literal              held as                      printed
    =========== ==================== ============================ =======================
    bool        `'of'`               False                        `f`
    int4        `' 0x1F '`           31                           `31`
    numeric     `'1e3'`              Decimal("1000")              `1000`
    date        `'Jan 5, 2024'`      8770 (days since 2000)       `2024-01-05`
    timestamptz `'2024-01-01 +02'`   microseconds since 2000      `2023-12-31 22:00:00+00`
    bytea       `'\\x6162'`           b"ab"                        `\\x6162`
    =========== ==================== ============================ =======================

A type without a row here is refused by name wherever it would have to be read.

PostgreSQL
    The typinput and typoutput functions of each type (boolin, numeric_in, date_in, …).
"""

from __future__ import annotations

from filtersql.errors.filters import NotTranslated
from filtersql.filters.facts import facts
from filtersql.filters.values import (
    arrays,
    dates,
    documents,
    intervals,
    jsonpaths,
    money_and_bits,
    multiranges,
    networks,
    numbers,
    ranges,
    texts,
)
from filtersql.filters.values.clock import Clock, Reader, Shower

__all__ = ["Clock", "read", "show"]


def read(name: str, text: str, modifier: int, clock: Clock) -> object:
    """The value of a literal of that type; raises BadLiteral, without a place."""
    reader = _TYPES.get(name) or _late(name)
    if reader is None:
        raise NotTranslated(f"a literal of type {name}", "any engine", _UNREAD, None)
    return reader[0](text, modifier, clock)


def show(name: str, value: object) -> str:
    """The value as PostgreSQL's output function prints it."""
    shower = _TYPES.get(name) or _late(name)
    assert shower is not None, name
    return shower[1](value)


_UNREAD = "filtersql does not read literals of this type yet."
_TYPES: dict[str, tuple[Reader, Shower]] = {
    "bool": (texts.read_bool, texts.show_bool),
    "int2": (numbers.integer("smallint", 16), str),
    "int4": (numbers.integer("integer", 32), str),
    "int8": (numbers.integer("bigint", 64), str),
    "oid": (numbers.read_oid, str),
    # of system columns, which no filter may read: what is wrong is told of them
    "xid": (numbers.unsigned("xid"), str),
    "cid": (numbers.unsigned("cid"), str),
    "tid": (texts.read_tid, str),
    "numeric": (numbers.read_numeric, numbers.show_numeric),
    "float4": (numbers.read_float4, numbers.show_float4),
    "float8": (numbers.read_float8, numbers.show_float8),
    "text": (texts.read_text, str),
    "varchar": (texts.read_text, str),
    "bpchar": (texts.read_text, str),
    "unknown": (texts.read_text, str),
    "name": (texts.read_name, str),
    "char": (texts.read_char, str),
    "bytea": (texts.read_bytea, texts.show_bytea),
    "uuid": (texts.read_uuid, str),
}


def _late(name: str) -> tuple[Reader, Shower] | None:
    """Types whose modules are loaded when the first literal of theirs is met."""
    if name in ("date", "time", "timetz", "timestamp", "timestamptz"):
        _TYPES.update(dates.TYPES)
    elif name == "interval":
        _TYPES.update(intervals.TYPES)
    elif name in ("inet", "cidr", "macaddr"):
        _TYPES.update(networks.TYPES)
    elif name in ("money", "bit", "varbit"):
        _TYPES.update(money_and_bits.TYPES)
    elif name == "jsonpath":
        _TYPES.update(jsonpaths.TYPES)
    elif name == "jsonb":
        _TYPES.update(documents.TYPES)
    elif facts().type(name).kind == "m":
        _TYPES[name] = multiranges.of(facts().type(name).subtype, read, show)
    elif facts().type(name).subtype:
        _TYPES[name] = ranges.of(facts().type(name).subtype, read, show)
    elif facts().type(name).element:
        _TYPES[name] = arrays.of(facts().type(name).element, read, show)
    return _TYPES.get(name)
