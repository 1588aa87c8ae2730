"""Random transactions over the shop's tables, the same for the same seed.

A filter is left or entered by chance: every update of a filtered column draws its new value so that
it lies within the filter about half of the time. Keys are new, or were freed by a DELETE or by a
change of key. (Not by a TRUNCATE of a leaf: a subscriber via the root never hears of that.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from shop import KEYS

__all__ = ["History", "Statement"]

Statement = tuple[str, tuple[Any, ...]]
Row = dict[str, Any]

_REGIONS = ("eu", "uk", "us", "ca", "EU", "ünion", "")
_NAMES = ("Ann", "Bob", "Çelik", "D'Arcy", "east\\west", 'q"uote', "", "  blank ")


@dataclass(slots=True)
class _Table:
    """A table's keys as they stand, and how its values are drawn."""

    name: str
    key: tuple[str, ...]
    share: int
    draw_key: Callable[[Random, int], tuple[Any, ...]]
    draw: Callable[[Random], Row]
    #: rows are told apart by all columns, and there are equal ones
    keyless: bool = False
    #: columns that must be drawn anew with a new key (a value kept out of line is not sent with it)
    with_key: tuple[str, ...] = ()
    keys: list[tuple[Any, ...]] = field(default_factory=list)
    free: list[tuple[Any, ...]] = field(default_factory=list)
    last: int = 0


def _maybe(random: Random, value: Any, nulls: float = 0.1) -> Any:
    return None if random.random() < nulls else value


def _day(random: Random, year: int = 2025, days: int = 1000) -> date:
    return date(year, 1, 1) + timedelta(days=random.randrange(days))


def _moment(random: Random) -> datetime:
    return datetime(2025, 6, 1, tzinfo=UTC) + timedelta(
        seconds=random.randrange(63_072_000), microseconds=random.choice((0, 0, 500_000, 123_456))
    )


def _amount(random: Random) -> Decimal:
    return Decimal(random.randrange(-5_000, 60_000)) / 100


def _customer_key(random: Random, number: int) -> tuple[int]:
    return (number,)


def _order_key(random: Random, number: int) -> tuple[str, int]:
    return random.choice(_REGIONS), number


def _stocked_key(random: Random, number: int) -> tuple[int, str]:
    return number, random.choice(("north", "south", "north", "south", "closed"))


def _event_key(random: Random, number: int) -> tuple[int, date]:
    return number, _day(random)


def _customer(random: Random) -> Row:
    return {
        "name": random.choice(_NAMES),
        "region": _maybe(random, random.choice(_REGIONS[:4])),
        "credit": _maybe(random, _amount(random), 0.05),
        "active": _maybe(random, random.random() < 0.5),
        "born": _maybe(random, _day(random, 1950, 20_000)),
        "seen": _maybe(random, _moment(random)),
    }


def _order(random: Random) -> Row:
    return {
        "amount": _maybe(random, _amount(random)),
        "paid": random.random() < 0.5,
        "placed": _maybe(random, _day(random)),
        "changed": _maybe(random, _moment(random)),
        # A long one is kept out of line, so an UPDATE of other columns does not send it.
        "note": random.randbytes(1500).hex() if random.random() < 0.05 else _maybe(random, "short"),
    }


def _stocked(random: Random) -> Row:
    return {
        "shelf": _maybe(random, f"{random.choice('ABC')}{random.randrange(20)}"),
        "quantity": random.randrange(-10, 90),
        "counted": _maybe(random, _day(random)),
    }


def _event(random: Random) -> Row:
    return {
        "kind": _maybe(random, random.choice(("click", "view", "Kauf"))),
        "value": _maybe(random, _amount(random)),
        "at": _maybe(random, _moment(random)),
    }


_NOTE = ("customer", "body", "stars")


def _note_key(random: Random, number: int) -> tuple[int, str | None, Decimal | None]:
    """One of few, so that there are equal rows."""
    stars = _maybe(random, Decimal(random.randrange(11)) / 2)
    return random.randrange(40), _maybe(random, random.choice(("good", ""))), stars


def _note(random: Random) -> Row:
    return {}


def _tables() -> list[_Table]:
    return [
        _Table("shop.customers", KEYS["customers"], 46, _customer_key, _customer),
        _Table("shop.orders", KEYS["orders"], 16, _order_key, _order, with_key=("note",)),
        _Table("shop.stock", KEYS["stock"], 24, _stocked_key, _stocked),
        _Table("shop.events", KEYS["events"], 14, _event_key, _event),
        _Table("shop.notes", _NOTE, 5, _note_key, _note, keyless=True),
    ]


class History:
    """The statements of a workload; `transactions` gives them one transaction after another."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._tables = {table.name: table for table in _tables()}

    def initial(self, rows: int) -> Iterator[Statement]:
        """INSERTs of the rows that are there before the feed begins."""
        for table in self._tables.values():
            for _ in range(rows * table.share // 100):
                yield self._insert(table)

    def transactions(self, changes: int, each: int, truncates: int) -> Iterator[list[Statement]]:
        """Transactions of about `each` changes, until there are `changes` of them.

        A transaction that ends with ROLLBACK leaves nothing; it is given among the others.
        """
        count = max(changes // each, truncates + 1)
        begin, end = count // 20, count * 4 // 5
        truncating = {
            begin + position * (end - begin) // truncates: position for position in range(truncates)
        }
        for number in range(count):
            if number % 40 == 7:
                yield self._rolled_back()
            names = self._some_tables()
            at = self._random.randrange(each + 1) if number in truncating else each
            statements = [self._change(names) for _ in range(at)]
            if number in truncating:
                statements.append(self._truncate(truncating[number]))
            yield [*statements, *(self._change(names) for _ in range(each - at))]

    def _some_tables(self) -> list[_Table]:
        tables = list(self._tables.values())
        return self._random.sample(tables, k=self._random.choice((1, 2, 2, 3, 4, 4)))

    def _change(self, tables: list[_Table]) -> Statement:
        shares = [table.share for table in tables]
        table = self._random.choices(tables, shares)[0]
        if len(table.keys) < 5:
            return self._insert(table)
        update = self._rekey if table.keyless else self._update
        kinds = (self._insert, update, self._rekey, self._delete)
        return self._random.choices(kinds, (20, 55, 14, 11))[0](table)

    def _insert(self, table: _Table) -> Statement:
        key = self._new_key(table)
        table.keys.append(key)
        row = {**dict(zip(table.key, key, strict=True)), **table.draw(self._random)}
        columns, marks = ", ".join(row), ", ".join(["%s"] * len(row))
        return f"INSERT INTO {table.name} ({columns}) VALUES ({marks})", tuple(row.values())

    def _update(self, table: _Table) -> Statement:
        drawn = table.draw(self._random)
        if table.with_key and self._random.random() < 0.8:
            drawn = {name: value for name, value in drawn.items() if name not in table.with_key}
        return self._set(table, drawn, self._random.choice(table.keys))

    def _rekey(self, table: _Table) -> Statement:
        at = self._random.randrange(len(table.keys))
        old, new = table.keys[at], self._new_key(table)
        table.keys[at] = new
        table.free.append(old)
        drawn = table.draw(self._random)
        if self._random.random() < 0.5:
            drawn = {name: drawn[name] for name in table.with_key}
        return self._set(table, {**dict(zip(table.key, new, strict=True)), **drawn}, old)

    def _delete(self, table: _Table) -> Statement:
        at = self._random.randrange(len(table.keys))
        key, table.keys[at] = table.keys[at], table.keys[-1]
        table.keys.pop()
        table.free.append(key)
        return f"DELETE FROM {table.name} WHERE {_where(table)}", key

    def _set(self, table: _Table, values: Row, key: tuple[Any, ...]) -> Statement:
        assignments = ", ".join(f"{name} = %s" for name in values)
        text = f"UPDATE {table.name} SET {assignments} WHERE {_where(table)}"
        return text, (*values.values(), *key)

    def _new_key(self, table: _Table) -> tuple[Any, ...]:
        if table.free and self._random.random() < 0.2:
            return table.free.pop(self._random.randrange(len(table.free)))
        table.last += 1
        return table.draw_key(self._random, table.last)

    def _truncate(self, number: int) -> Statement:
        """One TRUNCATE; the kinds take turns."""
        match number % 5:
            case 0:
                names = ["shop.stock", "shop.notes"]
            case 1:
                names = ["shop.events"]
            case 2:
                names = ["shop.customers", "shop.orders"]
            case 3:
                return self._truncate_leaf("shop.events_2026", 2026)
            case _:
                names = ["shop.orders", "shop.events"]
        for name in names:
            table = self._tables[name]
            table.free += table.keys
            table.keys = []
        return f"TRUNCATE {', '.join(names)}", ()

    def _truncate_leaf(self, leaf: str, year: int) -> Statement:
        events = self._tables["shop.events"]
        events.keys = [key for key in events.keys if key[1].year != year]
        return f"TRUNCATE {leaf}", ()

    def _rolled_back(self) -> list[Statement]:
        table = self._random.choice(list(self._tables.values()))
        return [(f"DELETE FROM {table.name}", ()), (f"TRUNCATE {table.name}", ()), ("ROLLBACK", ())]


def _where(table: _Table) -> str:
    if table.keyless:
        same = " AND ".join(f"{name} IS NOT DISTINCT FROM %s" for name in table.key)
        return f"ctid = (SELECT min(ctid) FROM {table.name} WHERE {same})"
    return " AND ".join(f"{name} = %s" for name in table.key)
