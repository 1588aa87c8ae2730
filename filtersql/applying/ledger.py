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

from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.targets.model import Engine
from filtersql.targets.statements import insert_values

__all__ = ["Entry", "Phase", "append", "key_of", "newest", "prepare", "see_files", "seen_files"]

Phase = Literal["copying", "copied", "applying", "applied", "dropped"]
Key = tuple[str, str, str]

_LEDGER = "ledger"
_FILES = "files"
_FILE_COLUMNS = ("subscription", "path", "size", "modified", "last_seq")


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
    at: str = ""

    @property
    def key(self) -> Key:
        """What the row is about."""
        return (self.subscription, self.relation_schema, self.relation_name)

    @property
    def relation(self) -> RelationName:
        """The published table."""
        return RelationName(self.relation_schema, self.relation_name)


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
        "size",
        "modified",
        "last_seq",
    }
)


def key_of(compiled: CompiledTable) -> Key:
    """The key of a target's rows."""
    return (compiled.subscription, *compiled.relation)


def prepare(engine: Engine, schema: str) -> None:
    """Make the state tables where they are missing."""
    for name, columns in ((_LEDGER, _COLUMNS), (_FILES, _FILE_COLUMNS)):
        if not engine.exists((schema, name)):
            engine.create((schema, name), _definitions(engine, columns), {})


def newest(engine: Engine, schema: str) -> dict[Key, Entry]:
    """The newest row of each target; nothing where no state was made yet."""
    if not engine.exists((schema, _LEDGER)):
        return {}
    entries = map(_entry, engine.rows(_select(engine, schema, _LEDGER, _COLUMNS)))
    return {entry.key: entry for entry in sorted(entries, key=lambda entry: entry.ordinal)}


def append(engine: Engine, schema: str, entries: Iterable[Entry]) -> None:
    """Add rows, in one commit."""
    rows = [
        [
            json.dumps(dict(entry.conflicts)) if name == "conflicts" else getattr(entry, name)
            for name in _COLUMNS
        ]
        for entry in entries
    ]
    if rows:
        table = engine.table_sql((schema, _LEDGER))
        engine.execute(insert_values(table, _COLUMNS, rows, engine.dialect))


def seen_files(engine: Engine, schema: str, subscription: str) -> dict[str, tuple[int, int, int]]:
    """Path -> (size, modified, last seq) of the feed files that were consumed."""
    if not engine.exists((schema, _FILES)):
        return {}
    rows = engine.rows(_select(engine, schema, _FILES, _FILE_COLUMNS))
    return {
        str(path): (_number(size) or 0, _number(modified) or 0, _number(last) or 0)
        for owner, path, size, modified, last in rows
        if owner == subscription
    }


def see_files(
    engine: Engine, schema: str, subscription: str, files: Sequence[tuple[str, int, int, int]]
) -> None:
    """Remember feed files as consumed."""
    if files:
        rows = [(subscription, *file) for file in files]
        table = engine.table_sql((schema, _FILES))
        engine.execute(insert_values(table, _FILE_COLUMNS, rows, engine.dialect))


def _select(engine: Engine, schema: str, name: str, columns: Sequence[str]) -> str:
    from sqlglot import exp, select

    table = exp.to_table(engine.table_sql((schema, name)), dialect=engine.dialect)
    query = select(*(exp.column(column, quoted=True) for column in columns)).from_(table)
    return query.sql(engine.dialect)


def _definitions(engine: Engine, columns: Sequence[str]) -> str:
    from filtersql.targets.statements import quoted

    text = "STRING" if engine.dialect == "spark" else "VARCHAR"

    def kind(name: str) -> str:
        if name == "via_partition_root":
            return "BOOLEAN"
        return "BIGINT" if name in _NUMBERS else text

    return ",\n  ".join(f"{quoted(name, engine.dialect)} {kind(name)}" for name in columns)


def _entry(row: Sequence[object]) -> Entry:
    values = dict(zip(_COLUMNS, row, strict=True))
    values["conflicts"] = json.loads(str(values["conflicts"] or "{}"))
    return Entry(**values)  # type: ignore[arg-type]


def _number(value: object) -> int | None:
    return None if value is None else int(str(value))
