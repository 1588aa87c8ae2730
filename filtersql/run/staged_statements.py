"""A statement that reads what was staged in place of its source: `over_stage`, `staged_merge`.

Example
    MERGE INTO s1.t USING (SELECT …) …    what is reviewed
    MERGE INTO s1.t USING (SELECT * FROM "filtersql_stage__0") …    what is run
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sqlglot
from sqlglot import TokenType, exp, select

from filtersql.rendering.compiled import CompiledTable
from filtersql.run.counts import count, count_table
from filtersql.storage import Engine as Dialect
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_column, named_rows, same_values, table

__all__ = ["asking_target", "keeps_column", "over_stage", "same_key", "staged_merge"]


def staged_merge(compiled: CompiledTable, stage: str, engine: Engine) -> str | None:
    """merge.sql with the stage in place of its source query; None: the query is not there once."""
    return over_stage(compiled, compiled.merge_sql, compiled.merge_source_sql, stage, engine)


def over_stage(
    compiled: CompiledTable, statement: str, source: str, stage: str, engine: Engine
) -> str | None:
    """A statement with the stage in place of its source; None: the query is not there once."""
    if statement.count(source) != 1:
        return None
    query = select("*").from_(named_rows(stage))
    if engine.dialect == "duckdb" and compiled.key and _outnumbers(engine, compiled, stage):
        staged = exp.alias_(named_rows(stage), "staged", table=True)
        query = select("*").from_(staged).order_by(_place_in_target(compiled, engine))
    return statement.replace(source, query.sql(engine.dialect))


def _outnumbers(engine: Engine, compiled: CompiledTable, stage: str) -> bool:
    """Whether more rows are staged than the target has.

    DuckDB looks the larger side of a join up in the smaller one, and updates rows in the order
    of the former: forty times slower than in the target's own.
    """
    staged = count(engine, select("*").from_(named_rows(stage)))
    return staged > count_table(engine, compiled.target_sql)


def _place_in_target(compiled: CompiledTable, engine: Engine) -> exp.Expr:
    """Where the target has the row with a staged row's key; NULL where it has none."""
    target = table(compiled.target_sql, engine.dialect)
    place = select(exp.Min(this=named_column("rowid", "held")))
    return place.from_(exp.alias_(target, "held", table=True)).where(same_key(compiled)).subquery()


def same_key(compiled: CompiledTable) -> exp.Expr:
    """Whether a row of the target has a staged row's key."""
    return same_values(compiled.key, "held", "staged")


def keeps_column(compiled: CompiledTable, column: str) -> str:
    """The staged rows' column that says whether a value was not sent, and stays as it is."""
    return f"keeps_{column}{compiled.effect_column.removeprefix('effect')}"


def asking_target(merge: str, condition: Callable[[str], str], dialect: Dialect) -> str:
    """A MERGE whose ON asks first a condition about a row of the target, by the target's alias.

    Engines look at no other row then. As it was where a project's own macro printed it otherwise.
    """
    tokens = sqlglot.Dialect.get_or_raise(dialect).tokenize(merge)
    kinds = [token.token_type for token in tokens]
    outside = [index for index, depth in enumerate(_depths(kinds)) if depth == 0]
    using, on, when = (
        next((index for index in outside if kinds[index] is kind), None)
        for kind in (TokenType.USING, TokenType.ON, TokenType.WHEN)
    )
    if using is None or on is None or when is None or kinds[using - 2] is not TokenType.ALIAS:
        return merge
    begin, end = tokens[on].end + 1, tokens[when].start
    asked = condition(tokens[using - 1].text)
    return f"{merge[:begin]} {asked} AND ({merge[begin:end].strip()}) {merge[end:]}"


def _depths(kinds: Sequence[TokenType]) -> list[int]:
    """In how many parentheses each token stands."""
    depth, found = 0, []
    for kind in kinds:
        depth -= kind is TokenType.R_PAREN
        found.append(depth)
        depth += kind is TokenType.L_PAREN
    return found
