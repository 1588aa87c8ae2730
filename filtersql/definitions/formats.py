"""What each format of a change feed can tell, and what must be said of a feed in that format.

Example
    >>> FORMATS["debezium"].truncates, FORMATS["wal2json"].hides_unidentified
    ('table', True)

A format is a value: compile decides from it, for each table and its filters, whether the target is
exact (`changes.telling`). `filtersql/docs/feeds.md` shows the same facts as one table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

__all__ = ["DOUBLE_DIGITS", "FORMATS", "FeedFormat", "Option"]

#: digits of a number that a double holds whatever they are
DOUBLE_DIGITS = 15

#: the values that an option may have; `text` is any, `boolean` true or false
Option = tuple[str, ...] | Literal["text", "boolean"]


class FeedFormat(Struct, frozen=True):
    """What changes in one format tell beside the new row.

    `old_rows`: `logged` (what the replica identity logs), `complete` (always the whole row) or
    `none` (an UPDATE tells the new row only). `truncates`: `statement` (all tables that one
    statement names), `table` (not whether a parent was named), `rows` (as deletes) or `untold`.
    """

    name: str
    old_rows: Literal["logged", "complete", "none"] = "logged"
    truncates: Literal["statement", "table", "rows", "untold"] = "statement"
    #: an UPDATE or DELETE of a table without replica identity leaves no trace
    hides_unidentified: bool = False
    #: an UPDATE can be told from a DELETE and an INSERT of one key
    tells_updates: bool = True
    #: a seq of one table says nothing of another's
    orders_one_table: bool = False
    #: where it is read: files, a table of the engine, or both
    places: tuple[Literal["path", "table"], ...] = ("path",)
    #: which columns say where a message stands in such a table: none are asked for, one (a stream),
    #: or more (topics and partitions of their own)
    ordered_by: Literal["", "column", "columns"] = ""
    #: keys of `changes:` that only this format has
    options: Mapping[str, Option] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    #: types whose values it tells exactly, and those of array elements; None: all
    tells: frozenset[str] | None = None
    elements: frozenset[str] = frozenset()
    #: the same of types that users and extensions made: by name, and by what they are
    garbles: frozenset[str] = frozenset()
    #: a numeric without declared digits keeps its own
    tells_any_scale: bool = True
    #: under a value of an option: types of which no more than some declared digits are kept
    keeps: Mapping[tuple[str, str], Mapping[str, int]] = field(default_factory=dict)


_DEBEZIUM = frozenset(
    "bool int2 int4 int8 oid float4 float8 numeric text varchar bpchar char uuid json jsonb xml"
    " inet cidr macaddr macaddr8 int4range int8range numrange daterange tsrange date time"
    " timestamp timestamptz interval bytea bit".split()
)
_DEBEZIUM_ELEMENTS = frozenset(
    "bool int2 int4 int8 float4 float8 numeric text varchar bpchar uuid json jsonb date"
    " timestamp timestamptz bytea".split()
)
#: hstore becomes JSON; of what it does not know it sends bytes, or nothing
_DEBEZIUM_GARBLES = frozenset(
    "composite type,range type,multirange type,hstore,ghstore,cube,seg,earth,lquery,ltxtquery"
    ",query_int,gtrgm".split(",")
)

_DMS = frozenset(
    "bool int2 int4 int8 float4 float8 numeric text varchar bpchar uuid json jsonb xml date time"
    " timestamp timestamptz bytea".split()
)

FORMATS: Mapping[str, FeedFormat] = {
    each.name: each
    for each in (
        FeedFormat("filtersql", places=("path", "table")),
        FeedFormat(
            "debezium",
            truncates="table",
            places=("path", "table"),
            ordered_by="columns",
            options={
                "time_precision_mode": (
                    "adaptive",
                    "adaptive_time_microseconds",
                    "microseconds",
                    "nanoseconds",
                    "connect",
                    "isostring",
                ),
                "decimal_handling_mode": ("precise", "string", "double"),
                "binary_handling_mode": ("bytes", "base64", "base64-url-safe", "hex"),
                "unavailable_value_placeholder": "text",
            },
            assumptions=(
                "finite_numbers",
                "finite_intervals",
                "no_24_00",
                "plain_arrays",
                "inline_arrays",
            ),
            tells=_DEBEZIUM,
            elements=_DEBEZIUM_ELEMENTS,
            garbles=_DEBEZIUM_GARBLES,
            keeps={
                ("time_precision_mode", "connect"): {"time": 3, "timestamp": 3},
                # Its 64 bits wrap around: other centuries look like this one.
                ("time_precision_mode", "nanoseconds"): {"timestamp": -1},
                ("decimal_handling_mode", "double"): {"numeric": DOUBLE_DIGITS},
                ("decimal_handling_mode", "precise"): {"numeric": 1000},
            },
        ),
        FeedFormat(
            "wal2json",
            hides_unidentified=True,
            places=("path", "table"),
            ordered_by="column",
            options={"numeric_data_types_as_string": "boolean"},
            assumptions=("finite_numbers",),
        ),
        FeedFormat(
            "dms",
            old_rows="none",
            truncates="untold",
            options={
                "sequence": "text",
                "before_image": "boolean",
                "csv_null_value": "text",
            },
            assumptions=("fixed_keys", "no_truncate"),
            tells=_DMS,
            tells_any_scale=False,
        ),
        FeedFormat(
            "delta_cdf",
            old_rows="complete",
            truncates="rows",
            orders_one_table=True,
            places=("table",),
        ),
        FeedFormat(
            "iceberg_changelog",
            old_rows="complete",
            truncates="rows",
            tells_updates=False,
            orders_one_table=True,
            places=("table",),
        ),
    )
}
