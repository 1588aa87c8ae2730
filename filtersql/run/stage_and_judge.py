"""Staging a MERGE's rows and judging them before anything is written.

Example
    The query between `USING (` and `)` of merge.sql is run into a stage. The stage has to hold one
    row for each key and no NULL for a NOT NULL column; where a value was not sent, the target has
    to have the row. Then merge.sql is run with the stage in place of the query.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from sqlglot import exp, select

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.applying import DUPLICATE_KEYS, NULL_FOR_NOT_NULL, UNREADABLE_STATEMENT
from filtersql.errors.stopping import PRIMARY_KEY_TAKEN, UNKNOWN_UNCHANGED_VALUE
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.conflict_counts import (
    count_where,
    counted_beside,
    is_reviewed,
    met_in_target,
    met_within,
    reviewed_rows,
)
from filtersql.run.counts import count
from filtersql.run.key_texts import written_otherwise
from filtersql.run.model import CONFLICTS, Conflict, no_conflicts
from filtersql.run.over_stage import same_key, staged_merge
from filtersql.run.query_parts import Kept, run_costly_parts
from filtersql.targets.model import Engine
from filtersql.targets.statements import in_parentheses, named_column, named_rows

__all__ = ["Judgement", "StageRefused", "judge_changes"]

_KEYED = "keyed"


class StageRefused(Mistakes):
    """The engine refused the query over the changes: perhaps a filter raised an error."""


class Judgement(Struct, frozen=True):
    """What is about to be written to a target: the statement, and what was counted."""

    compiled: CompiledTable
    merge: str
    changes: int
    staged: int
    conflicts: dict[str, int]
    sample: tuple[Conflict, ...] = ()
    #: the first change that stops a PostgreSQL subscriber
    first_stop: int | None = None
    #: seq and key of the first change that lacks a value, where that stops the run
    unsent: tuple[int, dict[str, object]] | None = None

    @property
    def stops_at(self) -> int | None:
        """The first change that this run stops at."""
        existing = self.first_stop if self.compiled.stops_at_existing else None
        found = (existing, None if self.unsent is None else self.unsent[0])
        return min((seq for seq in found if seq is not None), default=None)


def judge_changes(
    engine: Engine,
    compiled: CompiledTable,
    stage: str,
    changes: int | None = None,
    *,
    completing: bool = False,
    truncates: bool = True,
) -> tuple[Judgement, list[Mistake]]:
    """Stage and judge the changes in the view; everything that forbids the MERGE.

    `changes` is their number where the reader of the feed counted them; `completing` where the
    plain statement stopped at a value that was not sent; `truncates` False where none of them is a
    TRUNCATE. Raises StageRefused.
    """
    if changes is None:
        changes = count(engine, select("*").from_(named_rows(compiled.changes_view)))
    unsent = _unsent(engine, compiled) if changes else None
    if (changes == 0 and not compiled.clock) or unsent is not None:
        none = no_conflicts()
        return Judgement(compiled, compiled.merge_sql, changes, 0, none, unsent=unsent), []
    try:
        staged = _staged(engine, compiled, stage, completing=completing, truncates=truncates)
    except Mistakes as refused:
        raise StageRefused(refused.mistakes) from None
    name, kept, columns = compiled.unique_id, staged.kept, staged.columns
    tally = _counted(engine, compiled, staged)
    mistakes: list[Mistake] = [
        NULL_FOR_NOT_NULL(name=name, column=column, count=count)
        for column, count in tally.nulls.items()
        if count
    ]
    if tally.repeated:
        mistakes.append(DUPLICATE_KEYS(name=name, key=compiled.key, count=tally.repeated))
    unknown = _unknown(engine, compiled, stage, columns, name) if tally.kept else []
    mistakes += [*unknown, *written_otherwise(engine, compiled)]
    conflicts = dict(tally.conflicts)
    sample: tuple[Conflict, ...] = ()
    if any(conflicts.values()):
        sample = _sample(engine, compiled, kept.over(compiled.conflict_sample_sql))
    first = tally.first_stop
    if compiled.contested_sql is not None:
        contested = _contested(engine, compiled, kept.over(compiled.contested_sql))
        if contested and not compiled.stops_at_existing:
            taken = contested[0]
            mistakes.append(PRIMARY_KEY_TAKEN(name=name, seq=taken.seq, key=taken.key))
        if contested and (first is None or contested[0].seq < first):
            first = contested[0].seq
        sample = (*sample, *contested)
        for met in contested:
            conflicts[met.kind] += 1
    merge = staged_merge(compiled, stage, engine)
    if merge is None:
        mistakes.append(UNREADABLE_STATEMENT(name=name))
        merge = ""
    return Judgement(compiled, merge, changes, tally.rows, conflicts, sample, first), mistakes


class _Staged(Struct, frozen=True):
    """The rows of the MERGE in a file, and where their conflicts are asked."""

    columns: Sequence[str]
    #: what was staged: the rows of the MERGE, and perhaps what else was counted, as `within` asks
    name: str
    conflicts: str
    kept: Kept
    within: Sequence[exp.Expr] = ()


def _staged(
    engine: Engine, compiled: CompiledTable, stage: str, *, completing: bool, truncates: bool
) -> _Staged:
    completed = compiled.completing_source_sql if completing else None
    counting = None
    if completed is None:
        counting = counted_beside(compiled, engine.dialect, truncates=truncates)
    if counting is not None:
        beside = f"{stage}__met"
        columns = engine.stage(beside, counting)
        reviewed, columns = reviewed_rows(compiled, beside, columns, engine.dialect)
        engine.define(stage, reviewed)
        conflicts = met_in_target(compiled, beside, engine.dialect)
        return _Staged(columns, beside, conflicts, Kept(engine.dialect), met_within(compiled))
    source = completed or compiled.merge_source_sql
    kept = run_costly_parts(engine, compiled, stage, source)
    columns = engine.stage(stage, kept.over(source))
    return _Staged(columns, stage, kept.over(compiled.conflicts_sql), kept)


def _unsent(engine: Engine, compiled: CompiledTable) -> tuple[int, dict[str, object]] | None:
    """The first change that lacks a value, where that stops: it stops the statement, too."""
    if compiled.unsent_sql is None:
        return None
    try:
        lacking = engine.rows(compiled.unsent_sql)
    except Mistakes as refused:
        raise StageRefused(refused.mistakes) from None
    for *values, seq in lacking:
        return int(str(seq)), dict(zip(compiled.key, values, strict=True))
    return None


def _contested(engine: Engine, compiled: CompiledTable, query: str) -> tuple[Conflict, ...]:
    """The first changes that bring a row under a primary key that another row has."""
    return tuple(
        Conflict(str(kind), int(str(seq)), dict(zip(compiled.unique, key, strict=True)))
        for *key, seq, kind in engine.rows(query)
    )


def _sample(engine: Engine, compiled: CompiledTable, query: str) -> tuple[Conflict, ...]:
    """The first conflicts of each kind."""
    names = compiled.key or tuple(column.name for column in compiled.columns)
    return tuple(
        Conflict(str(kind), int(str(seq)), dict(zip(names, key, strict=True)))
        for *key, seq, kind in engine.rows(query)
    )


class _Tally(Struct, frozen=True):
    """What one look counts: rows, keys that come again, values to be kept, NULLs, conflicts."""

    rows: int
    repeated: int
    kept: int
    nulls: dict[str, int]
    conflicts: dict[str, int]
    first_stop: int | None


def _counted(engine: Engine, compiled: CompiledTable, staged: _Staged) -> _Tally:
    """What one look counts; what is counted within the stage is added to what its query finds.

    One query: each costs a second on Spark, whatever it asks, and a round trip to a server.
    """
    columns, within = staged.columns, staged.within
    # Where more is staged than was reviewed, only the latter is counted.
    only = is_reviewed(compiled) if within else exp.true()
    rows = count_where(only)
    keyed = compiled.form.startswith(_KEYED) and compiled.key and not _numbered(compiled, within)
    each = [exp.Case().when(only, named_column(key)) for key in compiled.key]
    keys = exp.Count(this=exp.Distinct(expressions=each))
    kept = [
        keeps
        for column in compiled.may_be_unchanged
        if (keeps := _keeps(compiled, column, columns)) is not None
    ]
    keeping = exp.or_(*map(named_column, kept)) if kept else exp.false()
    guarded = [column.name for column in compiled.columns if column.not_null]
    query = select(
        rows,
        keys if keyed else rows.copy(),
        count_where(exp.and_(only, keeping)),
        *(count_where(exp.and_(only, _null(compiled, column, columns))) for column in guarded),
        *within,
    ).from_(named_rows(staged.name))
    # What else it would count is not asked: that takes another scan of all changes.
    asked = (exp.column(name, "met") for name in (*CONFLICTS, "first_stop"))
    conflicts = in_parentheses(staged.conflicts.rstrip().rstrip(";"), "met")
    both = select(exp.column(exp.Star(), "counted"), *asked)
    both = both.from_(query.subquery("counted")).join(conflicts, join_type="cross")
    (row,) = engine.rows(both.sql(engine.dialect))
    count, repeats, kept_rows, *nulls = (int(str(value)) for value in row[: 3 + len(guarded)])
    *met, stop = row[-len(CONFLICTS) - 1 :]
    stops = {stop}
    if within:
        *more, stop = row[3 + len(guarded) : -len(CONFLICTS) - 1]
        # A target that somebody else gave a key twice cannot have more of them than were asked.
        both_met = zip(met, more, strict=True)
        met = [max(int(str(one)) + int(str(other)), 0) for one, other in both_met]
        stops.add(stop)
    return _Tally(
        count,
        count - repeats,
        kept_rows,
        dict(zip(guarded, nulls, strict=True)),
        {kind: int(str(number)) for kind, number in zip(CONFLICTS, met, strict=True)},
        min((int(str(one)) for one in stops if one is not None), default=None),
    )


def _numbered(compiled: CompiledTable, within: Sequence[exp.Expr]) -> bool:
    """Whether the query that was staged took the row of each key that has the number 1.

    What counts beside its rows is added to that query only where nobody else wrote it; to count
    the keys once more takes an exchange of all rows. NULLs are counted anyhow.
    """
    guarded = {column.name for column in compiled.columns if column.not_null}
    return bool(within) and compiled.packaged and set(compiled.key) <= guarded


def _null(compiled: CompiledTable, column: str, columns: Sequence[str]) -> exp.Expr:
    condition = exp.and_(_written(compiled), named_column(column).is_(exp.null()))
    keeps = _keeps(compiled, column, columns)
    return condition if keeps is None else exp.and_(condition, exp.not_(named_column(keeps)))


def _unknown(
    engine: Engine, compiled: CompiledTable, stage: str, columns: Sequence[str], name: str
) -> list[Mistake]:
    """Rows whose value was not sent and that the target does not have."""
    kept = [
        (column, keeps)
        for column in compiled.may_be_unchanged
        if (keeps := _keeps(compiled, column, columns)) is not None
    ]
    if not kept or not compiled.key:
        return []
    target = exp.to_table(compiled.target_sql, dialect=engine.dialect)
    there = exp.alias_(target, "held", table=True)
    held = select(exp.convert(1)).from_(there).where(same_key(compiled))
    some = exp.or_(*(named_column(keeps, "staged") for _, keeps in kept))
    keys = [named_column(key, "staged") for key in compiled.key]
    brought = exp.and_(
        *(exp.EQ(this=named_column(f"after_{key.name}", "changes"), expression=key) for key in keys)
    )
    query = (
        select(*keys, exp.alias_(exp.Max(this=named_column("seq", "changes")), "last", quoted=True))
        .from_(exp.alias_(named_rows(stage), "staged", table=True))
        .join(exp.alias_(named_rows(compiled.changes_view), "changes", table=True), on=brought)
        .where(exp.and_(_written(compiled, "staged"), some))
        .where(exp.not_(exp.Exists(this=held)))
        .group_by(*keys)
        .order_by(named_column("last"))
        .limit(1)
    )
    return [
        UNKNOWN_UNCHANGED_VALUE(
            name=name,
            columns=[column for column, _ in kept],
            seq=int(str(seq)),
            key=dict(zip(compiled.key, values, strict=True)),
        )
        for *values, seq in engine.rows(query.sql(engine.dialect))
    ]


def _written(compiled: CompiledTable, table: str | None = None) -> exp.Expr:
    """Whether a staged row is to stand in the target."""
    if compiled.form.startswith(_KEYED):
        return exp.NEQ(
            this=named_column(compiled.effect_column, table),
            expression=exp.Literal.string("delete"),
        )
    return exp.GT(this=named_column(compiled.ordinal_column, table), expression=exp.convert(0))


def _keeps(compiled: CompiledTable, column: str, columns: Sequence[str]) -> str | None:
    """The stage's column that says that a value was not sent, where there is one."""
    tail = compiled.effect_column.removeprefix("effect")
    keeps = f"keeps_{column}{tail}"
    return keeps if keeps in columns and column in compiled.may_be_unchanged else None
