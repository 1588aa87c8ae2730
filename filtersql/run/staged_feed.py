"""What a feed gave to each target of a subscription, and which of its files need no other look.

Example
    ========================== ====================== ========================================
    the last change of a file  of a feed              then
    ========================== ====================== ========================================
    is beyond all targets      any                    the ledger tells of the file
    is not                     in one order           so it does; it is reported as passed over
    is not                     whose files land apart it is opened again until all targets have it
    ========================== ====================== ========================================
"""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.feeds.formats import place_bits
from filtersql.feeds.landings import newest_of
from filtersql.run.context import RunContext
from filtersql.run.feed_reading import FeedRead
from filtersql.run.ledger import Ledger
from filtersql.run.ledger_entry import SeenFile
from filtersql.run.ledger_rows import read_row
from filtersql.run.target_landings import tables_of

__all__ = ["remember_files", "take_feed"]

#: a last seq that no target is beyond
_NEVER = 2**63 - 1


def take_feed(context: RunContext, feed: FeedRead, known: Ledger) -> None:
    """What was staged for each target; those that have changes come first in the lanes."""
    context.boundary, context.records = feed.reading.boundary, feed.records
    context.cut, context.waiting = feed.reading.cut, feed.reading.waiting
    seen = known.files.get(context.subscription.name, {})
    context.files = tuple(file for file in feed.files if seen.get(file[0]) != file[1:])
    if place_bits(context.subscription.changes) is not None:
        ahead, late = _late(context.files, known, context.subscription.name)
        # They are opened again, and stay in the order in which they were found.
        found = ((*file[:3], _NEVER, file[4]) for file in late if file[0] not in seen)
        context.files, context.late_files = (*ahead, *found), late
    elif seen:
        stands = [-1 if t.position is None else t.position for t in context.targets
                  if not t.standing.copy]  # fmt: skip
        new = [file for file in context.files if file[0] not in seen]
        passed = [path for path, *_, last, _ in new if 0 <= last <= min(stands, default=-1)]
        context.feeds.passed_over |= dict.fromkeys(passed)
    for target, staged in zip(context.targets, feed.reading.staged, strict=True):
        target.staged, target.columns = staged.path, staged.columns
        target.skipped, target.waiting = staged.skipped, staged.read
        target.truncates = staged.truncates
        if target.newest is not None:
            tables = tables_of(target.compiled)
            told = {name: seq for name, seq in feed.reading.newest.items() if name in tables}
            target.newest = newest_of([target.newest, told])
        whole = not feed.reading.waiting and context.stop is None
        if whole and target.standing.until is None:
            target.pending = staged.read
    ordered = sorted(context.targets, key=lambda target: target.untouched)
    for lane, target in enumerate(ordered):
        target.lane = lane


def _late(
    files: Sequence[SeenFile], known: Ledger, subscription: str
) -> tuple[tuple[SeenFile, ...], tuple[SeenFile, ...]]:
    """Files with changes that are ahead of all targets, and files that landed late.

    A file is opened again as long as some target is not beyond its last change. So a file that
    landed late may be remembered only once all targets have its changes.
    """
    positions = (one.position for one in known.of(subscription) if one.position is not None)
    furthest = max(positions, default=-1)
    ahead = tuple(file for file in files if file[3] > furthest)
    return ahead, tuple(file for file in files if file[3] <= furthest)


def remember_files(context: RunContext) -> None:
    """Files that no intention has told of."""
    if context.whole and not (context.stop or context.waiting or context.left):
        context.files += context.late_files
    if context.files:
        context.pending.append(read_row(context, None))
