"""The rows that a changed filter moves: staged, counted, and one of each kind to look at.

Example
    moved = moved_rows(engine, source, entry, "filtersql_change__1", verdict)
    moved.delete, moved.insert, moved.statement

    ============================ ==================================================
    a row of the target is       then
    ============================ ==================================================
    not taken by the filter      it leaves
    taken, but not in the source it was changed by another hand: `unexplained`
    taken, with other values     the same
    ============================ ==================================================

    Where the filters in force are known and the target is trusted (trusting.py), it holds what
    these take of the source. Then rows are not compared: others of the source for which the new
    filter is true enter, and the target alone tells which leave.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from sqlglot import exp, select

from filtersql.errors import Mistakes
from filtersql.errors.applying import UNREADABLE_STATEMENT
from filtersql.rendering.compiled import CompiledTable
from filtersql.rendering.definition_changes import FilterVerdict, MovingFilters
from filtersql.rendering.filters_in_force import not_true
from filtersql.run.audit_findings import check_target_keys, compare
from filtersql.run.conflict_counts import count_where
from filtersql.run.counts import count
from filtersql.run.ledger_entry import Entry
from filtersql.run.sample_rows import found_sample, leaving_sample, staged_sample
from filtersql.run.source_at_position import SourceAtPosition
from filtersql.run.staged_statements import asking_target, over_stage
from filtersql.run.trusting import is_trusted
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_column, named_rows, same_values, table

__all__ = ["Moved", "moved_rows"]


class Moved(Struct, frozen=True):
    """What moves: `statement` is change.sql, `merge` what is executed: the same over the stage."""

    delete: int
    insert: int
    leaves: Mapping[str, object] | None
    enters: Mapping[str, object] | None
    statement: str
    merge: str
    reads_source: bool
    #: rows of the target that the definition in force does not explain
    unexplained: int = 0
    #: rows that stay, with other columns or values
    update: int = 0
    rebuilds: bool = False

    @property
    def writes(self) -> bool:
        """Whether there is anything to write: a table has other columns even without a row."""
        return bool(self.delete or self.insert or self.update or self.rebuilds)


def moved_rows(
    engine: Engine,
    source: SourceAtPosition,
    entry: Entry,
    stage: str,
    verdict: FilterVerdict,
    *,
    keeps: bool = True,
) -> Moved:
    """Find and count what moves; `verdict` is what the filters prove. Raises Mistakes.

    `keeps`: it is staged, to be written; else it is counted alone where that is cheaper.
    """
    compiled = source.sourced.compiled
    # The target holds what the filter reads, so it alone tells which rows leave.
    alone = {each.name for each in compiled.feed_columns} <= {
        each.name for each in compiled.columns
    }
    leaving = f"{stage}_leaving"
    if alone and verdict.enters is False:
        return _narrowing(engine, compiled, leaving)
    filters = verdict.filters if alone and compiled.key and compiled.judges_alone else None
    trusted = filters is not None and is_trusted(source, entry)
    # Then it is enough that no key of a row that moves comes twice.
    source.bring_forward(entry.position, entry, checks_keys=not trusted)
    try:
        moved = None
        if filters is not None and trusted:
            moved = _between(engine, compiled, stage, filters, keeps=keeps)
        if moved is None:
            if trusted:
                source.check_keys()
            held = _narrowing(engine, compiled, leaving).delete if alone else None
            moved = _moving(engine, compiled, stage, held)
    finally:
        source.forget()
    if alone and not (moved.insert or moved.unexplained):
        return _narrowing(engine, compiled, leaving)
    return moved


def _narrowing(engine: Engine, compiled: CompiledTable, stage: str) -> Moved:
    """Rows of the target for which the filter is not true."""
    statement, source = compiled.changing_sql(narrows=True)
    if compiled.judges_alone:
        # A DELETE finds them again.
        engine.define(stage, source)
        merge = statement
    else:
        engine.stage(stage, source)
        merge = _merge(engine, compiled, statement, source, stage)
    query = select("*")
    if compiled.key or compiled.judges_alone:
        query = query.from_(named_rows(stage))
    else:
        # Each distinct row is staged once, whatever copies there are.
        target = exp.alias_(table(compiled.target_sql, engine.dialect), "t", table=True)
        names = [each.name for each in compiled.columns]
        same = same_values(names, "t", "s", nulls=True)
        rows = exp.alias_(named_rows(stage), "s", table=True)
        query = query.from_(target).join(rows, on=same)
    delete = count(engine, query)
    # Of what is not staged any row will do: the first by its key takes a look at all of them.
    ordered = not compiled.judges_alone
    leaves = staged_sample(engine, compiled, stage, None, ordered=ordered) if delete else None
    return Moved(delete, 0, leaves, None, statement, merge, reads_source=False)


def _between(
    engine: Engine, compiled: CompiledTable, stage: str, filters: MovingFilters, *, keeps: bool
) -> Moved | None:
    """Rows of the target that leave, and those of the source that the earlier filters left out.

    None where a key comes twice: the target is not what these filters take.
    """
    statement, source = compiled.changing_sql(earlier=filters.earlier)
    if keeps:
        engine.stage(stage, source)
    else:
        # Counts read a few columns of each row; a stage reads all of them.
        stage = f"{stage}_counted"
        engine.define(stage, source)
    effect = named_column(compiled.effect_column)
    kinds = [count_where(effect.copy().eq(kind)) for kind in ("delete", "insert")]
    keys = exp.Count(this=exp.Distinct(expressions=[named_column(key) for key in compiled.key]))
    ((delete, insert, different),) = engine.rows(
        select(*kinds, keys).from_(named_rows(stage)).sql(engine.dialect)
    )
    leaving, entering = int(str(delete)), int(str(insert))
    if leaving + entering != int(str(different)):
        return None
    # None of the rows that stay is the one that leaves, and none has the key of one that enters.
    goes = not_true(filters.staying, engine.dialect)
    merge = _merge(engine, compiled, statement, source, stage)
    enters = staged_sample(engine, compiled, stage, "insert", ordered=False) if entering else None
    return Moved(
        leaving,
        entering,
        leaving_sample(engine, compiled, goes) if leaving else None,
        enters,
        statement,
        asking_target(merge, lambda _: goes, engine.dialect),
        reads_source=True,
    )


def _moving(engine: Engine, compiled: CompiledTable, stage: str, leaving: int | None) -> Moved:
    """What differs between the target and the filter over the source at its position.

    `leaving` are the rows of the target that the filter does not take.
    """
    statement, source = compiled.changing_sql()
    if compiled.key:
        check_target_keys(engine, compiled)
    engine.stage(stage, source)
    leaves: Mapping[str, object] | None
    enters: Mapping[str, object] | None
    if compiled.key:
        counts = _effects(engine, compiled, stage)
        delete, insert, update = (counts.get(each, 0) for each in ("delete", "insert", "update"))
        leaves = staged_sample(engine, compiled, stage, "delete") if delete else None
        enters = staged_sample(engine, compiled, stage, "insert") if insert else None
    else:
        found = compare(engine, compiled)
        delete, insert, update = found.leaked, found.missing, 0
        leaves, enters = (found_sample(compiled, found, kind) for kind in ("leaked", "missing"))
    merge = _merge(engine, compiled, statement, source, stage)
    foreign = update + (0 if leaving is None else abs(delete - leaving))
    return Moved(
        delete,
        insert,
        leaves,
        enters,
        statement,
        merge,
        reads_source=True,
        unexplained=foreign,
        update=update,
    )


def _merge(engine: Engine, compiled: CompiledTable, statement: str, source: str, stage: str) -> str:
    merge = over_stage(compiled, statement, source, stage, engine)
    if merge is None:
        raise Mistakes([UNREADABLE_STATEMENT(name=compiled.unique_id)])
    return merge


def _effects(engine: Engine, compiled: CompiledTable, stage: str) -> dict[str, int]:
    effect = named_column(compiled.effect_column)
    query = select(effect, exp.Count(this=exp.Star())).from_(named_rows(stage)).group_by(effect)
    return {str(kind): int(str(many)) for kind, many in engine.rows(query.sql(engine.dialect))}
