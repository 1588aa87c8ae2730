"""Feeds that are tables of the engine: of changes, or a table of a lakehouse: `table_feed(…)`.

Example
    changes: {format: filtersql, table: lake.changes}          its rows are changes
    changes: {format: delta_cdf, table: lake.orders}           its commits are changes
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from sqlglot import exp, select

from filtersql.catalog import Catalog
from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.errors.feed_tables import MERGE_ON_READ
from filtersql.errors.targets import SPARK_TABLE_ON_DUCKDB
from filtersql.feeds.lake import LakeFeed, from_delta, from_iceberg
from filtersql.feeds.lake_tables import copy_on_write, lake_table
from filtersql.feeds.landings import Landing
from filtersql.feeds.native import TABLE_COLUMNS, from_rows
from filtersql.feeds.table_feeds import TableFeed
from filtersql.targets.model import Engine

__all__ = ["LAKES", "changes_table", "refusals_of_lakes", "table_feed"]

#: what Iceberg says of a commit with delete files
_DELETE_FILES = "Delete files are currently not supported in changelog scans"
LAKES = {"delta_cdf": from_delta, "iceberg_changelog": from_iceberg}


def table_feed(
    engine: Engine, feed: Feed, lowest: int, landings: Sequence[Landing], catalog: Catalog
) -> TableFeed | LakeFeed:
    """The changes that a table of the engine tells above a position. Raises Mistakes."""
    name, found = changes_table(engine, feed)
    if feed.format in LAKES:
        source = catalog.tables[landings[0].compiled.sources[0]]
        return LAKES[feed.format](engine.rows, str(feed.table).split("."), source, lowest)
    columns = [column for column in TABLE_COLUMNS if column in found]
    seq = exp.column("seq", quoted=True)
    # Rows whose seq is NULL or negative are asked for, too: their reader refuses them.
    unplaced = exp.or_(seq.copy().is_(exp.null()), seq.copy() < 0)
    query = select(*(exp.column(column, quoted=True) for column in columns)).from_(name)
    query = query.where(exp.or_(seq > lowest, unplaced))
    return TableFeed(query, "seq", partial(from_rows, str(feed.table), columns))


def changes_table(engine: Engine, feed: Feed) -> tuple[exp.Table, dict[str, str]]:
    """The table that a feed names, and the types of its columns. Raises Mistakes.

    Engines tell no capital letters apart in names: they are folded.
    """
    parts = str(feed.table).split(".")
    name = lake_table(parts)
    describe = exp.Describe(this=name.copy()).sql(engine.dialect)
    own = (parts[-2] if len(parts) > 1 else "main", parts[-1])
    if engine.dialect == "duckdb" and not engine.exists(own):
        raise Mistakes([SPARK_TABLE_ON_DUCKDB(feed.span, table=str(feed.table))])
    try:
        described = engine.rows(describe)
    except Mistakes:
        # It may stand in the warehouse alone. Where its name is known, it is left as it is: a
        # view, or a table that stands elsewhere, is none that filtersql made.
        engine.exists(own)
        described = engine.rows(describe)
    return name, {str(row[0]).lower(): str(row[1]).lower() for row in described}


@contextmanager
def refusals_of_lakes(engine: Engine, told: TableFeed | LakeFeed) -> Iterator[None]:
    """Words what the engine refuses of a lakehouse table, with a way out. Raises Mistakes."""
    try:
        yield
    except Mistakes as refused:
        said = any(_DELETE_FILES in str(one) for one in refused.mistakes)
        if not said or not isinstance(told, LakeFeed):
            raise
        parts = told.shown.split(".")
        counts = [exp.column(f"{each}_delete_files_count") > 0 for each in ("added", "existing")]
        deletes = select("path").from_(lake_table([*parts, "manifests"])).where(exp.or_(*counts))
        # While the newest snapshot has delete files, each later one has them, too.
        hint = (
            copy_on_write(parts) if engine.rows(deletes.limit(1).sql(engine.dialect)) else told.hint
        )
        raise Mistakes([MERGE_ON_READ(shown=told.shown, hint=hint)]) from None
