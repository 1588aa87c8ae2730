"""What happens to the tables of a source, as statements, and how the source logs it.

Example
    >>> source = Source({"t": SHAPES["t"]}, {"t": "default"})
    >>> source.insert("t", {"id": 1, "v": 2, "w": None, "big": "a"})
    >>> source.records
    [{'op': 'insert', 'relation': 'public.t', 'after': {'id': 1, 'v': 2, 'w': None, 'big': 'a'}}]

A statement that PostgreSQL would refuse (a key that is there already) or that would find no row
becomes another one, so that any part of a history is a history, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["COLUMNS", "LEAVES", "SHAPES", "Row", "Shape", "Source", "Statement"]

Row = dict[str, Any]

COLUMNS = ("id", "v", "w", "big")
LEAVES = ("low", "high")
_COLUMNS = "id int{0}, v int{1}, w int, big text"


@dataclass(frozen=True, slots=True)
class Shape:
    """A table, or a partition tree: its DDL, what is unique, and its replica identities."""

    ddl: str
    key: tuple[str, ...]
    identities: tuple[str, ...]
    not_null: tuple[str, ...]
    relations: tuple[str, ...]


SHAPES = {
    "t": Shape(
        f"CREATE TABLE t ({_COLUMNS.format('', '')}, PRIMARY KEY (id));\n",
        ("id",), ("default", "full"), ("id",), ("t",),
    ),
    "u": Shape(
        f"CREATE TABLE u ({_COLUMNS.format('', '')}, PRIMARY KEY (id, v));\n",
        ("id", "v"), ("default", "full"), ("id", "v"), ("u",),
    ),
    "root": Shape(
        f"CREATE TABLE root ({_COLUMNS.format('', '')}, PRIMARY KEY (id, v))"
        " PARTITION BY RANGE (v);\n"
        "CREATE TABLE low PARTITION OF root FOR VALUES FROM (MINVALUE) TO (4);\n"
        "CREATE TABLE high PARTITION OF root DEFAULT;\n",
        ("id", "v"), ("default", "full"), ("id", "v"), ("root", *LEAVES),
    ),
    "bag": Shape(
        f"CREATE TABLE bag ({_COLUMNS.format('', '')});\n",
        (), ("full", "nothing"), (), ("bag",),
    ),
    "x": Shape(
        f"CREATE TABLE x ({_COLUMNS.format('', ' NOT NULL')});\n"
        "CREATE UNIQUE INDEX x_v ON x (v);\n",
        ("v",), ("index",), ("v",), ("x",),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statement:
    """What a client asks; `place` chooses the row, `row` is what is written.

    `keeps_key` and `keeps_big`: an UPDATE leaves these as they are. `leaf`: a TRUNCATE is of one
    partition.
    """

    op: str
    shape: str
    place: int
    row: tuple[int, int | None, int | None, str | None]
    keeps_key: bool
    keeps_big: bool
    leaf: bool


@dataclass(slots=True)
class Source:
    """Tables, by the shape of each, and the records of what happened."""

    shapes: Mapping[str, Shape]
    #: shape -> replica identity
    identities: Mapping[str, str]
    rows: dict[str, list[Row]] = field(default_factory=dict)
    records: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rows = {name: [] for name in self.shapes}

    def carry_out(self, statement: Statement) -> None:
        """One statement."""
        name = statement.shape
        rows = self.rows[name]
        row = dict(zip(COLUMNS, statement.row, strict=True))
        row |= {one: 1 for one in self.shapes[name].not_null if row[one] is None}
        there = [one for one in rows if self._is_same_key(name, one, row)]
        if statement.op == "truncate":
            self.truncate(name, statement.leaf)
        elif not rows or (statement.op == "insert" and not there):
            self.insert(name, row)
        elif statement.op == "delete":
            self.delete(name, rows[statement.place % len(rows)])
        else:
            # What would be refused becomes an UPDATE that is not.
            old = there[0] if there else rows[statement.place % len(rows)]
            kept = self.shapes[name].key if statement.keeps_key or there else ()
            kept = (*kept, "big") if statement.keeps_big else kept
            new = row | {one: old[one] for one in kept}
            self.update(name, old, new, sends_big=not statement.keeps_big)

    def rows_of(self, relation: str) -> list[Row]:
        """The rows of a table or of a partition."""
        if relation not in LEAVES:
            return [dict(row) for row in self.rows[relation]]
        return [dict(row) for row in self.rows["root"] if _leaf(row) == relation]

    def insert(self, name: str, row: Row) -> None:
        """INSERT of a row whose key is not there."""
        self.rows[name].append(row)
        self._log("insert", name, row, after=dict(row))

    def delete(self, name: str, row: Row) -> None:
        """DELETE of one row."""
        del self.rows[name][next(at for at, one in enumerate(self.rows[name]) if one is row)]
        self._log("delete", name, row, before=self._old(name, row))

    def update(self, name: str, old: Row, new: Row, *, sends_big: bool = True) -> None:
        """UPDATE of one row: to another partition, it is a DELETE and an INSERT."""
        if name == "root" and _leaf(old) != _leaf(new):
            self.delete(name, old)
            self.insert(name, new)
            return
        self.rows[name] = [new if row is old else row for row in self.rows[name]]
        key, before = self.shapes[name].key, self._old(name, old)
        if self.identities[name] != "full" and all(old[one] == new[one] for one in key):
            before = None
        after, more = dict(new), {}
        if not sends_big and new["big"] is not None:
            del after["big"]
            more = {"unchanged": ["big"]}
        self._log("update", name, new, before=before, after=after, **more)

    def truncate(self, name: str, leaf: bool) -> None:
        """TRUNCATE of a table, of a whole tree, or of its first partition."""
        if name != "root":
            named, emptied = [name], [name]
            self.rows[name] = []
        elif leaf:
            named = emptied = ["low"]
            self.rows[name] = [row for row in self.rows[name] if _leaf(row) != "low"]
        else:
            named, emptied = ["root", *LEAVES], [*LEAVES]
            self.rows[name] = []
        relations = [f"public.{one}" for one in named]
        for one in emptied:
            record = {"op": "truncate", "relation": f"public.{one}", "relations": relations}
            self.records.append(record)

    def _log(self, op: str, name: str, row: Row, **images: Any) -> None:
        relation = _leaf(row) if name == "root" else name
        self.records.append({"op": op, "relation": f"public.{relation}", **images})

    def _old(self, name: str, row: Row) -> Row | None:
        """The old row as the replica identity has it logged."""
        if self.identities[name] == "full":
            return dict(row)
        key = self.shapes[name].key
        return {one: row[one] for one in key} or None

    def _is_same_key(self, name: str, row: Row, other: Row) -> bool:
        key = self.shapes[name].key
        return bool(key) and all(row[one] == other[one] for one in key)


def _leaf(row: Row) -> str:
    value = row["v"]
    assert value is not None
    return LEAVES[0] if value < 4 else LEAVES[1]
