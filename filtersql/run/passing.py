"""Judging a run in which only time passes: it looks at no row whose time cannot be over.

Example
    at < (SELECT cut_30_days FROM filtersql_clock)    at < CAST('2026-10-27' AS DATE)
    ON t.id = s.id                                    ON (t.at < CAST(…)) AND (t.id = s.id)

    The statement is the reviewed one with the clock's moments in it. All rows that it stages are
    rows of the target that are older than a cut; of the target's side the condition says so once
    more. Delta and Iceberg then open the files that hold such rows, not each one.

Delta
    DataSkippingReader.scala, MergeIntoCommandBase.getTargetOnlyPredicates(): by literals
Iceberg
    SparkScanBuilder.pushPredicates()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import sqlglot
from sqlglot import TokenType, exp

from filtersql.filters.model import CLOCK
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.clock import moment_at
from filtersql.run.counts import count
from filtersql.run.model import no_conflicts
from filtersql.run.stage_and_judge import Judgement, over_stage
from filtersql.storage import Engine as Dialect
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_rows

__all__ = ["judge_passing", "narrowed"]


def judge_passing(engine: Engine, compiled: CompiledTable, stage: str, clock: str) -> Judgement:
    """Stage the rows whose time is over. Nothing forbids that they leave. Raises Mistakes."""
    moments = _moments(engine, compiled, clock)
    engine.stage(stage, _at(compiled.merge_source_sql, moments, engine.dialect))
    staged = count(engine, exp.select("*").from_(named_rows(stage)))
    merge = over_stage(compiled.merge_sql, compiled.merge_source_sql, stage, engine)
    assert merge is not None  # compile() cut the source out of it
    return Judgement(
        compiled, narrowed(merge, compiled, moments, engine.dialect), 0, staged, no_conflicts()
    )


def _moments(engine: Engine, compiled: CompiledTable, clock: str) -> dict[str, exp.Expr]:
    """What the view filtersql_clock holds, by column."""
    at = datetime.fromisoformat(clock)
    return {column.name: moment_at(engine, column, at) for column in compiled.clock}


def _at(query: str, moments: Mapping[str, exp.Expr], dialect: Dialect) -> str:
    """The query with moments in place of `(SELECT column FROM filtersql_clock)`."""
    tokens = sqlglot.Dialect.get_or_raise(dialect).tokenize(query)
    texts = [token.text for token in tokens]
    parts, end = [], 0
    for place in range(len(tokens) - 5):
        opening, select, name, source, view, closing = texts[place : place + 6]
        words = (opening, select.upper(), source.upper(), view, closing)
        if words == ("(", "SELECT", "FROM", CLOCK, ")") and name in moments:
            parts += [query[end : tokens[place].start], moments[name].sql(dialect)]
            end = tokens[place + 5].end + 1
    return "".join([*parts, query[end:]])


def narrowed(
    merge: str, compiled: CompiledTable, moments: Mapping[str, exp.Expr], dialect: Dialect
) -> str:
    """The MERGE with the condition; as it was where a project's own macro printed it otherwise."""
    tokens = sqlglot.Dialect.get_or_raise(dialect).tokenize(merge)
    kinds = [token.token_type for token in tokens]
    outside = [index for index, depth in enumerate(_depths(kinds)) if depth == 0]
    using, on, when = (
        next((index for index in outside if kinds[index] is kind), None)
        for kind in (TokenType.USING, TokenType.ON, TokenType.WHEN)
    )
    if using is None or on is None or when is None or kinds[using - 2] is not TokenType.ALIAS:
        return merge
    alias = tokens[using - 1].text
    older = [
        exp.column(each.column, table=alias, quoted=True) < moments[each.cut.name].copy()
        for each in compiled.next_leaving
    ]
    begin, end = tokens[on].end + 1, tokens[when].start
    condition = exp.paren(exp.or_(*older)).sql(dialect)
    return f"{merge[:begin]} {condition} AND ({merge[begin:end].strip()}) {merge[end:]}"


def _depths(kinds: Sequence[TokenType]) -> list[int]:
    """In how many parentheses each token stands."""
    depth, found = 0, []
    for kind in kinds:
        depth -= kind is TokenType.R_PAREN
        found.append(depth)
        depth += kind is TokenType.L_PAREN
    return found
