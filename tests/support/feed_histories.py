"""Random histories of a table `t (id, v, n)`, and how each feed format writes them."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Change", "Row", "debezium", "dms", "history", "native", "wal2json"]

Row = dict[str, Any]


@dataclass(frozen=True)
class Change:
    """A change of the history. `tx` numbers transactions from 1, `lsn` is its log position."""

    tx: int
    lsn: int
    op: str
    before: Row | None = None
    after: Row | None = None


def history(seed: int, length: int = 60, *, fixed_keys: bool, truncates: bool) -> list[Change]:
    """Random changes of a table, from empty."""
    rng, held, changes = random.Random(seed), dict[int, Row](), list[Change]()
    tx, lsn = 1, 1000
    for _ in range(length):
        if rng.random() < 0.5:
            tx += 1
        lsn += rng.choice([40, 120, 4000])
        key = rng.randint(1, 6)
        row = {"id": key, "v": rng.choice(["eu", "eu", "us", None]), "n": f"{rng.randint(0, 9)}.50"}
        old = held.get(key)
        if truncates and rng.random() < 0.04:
            held.clear()
            changes.append(Change(tx, lsn, "truncate"))
        elif old is None:
            held[key] = row
            changes.append(Change(tx, lsn, "insert", None, row))
        elif rng.random() < 0.2:
            changes.append(Change(tx, lsn, "delete", held.pop(key)))
        else:
            other = key if fixed_keys else rng.randint(1, 6)
            if other not in held or other == key:
                del held[key]
                held[other] = {**row, "id": other}
                changes.append(Change(tx, lsn, "update", old, held[other]))
    return changes


def commits(changes: list[Change]) -> Mapping[int, int]:
    """The log position of each commit: behind all changes before it, in the order of tx."""
    ends: dict[int, int] = {}
    for change in changes:
        ends[change.tx] = change.lsn + 40
    return ends


def native(changes: list[Change]) -> str:
    """Filtersql's own format."""
    return lines(
        {
            "seq": number,
            "tx": str(change.tx),
            "relation": "public.t",
            "op": change.op,
            "before": change.before,
            "after": change.after,
        }
        for number, change in enumerate(changes)
    )


def wal2json(changes: list[Change]) -> str:
    """Format version 2."""
    return lines(_wal2json(changes))


def _wal2json(changes: list[Change]) -> Iterator[Row]:
    ends, tx = commits(changes), 0
    names = {"insert": "I", "update": "U", "delete": "D", "truncate": "T"}

    def columns(row: Row | None) -> list[Row]:
        return [{"name": name, "value": value} for name, value in (row or {}).items()]

    for change in changes:
        if change.tx != tx:
            if tx:
                yield {"action": "C", "lsn": f"0/{ends[tx]:X}"}
            yield {"action": "B", "lsn": f"0/{ends[change.tx]:X}"}
            tx = change.tx
        event = {"action": names[change.op], "lsn": f"0/{change.lsn:X}", "schema": "public"}
        event |= {"table": "t"}
        if change.after is not None:
            event["columns"] = columns(change.after)  # type: ignore[assignment]
        if change.before is not None:
            event["identity"] = columns(change.before)  # type: ignore[assignment]
        yield event
    yield {"action": "C", "lsn": f"0/{ends[tx]:X}"}


def debezium(changes: list[Change]) -> str:
    """Without schemas; numbers as texts; a changed key as d, tombstone and c."""
    return lines(_debezium(changes))


def _debezium(changes: list[Change]) -> Iterator[Row | None]:
    ends = commits(changes)
    ops = {"insert": "c", "update": "u", "delete": "d", "truncate": "t"}
    for change in changes:
        earlier = [end for tx, end in ends.items() if tx < change.tx] or None
        source = {
            "schema": "public",
            "table": "t",
            "txId": change.tx,
            "lsn": change.lsn,
            "sequence": json.dumps([earlier and str(max(earlier)), str(change.lsn)]),
        }
        before, after = change.before, change.after
        if change.op == "update" and before and after and before["id"] != after["id"]:
            yield {"op": "d", "source": source, "before": before, "after": None}
            yield None
            yield {"op": "c", "source": source, "before": None, "after": after}
        else:
            yield {"op": ops[change.op], "source": source, "before": before, "after": after}


def dms(changes: list[Change], *, old_rows: bool) -> str:
    """CSV with names, a commit's moment as the sequence."""
    text = io.StringIO()
    names = ["id", "v", "n"]
    more = [f"BI_{name}" for name in names] if old_rows else []
    writer = csv.DictWriter(text, ["Op", *names, *more, "at"])
    writer.writeheader()
    for change in changes:
        row: Row = change.after or change.before or {}
        if old_rows:
            row = row | {f"BI_{name}": value for name, value in (change.before or {}).items()}
        row = {name: "\\N" if value is None else value for name, value in row.items()}
        at = f"2026-01-02 03:04:{change.tx // 1000:02}.{change.tx % 1000:03}"
        writer.writerow({"Op": change.op[0].upper(), "at": at, **row})
    return text.getvalue()


def lines(records: Iterator[Row | None]) -> str:
    """JSON lines."""
    return "".join(f"{json.dumps(record)}\n" for record in records)
