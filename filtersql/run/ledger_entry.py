"""A row of the ledger: what it says of a target, and how it is stored.

Example
    entry_of(["12", "s1", "public", "t1", …]).position    # 17
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from filtersql.feeds.held import Held
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable

__all__ = [
    "BEGUN",
    "CHANGING",
    "COLUMNS",
    "DEFINED_BY",
    "INTENDED",
    "NUMBERS",
    "SETTLED",
    "Entry",
    "Key",
    "Phase",
    "SeenFile",
    "entry_of",
    "is_in_force",
    "key_of",
    "named_definition",
    "owner_of",
    "seen_files",
    "stored",
    "stored_place",
]

Phase = Literal[
    "copying",
    "making",
    "copied",
    "applying",
    "applied",
    "changing",
    "releasing",
    "left",
    "dropped",
    "read",
    "held",
    "aside",
]
Key = tuple[str, str, str]

#: what a mark or the table itself has to prove, and what stands where it says
INTENDED = frozenset({"copying", "making", "applying", "releasing"})
SETTLED = frozenset({"copied", "applied"})
#: of what is intended: a copy
BEGUN = frozenset({"copying", "making"})
#: another definition is to come in force where the target stands
CHANGING: Literal["changing"] = "changing"

#: between the two hashes of a row; earlier versions wrote the first one alone
DEFINED_BY = ":"
#: behind them, where `run --accept-filter-change` kept the rows of an earlier definition
_STALE = "+stale"
#: (path, size, modified, last seq, what it holds) of a feed file that was consumed
SeenFile = tuple[str, int, int, int, tuple[Held, ...] | None]


class Entry(Struct, frozen=True):
    """A row of the ledger."""

    ordinal: int
    subscription: str
    relation_schema: str
    relation_name: str
    target: str
    filter_hash: str
    via_partition_root: bool
    generation: int
    phase: Phase
    from_position: int | None = None
    position: int | None = None
    rows_inserted: int = 0
    rows_updated: int = 0
    rows_deleted: int = 0
    changes_read: int = 0
    changes_skipped: int = 0
    conflicts: Mapping[str, int] = field(default_factory=dict)
    #: feed files that need not be opened again; such rows are about the subscription alone
    files: tuple[SeenFile, ...] = ()
    at: str = ""
    #: the clock of a target with a window of time; stored beside the conflicts, so that a ledger of
    #: an earlier version has room for it
    clock: str | None = None
    #: of feeds whose files land apart: where it stands with its own changes, when the feed was read
    #: up to `position`, and where it stood at `from_position` (-1: before any); stored as the clock
    own: int | None = None
    own_before: int | None = None
    #: there, of each of its source tables: schema, name and the last change that was read up to
    #: `position`, whether the target takes such changes or not (-1: none)
    tables: tuple[tuple[str, str, int], ...] | None = None
    #: the run that wrote the row, and until when nobody else may write (seconds since 1970)
    owner: str = ""
    held_until: int | None = None

    @property
    def stands(self) -> int | None:
        """Where it stands with its own changes, which its mark tells; None: before any."""
        return self.position if self.own is None else _known(self.own)

    @property
    def stood(self) -> int | None:
        """Where it stood with them before what the row says."""
        return self.from_position if self.own_before is None else _known(self.own_before)

    @property
    def read(self) -> Mapping[RelationName, int]:
        """What `tables` tells."""
        return {RelationName(*name): seq for *name, seq in self.tables or ()}

    def read_of(self, tables: Collection[RelationName]) -> int | None:
        """Where it stands once it takes other changes of the same tables: behind all that was read.

        Of other tables nobody knows what was read: then it is where all are.
        """
        if self.position is None or self.read.keys() != {*tables}:
            return self.position
        return _known(min(max(stored_place(self.stands), *self.read.values()), self.position))

    def beyond(self, position: int | None) -> Entry:
        """The row, where all have got to a position, with or without changes of their own."""
        return replace(self, position=position, own=stored_place(self.stands))

    @property
    def key(self) -> Key:
        """What the row is about."""
        return (self.subscription, self.relation_schema, self.relation_name)

    @property
    def relation(self) -> RelationName:
        """The published table."""
        return RelationName(self.relation_schema, self.relation_name)

    @property
    def judged_by(self) -> str:
        """The hash of what a run compares, see rendering/filter_hash.py."""
        return self.filter_hash.partition(DEFINED_BY)[0]

    @property
    def definition(self) -> str:
        """The hash of the definition in force; empty where an earlier version wrote the row."""
        return self.filter_hash.partition(DEFINED_BY)[2].removesuffix(_STALE)

    @property
    def stale(self) -> bool:
        """Whether rows of an earlier definition were kept: this one does not explain them all."""
        return self.filter_hash.endswith(_STALE)


#: stored in one column with the conflicts
_BESIDE = ("clock", "own", "own_before", "tables")
COLUMNS = tuple(name for name in Entry.__struct_fields__ if name not in _BESIDE)
NUMBERS = frozenset(
    {
        "ordinal",
        "generation",
        "from_position",
        "position",
        "rows_inserted",
        "rows_updated",
        "rows_deleted",
        "changes_read",
        "changes_skipped",
        "held_until",
    }
)


def stored_place(position: int | None) -> int:
    """A place as `own` has it."""
    return -1 if position is None else position


def _known(place: int) -> int | None:
    return None if place < 0 else place


def key_of(compiled: CompiledTable) -> Key:
    """The key of a target's rows."""
    return (compiled.subscription, *compiled.relation)


def named_definition(compiled: CompiledTable, *, stale: bool = False) -> str:
    """What a row says of the definition: both of its hashes, and whether all rows are its own."""
    named = f"{compiled.filter_hash}{DEFINED_BY}{compiled.definition.hash}"
    return f"{named}{_STALE}" if stale else named


def is_in_force(entry: Entry, compiled: CompiledTable) -> bool:
    """Whether a row names a target's definition; one of an earlier version names its filters."""
    if entry.definition:
        return entry.definition == compiled.definition.hash
    judged_by = (compiled.filter_hash, compiled.via_partition_root)
    return (entry.judged_by, entry.via_partition_root) == judged_by


def owner_of(entry: Entry) -> Mapping[str, object]:
    """The run that wrote a row, as lease.py wrote it down."""
    try:
        found = json.loads(entry.owner)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def entry_of(row: Sequence[object]) -> Entry:
    """The entry of a row of the table, whose values stand as COLUMNS has them."""
    values: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
    conflicts = json.loads(str(values["conflicts"] or "{}"))
    values |= {name: conflicts.pop(name, None) for name in _BESIDE} | {"conflicts": conflicts}
    values["files"] = seen_files(values["files"])
    tables: list[list[object]] | None = values["tables"]
    values["tables"] = None if tables is None else tuple(map(tuple, tables))
    return Entry(**values)


def stored(entry: Entry, name: str) -> object:
    """What the column of that name holds of an entry."""
    value: object = getattr(entry, name)
    if name == "conflicts":
        beside = {each: getattr(entry, each) for each in _BESIDE}
        value = {**entry.conflicts, **{k: v for k, v in beside.items() if v is not None}}
    return json.dumps(value) if isinstance(value, dict | tuple) else value


def seen_files(text: object) -> tuple[SeenFile, ...]:
    """The feed files that the column `files` names; earlier versions do not say what they hold."""
    found = [] if text in (None, "", "[]") else json.loads(str(text))
    return tuple((*file[:4], _held(file[4] if len(file) > 4 else None)) for file in found)


def _held(told: list[list[Any]] | None) -> tuple[Held, ...] | None:
    return None if told is None else tuple(Held(*each) for each in told)
