"""Files of Debezium and DMS that land table by table, and what the tables hold then."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import NamedTuple

from answers import Project
from one_by_one import OneByOne
from rows import rows_of
from running import SPAN, World, table

from filtersql.definitions.model import Feed

__all__ = [
    "FEEDS",
    "PUBLICATION",
    "TABLES",
    "WRITERS",
    "Change",
    "Landing",
    "Tables",
    "Told",
    "ended",
    "fed",
]

TABLES = """tables:
  - {name: t, columns: {id: int not null, v: text}, primary_key: [id]}
  - {name: u, columns: {id: int not null, v: text}, primary_key: [id]}
"""
PUBLICATION = """publications:
  - {name: p, publish: [insert, update, delete], tables: [{name: t, where: "id > 0"}, {name: u}]}
"""
FEEDS = {
    "dms": '{format: dms, path: "feed/*/*/*", sequence: at, assume: [fixed_keys]}',
    "debezium": '{format: debezium, path: "feed/*/*/*"}',
    "unnumbered": '{format: debezium, path: "feed/*/*/*"}',
}


class Change(NamedTuple):
    """A change of a key at a second of a minute, the n-th there; `r`: a row of the snapshot."""

    key: int
    at: int
    op: str = "c"
    n: int = 0

    @property
    def value(self) -> str:
        """What it makes of the row."""
        return f"{self.at}.{self.n}"


def dms(_: str, *changes: Change) -> str:
    """Changes of one second share a hundredth of it, and some their moments."""
    minute = "2026-01-02 03:04"
    rows = (
        f"{OPS[each.op]},{each.key},{each.value},{minute}:{each.at:02}.000{each.n // 2:03}\n"
        for each in changes
    )
    return "".join(["Op,id,v,at\n", *rows])


def debezium(table: str, *changes: Change, numbered: bool = True) -> str:
    """Changes of one second are in a transaction behind a position of the log."""
    values = []
    for each in changes:
        lsn = each.at * 1000
        source = {"schema": "public", "table": table, "txId": each.at, "lsn": lsn + each.n}
        before = None if each.op == "r" else str(lsn)
        value = {
            "op": each.op,
            "source": {**source, "sequence": json.dumps([before, str(lsn)])},
            "before": {"id": each.key, "v": None} if each.op == "d" else None,
            "after": None if each.op == "d" else {"id": each.key, "v": each.value},
        }
        if each.op == "r":
            source["lsn"] = lsn
        elif numbered:
            value["transaction"] = {"id": f"{each.at}:{lsn}", "total_order": 1 + each.n}
        values.append(value)
    return "".join(f"{json.dumps(value)}\n" for value in values)


def ended(table: str, at: int, count: int = 1, behind: int = 0) -> str:
    """The line by which Debezium ends such a transaction, and counts its changes of a table."""
    told = [{"data_collection": f"public.{table}", "event_count": count}]
    value = {"status": "END", "id": f"{at}:{at * 1000 + behind}", "data_collections": told}
    return f"{json.dumps(value)}\n"


OPS = {"c": "I", "u": "U", "d": "D"}
WRITERS = {"dms": dms, "debezium": debezium, "unnumbered": partial(debezium, numbered=False)}


class Landing:
    """A project whose tables' files land one by one."""

    def __init__(self, folder: Path, form: str) -> None:
        self.project = Project(folder)
        self.form = form
        self.project.write("tables/t.yml", TABLES)
        self.project.write("publications/p.yml", PUBLICATION)
        said = f"subscriptions: [{{name: s, publications: [p], changes: {FEEDS[form]}}}]\n"
        self.project.write("subscriptions/s.yml", said)

    def changes(self, table: str, *rows: tuple[int, int]) -> str:
        """Lines of inserts, without a header."""
        changes = [Change(key, at, n=key % 10) for key, at in rows]
        return WRITERS[self.form](table, *changes).removeprefix("Op,id,v,at\n")

    def land(self, table: str, name: str, *rows: tuple[int, int]) -> None:
        """A file of a table: keys, and when each was inserted."""
        changes = [Change(key, at, n=key % 10) for key, at in rows]
        self.project.write(f"feed/public/{table}/{name}", WRITERS[self.form](table, *changes))

    def run(self) -> str:
        """What a run says."""
        return self.project.succeed("run").both

    def refused(self) -> str:
        """What a run says that refuses."""
        ended = self.project.shell.filtersql("run")
        assert ended.exit_code == 1, ended.both
        return ended.both

    def keys(self, table: str) -> list[int]:
        """The keys that a target holds."""
        held = rows_of(self.project.folder, "dev")["s", f"public.{table}"]
        return sorted(int(dict(row)["id"]) for row in held.elements())


class Told(OneByOne):
    """An engine that commits table by table, and takes no mark that is not behind the last one."""

    def write(self, statement, compiled, mark):
        found = self.committed(compiled.target)
        if found is not None and found.generation == mark.generation:
            assert (found.position or -1) < (mark.position or -1)
        return super().write(statement, compiled, mark)


class Tables:
    """What two tables go through, and what they hold after each of their changes.

    `drawn` are transactions, of tables and keys; `snapshot` the keys that are there before.
    """

    def __init__(self, drawn: list[list[tuple[str, int]]], snapshot: int) -> None:
        self.waiting = {name: [Change(key, 1, "r") for key in range(snapshot)] for name in "tu"}
        self.landed: dict[str, list[Change]] = {"t": [], "u": []}
        held = {name: {*range(snapshot)} for name in "tu"}
        for at, transaction in enumerate(drawn, 2):
            for n, (name, key) in enumerate(transaction):
                op = "c" if key not in held[name] else "ud"[(at + n) % 2]
                self.waiting[name].append(Change(key, at, op, n))
                (held[name].discard if op == "d" else held[name].add)(key)

    def land(self, name: str, count: int) -> list[Change]:
        """The next changes of a table."""
        landing, self.waiting[name] = self.waiting[name][:count], self.waiting[name][count:]
        self.landed[name] += landing
        return landing

    def rows(self, name: str) -> list[tuple[int, str]]:
        """What a table holds after what has landed of it."""
        held: dict[int, str] = {}
        for each in self.landed[name]:
            held[each.key] = each.value
            if each.op == "d":
                del held[each.key]
        return sorted(held.items())


def fed(world: World, form: str) -> World:
    """Two tables and their feed."""
    for name in "tu":
        world.publish(table(name, key=("id",), id="int4!", v="text"), None)
    assume = frozenset({"fixed_keys"})
    name = "dms" if form == "dms" else "debezium"
    feed = Feed(SPAN, name, "changes/*/*/*", options={"sequence": "at"}, assume=assume)
    return world.subscribe(changes=feed)
