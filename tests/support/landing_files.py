"""Files of Debezium and DMS that land table by table, and what the tables hold then."""

from __future__ import annotations

import json
from pathlib import Path

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
}


Change = tuple[int, int, str]


def dms(_: str, *changes: Change) -> str:
    """Each at a second of a minute."""
    rows = (f"{OPS[op]},{key},{at},2026-01-02 03:04:{at:02}.0\n" for key, at, op in changes)
    return "".join(["Op,id,v,at\n", *rows])


def debezium(table: str, *changes: Change) -> str:
    """Each in a transaction behind a position of the log."""
    values = []
    for key, at, op in changes:
        lsn = str(at * 1000)
        source = {"schema": "public", "table": table, "txId": at, "lsn": at * 1000 + key}
        values.append(
            {
                "op": op,
                "source": {**source, "sequence": json.dumps([lsn, lsn])},
                "before": {"id": key, "v": None} if op == "d" else None,
                "after": None if op == "d" else {"id": key, "v": str(at)},
                "transaction": {"id": f"{at}:{lsn}", "total_order": 1 + key % 10},
            }
        )
    return "".join(f"{json.dumps(value)}\n" for value in values)


OPS = {"c": "I", "u": "U", "d": "D"}
WRITERS = {"dms": dms, "debezium": debezium}


class Landing:
    """A project whose tables' files land one by one."""

    def __init__(self, folder: Path, form: str) -> None:
        self.project = Project(folder)
        self.form = form
        self.project.write("tables/t.yml", TABLES)
        self.project.write("publications/p.yml", PUBLICATION)
        said = f"subscriptions: [{{name: s, publications: [p], changes: {FEEDS[form]}}}]\n"
        self.project.write("subscriptions/s.yml", said)

    def land(self, table: str, name: str, *rows: tuple[int, int]) -> None:
        """A file of a table: keys, and when each was inserted."""
        changes = [(key, at, "c") for key, at in rows]
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
    """What two tables go through, and what they hold after each of their changes."""

    def __init__(self, drawn: list[tuple[str, int]]) -> None:
        self.waiting: dict[str, list[Change]] = {"t": [], "u": []}
        self.landed: dict[str, list[Change]] = {"t": [], "u": []}
        held: dict[str, set[int]] = {"t": set(), "u": set()}
        for at, (name, key) in enumerate(drawn, 1):
            op = "c" if key not in held[name] else "ud"[at % 2]
            self.waiting[name].append((key, at, op))
            (held[name].discard if op == "d" else held[name].add)(key)

    def land(self, name: str, count: int) -> list[Change]:
        """The next changes of a table."""
        landing, self.waiting[name] = self.waiting[name][:count], self.waiting[name][count:]
        self.landed[name] += landing
        return landing

    def rows(self, name: str) -> list[tuple[int, str]]:
        """What a table holds after what has landed of it."""
        held: dict[int, str] = {}
        for key, at, op in self.landed[name]:
            held[key] = f"{at}"
            if op == "d":
                del held[key]
        return sorted(held.items())


def fed(world: World, form: str) -> World:
    """Two tables and their feed."""
    for name in "tu":
        world.publish(table(name, key=("id",), id="int4!", v="text"), None)
    assume = frozenset({"fixed_keys"})
    feed = Feed(SPAN, form, "changes/*/*/*", options={"sequence": "at"}, assume=assume)
    return world.subscribe(changes=feed)
