"""Where a run reads: a subscription's feed, and the source tables of an initial copy.

Example
    source: "{catalog}.{schema}.{table}"                       tables of the engine
    source: {format: filtersql, path: "src/{table}.jsonl"}     JSON lines, one object a row
    changes: {format: filtersql, path: "changes/*.jsonl"}      JSON lines
    changes: {format: filtersql, table: lake.changes}          a table of the engine
    source: {postgres: erp}, changes: {postgres: erp}          what `capture` wrote
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from sqlglot import exp, select

from filtersql.catalog import Catalog
from filtersql.definitions.model import Feed, Subscription
from filtersql.errors import Mistakes
from filtersql.errors.applying import DUPLICATE_KEYS
from filtersql.errors.live import NOTHING_CAPTURED
from filtersql.errors.targets import SPARK_TABLE_ON_DUCKDB
from filtersql.feeds.changes import Reading, read
from filtersql.feeds.formats import Opened, open_files, placed_order
from filtersql.feeds.held import Seen
from filtersql.feeds.lake import from_delta, from_iceberg
from filtersql.feeds.landings import Landing, lowest_reached
from filtersql.feeds.lines import FeedFile
from filtersql.feeds.native import TABLE_COLUMNS, from_rows
from filtersql.feeds.places import Place, Records
from filtersql.feeds.records import Record
from filtersql.feeds.rows import has_distinct_keys, stage_rows
from filtersql.feeds.table_feeds import Found, TableFeed
from filtersql.rendering.compiled import CompiledTable, FeedColumn
from filtersql.run.counts import count_repeated
from filtersql.run.fetching import fetched, found_files, pending_files
from filtersql.run.ledger_entry import SeenFile
from filtersql.run.model import Inputs
from filtersql.run.source_places import source_files, source_table
from filtersql.run.source_texts import written_otherwise
from filtersql.run.spread_feeds import spread_feed, spread_source, spread_table
from filtersql.run.table_columns import unread
from filtersql.storage import Engine as Dialect
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_rows
from filtersql.targets.table_statements import described

__all__ = [
    "FeedRead",
    "change_columns",
    "check_keys",
    "no_changes",
    "read_feed",
    "stage_source",
]

_LAKES = {"delta_cdf": from_delta, "iceberg_changelog": from_iceberg}


class FeedRead(Struct, frozen=True):
    """What a feed held, and the files that need not be opened again."""

    reading: Reading
    #: reads the changes again
    records: Records
    files: tuple[SeenFile, ...] = ()


def read_feed(
    inputs: Inputs,
    engine: Engine,
    subscription: Subscription,
    landings: Sequence[Landing],
    seen: Seen,
    folder: Path,
    on_progress: Callable[[int], None] | None,
) -> FeedRead | None:
    """Judge and stage a subscription's feed; None where it has none. Raises Mistakes."""
    feed = subscription.changes
    if feed is None:
        return None
    lowest = lowest_reached(landings)
    if feed.path is None:
        table = _table_feed(engine, feed, lowest, landings, inputs.catalog)
        return _read_table(inputs, engine, feed, table, landings, folder, on_progress)
    found = _feed_files(engine, feed, feed.path, inputs.root)
    pending = pending_files(feed, found, seen, landings)
    files = fetched(engine, pending.files, folder)
    opening = partial(open_files, feed, inputs.catalog, files, landings, pending.counted)
    records: Records = partial(_reopened, opening)
    spread = spread_feed(engine, feed, inputs.catalog, landings, files, folder, on_progress,
                         pending.counted)  # fmt: skip
    if spread is not None:
        reading, last, held = spread
    else:
        opened = opening()
        records, last, held = opened.records, opened.last, opened.held
        reading = read(
            records,
            inputs.catalog,
            landings,
            engine.dialect,
            folder,
            closed=opened.closed,
            on_progress=on_progress,
            blocks=opened.blocks,
            placed=placed_order(feed, landings),
        )
    told = (
        (file.shown, file.size, file.modified, last.get(file.shown, -1), held.get(file.shown))
        for file in files
    )
    return FeedRead(reading, records, tuple(told))


def _reopened(
    opening: Callable[[], Opened], mistakes: list[Found]
) -> Iterator[tuple[Place, Record]]:
    """The changes of files that are read once more."""
    return opening().records(mistakes)


def no_changes(compiled: CompiledTable, dialect: Dialect) -> str:
    """A query of changes that has none: what a subscription without a feed gives."""
    return change_columns(compiled, dialect, {}).where(exp.false()).sql(dialect)


def change_columns(
    compiled: CompiledTable, dialect: Dialect, given: Mapping[str, exp.Expr]
) -> exp.Select:
    """The columns of a view of changes; those that are not given are NULL."""

    def column(kind: str, name: str) -> exp.Expr:
        value = given.get(name, exp.null())
        return exp.cast(value, exp.DataType.build(kind, dialect=dialect)).as_(name, quoted=True)

    text = "STRING" if dialect == "spark" else "VARCHAR"
    texts = "ARRAY<STRING>" if dialect == "spark" else "VARCHAR[]"
    columns = [column("BIGINT", "seq"), column(text, "tx"), column(text, "op")]
    for side in ("before", "after"):
        columns += [column(each.sql_type, f"{side}_{each.name}") for each in compiled.feed_columns]
    columns.append(column(texts, "unchanged"))
    return select(*columns)


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
        files = fetched(engine, source_files(inputs, engine, source, compiled), path.parent)
        table = inputs.catalog.tables[compiled.relation]
        staged = spread_source(engine, compiled, table, files, path.parent) or stage_rows(
            files, compiled, table, engine.dialect, path
        )
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
        if mistakes := written_otherwise(engine, compiled, name):
            raise Mistakes(mistakes)
    if checks_keys:
        check_keys(engine, compiled)
    return True


def _feed_files(engine: Engine, feed: Feed, path: str, root: Path) -> tuple[FeedFile, ...]:
    """The files of a feed; a live source may not have been captured yet."""
    try:
        return found_files(engine, path, root, feed.span)
    except Mistakes:
        if feed.postgres is None:
            raise
        wrong = NOTHING_CAPTURED(feed.span, what="changes", source=feed.postgres)
        raise Mistakes([wrong]) from None


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


def _read_table(
    inputs: Inputs,
    engine: Engine,
    feed: Feed,
    table: TableFeed | None,
    landings: Sequence[Landing],
    folder: Path,
    on_progress: Callable[[int], None] | None,
) -> FeedRead:
    """Judge and stage a feed that is a table of the engine; None: nothing was written to it."""

    def records(mistakes: list[Found]) -> Iterator[tuple[Place, Record]]:
        if table is None:
            return iter(())
        return table.changes(engine.stream(table.ordered().sql(engine.dialect)), mistakes)

    # A change may still be written to a table behind those that are read.
    closed = feed.format in _LAKES
    spread = None
    if table is not None:
        spread = spread_table(engine, feed, inputs.catalog, landings, table, folder, closed=closed)
    return FeedRead(
        spread
        or read(
            records,
            inputs.catalog,
            landings,
            engine.dialect,
            folder,
            closed=closed,
            on_progress=on_progress,
        ),
        records,
    )


def _table_feed(
    engine: Engine, feed: Feed, lowest: int, landings: Sequence[Landing], catalog: Catalog
) -> TableFeed | None:
    parts = str(feed.table).split(".")
    if not engine.exists((parts[-2] if len(parts) > 1 else "main", parts[-1])) and (
        engine.dialect == "duckdb"
    ):
        raise Mistakes([SPARK_TABLE_ON_DUCKDB(feed.span, table=str(feed.table))])
    if feed.format in _LAKES:
        source = catalog.tables[landings[0].compiled.sources[0]]
        return _LAKES[feed.format](engine.rows, parts, source, lowest)
    name = exp.Table(
        **{
            key: exp.to_identifier(part, quoted=True)
            for key, part in zip(("this", "db", "catalog"), reversed(parts), strict=False)
        }
    )
    described = engine.rows(exp.Describe(this=name).sql(engine.dialect))
    found = {str(row[0]) for row in described}
    columns = [column for column in TABLE_COLUMNS if column in found]
    query = (
        select(*(exp.column(column, quoted=True) for column in columns))
        .from_(name)
        .where(exp.GT(this=exp.column("seq", quoted=True), expression=exp.convert(lowest)))
    )
    return TableFeed(query, "seq", partial(from_rows, str(feed.table), columns))


def check_keys(engine: Engine, compiled: CompiledTable) -> None:
    """Raises Mistakes where a key of the source comes twice: no unique index would notice."""
    if not compiled.key:
        return
    repeated = count_repeated(engine, named_rows(compiled.source_view), compiled.key)
    if repeated:
        name = compiled.unique_id
        raise Mistakes([DUPLICATE_KEYS(name=name, key=compiled.key, count=repeated)])
