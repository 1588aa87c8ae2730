"""Drawn definitions with windows of time and column lists, and a plain model of their rows.

Example
    history = drawn.draw(histories())
    shop = WindowShop(tmp_path, kind="leaves").publish_as(definition)
    history.expected(definition, position, clock)      # the rows that the targets hold together

A row is held where an entry takes it: its filter is true, and it is inside of its window.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from changed_filters import PROFILES, Shop, change
from hypothesis import strategies as st
from places import put_files

__all__ = ["CLOCK", "HOUR", "Definition", "History", "WindowShop", "definitions", "histories"]

CLOCK = datetime(2026, 3, 4, 10, 30)
HOUR = timedelta(hours=1)
COLUMNS = ("id", "region", "total", "at")
Row = Mapping[str, Any]

_FILTERS: Mapping[str | None, Callable[[Row], bool]] = {
    None: lambda row: True,
    "region = 'eu'": lambda row: row["region"] == "eu",
    "region <> 'eu'": lambda row: row["region"] == "us",
    "total > 2": lambda row: row["total"] is not None and row["total"] > 2,
    "total > 2 OR region IS NULL": lambda row: row["region"] is None or (row["total"] or 0) > 2,
    "total IS NULL": lambda row: row["total"] is None,
    "id % 2 = 0": lambda row: row["id"] % 2 == 0,
}


class Window(NamedTuple):
    """Hours that a row is kept, after which it enters, and what the clock is cut off to."""

    keep: int
    delay: int | None
    grain: str

    def holds(self, at: datetime | None, clock: datetime) -> bool:
        """Whether a moment is inside."""
        cut = clock.replace(minute=0) if self.grain == "1 hour" else clock.replace(hour=0, minute=0)
        if at is None or at < cut - self.keep * HOUR:
            return False
        return self.delay is None or at < cut - self.delay * HOUR

    @property
    def written(self) -> str:
        """As a publication has it."""
        delay = "" if self.delay is None else f", delay: {self.delay} hours"
        return f", window: {{column: at, keep: {self.keep} hours, grain: {self.grain}{delay}}}"


class Entry(NamedTuple):
    """What one publication lists."""

    where: str | None
    window: Window | None

    def takes(self, row: Row, clock: datetime) -> bool:
        """Whether it publishes a row."""
        windowed = self.window is None or self.window.holds(row["at"], clock)
        return windowed and _FILTERS[self.where](row)

    @property
    def written(self) -> str:
        """As a publication has it, behind the table's name."""
        where = "" if self.where is None else f', where: "{self.where}"'
        return where + ("" if self.window is None else self.window.written)


class Definition(NamedTuple):
    """A publication for each entry, and the columns that all of them list."""

    entries: tuple[Entry, ...]
    columns: tuple[str, ...] = COLUMNS


@dataclass
class History:
    """The rows of the source, and the changes that made them."""

    rows: dict[int, Row]
    changes: list[dict[str, Any]] = field(default_factory=list)
    #: the rows behind each change
    then: list[list[Row]] = field(default_factory=list)
    leaves: bool = False

    def __post_init__(self) -> None:
        self.then.append([*self.rows.values()])

    @property
    def source(self) -> dict[str, list[dict[str, Any]]]:
        """The rows at the beginning, of the table and of both leaves."""
        rows = [image_of(row) for row in self.then[0]]
        low, high = ([row for row in rows if (row["id"] < 5) is low] for low in (True, False))
        return {"t": rows, "t_low": low, "t_high": high}

    def relation(self, key: int) -> str:
        """The table in which a row stands."""
        return ("t_low" if key < 5 else "t_high") if self.leaves else "t"

    def carry_out(self, op: str, old: int, new: Row) -> None:
        """A change, where there is such a row; one that moves to another leaf is two."""
        before = self.rows.get(old)
        if op == "insert" and new["id"] not in self.rows:
            self._record(op, new["id"], after=new)
        elif op == "delete" and before is not None:
            self._record(op, old, before=before)
        elif op == "update" and before is not None and new["id"] not in self.rows.keys() - {old}:
            if self.relation(old) == self.relation(new["id"]):
                self._record(op, old, before=before, after=new)
            else:
                self._record("delete", old, before=before)
                self._record("insert", new["id"], after=new)

    def _record(self, op: str, key: int, **images: Row) -> None:
        self.rows.pop(key, None)
        if "after" in images:
            self.rows[images["after"]["id"]] = images["after"]
        written = {side: image_of(row) for side, row in images.items()}
        self.changes.append(change(len(self.changes) + 1, op, self.relation(key), **written))
        self.then.append([*self.rows.values()])

    def expected(self, definition: Definition, position: int, clock: datetime) -> list[Any]:
        """The rows that are held behind so many changes, at a clock."""
        taken = (
            row
            for row in self.then[position]
            if any(entry.takes(row, clock) for entry in definition.entries)
        )
        rows = (tuple(row[name] for name in definition.columns) for row in taken)
        return sorted(rows, key=lambda row: tuple(map(repr, row)))


def image_of(row: Row) -> dict[str, Any]:
    """A row as a feed and a source have it."""
    return {**row, "at": row["at"] and row["at"].isoformat(" ")}


_TABLES = """tables:
  - {name: t, columns: {id: int not null, region: text, total: int, at: timestamp},
     primary_key: [id]PARTITIONED}
"""
_LEAVES = """  - {name: t_low, partition_of: t, bounds: {from: [0], to: [5]}}
  - {name: t_high, partition_of: t, bounds: {from: [5], to: [100]}}
"""
_SUBSCRIPTION = """subscriptions:
  - name: s1
    publications: [NAMES]
    source: {format: filtersql, path: "source/{table}.jsonl"}
    changes: {path: "changes/*.jsonl", before: complete}
"""


@dataclass
class WindowShop(Shop):
    """The project of one table: ordinary, or partitioned and published as `root` or as `leaves`."""

    kind: str = "table"

    @property
    def targets(self) -> tuple[str, ...]:
        """The tables that are published."""
        return ("t_low", "t_high") if self.kind == "leaves" else ("t",)

    def publish_as(self, definition: Definition) -> WindowShop:
        """Write the files of a definition."""
        partitioned = self.kind != "table"
        listed = f", columns: [{', '.join(definition.columns)}]"
        root = str(self.kind == "root").lower()
        names = [f"p{number}" for number in range(len(definition.entries))]
        publications = "".join(
            f"  - name: {name}\n    publish_via_partition_root: {root}\n    tables:\n"
            + "".join(f"      - {{name: {each}{listed}{entry.written}}}\n" for each in self.targets)
            for name, entry in zip(names, definition.entries, strict=True)
        )
        by = ", partition_by: {range: [id]}" if partitioned else ""
        files = {
            "filtersql_project.yml": "name: shop\nversion: 1\nprofile: shop\nsemantics: postgres\n",
            "profiles.yml": PROFILES,
            "tables/t.yml": _TABLES.replace("PARTITIONED", by) + (_LEAVES if partitioned else ""),
            "publications/p.yml": f"publications:\n{publications}",
            "subscriptions/s.yml": _SUBSCRIPTION.replace("NAMES", ", ".join(names)),
        }
        put_files(self.root, files)
        self.forget()
        return self

    def held(self, engine: Any) -> list[Any]:
        """The rows of its targets together."""
        rows = (row for name in self.targets for row in self.rows(engine, name))
        return sorted(rows, key=lambda row: tuple(map(repr, row)))


_WINDOW = st.builds(
    Window,
    st.sampled_from([20, 36, 60]),
    st.sampled_from([None, 0, 5]),
    st.sampled_from(["1 hour", "1 day"]),
)
_WINDOWS = st.one_of(st.none(), _WINDOW, _WINDOW)
_ENTRIES = st.lists(
    st.builds(Entry, st.sampled_from([None, *_FILTERS]), _WINDOWS), min_size=1, max_size=2
).map(tuple)
#: around what windows cut off by the hour and by the day, and a day later
_HOURS = [-60, -59, -46, -36, -34, -20, -19, -15, -10, -6, -5, -4, 0, 1, 16, 21, 26]
_MOMENTS = st.sampled_from([None, *(CLOCK.replace(minute=0) + hours * HOUR for hours in _HOURS)])


def definitions() -> st.SearchStrategy[Definition]:
    """One entry or two, and some of the columns where no window needs another one."""
    fewer = st.sampled_from([COLUMNS, COLUMNS, ("id", "region", "at"), ("id", "total")])
    return st.builds(Definition, _ENTRIES, fewer).map(
        lambda one: one if _fits(one) else one._replace(columns=COLUMNS)
    )


def _fits(definition: Definition) -> bool:
    """Where there are windows, what the filters read has to be listed."""
    read = " ".join(entry.written for entry in definition.entries)
    windows = any(entry.window for entry in definition.entries)
    return not windows or all(name in definition.columns for name in COLUMNS if name in read)


def _row(key: int) -> st.SearchStrategy[Row]:
    return st.fixed_dictionaries({
        "id": st.just(key),
        "region": st.sampled_from(["eu", "us", None]),
        "total": st.none() | st.integers(0, 5),
        "at": _MOMENTS,
    })  # fmt: skip


@st.composite
def histories(draw: st.DrawFn, kind: str) -> History:
    """Rows, and changes by their keys, which may change as well."""
    history = History(
        {key: draw(_row(key)) for key in range(draw(st.sampled_from([8, 8, 3, 0])))},
        leaves=kind != "table",
    )
    for _ in range(draw(st.integers(0, 8))):
        old = draw(st.integers(0, 8))
        key = draw(st.sampled_from([old, old, draw(st.integers(0, 8))]))
        op = draw(st.sampled_from(["insert", "update", "update", "delete"]))
        history.carry_out(op, old, draw(_row(key)))
    return history
