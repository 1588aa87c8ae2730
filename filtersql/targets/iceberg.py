"""Iceberg: how a table is made, and how a position is committed with its data.

Example
    spark.sql.iceberg.snapshot-property.filtersql.mark      stamps the snapshot of the next commit
    SELECT summary['filtersql.mark'] FROM t.snapshots       reads it back

Iceberg
    SparkWriteConf.extraSnapshotMetadata(). Iceberg does not look at the property itself, so the
    runner reads it before it repeats a statement. A snapshot of a MERGE tells its rows in
    `spark.merge-into.num-target-rows-…`. Nor does it compare what was appended at the same time: a
    statement of a client that is gone may end after it was done again. So a mark that is there
    keeps its statement from being run, and one that is there twice is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from filtersql.errors import Mistakes
from filtersql.errors.targets import LOST_MARK, AppliedTwice
from filtersql.rendering.sql_fragments import quoted
from filtersql.targets.marks import Mark, Slot, Written, read_mark
from filtersql.targets.statements import insert_unless
from filtersql.targets.table_statements import replace_table

__all__ = [
    "APPEND_SETTINGS",
    "MARK_SETTINGS",
    "SIZE",
    "append_statement",
    "check_once",
    "create_statements",
    "current_mark",
    "joining",
    "lasting_mark",
    "mark_of",
    "marking",
    "marks",
    "size",
    "snapshots",
    "unless_marked",
    "written",
]

_PROPERTY = "spark.sql.iceberg.snapshot-property.filtersql.mark"
_POSITION = "spark.sql.iceberg.snapshot-property.filtersql.position"
MARK_SETTINGS = (_PROPERTY, _POSITION)
#: The ledger's MERGE changes no row: Spark need not ask first in which files there are rows to be
#: changed. What Iceberg compares when it commits is the condition, as before.
APPEND_SETTINGS = {"spark.sql.optimizer.runtime.rowLevelOperationGroupFilter.enabled": "false"}
_SNAPSHOTS_READ = 50
#: of what `size` gives: the bytes of a table
SIZE = "bytes"


def marking(mark: Mark) -> dict[str, str]:
    """The settings around the statement that commits a mark."""
    settings = {_PROPERTY: mark.text}
    if mark.position is not None:
        settings[_POSITION] = str(mark.position)
    return settings


def snapshots(table_sql: str, *, as_text: bool = False) -> str:
    """The statement that reads the newest snapshots; as text: in JSON."""
    summary = exp.column("summary")
    told = exp.func("TO_JSON", summary) if as_text else summary
    return _newest(table_sql, told, _SNAPSHOTS_READ)


def written(summary: Mapping[str, str], *, merge: bool) -> Written:
    """What a snapshot says of its rows."""

    def count(name: str) -> int:
        return int(summary.get(name) or 0)

    if not merge:
        return Written(inserted=count("added-records"))
    prefix = "spark.merge-into.num-target-rows-"
    return Written(count(f"{prefix}inserted"), count(f"{prefix}updated"), count(f"{prefix}deleted"))


def size(table_sql: str) -> str:
    """The statement that reads the size of the newest snapshot."""
    return _newest(table_sql, exp.alias_(_of_summary("total-files-size"), SIZE), 1)


def joining(catalog: str | None, parts: Sequence[str]) -> str:
    """The statement that writes a table's small files as few. Its snapshot has no mark."""
    procedures = quoted(catalog or "spark_catalog", "spark")
    name = ".".join(quoted(part, "spark") for part in parts)
    return f"CALL {procedures}.system.rewrite_data_files(table => {_text(name)})"


def mark_of(summaries: Sequence[Mapping[str, str]]) -> Mark | None:
    """The newest mark among snapshots, which come newest first."""
    marks = (read_mark(summary.get("filtersql.mark")) for summary in summaries)
    return next((mark for mark in marks if mark is not None), None)


def lasting_mark(table_sql: str, ask: Callable[[str], Sequence[Sequence[object]]]) -> Mark | None:
    """The newest mark among all snapshots. Raises Mistakes where it may be one that is expired."""
    mark = _of_summary("filtersql.mark")
    known = exp.select(mark).from_(_snapshots(table_sql)).where(mark.is_(exp.null()).not_())
    newest = known.order_by(exp.column("committed_at").desc()).limit(1)
    if rows := ask(newest.sql("spark")):
        return read_mark(str(rows[0][0]))
    names = exp.select("snapshot_id").from_(_snapshots(table_sql))
    orphans = exp.select(exp.Count(this=exp.Star())).from_(_snapshots(table_sql))
    ((expired,),) = ask(orphans.where(~exp.column("parent_id").isin(query=names)).sql("spark"))
    if expired:
        raise Mistakes([LOST_MARK(target=table_sql)])
    return None


def marks(table_sql: str) -> str:
    """The statement that reads the marks of the newest snapshots."""
    return _newest(table_sql, _of_summary("filtersql.mark"), _SNAPSHOTS_READ)


def current_mark(table_sql: str) -> str:
    """The statement that reads the mark of the snapshot that readers see."""
    refs = exp.alias_(exp.to_table(f"{table_sql}.refs", dialect="spark"), "r", table=True)
    same = exp.column("snapshot_id", "r").eq(exp.column("snapshot_id", "s"))
    mark = exp.Bracket(
        this=exp.column("summary", "s"), expressions=[exp.Literal.string("filtersql.mark")]
    )
    query = exp.select(mark).from_(exp.alias_(_snapshots(table_sql), "s", table=True))
    return query.join(refs, on=same).where(exp.column("name", "r").eq("main")).sql("spark")


def check_once(table_sql: str, summaries: Sequence[Mapping[str, str]]) -> None:
    """Raise Mistakes where a mark of the newest filling was committed twice."""
    marks = [read_mark(summary.get("filtersql.mark")) for summary in summaries]
    newest = max((mark.generation for mark in marks if mark), default=0)
    found = [mark for mark in marks if mark and mark.generation == newest]
    if again := next((mark for mark in found if found.count(mark) > 1), None):
        raise Mistakes([AppliedTwice(table_sql, again.subscription, again.position)])


def unless_marked(table_sql: str, mark: Mark) -> str:
    """A query that raises where the mark is committed: what follows it in a script is not run.

    Nor is a change of definition behind a later one: both may have been the same, asked for again.
    """
    words = exp.Literal.string("filtersql: the position is committed already")
    none = exp.Anonymous(this="ASSERT_TRUE", expressions=[exp.Count(this=exp.Star()).eq(0), words])
    there: exp.Condition = _of_summary("filtersql.mark").eq(mark.text)
    if mark.change is not None:
        same = _number_in_mark("generation").eq(mark.generation)
        there = exp.or_(there, exp.and_(same, _number_in_mark("change") > mark.change))
    return exp.select(none).from_(_snapshots(table_sql)).where(there).sql("spark")


def append_statement(
    table_sql: str, columns: Sequence[str], rows: Sequence[Sequence[object]], slot: Slot
) -> str:
    """Rows of the ledger: a slot that is filled takes no more."""
    same = exp.column("subscription", "t", quoted=True).eq(slot.subscription)
    there = exp.and_(same, exp.column("ordinal", "t", quoted=True) >= slot.ordinal)
    return insert_unless(table_sql, columns, rows, there, "spark")


def create_statements(
    table_sql: str,
    definitions: str,
    config: Mapping[str, object],
    *,
    query: str | None = None,
) -> tuple[str, ...]:
    """CREATE OR REPLACE TABLE, and the order in which rows are written.

    `query`: with its rows and columns.
    """
    properties = config.get("table_properties")
    create = replace_table(table_sql, None if query else definitions, "spark") + "\nUSING iceberg"
    if isinstance(properties, Mapping) and properties:
        pairs = (f"{_text(str(name))} = {_text(str(value))}" for name, value in properties.items())
        create += f"\nTBLPROPERTIES ({', '.join(pairs)})"
    if query is not None:
        create += f"\nAS\n{query}"
    clustered = config.get("cluster_by")
    if not isinstance(clustered, list | tuple) or not clustered:
        return (create,)
    names = ", ".join(quoted(str(name), "spark") for name in clustered)
    order = exp.Command(this="ALTER TABLE", expression=f"{table_sql} WRITE ORDERED BY {names}")
    return create, order.sql("spark")


def _newest(table_sql: str, wanted: exp.Expr, count: int) -> str:
    query = exp.select(wanted).from_(_snapshots(table_sql))
    return query.order_by(exp.column("committed_at").desc()).limit(count).sql("spark")


def _snapshots(table_sql: str) -> exp.Table:
    return exp.to_table(f"{table_sql}.snapshots", dialect="spark")


def _number_in_mark(name: str) -> exp.Expr:
    path = exp.Literal.string(f"$.filtersql.{name}")
    found = exp.Anonymous(this="GET_JSON_OBJECT", expressions=[_of_summary("filtersql.mark"), path])
    return exp.cast(found, "BIGINT")


def _of_summary(name: str) -> exp.Expr:
    return exp.Bracket(this=exp.column("summary"), expressions=[exp.Literal.string(name)])


def _text(value: str) -> str:
    return exp.Literal.string(value).sql("spark")
