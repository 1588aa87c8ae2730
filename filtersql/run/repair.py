"""Rows that an audit found, written to the target: exactly those.

Example
    The findings become the rows that merge.sql stages, and merge.sql writes them:

    ========== ======== ======================================
    finding    effect   row
    ========== ======== ======================================
    leaked     delete   its key
    missing    insert   the source's
    differs    insert   the source's: it replaces the target's
    ========== ======== ======================================
"""

from __future__ import annotations

from sqlglot import exp, select

from filtersql.errors import Mistakes
from filtersql.errors.applying import UNREADABLE_STATEMENT
from filtersql.rendering.compiled import CompiledTable
from filtersql.rendering.sql_fragments import explode
from filtersql.run.audit_findings import FINDINGS
from filtersql.run.holding import Holder, guarded
from filtersql.run.staged_statements import keeps_column, staged_merge
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_column, same_values, table

__all__ = ["mend"]

_STAGE = "filtersql_mending"


def mend(context: Holder, compiled: CompiledTable) -> None:
    """Write what `compare` left staged. The source's view is as it was then. Raises Mistakes."""
    engine = context.engine
    query = _keyed(compiled) if compiled.key else _counted(engine, compiled)
    engine.stage(_STAGE, query.sql(engine.dialect))
    merge = staged_merge(compiled, _STAGE, engine)
    if merge is None:
        raise Mistakes([UNREADABLE_STATEMENT(name=compiled.unique_id)])
    guarded(context, engine).execute(merge)


def _keyed(compiled: CompiledTable) -> exp.Select:
    finding = named_column(compiled.finding_column, "f")
    effect = exp.case().when(finding.eq("leaked"), exp.convert("delete"))
    effect = effect.else_(exp.convert("insert"))
    sides = [(one.name, "f" if one.name in compiled.key else "e") for one in compiled.columns]
    columns = [named_column(name, side).as_(name, quoted=True) for name, side in sides]
    kept = [
        exp.false().as_(keeps_column(compiled, name), quoted=True)
        for name in compiled.may_be_unchanged
    ]
    source = exp.alias_(exp.to_table(compiled.source_view), "e", table=True)
    return (
        select(*columns, *kept, effect.as_(compiled.effect_column, quoted=True))
        .from_(exp.alias_(exp.to_table(FINDINGS), "f", table=True))
        .join(source, on=same_values(compiled.key, "e", "f"), join_type="left")
    )


def _counted(engine: Engine, compiled: CompiledTable) -> exp.Select:
    """Ordinal 0 deletes all copies of a row, each number above it inserts one."""
    copies = compiled.copies_column
    columns = [column.name for column in compiled.columns]
    count = exp.Count(this=exp.Star()).as_(copies, quoted=True)
    held = select(*map(named_column, columns), count)
    held = held.from_(table(compiled.target_sql, engine.dialect))
    held = held.group_by(*map(named_column, columns))
    same = same_values(columns, "h", "f", nulls=True)
    zero = exp.Literal.number(0)
    found = exp.func("COALESCE", named_column(copies, "h"), zero)
    missing = named_column(compiled.finding_column, "f").eq("missing")
    step = named_column(copies, "f")
    left = exp.Add(
        this=found, expression=exp.paren(exp.case().when(missing, step).else_(exp.Neg(this=step)))
    )
    # Copies are counted in numbers that a sequence's bounds need not have: BIGINT is taken.
    upto = exp.GenerateSeries(start=exp.cast(zero, "bigint"), end=exp.cast(left, "bigint"))
    ordinal = exp.Anonymous(this=explode(engine.dialect), expressions=[upto])
    return (
        select(
            *(named_column(one, "f") for one in columns),
            ordinal.as_(compiled.ordinal_column, quoted=True),
        )
        .from_(exp.alias_(exp.to_table(FINDINGS), "f", table=True))
        .join(held.subquery("h"), on=same, join_type="left")
    )
