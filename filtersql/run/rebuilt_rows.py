"""A target that is built anew for a changed definition: staged, counted, swapped in one commit.

Example
    ============================== ======================================================
    what changed                   rows of the table that takes the target's place
    ============================== ======================================================
    columns leave or change places those of the target: the source is not read
    anything else                  what the filters take of the source at the position
    ============================== ======================================================

    A row of the same key counts as updated; it is unchanged where it is kept value by value. Where
    the key, or its type, is another one, all rows of the target go and all others come.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from sqlglot import exp, select

from filtersql.rendering.compiled import CompiledTable
from filtersql.rendering.definition import Definition
from filtersql.rendering.definition_changes import Change
from filtersql.run.audit_findings import check_target_keys
from filtersql.run.conflict_counts import count_where
from filtersql.run.counts import count, count_table
from filtersql.run.ledger_entry import Entry
from filtersql.run.moved_rows import Moved
from filtersql.run.sample_rows import first_row
from filtersql.run.source_at_position import SourceAtPosition
from filtersql.targets.model import Engine
from filtersql.targets.statements import (
    named_column,
    named_rows,
    same_values,
    select_columns,
    table,
)

__all__ = ["rebuilt_rows"]


def rebuilt_rows(
    engine: Engine,
    source: SourceAtPosition,
    entry: Entry,
    change: Change,
    before: Definition | None,
    stage: str,
) -> Moved:
    """Stage and count the rows of the other table. Raises Mistakes."""
    compiled = source.sourced.compiled
    reads_source = bool(change.rebuilds or change.added or change.filters)
    if reads_source:
        source.bring_forward(entry.position, entry)
        query = compiled.rebuilding_sql
    else:
        names = [column.name for column in compiled.columns]
        query = select_columns(compiled.target_sql, names, engine.dialect)
    try:
        engine.stage(stage, query)
    finally:
        if reads_source:
            source.forget()
    config = dict(source.subscription.target_config)
    place = (compiled.target, compiled.column_definitions_sql, config)
    counted = _compared(engine, compiled, change, before, stage)
    whole, staged = engine.replacing(*place, query, stage)
    return Moved(
        counted.delete,
        counted.insert,
        counted.leaves,
        counted.enters,
        f"{compiled.on_demand.rebuilding_header}{whole.rstrip()}\n",
        staged,
        reads_source=reads_source,
        update=counted.update,
        rebuilds=True,
    )


class _Compared(Struct, frozen=True):
    delete: int
    insert: int
    update: int = 0
    leaves: dict[str, object] | None = None
    enters: dict[str, object] | None = None


def _compared(
    engine: Engine, compiled: CompiledTable, change: Change, before: Definition | None, stage: str
) -> _Compared:
    """The target and the stage, key by key where they have the same one."""
    if before is None or not _same_key(before, compiled.definition):
        staged = count(engine, select("*").from_(named_rows(stage)))
        return _Compared(count_table(engine, compiled.target_sql), staged)
    check_target_keys(engine, compiled)
    types = {column.name: column.stored for column in before.columns}
    kept = [
        each.name for each in compiled.definition.columns if types.get(each.name) == each.stored
    ]
    added = [each.name for each in compiled.definition.columns if each.name not in kept]
    both = exp.and_(_there("t", compiled), _there("s", compiled))
    differs: exp.Expr = exp.true()
    if not (added or change.columns):
        values = ((named_column(name, "t"), named_column(name, "s")) for name in kept)
        differs = exp.or_(*(exp.NullSafeNEQ(this=old, expression=new) for old, new in values))
    gone, come = (
        exp.and_(_there(one, compiled), exp.not_(_there(other, compiled)))
        for one, other in (("t", "s"), ("s", "t"))
    )
    counts = select(*map(count_where, (gone, come, exp.and_(both, differs))))
    joined = _joined(engine, compiled, counts, stage).sql(engine.dialect)
    delete, insert, update = (int(str(count)) for count in engine.rows(joined)[0])
    return _Compared(
        delete,
        insert,
        update,
        _first(engine, compiled, kept, stage, "t", gone) if delete else None,
        _first(engine, compiled, [*kept, *added], stage, "s", come) if insert else None,
    )


def _same_key(before: Definition, now: Definition) -> bool:
    """Whether rows can be found by the key in both tables."""
    stored = [{each.name: each.stored for each in one.columns} for one in (before, now)]
    types = [[columns.get(name) for name in now.key] for columns in stored]
    return bool(now.key) and before.key == now.key and types[0] == types[1]


def _joined(engine: Engine, compiled: CompiledTable, query: exp.Select, stage: str) -> exp.Select:
    """A query over the target `t` and the stage `s`, of which one side may lack a key."""
    target = table(compiled.target_sql, engine.dialect)
    same = same_values(compiled.key, "t", "s")
    query = query.from_(exp.alias_(target, "t", table=True))
    stage_rows = exp.alias_(named_rows(stage), "s", table=True)
    return query.join(stage_rows, on=same, join_type="full outer")


def _first(
    engine: Engine,
    compiled: CompiledTable,
    names: Sequence[str],
    stage: str,
    side: str,
    condition: exp.Expr,
) -> dict[str, object] | None:
    """The first row of one side by its key."""
    query = select(*(named_column(name, side) for name in names)).where(condition)
    query = query.order_by(*(named_column(name, side) for name in compiled.key))
    return first_row(engine, _joined(engine, compiled, query, stage), names)


def _there(side: str, compiled: CompiledTable) -> exp.Expr:
    """Whether a side has the row: its key is never NULL."""
    return exp.not_(exp.Is(this=named_column(compiled.key[0], side), expression=exp.null()))
