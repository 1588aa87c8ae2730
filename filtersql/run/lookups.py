"""The tables that a target's filter looks up, as they stand at the boundary of a round.

Example
    dept at 12 is brought to 17; so is lookup, which its filter asks
    the view of lookup: its target's rows, with what its changes from 13 to 17 make of them

Whether lookup is written before dept or after it, and whether an earlier run was killed between
the two, the view holds the same rows: those of 17. A lookup that is further already shows what it
holds. Rows that were judged before are not judged again when a lookup changes: `audit` finds them.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp, select

from filtersql.errors import Mistakes
from filtersql.errors.applying import LOOKUP_LEFT_OUT
from filtersql.rendering.compiled import CompiledTable, LookedUp
from filtersql.run.context import TargetRun
from filtersql.run.stage_and_judge import staging
from filtersql.run.staged_statements import keeps_column, same_key
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_column, table

__all__ = ["check_chosen", "define_lookups", "show_held", "show_nothing"]


def check_chosen(tables: Sequence[CompiledTable]) -> None:
    """Raises Mistakes where a run leaves out a table that another one's filter looks up."""
    chosen = {one.relation for one in tables}
    mistakes = [
        LOOKUP_LEFT_OUT(name=one.unique_id, looked_up=looked.relation)
        for one in tables
        for looked in one.lookups
        if looked.relation not in chosen
    ]
    if mistakes:
        raise Mistakes(mistakes)


def define_lookups(
    engine: Engine,
    target: TargetRun,
    targets: Sequence[TargetRun],
    upto: int | None,
    *,
    completing: bool,
) -> None:
    """Make the views of what a target's filters look up; `upto` None: before any change.

    Raises StageRefused where the query over a looked-up table's changes is refused.
    """
    for looked in target.compiled.lookups:
        other = next(each for each in targets if each.compiled.relation == looked.relation)
        behind = upto is not None and (other.position is None or other.position < upto)
        if not behind or other.staged is None:
            show_held(engine, looked, other.compiled)
            continue
        source = other.compiled.completing_source_sql if completing else None
        engine.view(
            other.compiled.changes_view,
            other.staged,
            other.columns,
            above=other.position,
            upto=upto,
        )
        stage = f"filtersql_looked_up__{target.lane}"
        # As where the looked-up target itself is judged, which may come after this one.
        with staging():
            staged = engine.stage(stage, source or other.compiled.merge_source_sql)
        query = _brought_forward(engine, looked, other.compiled, stage, staged)
        engine.stage(looked.view, query)


def show_held(engine: Engine, looked: LookedUp, other: CompiledTable) -> None:
    """Make the view of what the target of a looked-up table holds."""
    held = select(*map(named_column, looked.columns)).from_(table(other.target_sql, engine.dialect))
    engine.stage(looked.view, held.sql(engine.dialect))


def show_nothing(engine: Engine, targets: Sequence[TargetRun]) -> None:
    """Make all views without a row: enough where it is asked which filters raise an error."""
    known = {target.compiled.relation: target.compiled for target in targets}
    for looked in dict.fromkeys(one for target in targets for one in target.compiled.lookups):
        types = {column.name: column.sql_type for column in known[looked.relation].columns}
        nulls = (
            exp.alias_(_null(types[name], engine), name, quoted=True) for name in looked.columns
        )
        engine.stage(looked.view, select(*nulls).where(exp.false()).sql(engine.dialect))


def _brought_forward(
    engine: Engine, looked: LookedUp, other: CompiledTable, stage: str, staged: Sequence[str]
) -> str:
    """The target's rows that the staged ones leave alone, and the staged ones that stay."""
    held = exp.alias_(table(other.target_sql, engine.dialect), "held", table=True)
    new = exp.alias_(exp.to_table(stage), "staged", table=True)
    same = same_key(other)
    touched = select(exp.convert(1)).from_(new.copy()).where(same)
    left = select(*(named_column(name, "held") for name in looked.columns)).from_(held.copy())
    stays = exp.NEQ(
        this=named_column(other.effect_column, "staged"), expression=exp.Literal.string("delete")
    )
    columns = [_kept(name, keeps_column(other, name), staged) for name in looked.columns]
    come = select(*columns).from_(new).join(held, on=same.copy(), join_type="left").where(stays)
    both = exp.union(left.where(exp.not_(exp.Exists(this=touched))), come, distinct=False)
    return both.sql(engine.dialect)


def _kept(name: str, keeps: str, staged: Sequence[str]) -> exp.Expr:
    """A staged value; the target's where the feed did not send it."""
    if keeps not in staged:
        return named_column(name, "staged")
    chosen = exp.case().when(named_column(keeps, "staged"), named_column(name, "held"))
    return exp.alias_(chosen.else_(named_column(name, "staged")), name, quoted=True)


def _null(sql_type: str, engine: Engine) -> exp.Cast:
    kind = exp.DataType.build(sql_type, dialect=engine.dialect)
    return exp.Cast(this=exp.null(), to=kind)
