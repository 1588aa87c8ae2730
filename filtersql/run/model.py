"""What a run is asked and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from filtersql.catalog import Catalog
from filtersql.definitions.model import Subscription
from filtersql.errors import Mistake
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable

__all__ = [
    "CONFLICTS",
    "STOPPING",
    "Conflict",
    "Event",
    "Inputs",
    "OnEvent",
    "Options",
    "RunResult",
    "TableResult",
    "no_conflicts",
]

#: PostgreSQL 18's names, as conflicts_sql gives them
CONFLICTS = ("insert_exists", "update_exists", "update_missing", "delete_missing")

#: those that stop a PostgreSQL subscriber; the others it logs and skips
STOPPING = frozenset({"insert_exists", "update_exists"})

Status = Literal["success", "error", "skipped"]


def no_conflicts() -> dict[str, int]:
    """None of any kind: what counts them always has every kind."""
    return dict.fromkeys(CONFLICTS, 0)


class Inputs(Struct, frozen=True):
    """What a project tells a run. `default_catalog` fills `{catalog}` in a source's pattern."""

    root: Path
    catalog: Catalog
    subscriptions: Mapping[str, Subscription]
    state_schema: str = "filtersql"
    default_catalog: str | None = None
    #: whether files are still written: the end of a last line may come
    goes_on: bool = False


class Options(Struct, frozen=True):
    """The flags of `run`."""

    dry_run: bool = False
    full_refresh: bool = False
    accept_filter_change: bool = False
    fail_fast: bool = False
    #: tables that are copied again
    resync: frozenset[RelationName] = frozenset()
    #: changes in quarantine are applied
    release: bool = False
    #: every target that is defined, whatever is selected: (subscription, schema, table)
    defined: frozenset[tuple[str, str, str]] | None = None
    #: how many targets may be worked at at a time; None: as the engine has it
    threads: int | None = 1
    #: the clock that is asked for, and the one that a run reads; UTC, without a zone
    as_of: datetime | None = None
    read_at: datetime | None = None
    #: what keeps a copy of the source, of targets that rows enter as time passes; by unique id
    source_copies: Mapping[str, CompiledTable] = field(default_factory=dict)

    def refills(self, compiled: CompiledTable) -> bool:
        """Whether a target is to be emptied and copied again."""
        return self.full_refresh or compiled.relation in self.resync


class Event(Struct, frozen=True):
    """Something to show: `index` of `total` targets; `count` changes were read so far."""

    kind: Literal["reading", "start", "ok", "error", "skip"]
    unique_id: str
    index: int = 0
    total: int = 0
    count: int = 0
    message: str = ""
    seconds: float = 0.0


class Conflict(Struct, frozen=True):
    """A change and what it met: the key (without one: the row) under which it looked."""

    kind: str
    seq: int
    key: Mapping[str, object]


OnEvent = Callable[[Event], None]


class TableResult(Struct, frozen=True):
    """What happened to one target. `unique_id` is `<subscription>/<schema>.<table>`."""

    compiled: CompiledTable
    status: Status
    message: str
    execution_time: float = 0.0
    rows_inserted: int = 0
    rows_updated: int = 0
    rows_deleted: int = 0
    changes_read: int = 0
    changes_skipped: int = 0
    conflicts: Mapping[str, int] = field(default_factory=no_conflicts)
    #: the first ones of each kind
    conflict_sample: tuple[Conflict, ...] = ()
    #: changes that were put aside, and that came back
    quarantined: int = 0
    released: int = 0
    #: of what was to come back: what stays aside
    held_back: int = 0
    position: int | None = None

    @property
    def unique_id(self) -> str:
        """The name of the node."""
        return self.compiled.unique_id

    @property
    def changed(self) -> int:
        """How many rows were written."""
        return self.rows_inserted + self.rows_updated + self.rows_deleted


class RunResult(Struct, frozen=True):
    """All targets of a run, and every mistake that stopped some of them."""

    results: tuple[TableResult, ...]
    mistakes: tuple[Mistake, ...] = ()
    elapsed_time: float = 0.0
    #: targets of earlier definitions that stay as they are: their node and table
    removed: tuple[tuple[str, str], ...] = ()
    #: files that came when all targets were beyond their changes
    passed_over: tuple[str, ...] = ()
    #: seconds of each part of the run: read, reduce, merge, commit, waiting
    spent: Mapping[str, float] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """0, or the worst of the mistakes."""
        return max((mistake.exit_code for mistake in self.mistakes), default=0)
