"""Random histories of several tables, the feed that records them, and what a subscriber then holds.

    history = History(random.Random(7))
    history.go(50)                      # 50 transactions
    history.records                     # the native feed
    history.held[17]["s1.bag"]          # the rows of a target when the changes up to 17 are applied

The model is as plain as can be: with no conflict, a target holds the rows of its table that the
filter accepts. It knows nothing of batches, images or the UPDATE transformation.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from small_spark import LAKES

__all__ = ["TARGETS", "History", "Rows", "lines", "write_files"]

Row = tuple[Any, ...]
Rows = Mapping[str, Counter[Row]]

_FILES = {
    "filtersql_project.yml": "name: histories\nversion: 1\nprofile: histories\n",
    "profiles.yml": """histories:
  target: duckdb
  outputs:
    duckdb: {type: duckdb, path: histories.duckdb}
"""
    + LAKES,
    "tables/tables.sql": """-- filtersql: raw
CREATE TABLE kept (id int, region text, n int, big text, PRIMARY KEY (id, region));
CREATE TABLE whole (id int PRIMARY KEY, n int, note text);
ALTER TABLE whole REPLICA IDENTITY FULL;
CREATE TABLE bag (n int, note text);
ALTER TABLE bag REPLICA IDENTITY FULL;
CREATE TABLE parent (k int, id int, n int, PRIMARY KEY (k, id)) PARTITION BY LIST (k);
CREATE TABLE leaf1 PARTITION OF parent FOR VALUES IN (1);
CREATE TABLE leaf2 PARTITION OF parent FOR VALUES IN (2);
""",
    "publications/p.sql": """
CREATE PUBLICATION p FOR TABLE kept WHERE (region = 'eu'),
  whole WHERE (n > 3 AND note <> 'x'), bag WHERE (n > 1), parent WHERE (id % 2 = 1)
  WITH (publish_via_partition_root = true);
""",
    "subscriptions/s.yml": """subscriptions:
  - {name: s1, publications: [p], source: {path: "source/{table}.jsonl"},
     changes: {path: "changes/*.jsonl"}}
""",
}
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "kept": ("id", "region", "n", "big"),
    "whole": ("id", "n", "note"),
    "bag": ("n", "note"),
    "parent": ("k", "id", "n"),
}
_KEYS: Mapping[str, tuple[int, ...]] = {"kept": (0, 1), "whole": (0,), "parent": (0, 1)}
_FULL = ("whole", "bag")
_MATCHES: Mapping[str, Callable[[Row], bool]] = {
    "kept": lambda row: row[1] == "eu",
    "whole": lambda row: (row[1] or 0) > 3 and row[2] is not None and row[2] != "x",
    "bag": lambda row: (row[0] or 0) > 1,
    "parent": lambda row: row[1] % 2 == 1,
}
_TREE = ["public.parent", "public.leaf1", "public.leaf2"]
#: (target, its columns): the rows of a target are compared in this order
TARGETS = _COLUMNS


@dataclass
class History:
    """The source's tables, and everything that happened to them."""

    random: random.Random
    tables: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in _COLUMNS})
    initial: dict[str, list[Row]] = field(default_factory=dict)
    records: list[dict[str, Any]] = field(default_factory=list)
    #: what the targets hold after each change; 0 is the initial copy
    held: dict[int, Rows] = field(default_factory=dict)
    transactions: int = 0
    seq: int = 0

    def __post_init__(self) -> None:
        for name in self.tables:
            for _ in range(self.random.randrange(6)):
                self._add(name, self._row(name))
        self.initial = {name: list(rows) for name, rows in self.tables.items()}
        self._remember()

    def go(self, transactions: int) -> None:
        """Some more transactions of one to five statements."""
        for _ in range(transactions):
            self.transactions += 1
            for _ in range(self.random.choice((1, 1, 2, 3, 5))):
                self._statement()
            if self.random.random() < 0.2:
                self._record("commit")

    def _statement(self) -> None:
        name = self.random.choice(list(_COLUMNS))
        rows = self.tables[name]
        kind = self.random.choices(("insert", "update", "delete", "truncate"), (5, 8, 3, 0.4))[0]
        if kind == "truncate":
            rows.clear()
            named = _TREE if name == "parent" else [f"public.{name}"]
            for relation in named[-2:]:
                self._record("truncate", relation, relations=named)
        elif kind == "insert":
            row = self._row(name)
            if self._add(name, row):
                self._record("insert", _written(name, row), after=_image(name, row))
        elif rows:
            index = self.random.randrange(len(rows))
            row = rows.pop(index)
            if kind == "delete":
                self._record("delete", _written(name, row), before=_old(name, row))
            else:
                self._update(name, row)

    def _update(self, name: str, row: Row) -> None:
        """As PostgreSQL logs it: the old key where it changed, all of the row with FULL."""
        new = self._row(name)
        kept_key = self.random.random() < 0.6
        if kept_key and name in _KEYS:
            keys = _KEYS[name]
            new = tuple(row[at] if at in keys else new[at] for at in range(len(new)))
        unchanged = name == "kept" and kept_key and self.random.random() < 0.5
        if unchanged:
            new = (*new[:3], row[3])
        if not self._add(name, new):
            self.tables[name].append(row)
            return
        if name == "parent" and row[0] != new[0]:
            self.tables[name].pop()
            self._record("delete", _written(name, row), before=_old(name, row))
            self.tables[name].append(new)
            self._record("insert", _written(name, new), after=_image(name, new))
            return
        logged = name in _FULL or any(row[at] != new[at] for at in _KEYS[name])
        after = _image(name, new)
        more: dict[str, Any] = {}
        if unchanged:
            del after["big"]
            more["unchanged"] = ["big"]
        before = _old(name, row) if logged else None
        self._record("update", _written(name, new), before=before, after=after, **more)

    def _record(self, op: str, relation: str | None = None, **more: Any) -> None:
        self.seq += self.random.choice((1, 1, 1, 7))
        named = {} if relation is None else {"relation": relation}
        tx = str(self.transactions)
        self.records.append({"seq": self.seq, "op": op, **named, "tx": tx, **more})
        self._remember()

    def _remember(self) -> None:
        self.held[self.seq] = {
            name: Counter(row for row in rows if _MATCHES[name](row))
            for name, rows in self.tables.items()
        }

    def _add(self, name: str, row: Row) -> bool:
        if name in _KEYS:
            key = [row[at] for at in _KEYS[name]]
            if any([other[at] for at in _KEYS[name]] == key for other in self.tables[name]):
                return False
        self.tables[name].append(row)
        return True

    def _row(self, name: str) -> Row:
        pick = self.random.choice
        text = pick(("x", "y", "it's", "é\n", "", None))
        match name:
            case "kept":
                return (pick(range(5)), pick(("eu", "us")), pick((1, 2, None)), text)
            case "whole":
                return (pick(range(6)), pick((1, 3, 4, 9, None)), text)
            case "bag":
                return (pick((1, 2, 3, None)), pick(("a", "b", None)))
            case _:
                return (pick((1, 2)), pick(range(6)), pick((0, 1, None)))


def _image(name: str, row: Row) -> dict[str, Any]:
    return dict(zip(_COLUMNS[name], row, strict=True))


def _old(name: str, row: Row) -> dict[str, Any]:
    """The old row as the replica identity has it logged."""
    image = _image(name, row)
    if name in _FULL:
        return image
    keys = [_COLUMNS[name][at] for at in _KEYS[name]]
    return {key: image[key] for key in keys}


def _written(name: str, row: Row) -> str:
    return f"public.leaf{row[0]}" if name == "parent" else f"public.{name}"


def lines(records: Sequence[Mapping[str, Any]]) -> str:
    """Records as JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def write_files(folder: Path, history: History, target: str) -> None:
    """The project and its source; the feed is not written."""
    for name, text in _FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("target: duckdb", f"target: {target}"), encoding="utf-8")
    (folder / "source").mkdir(exist_ok=True)
    for name, rows in history.initial.items():
        text = lines([_image(name, row) for row in rows])
        (folder / "source" / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (folder / "changes").mkdir(exist_ok=True)
