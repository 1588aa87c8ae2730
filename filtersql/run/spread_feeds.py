"""Feeds and sources of copies, read and staged by the engine's own processes.

Example
    1. each task judges a portion of the lines, and writes its changes of each target to a file
    2. what comes back are counts, and where each portion begins and ends
    3. the portions have to follow each other; whether a transaction comes again is asked of the
       engine

    None says that the engine has no such processes or they do not see the files, that nothing is
    pending, or that something is not as usual, such as a file that was replaced meanwhile: then one
    reader reads the feed, and says what is wrong and where.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace
from sqlglot import exp, select

from filtersql.catalog import Table
from filtersql.feeds.changes import Reading
from filtersql.feeds.judged_portions import take_rows, take_source
from filtersql.feeds.landings import Share, SourceShare
from filtersql.feeds.lines import FeedFile
from filtersql.feeds.portions import portions, traces
from filtersql.feeds.rows import StagedRows
from filtersql.feeds.staging import RowStage
from filtersql.feeds.table_feeds import TableFeed
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.spread_formats import FORMATS, Spread, chain_of
from filtersql.run.spread_parts import NOTHING, empty_stages, new_folder, telling, whole_reading
from filtersql.targets.model import Engine
from filtersql.targets.workers import Cluster

__all__ = ["spread_feed", "spread_source", "spread_table"]

_Found = TypeVar("_Found")

#: rows of a table in a part
_ROWS = 100_000


def spread_feed(
    engine: Engine,
    share: Share,
    files: Sequence[FeedFile],
    on_progress: Callable[[int], None] | None,
) -> tuple[Reading, Spread] | None:
    """The feed, and what its portions tell of its files; None where it was not read here."""
    cluster, read = engine.cluster, FORMATS.get(share.feed.format)
    if cluster is None or read is None or not _all_seen(cluster, files):
        return None
    share = replace(share, folder=new_folder(share.folder))
    stages = empty_stages(share)
    # A value of CSV may hold ends of lines.
    parts = portions(files, whole=share.feed.format == "dms")
    found = _unless_replaced(files, partial(read, cluster, share, parts, telling(on_progress)))
    if found is None:
        return None
    reading = whole_reading(engine, share, stages, found.taken, found.chain, closed=found.closed)
    return None if reading is None else (reading, found)


def spread_table(engine: Engine, share: Share, table: TableFeed, *, closed: bool) -> Reading | None:
    """The same for a feed that is a table of the engine."""
    if engine.cluster is None:
        return None
    query = table.query.sql(engine.dialect)
    counted = select(exp.Count(this=exp.Star())).from_(table.query.subquery("rows"))
    ((count,),) = engine.rows(counted.sql(engine.dialect))
    rows = int(str(count))
    if not rows:
        return None
    share = replace(share, folder=new_folder(share.folder))
    stages = empty_stages(share)
    parts = 1 + rows // _ROWS
    work = partial(take_rows, share, table.changes)
    taken = engine.cluster.answers_of_rows(work, query, [table.order], parts)
    chain = chain_of(share, taken)
    if taken is None or chain is None:
        return None
    return whole_reading(engine, share, stages, taken, chain, closed=closed)


def spread_source(
    engine: Engine, compiled: CompiledTable, table: Table, files: Sequence[FeedFile], folder: Path
) -> StagedRows | None:
    """Stage the rows of a source; None where they were not read here."""
    cluster = engine.cluster
    if cluster is None or not _all_seen(cluster, files):
        return None
    folder = new_folder(folder)
    stage = RowStage(compiled, engine.dialect, folder / NOTHING)
    stage.close()
    share = SourceShare(compiled, table, engine.dialect, folder)
    work = partial(take_source, share)
    taken = _unless_replaced(files, partial(cluster.answers, work, portions(files)))
    return StagedRows(folder, stage.columns) if taken is not None and all(taken) else None


def _unless_replaced(files: Sequence[FeedFile], read: Callable[[], _Found | None]) -> _Found | None:
    """What is read of some files; None where one of them was replaced meanwhile."""
    before = _traces(files)
    if before is None:
        return None
    found = read()
    return None if found is None or _traces(files) != before else found


def _traces(files: Sequence[FeedFile]) -> list[bytes] | None:
    """None: one is gone, which the reader says."""
    try:
        return traces(files)
    except OSError:
        return None


def _all_seen(cluster: Cluster, files: Sequence[FeedFile]) -> bool:
    """Whether there are files, where the others find them."""
    return bool(files) and all(cluster.sees(file.path) for file in files)
