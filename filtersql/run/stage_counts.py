"""What looks at a stage find: counts of what a MERGE is about to write, and values not sent.

Example
    ======== ============================================================== ==========
    counted  what                                                           refused
    ======== ============================================================== ==========
    rows     of the stage
    repeated rows beyond the first one of a key                             any
    kept     rows of which a value was not sent: the target has to have it
    nulls    NULLs for each NOT NULL column                                 any
    ======== ============================================================== ==========

    The conflicts of the changes, and the first that stops a subscriber, come from the same look.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from sqlglot import exp, select

from filtersql.errors import Mistake
from filtersql.errors.stopping import UNKNOWN_UNCHANGED_VALUE
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.conflict_counts import count_where, is_reviewed
from filtersql.run.model import CONFLICTS
from filtersql.run.query_parts import Kept
from filtersql.run.staged_statements import keeps_column, same_key
from filtersql.targets.model import Engine
from filtersql.targets.statements import in_parentheses, named_column, named_rows, table

__all__ = ["Staged", "Tally", "counted", "unknown_values"]


class Staged(Struct, frozen=True):
    """The rows of the MERGE in a file, and where their conflicts are asked."""

    columns: Sequence[str]
    #: what was staged: the rows of the MERGE, and perhaps what else was counted, as `within` asks
    name: str
    conflicts: str
    kept: Kept
    within: Sequence[exp.Expr] = ()


class Tally(Struct, frozen=True):
    """What one look counts: rows, keys that come again, values to be kept, NULLs, conflicts."""

    rows: int
    repeated: int
    kept: int
    nulls: dict[str, int]
    conflicts: dict[str, int]
    first_stop: int | None


def counted(engine: Engine, compiled: CompiledTable, staged: Staged) -> Tally:
    """Count in one look; what was counted within the stage is added to what its query finds.

    One query: each costs a second on Spark, whatever it asks, and a round trip to a server.
    """
    columns, within = staged.columns, staged.within
    # Where more is staged than was reviewed, only the latter is counted.
    only = is_reviewed(compiled) if within else exp.true()
    rows = count_where(only)
    keyed = compiled.key and not _numbered(compiled, within)
    each = [exp.Case().when(only, named_column(key)) for key in compiled.key]
    keys = exp.Count(this=exp.Distinct(expressions=each))
    kept = _kept(compiled, columns)
    keeping = exp.or_(*map(named_column, kept.values())) if kept else exp.false()
    guarded = [column.name for column in compiled.columns if column.not_null]
    query = select(
        rows,
        keys if keyed else rows.copy(),
        count_where(exp.and_(only, keeping)),
        *(
            count_where(exp.and_(only, _null(compiled, column, kept.get(column))))
            for column in guarded
        ),
        *within,
    ).from_(named_rows(staged.name), copy=False)
    # What else it would count is not asked: that takes another scan of all changes.
    asked = (exp.column(name, "met") for name in (*CONFLICTS, "first_stop"))
    conflicts = in_parentheses(staged.conflicts.rstrip().rstrip(";"), "met")
    both = select(exp.column(exp.Star(), "counted"), *asked)
    both = both.from_(query.subquery("counted", copy=False), copy=False)
    both = both.join(conflicts, join_type="cross", copy=False)
    (row,) = engine.rows(both.sql(engine.dialect, copy=False))
    count, repeats, kept_rows, *nulls = (int(str(value)) for value in row[: 3 + len(guarded)])
    *met, stop = row[-len(CONFLICTS) - 1 :]
    stops = {stop}
    if within:
        *more, stop = row[3 + len(guarded) : -len(CONFLICTS) - 1]
        # A target that somebody else gave a key twice cannot have more of them than were asked.
        both_met = zip(met, more, strict=True)
        met = [max(int(str(one)) + int(str(other)), 0) for one, other in both_met]
        stops.add(stop)
    return Tally(
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


def _null(compiled: CompiledTable, column: str, keeps: str | None) -> exp.Expr:
    condition = exp.and_(_written(compiled), named_column(column).is_(exp.null()))
    return condition if keeps is None else exp.and_(condition, exp.not_(named_column(keeps)))


def unknown_values(
    engine: Engine, compiled: CompiledTable, stage: str, columns: Sequence[str]
) -> list[Mistake]:
    """Rows whose value was not sent and that the target does not have."""
    kept = _kept(compiled, columns)
    if not kept or not compiled.key:
        return []
    there = exp.alias_(table(compiled.target_sql, engine.dialect), "held", table=True)
    held = select(exp.convert(1)).from_(there).where(same_key(compiled))
    some = exp.or_(*(named_column(keeps, "staged") for keeps in kept.values()))
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
            name=compiled.unique_id,
            columns=[*kept],
            seq=int(str(seq)),
            key=dict(zip(compiled.key, values, strict=True)),
        )
        for *values, seq in engine.rows(query.sql(engine.dialect))
    ]


def _written(compiled: CompiledTable, alias: str | None = None) -> exp.Expr:
    """Whether a staged row is to stand in the target."""
    if compiled.key:
        return named_column(compiled.effect_column, alias).neq("delete")
    return named_column(compiled.ordinal_column, alias) > 0


def _kept(compiled: CompiledTable, columns: Sequence[str]) -> dict[str, str]:
    """The stage's columns that say that a value was not sent, by the column of the value."""
    named = ((column, keeps_column(compiled, column)) for column in compiled.may_be_unchanged)
    return {column: keeps for column, keeps in named if keeps in columns}
