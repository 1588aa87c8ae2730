"""Where a run reads the source of an initial copy: files, or a table of the engine.

Example
    source: "{catalog}.{schema}.{table}"                       tables of the engine
    source: {format: filtersql, path: "src/{table}.jsonl"}     JSON lines, one object a row
    source: {postgres: erp}                                    what `capture` wrote
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlglot import exp, select

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.applying import DUPLICATE_KEYS
from filtersql.errors.feeds import FILE_CHANGED
from filtersql.feeds.rows import has_distinct_keys, stage_rows
from filtersql.rendering.compiled import CompiledTable, FeedColumn
from filtersql.run.counts import count_repeated
from filtersql.run.fetching import fetched
from filtersql.run.model import Inputs
from filtersql.run.source_places import source_files, source_table
from filtersql.run.source_texts import source_written_otherwise
from filtersql.run.spread_feeds import spread_source
from filtersql.run.table_columns import unread
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_rows
from filtersql.targets.table_statements import described

__all__ = ["check_source_keys", "source_named", "stage_source"]


def stage_source(
    inputs: Inputs,
    engine: Engine,
    subscription: Subscription,
    compiled: CompiledTable,
    path: Path,
    *,
    checks_keys: bool = True,
) -> bool:
    """Make the view that initial_copy.sql reads; False where there is nothing to copy from.

    `checks_keys`: refuse a key that comes twice.
    """
    source = subscription.source
    if source is None or not compiled.copy_data:
        return False
    if source.path is not None:
        found = source_files(inputs, engine, source, compiled)
        files = fetched(engine, found, path.parent)
        table = inputs.catalog.tables[compiled.relation]
        staged = spread_source(engine, compiled, table, files, path.parent) or stage_rows(
            files, compiled, table, engine.dialect, path
        )
        # Rows are read once: what comes while they are would be missing for ever.
        if others := {*found} ^ {*source_files(inputs, engine, source, compiled)}:
            raise Mistakes(FILE_CHANGED(path=name) for name in sorted({x.shown for x in others}))
        engine.view(compiled.source_view, staged.path, staged.columns)
        checks_keys = checks_keys and not has_distinct_keys(staged, compiled)
    else:
        name = source_table(inputs, engine, source, compiled)
        named = exp.to_table(name, dialect=engine.dialect)
        held = described(engine.rows(exp.Describe(this=named).sql(engine.dialect)))
        if mistakes := unread(compiled, name, held, engine.dialect):
            raise Mistakes(mistakes)
        columns = (_as_stored(column, engine) for column in compiled.feed_columns)
        query = select(*columns).from_(named)
        engine.define(compiled.source_view, query.sql(engine.dialect))
        if mistakes := source_written_otherwise(engine, compiled, name):
            raise Mistakes(mistakes)
    if checks_keys:
        check_source_keys(engine, compiled)
    return True


def _as_stored(column: FeedColumn, engine: Engine) -> exp.Expr:
    """A source's column as the target stores it; a text has the form that feeds give it."""
    kind = exp.DataType.build(column.sql_type, dialect=engine.dialect)
    value: exp.Expr = exp.cast(exp.column(column.name, quoted=True), kind)
    pg_type = column.pg_type.base or column.pg_type
    if pg_type.name == "uuid":
        value = exp.func("LOWER", value)
    if pg_type.name == "bpchar" and pg_type.length:
        length, blank = exp.convert(pg_type.length), exp.convert(" ")
        padded = exp.func("RPAD", value.copy(), length, blank, dialect=engine.dialect)
        short = exp.func("LENGTH", value.copy()) < length
        value = exp.case().when(short, padded).else_(value)
    return exp.alias_(value, column.name, quoted=True)


def check_source_keys(engine: Engine, compiled: CompiledTable) -> None:
    """Raises Mistakes where a key of the source comes twice: no unique index would notice."""
    if not compiled.key:
        return
    repeated = count_repeated(engine, named_rows(compiled.source_view), compiled.key)
    if repeated:
        name = compiled.unique_id
        raise Mistakes([DUPLICATE_KEYS(name=name, key=compiled.key, count=repeated)])


def source_named(subscription: Subscription, mistakes: Sequence[Mistake]) -> Sequence[Mistake]:
    """Mistakes whose hints name the live source to capture again, up to where it is now."""
    reads = (subscription.source, subscription.changes)
    live = next((one.postgres for one in reads if one and one.postgres), None)
    for one in mistakes:
        if live and one.hint:
            one.hint = one.hint.replace("capture SOURCE", f"capture {live} --until-current")
    return mistakes
