"""Histories of tables with windows of time, a clock, and the rows that targets then hold.

    history = ClockHistory()
    history.carry_out(("insert", "keyed", 3, 1, -29))      # key 3, n 1, 29 days before the clock
    history.expected("keyed", position, clock)             # the rows of its target, as texts

The model is as plain as can be: the rows of the source at a position for which a filter is true and
that are not too old at the clock. It knows nothing of batches, images or what was there before.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from places import put_files
from small_spark import LAKES

__all__ = ["TABLES", "ClockHistory", "Step", "lines"]

FIRST = datetime(2024, 3, 30, 22)
#: the least that time moves
HOUR = timedelta(hours=1)
Row = tuple[int, int, datetime | None]
#: what happens: an operation, a table, a key, a number, hours around the clock
Step = tuple[str, str, int, int, int]

FILES = {
    "filtersql_project.yml": "name: clocks\nversion: 1\nprofile: clocks\n",
    "profiles.yml": """clocks:
  target: duckdb
  outputs:
    duckdb: {type: duckdb, path: clocks.duckdb}
"""
    + LAKES,
    "tables/tables.yml": """tables:
  - {name: keyed, columns: {id: int not null, n: int, at: timestamptz}, primary_key: [id],
     replica_identity: full}
  - {name: kept, columns: {id: int not null, n: int not null, at: timestamp not null, note: text},
     primary_key: [id, n, at]}
  - {name: bag, columns: {id: int, n: int, at: date}, replica_identity: full}
  - {name: log, columns: {id: int not null, n: int, at: timestamptz}, primary_key: [id]}
  - {name: either, columns: {id: int not null, n: int, at: timestamptz}, primary_key: [id],
     replica_identity: full}
  - {name: later, columns: {id: int not null, n: int, at: timestamp}, primary_key: [id],
     replica_identity: full}
  - {name: gaps, columns: {id: int not null, n: int, at: timestamptz}, primary_key: [id],
     replica_identity: full}
""",
    "publications/p.yml": """publications:
  - name: p
    tables:
      - {name: keyed, where: "n > 0", window: {column: at, keep: 3 days, grain: 1 day}}
      - {name: kept, where: "n > 0", window: {column: at, keep: 36 hours, grain: 1 hour}}
      - {name: bag, window: {column: at, keep: 1 month, grain: 1 hour}}
      - {name: either, where: "n > 0", window: {column: at, keep: 2 days, grain: 1 hour}}
      - {name: later, where: "n > 0", window: {column: at, keep: 2 days, delay: 7 hours,
         grain: 1 hour}}
      - {name: gaps, where: "n > 0",
         window: {column: at, keep: 1 day, delay: 0 days, grain: 1 hour}}
  - name: q
    tables:
      - {name: either, where: "n = 2"}
      - {name: gaps, where: "n > 0",
         window: {column: at, keep: 4 days, delay: 2 days, grain: 1 day}}
      - {name: either_too, where: "n > 1", window: {column: at, keep: 5 days, grain: 1 day}}
  - name: inserts
    publish: [insert]
    tables: [{name: log, where: "n > 0", window: {column: at, keep: 1 day 5 hours, grain: 1 hour}}]
""".replace("      - {name: either_too", "  - name: r\n    tables:\n      - {name: either"),
    "subscriptions/s.yml": """subscriptions:
  - {name: s1, publications: [p, q, r, inserts], source: {path: "source/{table}.jsonl"},
     changes: {path: "changes/*.jsonl"}}
""",
}
#: what a row's key is made of, by the places of its values
TABLES: Mapping[str, tuple[int, ...]] = {
    "keyed": (0,),
    "kept": (0, 1, 2),
    "bag": (),
    "log": (0,),
    "either": (0,),
    "later": (0,),
    "gaps": (0,),
}


def _day(clock: datetime) -> datetime:
    return clock.replace(hour=0)


def _month_before(clock: datetime) -> datetime:
    month = clock.replace(day=1) - timedelta(days=1)
    return clock.replace(year=month.year, month=month.month, day=min(clock.day, month.day))


def _young(row: Row, oldest: datetime, begins: datetime | None = None) -> bool:
    return row[2] is not None and row[2] >= oldest and (begins is None or row[2] < begins)


_MATCHES: Mapping[str, Callable[[Row, datetime], bool]] = {
    "keyed": lambda row, clock: row[1] > 0 and _young(row, _day(clock) - timedelta(days=3)),
    "kept": lambda row, clock: row[1] > 0 and _young(row, clock - timedelta(hours=36)),
    "bag": lambda row, clock: _young(row, _month_before(clock)),
    "log": lambda row, clock: row[1] > 0 and _young(row, clock - timedelta(days=1, hours=5)),
    "either": lambda row, clock: (
        (row[1] > 0 and _young(row, clock - timedelta(days=2)))
        or row[1] == 2
        or (row[1] > 1 and _young(row, _day(clock) - timedelta(days=5)))
    ),
    "later": lambda row, clock: (
        row[1] > 0 and _young(row, clock - timedelta(days=2), clock - timedelta(hours=7))
    ),
    # A row is published, then not, then published again.
    "gaps": lambda row, clock: (
        row[1] > 0
        and (
            _young(row, clock - timedelta(days=1), clock)
            or _young(row, _day(clock) - timedelta(days=4), _day(clock) - timedelta(days=2))
        )
    ),
}


@dataclass
class ClockHistory:
    """The source's tables, the feed that records them, and the time."""

    clock: datetime = FIRST
    records: list[dict[str, object]] = field(default_factory=list)
    rows: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in TABLES})
    #: the rows of each table when so many changes were made
    then: list[dict[str, tuple[Row, ...]]] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        """The project's files, and a source without rows."""
        put_files(folder, FILES)
        for name in TABLES:
            (folder / "source").mkdir(exist_ok=True)
            (folder / "source" / f"{name}.jsonl").write_text("")
        (folder / "changes").mkdir(exist_ok=True)

    def carry_out(self, step: Step) -> None:
        """One change of the source, or time that passes."""
        op, table, key, number, hours = step
        if op == "time":
            self.clock += abs(hours) * HOUR
            return
        self.then = self.then or [self._now()]
        row = self._row(table, key, number, hours)
        held = self.rows[table]
        found = next((one for one in held if one[0] == key % 5), None)
        if op == "insert" and not self._taken(table, row):
            held.append(row)
            self._record(table, op, None, row)
        elif op == "update" and found is not None and table != "log":
            held.remove(found)
            if self._taken(table, row):
                held.append(found)
                return
            held.append(row)
            self._record(table, op, found, row)
        elif op == "delete" and found is not None and table != "log":
            held.remove(found)
            self._record(table, op, found, None)
        elif op == "truncate" and table != "log":
            held.clear()
            self._record(table, op, None, None)

    def expected(self, table: str, position: int, clock: datetime) -> Counter[tuple[str, ...]]:
        """The rows of a target after so many changes, at a clock."""
        rows = self.then[position][table] if self.then else ()
        return Counter(_text(table, row) for row in rows if _MATCHES[table](row, clock))

    def _now(self) -> dict[str, tuple[Row, ...]]:
        return {name: tuple(rows) for name, rows in self.rows.items()}

    def _row(self, table: str, key: int, number: int, hours: int) -> Row:
        at: datetime | None = self.clock + hours * HOUR
        if table == "bag" and at is not None:
            at = _day(at) - timedelta(days=27)
        if table not in ("kept",) and number == 3:
            at = None
        return (key, number, at)

    def _taken(self, table: str, row: Row) -> bool:
        places = TABLES[table]
        keys = [tuple(one[place] for place in places) for one in self.rows[table]]
        return bool(places) and tuple(row[place] for place in places) in keys

    def _record(self, table: str, op: str, before: Row | None, after: Row | None) -> None:
        record: dict[str, object] = {"seq": len(self.records) + 1, "relation": table, "op": op}
        if after is not None:
            record["after"] = _image(table, after)
        if before is not None:
            record["before"] = _image(table, before)
        changed = before is not None and after is not None
        if table == "kept" and before is not None:
            # Its old rows carry the key alone, and only where that has changed.
            record["before"] = None if before == after else _logged(before)
            if changed and before == after:
                record["after"] = {**_logged(after or before)}
                record["unchanged"] = ["note"]
        self.records.append(record)
        self.then.append(self._now())


def _logged(row: Row) -> dict[str, object]:
    image = _image("kept", row)
    return {name: image[name] for name in ("id", "n", "at")}


def _image(table: str, row: Row) -> dict[str, object]:
    image: dict[str, object] = {"id": row[0], "n": row[1], "at": _moment(table, row[2])}
    return {**image, "note": f"of {row[0]}"} if table == "kept" else image


def _moment(table: str, at: datetime | None) -> str | None:
    if at is None:
        return None
    if table == "bag":
        return at.date().isoformat()
    return f"{at.isoformat(' ')}{'' if table in ('kept', 'later') else '+00'}"


def _text(table: str, row: Row) -> tuple[str, ...]:
    """As `CAST(… AS VARCHAR)` prints it."""
    at = "NULL" if row[2] is None else str(row[2].date() if table == "bag" else row[2])
    more = (f"of {row[0]}",) if table == "kept" else ()
    return (str(row[0]), str(row[1]), at, *more)


def lines(records: Sequence[Mapping[str, object]]) -> str:
    """As a feed file has them."""
    return "".join(json.dumps(record) + "\n" for record in records)
