"""What filtersql knows of its targets: an append-only table beside them, the newest row counts.

Example
    ======= ============ =========== ============= ======== =========
    ordinal subscription relation    from_position position phase
    ======= ============ =========== ============= ======== =========
    1       s1           public.t1   –             –        copying
    2       s1           public.t1   –             –        copied
    3       s1           public.t1   –             17       applying
    4       s1           public.t1   –             17       applied
    ======= ============ =========== ============= ======== =========

`copying` and `applying` stand there before a target is written, `copied` and `applied` after it.
A run that finds one of the former was killed: the mark that is committed with the target's data
tells whether its statement was committed, and if not, the same cut is applied first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

from sqlglot import exp, select

from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.targets.model import Engine
from filtersql.targets.statements import insert_values, quoted

__all__ = [
    "Entry",
    "Key",
    "Ledger",
    "Phase",
    "SeenFile",
    "append",
    "history",
    "key_of",
    "prepare",
    "read",
]

Phase = Literal["copying", "copied", "applying", "applied", "releasing", "dropped", "read"]
Key = tuple[str, str, str]

#: (path, size, modified, last seq) of a feed file that was consumed
SeenFile = tuple[str, int, int, int]

_LEDGER = "ledger"


@dataclass(frozen=True, slots=True)
class Entry:
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

    @property
    def key(self) -> Key:
        """What the row is about."""
        return (self.subscription, self.relation_schema, self.relation_name)

    @property
    def relation(self) -> RelationName:
        """The published table."""
        return RelationName(self.relation_schema, self.relation_name)


@dataclass(frozen=True, slots=True)
class Ledger:
    """The newest row of each target, the consumed feed files of each subscription, the last row."""

    newest: Mapping[Key, Entry] = field(default_factory=dict)
    files: Mapping[str, Mapping[str, tuple[int, int, int]]] = field(default_factory=dict)
    ordinal: int = 0


_COLUMNS = tuple(column.name for column in fields(Entry))
_NUMBERS = frozenset(
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
    }
)


def key_of(compiled: CompiledTable) -> Key:
    """The key of a target's rows."""
    return (compiled.subscription, *compiled.relation)


def prepare(engine: Engine, schema: str) -> None:
    """Make the ledger where it is missing."""
    if not engine.exists((schema, _LEDGER)):
        engine.create((schema, _LEDGER), _definitions(engine), {})


def read(engine: Engine, schema: str) -> Ledger:
    """What the ledger says; nothing where none was made yet."""
    if not engine.exists((schema, _LEDGER)):
        return Ledger()
    entries = history(engine, schema)
    files: dict[str, dict[str, tuple[int, int, int]]] = {}
    for entry in entries:
        for path, size, modified, last in entry.files:
            files.setdefault(entry.subscription, {})[path] = (size, modified, last)
    newest = {entry.key: entry for entry in entries if entry.phase != "read"}
    return Ledger(newest, files, entries[-1].ordinal if entries else 0)


def history(engine: Engine, schema: str) -> list[Entry]:
    """All rows of a ledger that was made, the oldest first."""
    return sorted(map(_entry, engine.rows(_select(engine, schema))), key=_ordinal)


def append(engine: Engine, schema: str, entries: Iterable[Entry]) -> None:
    """Add rows, in one commit."""
    rows = [[_stored(getattr(entry, name)) for name in _COLUMNS] for entry in entries]
    if rows:
        table = engine.table_sql((schema, _LEDGER))
        engine.execute(insert_values(table, _COLUMNS, rows, engine.dialect))


def _stored(value: object) -> object:
    return json.dumps(value) if isinstance(value, dict | tuple) else value


def _ordinal(entry: Entry) -> int:
    return entry.ordinal


def _select(engine: Engine, schema: str) -> str:
    table = exp.to_table(engine.table_sql((schema, _LEDGER)), dialect=engine.dialect)
    query = select(*(exp.column(column, quoted=True) for column in _COLUMNS)).from_(table)
    return query.sql(engine.dialect)


def _definitions(engine: Engine) -> str:
    text = "STRING" if engine.dialect == "spark" else "VARCHAR"

    def kind(name: str) -> str:
        if name == "via_partition_root":
            return "BOOLEAN"
        return "BIGINT" if name in _NUMBERS else text

    return ",\n  ".join(f"{quoted(name, engine.dialect)} {kind(name)}" for name in _COLUMNS)


def _entry(row: Sequence[object]) -> Entry:
    values = dict(zip(_COLUMNS, row, strict=True))
    values["conflicts"] = json.loads(str(values["conflicts"] or "{}"))
    values["files"] = tuple(tuple(file) for file in json.loads(str(values["files"] or "[]")))
    return Entry(**values)  # type: ignore[arg-type]
