"""Staging a MERGE's rows and judging them before anything is written.

Example
    The query between `USING (` and `)` of merge.sql is run into a stage. The stage has to hold one
    row for each key and no NULL for a NOT NULL column; where a value was not sent, the target has
    to have the row. Then merge.sql is run with the stage in place of the query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp, select

from filtersql.applying.model import CONFLICTS
from filtersql.errors import Mistake
from filtersql.errors.applying import (
    DuplicateKeys,
    NullForNotNull,
    UnknownUnchangedValue,
    UnreadableStatement,
)
from filtersql.rendering.compiled import CompiledTable
from filtersql.targets.model import Engine

__all__ = ["Judgement", "judge_changes", "staged_merge"]

_KEYED = "keyed"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is about to be written to a target: the statement, and what was counted."""

    compiled: CompiledTable
    merge: str
    changes: int
    staged: int
    conflicts: dict[str, int]


def judge_changes(
    engine: Engine, compiled: CompiledTable, stage: str
) -> tuple[Judgement, list[Mistake]]:
    """Stage and judge the changes in the view; everything that forbids the MERGE."""
    name = f"{compiled.subscription}/{compiled.relation}"
    changes = _number(engine, select("COUNT(*)").from_(_name(compiled.changes_view)))
    if changes == 0:
        return Judgement(compiled, compiled.merge_sql, 0, 0, dict.fromkeys(CONFLICTS, 0)), []
    columns = engine.stage(stage, compiled.merge_source_sql)
    staged = _number(engine, select("COUNT(*)").from_(_name(stage)))
    mistakes: list[Mistake] = []
    if staged:
        mistakes += _nulls(engine, compiled, stage, columns, name)
        mistakes += _duplicates(engine, compiled, stage, name)
        mistakes += _unknown(engine, compiled, stage, columns, name)
    row = engine.rows(compiled.conflicts_sql)[0]
    conflicts = {kind: int(str(row[index])) for index, kind in enumerate(CONFLICTS)}
    merge = staged_merge(compiled, stage, engine)
    if merge is None:
        mistakes.append(UnreadableStatement(name))
        merge = ""
    return Judgement(compiled, merge, changes, staged, conflicts), mistakes


def staged_merge(compiled: CompiledTable, stage: str, engine: Engine) -> str | None:
    """merge.sql with the stage in place of its source query; None: the query is not there once."""
    if compiled.merge_sql.count(compiled.merge_source_sql) != 1:
        return None
    query = select("*").from_(_name(stage)).sql(engine.dialect)
    return compiled.merge_sql.replace(compiled.merge_source_sql, query)


def _nulls(
    engine: Engine, compiled: CompiledTable, stage: str, columns: Sequence[str], name: str
) -> list[Mistake]:
    guarded = [column.name for column in compiled.columns if column.not_null]
    if not guarded:
        return []
    written = _written(compiled)
    counts = []
    for column in guarded:
        condition = exp.and_(written.copy(), _column(column).is_(exp.null()))
        if (keeps := _keeps(compiled, column, columns)) is not None:
            condition = exp.and_(condition, exp.not_(_column(keeps)))
        counts.append(exp.Count(this=exp.Case().when(condition, exp.Literal.number(1))))
    row = engine.rows(select(*counts).from_(_name(stage)).sql(engine.dialect))[0]
    found = zip(guarded, (int(str(value)) for value in row), strict=True)
    return [NullForNotNull(name, column, count) for column, count in found if count]


def _duplicates(engine: Engine, compiled: CompiledTable, stage: str, name: str) -> list[Mistake]:
    if not compiled.form.startswith(_KEYED) or not compiled.key:
        return []
    keys = [_column(column) for column in compiled.key]
    repeated = select(*keys).from_(_name(stage)).group_by(*(key.copy() for key in keys))
    repeated = repeated.having(exp.GT(this=exp.Count(this=exp.Star()), expression=exp.convert(1)))
    count = _number(engine, select("COUNT(*)").from_(repeated.subquery("repeated")))
    return [DuplicateKeys(name, compiled.key, count)] if count else []


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
    same = exp.and_(
        *(
            exp.EQ(this=_column(key, "held"), expression=_column(key, "staged"))
            for key in compiled.key
        )
    )
    held = select(exp.convert(1)).from_(exp.alias_(target, "held", table=True)).where(same)
    some = exp.or_(*(_column(keeps, "staged") for _, keeps in kept))
    query = (
        select(exp.Count(this=exp.Star()))
        .from_(exp.alias_(_name(stage), "staged", table=True))
        .where(exp.and_(_written(compiled, "staged"), some))
        .where(exp.not_(exp.Exists(this=held)))
    )
    count = _number(engine, query)
    return [UnknownUnchangedValue(name, [column for column, _ in kept], count)] if count else []


def _written(compiled: CompiledTable, table: str | None = None) -> exp.Expr:
    """Whether a staged row is to stand in the target."""
    if compiled.form.startswith(_KEYED):
        return exp.NEQ(
            this=_column(compiled.effect_column, table), expression=exp.Literal.string("delete")
        )
    return exp.GT(this=_column(compiled.ordinal_column, table), expression=exp.convert(0))


def _keeps(compiled: CompiledTable, column: str, columns: Sequence[str]) -> str | None:
    """The stage's column that says that a value was not sent, where there is one."""
    tail = compiled.effect_column.removeprefix("effect")
    keeps = f"keeps_{column}{tail}"
    return keeps if keeps in columns and column in compiled.may_be_unchanged else None


def _column(name: str, table: str | None = None) -> exp.Column:
    return exp.column(name, table=table, quoted=True)


def _name(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def _number(engine: Engine, query: exp.Select) -> int:
    return int(str(engine.rows(query.sql(engine.dialect))[0][0]))
