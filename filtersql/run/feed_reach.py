"""Whether a feed still holds the changes that were applied to a target.

Example
    The ledger says that 10 changes were applied from 20 to 40. The feed holds 7 of them: files were
    removed. Then the source must be read as it was at 40 or later: source: {…, seq: 40}.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp, select

from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.errors.auditing import FEED_TOO_SHORT
from filtersql.feeds.formats import end_of_place
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.applied_cuts import applied_cuts
from filtersql.run.ledger_entry import Entry, key_of
from filtersql.targets.model import Engine

__all__ = ["check_reach"]


def check_reach(
    engine: Engine,
    compiled: CompiledTable,
    name: str,
    rows: Sequence[Entry],
    above: int | None,
    feed: Feed | None,
) -> None:
    """Raises Mistakes where the view of changes lacks some that were applied above a position."""
    own = [row for row in rows if row.key == key_of(compiled)]
    applied = [cut for cut in applied_cuts(own) if above is None or cut.low >= above]
    if not applied:
        return
    # What a run took for two changes may be one, at the same place.
    query = select(*(_held(cut.low, end_of_place(feed, cut.high)) for cut in applied)).from_(
        exp.to_table(compiled.changes_view)
    )
    held = [int(str(count)) for count in engine.rows(query.sql(engine.dialect))[0]]
    needed = [cut.high for cut, found in zip(applied, held, strict=True) if found < cut.changes]
    if needed:
        raise Mistakes([FEED_TOO_SHORT(name=name, needed=max(needed))])


def _held(low: int, high: int) -> exp.Expr:
    seq = exp.column("seq")
    inside = exp.and_(seq > low, seq.copy() <= high)
    return exp.Count(this=exp.Case().when(inside, exp.Literal.number(1)))
