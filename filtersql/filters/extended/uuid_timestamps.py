"""uuid_extract_timestamp(): when a uuid of version 1 or 7 was made.

Example
    Version 7 begins with the milliseconds since 1970, version 1 holds tenths of microseconds since
    the first day of the Gregorian calendar, the lowest digits first.

PostgreSQL
    uuid.c: uuid_extract_timestamp(), which gives NULL for all other versions and variants, before
    PostgreSQL 18 also for version 7.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.tree.nodes import Node
from filtersql.filters.write.writer import Family, Writer, without_name
from filtersql.storage import Engine

__all__ = ["FAMILY"]

#: microseconds from 1582-10-15 to 1970-01-01
_GREGORIAN = 12_219_292_800_000_000


def _rows(engine: Engine) -> dict[str, str]:
    """The pieces of an engine."""
    moment, div = "TIMESTAMP_MICROS({0})", "DIV"
    if engine == "duckdb":
        moment, div = "CAST(MAKE_TIMESTAMP({0}) AS TIMESTAMPTZ)", "//"

    def number(*pieces: tuple[int, int]) -> str:
        digits = " || ".join(f"SUBSTRING(_1, {first}, {count})" for first, count in pieces)
        if engine == "spark":
            return f"CAST(CONV({digits}, 16, 10) AS BIGINT)"
        return f"CAST('0x' || {digits} AS BIGINT)"

    first = f"{number((16, 3), (10, 4), (1, 8))} {div} 10 - {_GREGORIAN}"
    seventh = f"{number((1, 8), (10, 4))} * 1000"
    return {
        ".moment_in_uuid": _of_version(moment.format(first), "1"),
        ".moment_in_uuid_7": _of_version(moment.format(seventh), "7"),
    }


def _of_version(moment: str, version: str) -> str:
    return (
        "CASE WHEN SUBSTRING(_1, 20, 1) IN ('8', '9', 'a', 'b') "
        f"AND SUBSTRING(_1, 15, 1) = '{version}' THEN {moment} END"
    )


def _moment_of_uuid(writer: Writer, node: Node, args: Sequence[Node]) -> exp.Expr:
    """uuid_extract_timestamp(): before PostgreSQL 18 only version 1 has one."""
    subject = writer.put(args[0])
    moment = writer.piece(".moment_in_uuid", subject)
    if writer.postgres_version < 18:
        return moment
    return exp.Coalesce(
        this=moment, expressions=[writer.piece(".moment_in_uuid_7", subject.copy())]
    )


FAMILY = Family(
    rules={"uuid_extract_timestamp(uuid)": without_name(_moment_of_uuid)},
    rows={"spark": _rows("spark"), "duckdb": _rows("duckdb")},
)
