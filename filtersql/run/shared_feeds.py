"""One look at a feed that several subscriptions of a run read.

Example
    16 subscriptions with `changes: {path: "changes/*.jsonl"}`: the files are opened once, and each
    change of a table is staged once for all targets that take the same columns of it

    Where something is wrong with the feed, each subscription reads it by itself: what one of them
    refuses is no concern of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistakes
from filtersql.feeds.formats import place_bits
from filtersql.feeds.held import Seen
from filtersql.feeds.landings import Landing
from filtersql.feeds.staged_files import as_open
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.feed_reading import FeedRead, check_reads, read_feed
from filtersql.run.ledger import Ledger
from filtersql.run.ledger_entry import key_of
from filtersql.run.model import Inputs, Options
from filtersql.run.removed_targets import comes_again
from filtersql.run.target_landings import landing_of, landing_of_copy
from filtersql.targets.model import Engine

__all__ = ["SharedFeeds"]


class _Shared(Struct, frozen=True):
    """What was read for some landings; None: nothing that all of them can use."""

    landings: Sequence[Landing]
    found: FeedRead | None


class SharedFeeds(Struct):
    """The feeds of a run. `tables` are its targets by subscription; `folder` keeps what is read."""

    inputs: Inputs
    engine: Engine
    options: Options
    tables: Mapping[str, Sequence[CompiledTable]]
    folder: Path
    read: dict[object, _Shared] = field(default_factory=dict)
    #: files that came when all targets of a subscription were beyond their changes
    passed_over: dict[str, None] = field(default_factory=dict)

    def of(
        self,
        subscription: Subscription,
        landings: Sequence[Landing],
        known: Ledger,
        folder: Path,
        on_progress: Callable[[int], None] | None,
    ) -> FeedRead | None:
        """A subscription's feed, as `read_feed` gives it. Raises Mistakes."""
        check_reads(subscription)
        group = self._group(subscription)
        if len(group) > 1:
            key = _feed_key(subscription)
            if key not in self.read:
                self.read[key] = self._all(group, landings, known, on_progress)
            if (found := _part(self.read[key], landings)) is not None:
                return found
        seen = known.files.get(subscription.name, {})
        return read_feed(
            self.inputs, self.engine, subscription, landings, seen, folder, on_progress
        )

    def _group(self, subscription: Subscription) -> list[Subscription]:
        if not _shares(subscription):
            return [subscription]
        every = (self.inputs.subscriptions[name] for name in self.tables)
        return [one for one in every if _shares(one) and _feed_key(one) == _feed_key(subscription)]

    def _all(
        self,
        group: Sequence[Subscription],
        landings: Sequence[Landing],
        known: Ledger,
        on_progress: Callable[[int], None] | None,
    ) -> _Shared:
        """One look for all targets of a group, from where the ledger says that they stand."""
        own = {key_of(landing.compiled): landing for landing in landings}
        every = [
            own.get(key_of(compiled)) or self._landing(one, compiled, known)
            for one in group
            for compiled in self.tables[one.name]
        ]
        every_seen = [known.files.get(one.name, {}) for one in group]
        seen = _seen_by_all(every_seen)
        placed = place_bits(group[0].changes) is not None
        if placed and any(one != seen for one in every_seen):
            # Changes are numbered by what was read of their place, which differs.
            return _Shared(every, None)
        folder = as_open(self.folder / f"feed-{len(self.read)}")
        try:
            found = read_feed(self.inputs, self.engine, group[0], every, seen, folder, on_progress)
        except Mistakes:
            found = None
        return _Shared(every, found)

    def _landing(
        self, subscription: Subscription, compiled: CompiledTable, known: Ledger
    ) -> Landing:
        """Where a target will probably stand; if it turns out otherwise, nothing is shared."""
        entry = known.newest.get(key_of(compiled))
        anew = entry is None or entry.phase == "dropped" or self.options.refills(compiled)
        if entry is None or anew or comes_again(entry, compiled, subscription):
            return landing_of_copy(subscription, compiled)
        # What an earlier run intended it has done, most of the time.
        return landing_of(subscription, compiled, entry.beyond(known.at_least(entry)))


def _shares(subscription: Subscription) -> bool:
    """Not where changes are put aside: they are taken out of what was read for one subscription."""
    return subscription.changes is not None and subscription.on_filter_error != "quarantine"


def _feed_key(subscription: Subscription) -> object:
    """Equal for feeds that say the same; where they say it does not matter."""
    feed = subscription.changes
    if feed is None:
        return None
    said = {name: getattr(feed, name) for name in feed.__struct_fields__ if name != "span"}
    return tuple(({**said, "options": frozenset(feed.options.items())}).items())


def _part(shared: _Shared, landings: Sequence[Landing]) -> FeedRead | None:
    """What was read for some of the landings, if they stand where they were thought to."""
    if shared.found is None:
        return None
    places = {
        (key_of(landing.compiled), landing.position, landing.reached): place
        for place, landing in enumerate(shared.landings)
    }
    wanted = [places.get((key_of(one.compiled), one.position, one.reached)) for one in landings]
    reading = shared.found.reading
    staged = tuple(reading.staged[place] for place in wanted if place is not None)
    if len(staged) != len(landings):
        return None
    return replace(shared.found, reading=replace(reading, staged=staged))


def _seen_by_all(seen: Sequence[Seen]) -> Seen:
    """The files that nobody has to open again."""
    first, *others = seen
    return {
        path: file for path, file in first.items() if all(one.get(path) == file for one in others)
    }
