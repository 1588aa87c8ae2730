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

from collections.abc import Mapping
from datetime import datetime

import sqlglot
from sqlglot import exp

from filtersql.errors import Mistakes
from filtersql.errors.applying import UNREADABLE_STATEMENT
from filtersql.filters.model import CLOCK
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.clock import moments
from filtersql.run.counts import count
from filtersql.run.model import no_conflicts
from filtersql.run.stage_and_judge import Judgement, staging
from filtersql.run.staged_statements import asking_target, staged_merge
from filtersql.storage import Engine as Dialect
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_rows

__all__ = ["judge_passing", "narrowed"]


def judge_passing(engine: Engine, compiled: CompiledTable, stage: str, clock: str) -> Judgement:
    """Stage the rows whose time is over. Raises Mistakes, of the query StageRefused."""
    cuts = moments(engine, compiled.clock, datetime.fromisoformat(clock))
    with staging():
        engine.stage(stage, _at(compiled.merge_source_sql, cuts, engine.dialect))
    staged = count(engine, exp.select("*").from_(named_rows(stage)))
    merge = staged_merge(compiled, stage, engine)
    if merge is None:
        raise Mistakes([UNREADABLE_STATEMENT(name=compiled.unique_id)])
    return Judgement(
        compiled, narrowed(merge, compiled, cuts, engine.dialect), 0, staged, no_conflicts()
    )


def _at(query: str, cuts: Mapping[str, exp.Expr], dialect: Dialect) -> str:
    """The query with the moments of cuts in place of `(SELECT column FROM filtersql_clock)`."""
    tokens = sqlglot.Dialect.get_or_raise(dialect).tokenize(query)
    texts = [token.text for token in tokens]
    parts, end = [], 0
    for place in range(len(tokens) - 5):
        opening, select, name, source, view, closing = texts[place : place + 6]
        words = (opening, select.upper(), source.upper(), view, closing)
        if words == ("(", "SELECT", "FROM", CLOCK, ")") and name in cuts:
            parts += [query[end : tokens[place].start], cuts[name].sql(dialect)]
            end = tokens[place + 5].end + 1
    return "".join([*parts, query[end:]])


def narrowed(
    merge: str, compiled: CompiledTable, cuts: Mapping[str, exp.Expr], dialect: Dialect
) -> str:
    """The MERGE with the condition; as it was where a project's own macro printed it otherwise."""

    def older(alias: str) -> str:
        conditions = [
            exp.column(each.column, table=alias, quoted=True) < cuts[each.cut.name].copy()
            for each in compiled.next_leaving
        ]
        return exp.paren(exp.or_(*conditions)).sql(dialect)

    return asking_target(merge, older, dialect)
