"""What the portions of a feed left in a folder, put together: `whole_reading(...)`.

Example
    folder/changes-0/0.parquet, 1.parquet, …     the changes of the first target
    folder/ends/0.parquet, …                     where transactions end
    folder/names/0.parquet, …                    numbers of their names

    Large things are asked of the engine; counts and ends alone come here.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pyarrow
from msgspec.structs import replace
from pyarrow import compute, parquet
from sqlglot import exp, select

from filtersql.feeds.changes import Reading, staged_changes
from filtersql.feeds.dispatch import Tally
from filtersql.feeds.intake import stages_of
from filtersql.feeds.judged_portions import ENDS, NAMES, Taken, file_of
from filtersql.feeds.landings import Share, newest_of
from filtersql.feeds.segments import Chain
from filtersql.feeds.staged_files import StagedColumn, StagedFile, as_open
from filtersql.feeds.staging import ChangeStage, distinct
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_rows

__all__ = ["NOTHING", "empty_stages", "new_folder", "telling", "whole_reading"]

#: a file without rows: some reader wants one
NOTHING = "none.parquet"
_NUMBER = "number"
#: so many numbers this process counts faster than an engine is asked
_FEW = 1_000_000


def new_folder(folder: Path) -> Path:
    """A folder for what is staged now: an earlier look may have left files of other portions."""
    return as_open(folder / f"spread-{uuid.uuid4().hex}")


def empty_stages(share: Share) -> Sequence[ChangeStage]:
    """The stages of the targets, each with a file that holds nothing."""
    folder = share.folder
    stages = stages_of(share, lambda index: file_of(folder, index, NOTHING), Tally())
    numbers = (StagedFile(folder / kind / NOTHING, [pyarrow.int64()]) for kind in (ENDS, NAMES))
    for file in (*(stage.file for stage in distinct(stages)), *numbers):
        as_open(file.path.parent)
        file.close()
    return stages


def whole_reading(
    engine: Engine,
    share: Share,
    stages: Sequence[ChangeStage],
    taken: Sequence[Taken],
    chain: Chain,
    *,
    closed: bool,
) -> Reading | None:
    """What all portions hold together; None where a transaction comes again behind another one."""
    try:
        repeated = _repeated_names(engine, share.folder)
    except OSError:
        return None  # what another user wrote may not be for this one
    if repeated != len(chain.inner):
        return None
    read, skipped = _sums(each.read for each in taken), _sums(each.skipped for each in taken)
    truncates = [any(each) for each in zip(*(one.truncates for one in taken), strict=True)]
    staged = staged_changes(stages, read, skipped, truncates)
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
        newest_of(each.newest for each in taken),
    )


def telling(on_progress: Callable[[int], None] | None) -> Callable[[Sequence[Taken]], None]:
    """Tells how many changes were read so far."""
    counts: list[int] = []

    def tell(taken: Sequence[Taken]) -> None:
        counts.extend(each.total for each in taken)
        if on_progress is not None:
            on_progress(sum(counts))

    return tell


def _repeated_names(engine: Engine, folder: Path) -> int:
    """How often a transaction's name comes again; many are counted by the engine."""
    tables = [parquet.ParquetFile(path) for path in (folder / NAMES).glob("*.parquet")]
    count = sum(table.metadata.num_rows for table in tables)
    if count <= _FEW:
        numbers = [table.read().column(0) for table in tables]
        every = [chunk for some in numbers for chunk in some.chunks]
        distinct_numbers = compute.count_distinct(pyarrow.chunked_array(every, pyarrow.int64()))
        return int(count - distinct_numbers.as_py())
    names = exp.column(_NUMBER)
    repeated = exp.Count(this=exp.Star()) - exp.Count(this=exp.Distinct(expressions=[names]))
    return _asked(engine, "filtersql_transactions", folder / NAMES, select(repeated)) or 0


def _boundary(engine: Engine, folder: Path, chain: Chain) -> Callable[[int], int | None]:
    """The last seq before the transaction of a change, asked when it is needed."""

    def boundary(seq: int) -> int | None:
        number = exp.column(_NUMBER)
        query = select(exp.Max(this=number)).where(number < seq)
        query = query.where(*(number.neq(inner) for inner in sorted(chain.inner)))
        return _asked(engine, "filtersql_ends", folder, query)

    return boundary


def _sums(counts: Iterable[Sequence[int]]) -> list[int]:
    return [sum(each) for each in zip(*counts, strict=True)]


def _asked(engine: Engine, view: str, folder: Path, query: exp.Select) -> int | None:
    """The one number that a query over numbers gives."""
    engine.view(view, folder, (StagedColumn(_NUMBER, "BIGINT"),))
    ((found,),) = engine.rows(query.from_(named_rows(view)).sql(engine.dialect))
    return None if found is None else int(str(found))
