"""What a run holds on to while it works on a subscription, and on each of its targets.

Example
    context.targets[0].position    # 12
    context.position, context.upto    # where all of them stand, and how far they are brought
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from msgspec import Struct, field

from filtersql.definitions.model import Feed, Subscription
from filtersql.feeds.formats import own_position, place_bits
from filtersql.feeds.places import Records
from filtersql.feeds.staged_files import StagedColumn, newest_staged
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.conflicting_change import Stop
from filtersql.run.lease import Lease
from filtersql.run.ledger_cache import LedgerCache
from filtersql.run.ledger_entry import Entry, Key, SeenFile
from filtersql.run.model import Conflict, Inputs, Options, no_conflicts
from filtersql.run.quarantine import Held
from filtersql.run.sessions import Lanes
from filtersql.run.shared_feeds import SharedFeeds
from filtersql.run.spent import Spent
from filtersql.run.target_state import Standing
from filtersql.targets.marks import Written
from filtersql.targets.model import Engine

__all__ = ["RunContext", "TargetRun", "only_looking", "say_started", "timed"]


class TargetRun(Struct):
    """A target while a run works on it; `position` and `reached` are as in Standing."""

    standing: Standing
    position: int | None
    reached: int | None
    staged: Path | None = None
    #: how many changes are staged, where all of them are below the feed's cut
    pending: int | None = None
    columns: tuple[StagedColumn, ...] = ()
    #: whether a TRUNCATE is staged, as far as that is known
    truncates: bool = True
    written: Written = field(default_factory=Written)
    copied: bool = False
    read: int = 0
    skipped: int = 0
    conflicts: dict[str, int] = field(default_factory=no_conflicts)
    sample: tuple[Conflict, ...] = ()
    #: how often a statement turned out to be committed by an earlier run
    repeated: int = 0
    #: changes of the feed above its position, where they were counted
    waiting: int | None = None
    #: what the ledger says was intended of its copy
    intended: Entry | None = None
    #: whether it may have a quarantine
    quarantined: bool = False
    #: what is in quarantine, what of the pending changes goes there, and what comes back
    held: tuple[Held, ...] = ()
    aside: Mapping[int, str] = field(default_factory=dict)
    truncated: Sequence[int] = ()
    releasing: bool = False
    released: Sequence[int] = ()
    moot: Sequence[int] = ()
    #: how many were to come back and stay in quarantine
    held_back: int = 0
    put_aside: int = 0
    seconds: float = 0.0
    lane: int = 0
    #: of a target with a window: the clock at which its changes are judged
    clock: str | None = None
    #: the clock at which it was written, where that is known: rows enter whose time began since
    stood_at: str | None = None
    #: whether rows left or entered without a change, by the time that has passed
    aged: bool = False
    #: as in Landing
    newest: Mapping[RelationName, int] | None = None

    @property
    def untouched(self) -> bool:
        """Whether the feed has nothing for it: it only has to be said where it stands."""
        begun = self.standing.until is not None or self.releasing or self.aside
        return not begun and self.waiting == 0

    def position_at(self, feed: Feed | None, upto: int | None) -> int | None:
        """Where it stands with its own changes once it is brought to a cut of the feed."""
        if upto in (None, self.position, self.standing.until) or place_bits(feed) is None:
            return upto
        # What is put aside has come to it, too.
        came = [seq for seq in (*self.aside, *self.truncated) if seq <= upto]
        if self.staged is not None and (newest := newest_staged(self.staged, upto)) is not None:
            came.append(newest)
        at = own_position(feed, max(came, default=None), upto)
        return max((each for each in (at, self.position) if each is not None), default=None)

    def reached_at(self, upto: int | None) -> int | None:
        """How far the feed was read for it then."""
        return upto if upto is None or self.reached is None else max(self.reached, upto)

    @property
    def compiled(self) -> CompiledTable:
        """What was compiled for it."""
        return self.standing.compiled

    @property
    def name(self) -> str:
        """The name of the node."""
        return self.compiled.unique_id


class RunContext(Struct):
    """What one subscription's run holds on to."""

    inputs: Inputs
    lanes: Lanes
    options: Options
    subscription: Subscription
    folder: Path
    lease: Lease
    feeds: SharedFeeds
    ledgers: LedgerCache
    spent: Spent
    on_start: Callable[[CompiledTable], None]
    on_read: Callable[[int], None] | None = None
    targets: list[TargetRun] = field(default_factory=list)
    ordinal: int = 0
    #: rows of the ledger that are true already and go in with the next commit
    pending: list[Entry] = field(default_factory=list)
    #: rows that marks have proved: they go in with another commit, or many of them by themselves
    proved: dict[Key, Entry] = field(default_factory=dict)
    #: feed files that are known by now, and how far the ledger says that all targets are
    files: tuple[SeenFile, ...] = ()
    #: files with changes that only some targets may have passed: remembered once all have
    late_files: tuple[SeenFile, ...] = ()
    #: whether changes of the feed wait for the next run
    waiting: bool = False
    #: whether a target may come again that is not in the subscription now
    left: bool = False
    told: int | None = None
    furthest: int = -1
    #: whether all targets that the ledger knows of this subscription are in this run
    whole: bool = False
    #: definitions of which the state has the text
    defined: frozenset[str] = frozenset()
    #: whether the ledger was there, and whether this run wrote to it
    prepared: bool = False
    #: values that were not sent are looked for under old keys
    completing: bool = False
    #: the last seq before the transaction of a change
    boundary: Callable[[int], int | None] | None = None
    #: reads the feed again
    records: Records | None = None
    #: where it stops; known before it begins where a filter raised an error in an attempt
    stop: Stop | None = None
    #: the last seq of the feed that may be applied
    cut: int | None = None
    #: of all its targets with a window of time
    clock: datetime | None = None

    @property
    def position(self) -> int | None:
        """How far all targets are; None where some have no change yet."""
        positions = [target.position for target in self.targets if target.position is not None]
        known = len(positions) == len(self.targets)
        return min(positions, default=None) if known else None

    @property
    def upto(self) -> int | None:
        """The seq up to which changes are applied."""
        if self.cut is None or self.stop is None:
            return self.cut
        return None if self.stop.upto is None else min(self.cut, self.stop.upto)

    @property
    def engine(self) -> Engine:
        """The session for everything that is not about one target."""
        return self.lanes.engines[0]


def say_started(context: RunContext, target: TargetRun) -> None:
    """Say that work at a target begins."""
    with context.lanes.lock:
        context.on_start(target.compiled)


def only_looking(context: RunContext) -> bool:
    """A dry run where nothing can be rolled back; DuckDB carries it out and rolls it back."""
    return context.options.dry_run and not context.engine.atomic


@contextmanager
def timed(target: TargetRun) -> Iterator[None]:
    """Adds the seconds of a block to the target's."""
    started = time.perf_counter()
    try:
        yield
    finally:
        target.seconds += time.perf_counter() - started
