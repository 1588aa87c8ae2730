"""What is large, read and staged by the engine's own processes: feeds, and sources of copies.

Example
    1. each task judges a portion of the lines, and writes its changes of each target to a file
    2. what comes back are counts, and where each portion begins and ends
    3. the portions have to follow each other; whether a transaction comes again is asked of the
       engine

    None says that nothing would be gained, or that something is not as usual: then one reader
    reads the feed, and says what is wrong and where.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from sqlglot import exp, select

from filtersql.catalog import Catalog, Table
from filtersql.definitions.model import Feed
from filtersql.feeds.changes import Reading
from filtersql.feeds.debezium import covered
from filtersql.feeds.debezium_places import Facts, Placed, Placing, facts, place, ranges
from filtersql.feeds.debezium_portions import take_halves, take_placed
from filtersql.feeds.landings import Landing
from filtersql.feeds.lines import FeedFile
from filtersql.feeds.portions import (
    Portion,
    Share,
    SourceShare,
    Taken,
    portions,
    take,
    take_rows,
    take_source,
)
from filtersql.feeds.positions import SLOT_BITS, seq_at
from filtersql.feeds.rows import StagedRows, row_stage
from filtersql.feeds.segments import Chain, chained
from filtersql.feeds.table_feeds import TableFeed
from filtersql.feeds.wal2json import OpenTransaction
from filtersql.feeds.wal2json_portions import StreamPart, steps, take_stream
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.spread_parts import (
    NOTHING,
    empty_stages,
    new_folder,
    telling,
    whole_reading,
)
from filtersql.targets.model import Cluster, Engine

__all__ = ["spread_feed", "spread_source", "spread_table"]

#: one reader is as fast with less: Python has to be started on the executors
_WORTH_IT = 128 * 2**20
_WORTH_IT_ROWS = 500_000
#: rows of a table in a part
_ROWS = 100_000

#: the last seq that each file may hold
_Last = Mapping[str, int]
_Tell = Callable[[Sequence[Taken]], None]


class _Found(Struct, frozen=True):
    """The portions of a feed, in their order."""

    taken: Sequence[Taken]
    chain: Chain
    last: _Last
    #: whether nothing more belongs to the last transaction
    closed: bool


def spread_feed(
    engine: Engine,
    feed: Feed,
    catalog: Catalog,
    landings: Sequence[Landing],
    files: Sequence[FeedFile],
    folder: Path,
    on_progress: Callable[[int], None] | None,
) -> tuple[Reading, _Last] | None:
    """The feed, and the last seq in each of its files; None where it was not read here."""
    cluster, read = engine.cluster, _FORMATS.get(feed.format)
    if cluster is None or read is None or not _worth_it(files):
        return None
    share = Share(feed, catalog, landings, engine.dialect, new_folder(folder))
    stages = empty_stages(share)
    found = read(cluster, share, portions(files), telling(on_progress))
    if found is None:
        return None
    reading = whole_reading(engine, share, stages, found.taken, found.chain, closed=found.closed)
    return None if reading is None else (reading, found.last)


def spread_table(
    engine: Engine,
    feed: Feed,
    catalog: Catalog,
    landings: Sequence[Landing],
    table: TableFeed,
    folder: Path,
    *,
    closed: bool,
) -> Reading | None:
    """The same for a feed that is a table of the engine."""
    if engine.cluster is None:
        return None
    query = table.query.sql(engine.dialect)
    counted = select(exp.Count(this=exp.Star())).from_(table.query.subquery("rows"))
    ((count,),) = engine.rows(counted.sql(engine.dialect))
    rows = int(str(count))
    if rows < _WORTH_IT_ROWS:
        return None
    share = Share(feed, catalog, landings, engine.dialect, new_folder(folder))
    stages = empty_stages(share)
    parts = 1 + rows // _ROWS
    work = partial(take_rows, share, table.changes)
    taken = engine.cluster.answers_of_rows(work, query, table.order, parts)
    chain = _chain(share, taken)
    if taken is None or chain is None:
        return None
    return whole_reading(engine, share, stages, taken, chain, closed=closed)


def spread_source(
    engine: Engine, compiled: CompiledTable, table: Table, files: Sequence[FeedFile], folder: Path
) -> StagedRows | None:
    """Stage the rows of a source; None where they were not read here."""
    if engine.cluster is None or not _worth_it(files):
        return None
    folder = new_folder(folder)
    stage = row_stage(compiled, engine.dialect, folder / NOTHING)
    stage.close()
    share = SourceShare(compiled, table, engine.dialect, folder)
    taken = engine.cluster.answers(partial(take_source, share), portions(files))
    usual = taken is not None and all(taken)
    return StagedRows(folder, stage.columns) if usual else None


def _worth_it(files: Sequence[FeedFile]) -> bool:
    return sum(file.size for file in files) >= _WORTH_IT


def _native(cluster: Cluster, share: Share, parts: Sequence[Portion], tell: _Tell) -> _Found | None:
    return _following(share, cluster.answers(partial(take, share), parts, tell), {}, closed=True)


def _wal2json(
    cluster: Cluster, share: Share, parts: Sequence[Portion], tell: _Tell
) -> _Found | None:
    every = cluster.answers(steps, parts)
    if every is None:
        return None
    tasks: list[StreamPart] = []
    opened: OpenTransaction | None = None
    last: dict[str, int] = {}
    for part, some in zip(parts, every, strict=True):
        tasks.append(StreamPart(part, opened, part is parts[-1]))
        for step in some:
            opened = step.behind(opened)
            if opened is not None:
                last[step.file] = seq_at(opened.commit, opened.count)
    taken = cluster.answers(partial(take_stream, share), tasks, tell)
    return _following(share, taken, last, closed=False)


def _following(
    share: Share, taken: Sequence[Taken] | None, last: _Last, *, closed: bool
) -> _Found | None:
    """Portions that follow each other."""
    chain = _chain(share, taken)
    if taken is None or chain is None:
        return None
    newest = dict(last)
    for one in (one for each in taken for one in each.segments):
        newest[one.file] = max(one.newest, newest.get(one.file, -1))
    return _Found(taken, chain, newest, closed)


def _debezium(
    cluster: Cluster, share: Share, parts: Sequence[Portion], tell: _Tell
) -> _Found | None:
    """Portions whose changes were placed before: they need not follow each other."""
    found = cluster.answers(partial(facts, Placing(share)), parts)
    if found is None or not _usable(found):
        return None
    reads: Counter[RelationName] = Counter()
    for each in found:
        reads.update(each.reads)
    placing = Placing(share, frozenset(covered(reads, share.catalog)))
    among = ranges(found)
    placed = cluster.answers(partial(place, placing), among)
    if placed is None or not _usable(placed):
        return None
    taken = cluster.answers(partial(take_placed, placing), parts, tell)
    halves = cluster.answers(
        partial(take_halves, placing),
        [some for some, each in zip(among, placed, strict=True) if each.halves],
        tell,
    )
    if taken is None or halves is None or not _usable((*taken, *halves)):
        return None
    chain = chained((each.segment for each in placed), share.start)
    if chain is None:
        return None
    newest: dict[str, int] = {}
    for file, bucket in ((file, at) for each in found for file, at in each.newest.items()):
        # Its last transaction may go on elsewhere: the file is needed until that is passed.
        newest[file] = max((bucket + 1 << SLOT_BITS) - 1, newest.get(file, -1))
    return _Found([*taken, *halves], chain, newest, not any(each.ends for each in found))


_FORMATS = {"filtersql": _native, "wal2json": _wal2json, "debezium": _debezium}


def _usable(found: Sequence[Facts | Placed | Taken]) -> bool:
    """Whether all is as usual, and all processes number texts in the same way."""
    return all(each.usual for each in found) and len({each.hashed for each in found}) <= 1


def _chain(share: Share, taken: Sequence[Taken] | None) -> Chain | None:
    """The portions in their order; None where it is not the usual one."""
    if taken is None or not _usable(taken):
        return None
    return chained((one for each in taken for one in each.segments), share.start)
