"""Iceberg: how a table is made, and how a position is committed with its data.

Example
    spark.sql.iceberg.snapshot-property.filtersql.mark      stamps the snapshot of the next commit
    SELECT summary['filtersql.mark'] FROM t.snapshots       reads it back

Iceberg
    SparkWriteConf.extraSnapshotMetadata(). Iceberg does not look at the property itself, so the
    runner reads it before it repeats a statement. A snapshot of a MERGE tells its rows in
    `spark.merge-into.num-target-rows-…`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from filtersql.rendering.words import quoted
from filtersql.targets.model import Mark, Slot, Written, read_mark
from filtersql.targets.statements import insert_unless

__all__ = [
    "MARK_SETTINGS",
    "append_statement",
    "create_statements",
    "mark_of",
    "marking",
    "snapshots",
    "written",
]

_PROPERTY = "spark.sql.iceberg.snapshot-property.filtersql.mark"
_POSITION = "spark.sql.iceberg.snapshot-property.filtersql.position"
MARK_SETTINGS = (_PROPERTY, _POSITION)
_SNAPSHOTS_READ = 50


def marking(mark: Mark) -> dict[str, str]:
    """The settings around the statement that commits a mark."""
    settings = {_PROPERTY: mark.text}
    if mark.position is not None:
        settings[_POSITION] = str(mark.position)
    return settings


def snapshots(table_sql: str, *, as_text: bool = False, newest: int = _SNAPSHOTS_READ) -> str:
    """The statement that reads the newest snapshots; as text: in JSON."""
    summary = "TO_JSON(summary)" if as_text else "summary"
    return f"SELECT {summary} FROM {table_sql}.snapshots ORDER BY committed_at DESC LIMIT {newest}"


def written(summary: Mapping[str, str], *, merge: bool) -> Written:
    """What a snapshot says of its rows."""

    def count(name: str) -> int:
        return int(summary.get(name) or 0)

    if not merge:
        return Written(inserted=count("added-records"))
    prefix = "spark.merge-into.num-target-rows-"
    return Written(count(f"{prefix}inserted"), count(f"{prefix}updated"), count(f"{prefix}deleted"))


def mark_of(summaries: Sequence[Mapping[str, str]]) -> Mark | None:
    """The newest mark among snapshots, which come newest first."""
    marks = (read_mark(summary.get("filtersql.mark")) for summary in summaries)
    return next((mark for mark in marks if mark is not None), None)


def append_statement(
    table_sql: str, columns: Sequence[str], rows: Sequence[Sequence[object]], slot: Slot
) -> str:
    """Rows of the ledger: a slot that is filled takes no more."""
    same = exp.column("subscription", "t", quoted=True).eq(slot.subscription)
    there = exp.and_(same, exp.column("ordinal", "t", quoted=True) >= slot.ordinal)
    return insert_unless(table_sql, columns, rows, there, "spark")


def create_statements(
    table_sql: str, definitions: str, config: Mapping[str, object], *, keep: bool = False
) -> tuple[str, ...]:
    """CREATE OR REPLACE TABLE (`keep`: IF NOT EXISTS), and the order in which rows are written."""
    properties = config.get("table_properties")
    words = "CREATE TABLE IF NOT EXISTS" if keep else "CREATE OR REPLACE TABLE"
    create = f"{words} {table_sql} (\n  {definitions}\n)\nUSING iceberg"
    if isinstance(properties, Mapping) and properties:
        pairs = (f"{_text(str(name))} = {_text(str(value))}" for name, value in properties.items())
        create += f"\nTBLPROPERTIES ({', '.join(pairs)})"
    clustered = config.get("cluster_by")
    if not isinstance(clustered, list | tuple) or not clustered:
        return (create,)
    names = ", ".join(quoted(str(name), "spark") for name in clustered)
    return create, f"ALTER TABLE {table_sql} WRITE ORDERED BY {names}"


def _text(value: str) -> str:
    return exp.Literal.string(value).sql("spark")
