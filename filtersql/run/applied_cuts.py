"""Which cuts of the feed were applied to a target, and how many changes each run brought.

Example
    ======= ===== =========== ============= ======== ============ ====================
    ordinal owner relation    from_position position changes_read so
    ======= ===== =========== ============= ======== ============ ====================
    2       run A public.t1   –             9        9            9 changes, by run A
    4       run B –           –             9        0            none, by run B
    5       run C public.t1   9             13       2            2 changes, by run C
    ======= ===== =========== ============= ======== ============ ====================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from filtersql.run.ledger_entry import BEGUN, INTENDED, Entry, Key

__all__ = ["AppliedCut", "applied_cuts", "changes_per_run", "copied_rows", "since_filled"]

#: runs that are told
_SHOWN = 12
#: phases that only a run writes
_OF_RUNS = INTENDED | {"copied", "read"}


class AppliedCut(Struct, frozen=True):
    """So many changes above the first and up to the second position, and the run that has them."""

    low: int
    high: int
    changes: int
    owner: str
    #: the hash of the definition that was in force
    definition: str


def applied_cuts(own: Sequence[Entry]) -> Iterator[AppliedCut]:
    """The cuts since a target was copied, from its rows of the ledger, the oldest first.

    An intention was carried out where a later row begins at its end; of the last one nobody knows,
    and it counts. Earlier versions wrote an end behind each; where their run first finished the cut
    of a killed one, it counted both in its second row.
    """
    copied = max((i for i, row in enumerate(own) if row.phase in BEGUN), default=0)
    begun, again, before = False, False, 0
    intended: AppliedCut | None = None
    for row in own[copied:]:
        low = -1 if row.stood is None else row.stood
        high = -1 if row.stands is None else row.stands
        if intended is not None and low >= intended.high:
            yield intended
            intended, begun, again = None, False, False
        if row.phase in {*BEGUN, "applying"} and high > low:
            begun, again = True, again or begun
            intended = AppliedCut(low, high, row.changes_read, row.owner, row.definition)
        if row.phase == "applied":
            if high > low:
                changes = row.changes_read - before
                yield AppliedCut(low, high, changes, row.owner, row.definition)
            before = row.changes_read if again else 0
            begun, again, intended = False, False, None
    if intended is not None:
        yield intended


def copied_rows(filling: Sequence[Entry]) -> bool:
    """Whether a target was filled with rows of a source, by what `since_filled` gives.

    Of one that is filled again with nothing an end tells that there was no source.
    """
    ends = [row for row in filling if row.phase == "copied"]
    begun = any(row.phase == "copying" for row in filling[:1])
    return any(row.rows_inserted for row in ends) or (begun and not ends)


def since_filled(own: Sequence[Entry]) -> Sequence[Entry]:
    """A target's rows of the ledger since it was filled from the beginning, the oldest first.

    An end `copied` may stand behind its intention.
    """
    filled = (
        number
        for number, row in enumerate(own)
        if row.phase in BEGUN
        or (row.phase == "copied" and number and own[number - 1].phase not in BEGUN)
    )
    return own[max(filled, default=0) :]


def changes_per_run(
    rows: Sequence[Entry], positions: Mapping[Key, int | None]
) -> dict[Key, tuple[int, ...]]:
    """How many changes the last runs of a subscription applied to its targets, the oldest first.

    They begin with the run that filled the target. `rows` are all of the ledger, `positions` where
    the asked targets stand. A run that found nothing new wrote no row, and is not among them.
    """
    #: the last row of each run
    runs: dict[str, dict[str, int]] = {}
    own: dict[Key, list[Entry]] = {key: [] for key in positions}
    for row in rows:
        if row.key in own:
            own[row.key].append(row)
        if row.phase in _OF_RUNS or (row.phase == "applied" and row.from_position != row.position):
            runs.setdefault(row.subscription, {})[row.owner] = row.ordinal
    return {
        key: tuple(_counts(since_filled(kept), runs.get(key[0], {}), positions[key]))[-_SHOWN:]
        for key, kept in own.items()
        if kept
    }


def _counts(own: Sequence[Entry], runs: Mapping[str, int], position: int | None) -> Iterator[int]:
    changes: Counter[str] = Counter()
    for cut in applied_cuts(own):
        if position is not None and cut.high <= position:
            changes[cut.owner] += cut.changes
    for owner, last in runs.items():
        if last >= own[0].ordinal:
            yield changes[owner]
