"""What filtersql knows of its targets: an append-only table beside them, the newest row counts.

Example
    ======= ============ =========== ============= ======== ======== ===========================
    ordinal subscription relation    from_position position phase    what it says
    ======= ============ =========== ============= ======== ======== ===========================
    1       s1           public.t1   –             17       copying  copied, then brought to 17
    2       s1           –           –             17       read     all others of s1 are at 17
    3       s1           public.t1   17            21       applying brought from 17 to 21
    4       s1           –           –             21       read     the feed's files; as above
    ======= ============ =========== ============= ======== ======== ===========================

A run writes once, before it writes a target: what it intends. That it was done is told by the mark
that is committed with the target's data, so nothing is written at the end:

    ==================================== =======================================================
    the process dies                     what the next run finds, and does
    ==================================== =======================================================
    before the ledger's commit           nothing of it
    behind it, before a target's commit  an intention without its mark: the same cut first
    behind a target's commit             its mark: that target is done; the others as above
    behind the last target's commit      all marks: nothing was interrupted
    ==================================== =======================================================

A changed definition (`apply`) leaves the position, so its mark has the number of its intention:

    ======= ============ =========== ============= ======== ======== ===========================
    7       s1           public.t1   21            21       changing another definition at 21
    8       s1           public.t1   21            21       applied  it is in force
    ======= ============ =========== ============= ======== ======== ===========================

    ==================================== =======================================================
    the process dies                     what the next plan, apply or run finds
    ==================================== =======================================================
    before the ledger's commit           the earlier definition; perhaps a text nobody names
    behind it, before a target's commit  no mark of the change: the earlier definition
    behind a target's commit             its mark: the new definition; the others as above
    ==================================== =======================================================

Where the files of a feed land apart a row has two places more, beside the conflicts: a target may
be brought to 21 whose own last change is 19. Its mark says 19, and 20, should it land late, is new:

    ======= ============ =========== ============= ======== === ======== =====================
    ordinal subscription relation    from_position position own phase    what it says
    ======= ============ =========== ============= ======== === ======== =====================
    9       s1           public.t1   17            21       19  applying brought from 17 to 21
    10      s1           public.t1   21            21       20  applying 20 came late
    ======= ============ =========== ============= ======== === ======== =====================

`copying` is proved by the mark of the copy (from_position), then by that of the cut (position);
`making` of an empty target, of which nothing is copied, by the table itself, which was not there.
A target that no mark can prove (nothing of its changes was to be written) gets an end, `copied` or
`applied`, with the intention of the others or, where there is none, at the end of the run.

Each row has a number of its own (see ledger_writer.py). Earlier versions wrote `applied` behind
each `applying`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

from msgspec import Struct, field
from msgspec.structs import replace

from filtersql.feeds.held import Held, Seen
from filtersql.rendering.target_uniqueness import LEDGER
from filtersql.run.ledger_entry import (
    CHANGING,
    COLUMNS,
    DEFINED_BY,
    SETTLED,
    Entry,
    Key,
    entry_of,
    seen_files,
)
from filtersql.targets.model import Engine

__all__ = ["Ledger", "history", "read", "read_all"]

_Row = Sequence[object]
#: phases that do not say where a target stands
_OF_ALL = ("read", "held", "aside")


class Ledger(Struct, frozen=True):
    """The newest row of each target, the consumed feed files of each subscription, the last row.

    `last` is the newest row of each subscription, whatever it is about.
    """

    newest: Mapping[Key, Entry] = field(default_factory=dict)
    last: Mapping[str, Entry] = field(default_factory=dict)
    files: Mapping[str, Seen] = field(default_factory=dict)
    #: how many rows there are, of all subscriptions
    rows: int = 0
    #: targets for which changes were put aside at some time: others have no quarantine
    aside: frozenset[Key] = frozenset()
    #: whether there is a ledger
    made: bool = False
    #: for each subscription the number and the position of the newest row that says where all of
    #: its targets are that have no newer row of their own
    reached: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    #: what was intended behind the newest row of a target: a mark tells whether it is in force
    changing: Mapping[Key, Entry] = field(default_factory=dict)
    #: such intentions that another row followed, and whether a run went on without them
    given_up: Mapping[Key, Sequence[tuple[Entry, bool]]] = field(default_factory=dict)
    #: when each target's newest row's definition came in force: the time of its first row
    since: Mapping[Key, str] = field(default_factory=dict)

    def of(self, subscription: str) -> list[Entry]:
        """The newest rows of a subscription's targets."""
        return [entry for entry in self.newest.values() if entry.subscription == subscription]

    def number_of(self, subscription: str) -> int:
        """The number of a subscription's last row: each has numbers of its own.

        Its next one is given once. Were they counted over all subscriptions, a run that wrote for
        another one would skip the number that tells it that it was overtaken in this one.
        """
        newest = self.last.get(subscription)
        return 0 if newest is None else newest.ordinal

    def at_least(self, entry: Entry) -> int | None:
        """Where a target stands once its own row is proved: there, or where all others got to."""
        ordinal, position = self.reached.get(entry.subscription, (0, -1))
        if ordinal < entry.ordinal or position < 0:
            return entry.position
        return position if entry.position is None else max(position, entry.position)


_PLACE = {name: place for place, name in enumerate(COLUMNS)}
_BY_ORDINAL = itemgetter(_PLACE["ordinal"])
_KEY = ("subscription", "relation_schema", "relation_name")
_TOLD = itemgetter(*(_PLACE[each] for each in ("ordinal", *_KEY, "phase", "position", "files")))


def read(engine: Engine, schema: str) -> Ledger:
    """What the ledger says; nothing where none was made yet."""
    rows = engine.rows_of((schema, LEDGER), COLUMNS)
    return Ledger() if rows is None else _known(rows)


def read_all(engine: Engine, schema: str) -> tuple[Ledger, list[Entry]]:
    """What the ledger says, and all of its rows, the oldest first, read once."""
    rows = engine.rows_of((schema, LEDGER), COLUMNS)
    return (Ledger(), []) if rows is None else (_known(rows), _entries(rows))


def _known(rows: Sequence[_Row]) -> Ledger:
    files: dict[str, dict[str, tuple[int, int, int, tuple[Held, ...] | None]]] = {}
    newest: dict[Key, _Row] = {}
    changing: dict[Key, _Row] = {}
    given_up: dict[Key, list[tuple[Entry, bool]]] = {}
    of_all: dict[str, _Row] = {}
    aside: set[Key] = set()
    reached: dict[str, tuple[int, int]] = {}
    since: dict[Key, str] = {}
    # There may be a year of rows: only those that are asked for are made entries.
    for row in sorted(rows, key=_BY_ORDINAL):
        last, *key, phase, position, seen = _TOLD(row)
        of_all[key[0]] = row
        if phase == CHANGING:
            if (before := changing.get(tuple(key))) is not None:
                given_up.setdefault(tuple(key), []).append((entry_of(before), False))
            changing[tuple(key)] = row
        elif phase not in _OF_ALL:
            since[tuple(key)] = _since_when(newest.get(tuple(key)), row, since.get(tuple(key)))
            newest[tuple(key)] = row
            if (before := changing.pop(tuple(key), None)) is not None:
                late, now = entry_of(before), entry_of(row)
                if late.definition != now.definition:
                    # Had it been committed by then, the run would have been refused.
                    given_up.setdefault(tuple(key), []).append((late, _goes_on(late, now)))
        elif phase == "aside":
            aside.add(tuple(key))
        elif phase == "read" and position is not None:
            reached[key[0]] = (last, position)
        for path, size, modified, at, held in seen_files(seen):
            files.setdefault(key[0], {})[path] = (size, modified, at, held)
    known = Ledger(
        {key: entry_of(row) for key, row in newest.items()},
        {name: entry_of(row) for name, row in of_all.items()},
        files,
        len(rows),
        frozenset(aside),
        made=True,
        reached=reached,
        changing={key: entry_of(row) for key, row in changing.items()},
        given_up=given_up,
        since=since,
    )
    return replace(known, newest={key: _placed(known, one) for key, one in known.newest.items()})


def _since_when(before: _Row | None, row: _Row, since: str | None) -> str:
    """When a row's definition came in force, as the row before it knows it, or with this row.

    Rows of earlier versions name the filters alone.
    """
    if before is not None and since is not None and before[_PLACE["phase"]] != "dropped":
        (judged, _, defined), (judged_before, _, defined_before) = (
            str(each[_PLACE["filter_hash"]]).partition(DEFINED_BY) for each in (row, before)
        )
        if judged == judged_before and (defined == defined_before or not defined_before):
            return since
    return str(row[_PLACE["at"]])


def _goes_on(change: Entry, row: Entry) -> bool:
    """Whether a run applies changes to a target as it was before a change of definition."""
    moves = row.phase == "applying" or row.from_position != row.position
    return moves and row.phase in ("applying", "applied") and row.generation == change.generation


def _placed(known: Ledger, entry: Entry) -> Entry:
    if entry.phase in SETTLED and (at := known.at_least(entry)) != entry.position:
        return entry.beyond(at)
    return entry


def history(engine: Engine, schema: str) -> list[Entry]:
    """All rows of a ledger that was made, the oldest first."""
    return _entries(engine.rows_of((schema, LEDGER), COLUMNS) or ())


def _entries(rows: Sequence[_Row]) -> list[Entry]:
    return [entry_of(row) for row in sorted(rows, key=_BY_ORDINAL)]
