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

import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import pyarrow
from msgspec.structs import replace
from sqlglot import exp, select

from filtersql.catalog import Catalog, Table
from filtersql.feeds.changes import Reading, lowest_position, staged_changes
from filtersql.feeds.dispatch import Tally
from filtersql.feeds.images import Landing
from filtersql.feeds.intake import stages_of
from filtersql.feeds.lines import FeedFile
from filtersql.feeds.portions import (
    ENDS,
    NAMES,
    Chain,
    Share,
    SourceShare,
    Taken,
    chained,
    file_of,
    portions,
    take,
    take_rows,
    take_source,
)
from filtersql.feeds.rows import StagedRows, row_stage
from filtersql.feeds.staging import ChangeStage, StagedColumn, StagedFile, distinct
from filtersql.feeds.table_feeds import TableFeed
from filtersql.rendering.compiled import CompiledTable
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_rows

__all__ = ["spread_feed", "spread_source", "spread_table"]

#: one reader is as fast with less: Python has to be started on the executors
_WORTH_IT = 128 * 2**20
_WORTH_IT_ROWS = 500_000
#: rows of a table in a part
_ROWS = 100_000
_NOTHING = "none.parquet"
_NUMBER = "number"


def spread_feed(
    engine: Engine,
    catalog: Catalog,
    landings: Sequence[Landing],
    files: Sequence[FeedFile],
    folder: Path,
    on_progress: Callable[[int], None] | None,
) -> tuple[Reading, dict[str, int]] | None:
    """The feed, and the last seq in each of its files; None where it was not read here."""
    if engine.cluster is None or not _worth_it(files):
        return None
    share = Share(catalog, landings, engine.dialect, _new(folder), lowest_position(landings))
    stages = _stages(share)
    taken = engine.cluster.answers(partial(take, share), portions(files), _told(on_progress))
    reading = _reading(engine, share, stages, taken, closed=True)
    if taken is None or reading is None:
        return None
    segments = sorted((one for each in taken for one in each.segments), key=lambda one: one.newest)
    return reading, {one.file: one.newest for one in segments}


def spread_table(
    engine: Engine,
    catalog: Catalog,
    landings: Sequence[Landing],
    feed: TableFeed,
    folder: Path,
    *,
    closed: bool,
) -> Reading | None:
    """The same for a feed that is a table of the engine."""
    if engine.cluster is None:
        return None
    query = feed.query.sql(engine.dialect)
    counted = select(exp.Count(this=exp.Star())).from_(feed.query.subquery("rows"))
    ((count,),) = engine.rows(counted.sql(engine.dialect))
    rows = int(str(count))
    if rows < _WORTH_IT_ROWS:
        return None
    share = Share(catalog, landings, engine.dialect, _new(folder), lowest_position(landings))
    stages = _stages(share)
    parts = 1 + rows // _ROWS
    work = partial(take_rows, share, feed.changes)
    taken = engine.cluster.answers_of_rows(work, query, feed.order, parts)
    return _reading(engine, share, stages, taken, closed=closed)


def spread_source(
    engine: Engine, compiled: CompiledTable, table: Table, files: Sequence[FeedFile], folder: Path
) -> StagedRows | None:
    """Stage the rows of a source; None where they were not read here."""
    if engine.cluster is None or not _worth_it(files):
        return None
    folder = _new(folder)
    stage = row_stage(compiled, engine.dialect, folder / _NOTHING)
    stage.close()
    share = SourceShare(compiled, table, engine.dialect, folder)
    taken = engine.cluster.answers(partial(take_source, share), portions(files))
    usual = taken is not None and all(taken)
    return StagedRows(folder, stage.columns) if usual else None


def _worth_it(files: Sequence[FeedFile]) -> bool:
    return sum(file.size for file in files) >= _WORTH_IT


def _stages(share: Share) -> Sequence[ChangeStage]:
    """The stages of the targets, with a file each that holds nothing: some reader wants one."""
    folder = share.folder
    stages = stages_of(
        share.landings, share.engine, lambda index: file_of(folder, index, _NOTHING), Tally()
    )
    numbers = (StagedFile(folder / kind / _NOTHING, [pyarrow.int64()]) for kind in (ENDS, NAMES))
    for file in (*(stage.file for stage in distinct(stages)), *numbers):
        file.path.parent.mkdir(exist_ok=True)
        file.close()
    return stages


def _reading(
    engine: Engine,
    share: Share,
    stages: Sequence[ChangeStage],
    taken: Sequence[Taken] | None,
    *,
    closed: bool,
) -> Reading | None:
    """What all portions hold together; None where they are of no use."""
    chain = None if taken is None else _chain(engine, share.folder, taken, share.start)
    if taken is None or chain is None:
        return None
    read, skipped = _sums(each.read for each in taken), _sums(each.skipped for each in taken)
    staged = staged_changes(share.landings, stages, read, skipped)
    boundary = _boundary(engine, share.folder / ENDS, chain)
    cut = chain.last
    if cut is not None and not (closed or chain.whole):
        cut = boundary(cut)
    return Reading(
        tuple(replace(one, path=one.path.parent) for one in staged),
        cut,
        chain.last,
        sum(each.total for each in taken),
        sum(each.unpublished for each in taken),
        boundary,
    )


def _new(folder: Path) -> Path:
    """A folder for what is staged now: an earlier look may have left files of other portions."""
    return Path(tempfile.mkdtemp(prefix="spread-", dir=folder))


def _told(on_progress: Callable[[int], None] | None) -> Callable[[Sequence[Taken]], None]:
    """Tells how many changes were read so far."""
    counts: list[int] = []

    def tell(taken: Sequence[Taken]) -> None:
        counts.extend(each.total for each in taken)
        if on_progress is not None:
            on_progress(sum(counts))

    return tell


def _sums(counts: Iterable[Sequence[int]]) -> list[int]:
    return [sum(each) for each in zip(*counts, strict=True)]


def _chain(engine: Engine, folder: Path, taken: Sequence[Taken], start: int | None) -> Chain | None:
    """The portions in their order; None where it is not the usual one."""
    same = len({each.hashed for each in taken}) == 1
    chain = chained(taken, start) if same and all(each.usual for each in taken) else None
    if chain is None or not any(each.transactions for each in taken):
        return chain
    names = exp.column(_NUMBER)
    repeated = exp.Count(this=exp.Star()) - exp.Count(this=exp.Distinct(expressions=[names]))
    again = _asked(engine, "filtersql_transactions", folder / NAMES, select(repeated))
    return chain if again == len(chain.inner) else None


def _boundary(engine: Engine, folder: Path, chain: Chain) -> Callable[[int], int | None]:
    """The last seq before the transaction of a change, asked when it is needed."""

    def boundary(seq: int) -> int | None:
        number = exp.column(_NUMBER)
        query = select(exp.Max(this=number)).where(number < seq)
        query = query.where(*(number.neq(inner) for inner in sorted(chain.inner)))
        return _asked(engine, "filtersql_ends", folder, query)

    return boundary


def _asked(engine: Engine, view: str, folder: Path, query: exp.Select) -> int | None:
    """The one number that a query over numbers gives."""
    engine.view(view, folder, (StagedColumn(_NUMBER, "BIGINT"),))
    ((found,),) = engine.rows(query.from_(named_rows(view)).sql(engine.dialect))
    return None if found is None else int(str(found))
