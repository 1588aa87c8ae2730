"""Changes whose file lands behind a run that went beyond them: applied, never taken for replays."""

from __future__ import annotations

import json
import os
import random
from contextlib import suppress
from pathlib import Path

import pyarrow
import pytest
from answers import Project
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from one_by_one import Killed, OneByOne
from rows import execute, rows_of
from running import SPAN, World, table

from filtersql.definitions.model import Feed
from filtersql.feeds.staging import StagedFile, newest_staged
from filtersql.run import Options, run
from filtersql.targets.duckdb import connect

MORE = 25 if os.environ.get("FILTERSQL_LONG_TESTS") else 1
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


@pytest.fixture(params=FEEDS)
def landing(request: pytest.FixtureRequest, tmp_path: Path) -> Landing:
    return Landing(tmp_path, request.param)


def test_a_change_of_a_file_that_lands_late_is_applied(landing: Landing) -> None:
    """Its own table was not read that far, whatever others of the subscription were."""
    landing.land("t", "1", (1, 10), (2, 20))
    landing.land("u", "1", (1, 12))
    landing.run()
    landing.land("u", "2", (2, 15), (3, 30))
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2], [1, 2, 3])
    assert "nothing new" in landing.run()


def test_a_change_that_lands_alone_behind_others_is_applied_once(landing: Landing) -> None:
    """No position is passed by it; its row that another hand deletes afterwards stays away."""
    landing.land("t", "1", (1, 10), (2, 20))
    landing.land("u", "1", (1, 12))
    landing.run()
    landing.land("u", "2", (2, 15))
    landing.run()
    execute(landing.project.folder, "dev", ["DELETE FROM s.u WHERE id = 2"])
    landing.land("u", "3", (3, 17))
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2], [1, 3])


def test_a_late_file_waits_for_the_run_of_its_target(landing: Landing) -> None:
    """A run of other targets reads it, and does not count it as read by all."""
    landing.land("t", "1", (1, 10), (2, 20))
    landing.land("u", "1", (1, 12))
    landing.run()
    landing.land("u", "2", (2, 15))
    landing.project.succeed("run", "--select", "s/public.t")
    landing.run()
    assert landing.keys("u") == [1, 2]


def test_a_quiet_table_is_remembered(landing: Landing) -> None:
    """Runs that have nothing for it, and that know its files already, change nothing of that."""
    landing.land("t", "1", (1, 10))
    landing.run()
    for number in (2, 3):
        landing.land("t", str(number), (number, 10 * number))
        landing.run()
    landing.land("u", "1", (1, 15), (2, 40))
    landing.run()
    landing.land("t", "5", (5, 50))
    landing.run()
    landing.land("u", "2", (3, 45))
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2, 3, 5], [1, 2, 3])


def test_a_change_that_is_sent_again_is_none(landing: Landing) -> None:
    """What a target has is passed over, in whatever file it comes again."""
    landing.land("t", "1", (1, 10), (2, 20))
    landing.land("u", "1", (1, 12), (2, 18))
    landing.run()
    landing.land("u", "2", (1, 12), (2, 18), (3, 30))
    landing.land("t", "2", (2, 20))
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2], [1, 2, 3])


def test_a_table_that_is_added_moves_no_other_one(tmp_path: Path) -> None:
    """Rows of the full load are numbered over all tables: those of a quiet one are no late ones."""
    landing = Landing(tmp_path, "dms")
    project = landing.project
    project.write("feed/public/t/LOAD1.csv", "id,v\n1,x\n2,x\n")
    project.write("feed/public/u/LOAD1.csv", "id,v\n1,x\n")
    landing.land("u", "1", (5, 10))
    landing.run()
    added = "  - {name: a, columns: {id: int not null, v: text}, primary_key: [id]}\n"
    project.write("tables/t.yml", TABLES + added)
    project.write("publications/p.yml", PUBLICATION.replace("{name: u}", "{name: u}, {name: a}"))
    project.write("feed/public/a/LOAD1.csv", "id,v\n1,x\n2,x\n3,x\n")
    landing.run()
    assert [landing.keys(name) for name in "tua"] == [[1, 2], [1, 5], [1, 2, 3]]


def test_the_end_of_a_transaction_may_land_before_its_changes(tmp_path: Path) -> None:
    """It is kept until a run is beyond it: so some of them alone are refused."""
    landing = Landing(tmp_path, "debezium")

    def end(at: int, count: int) -> str:
        told = [{"data_collection": "public.u", "event_count": count}]
        value = {"status": "END", "id": f"{at}:{at * 1000}", "data_collections": told}
        return f"{json.dumps(value)}\n"

    landing.land("u", "1", (10, 1))
    landing.project.write("feed/public/ends/1", end(1, 1) + end(2, 2))
    landing.run()
    landing.land("u", "2", (21, 2))
    assert "transaction 2 is incomplete" in landing.refused()
    landing.land("u", "3", (20, 2))
    landing.run()
    assert landing.keys("u") == [10, 20, 21]


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


CHANGES = st.lists(st.tuples(st.sampled_from("tu"), st.integers(1, 4)), min_size=1, max_size=20)


@settings(max_examples=60 * MORE, deadline=None, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(st.sampled_from([*FEEDS]), CHANGES, st.randoms(use_true_random=False))
def test_a_run_holds_all_that_has_landed(
    tmp_path_factory: pytest.TempPathFactory,
    form: str,
    drawn: list[tuple[str, int]],
    rng: random.Random,
) -> None:
    """In whatever order files land, some of them again, and runs are killed: each change once."""
    world = World(tmp_path_factory.mktemp("late"))
    feed = Feed(SPAN, form, "changes/*/*/*", options={"sequence": "at"})
    for name in "tu":
        world.publish(table(name, key=("id",), id="int4!", v="text"), None)
    world.subscribe(changes=replace(feed, assume=frozenset({"fixed_keys"})))
    tables, memory = Tables(drawn), connect(None)
    for turn in range(6):
        for name in "tu":
            # DMS sends nothing again.
            again = rng.choice([[], [], tables.landed[name][-2:]]) if form == "debezium" else []
            landing = tables.land(name, rng.choice([0, 1, 3, 20]))
            if landing or again:
                text = WRITERS[form](name, *again, *landing)
                world.write(f"changes/public/{name}/{turn}", text.encode())
        if not any(tables.landed.values()):
            continue
        for _ in range(rng.choice([0, 0, 1, 2])):
            dying = Told(memory.connection, rng.randint(1, 6), rng.random() < 0.5)
            some = rng.choice([world.compiled(), world.compiled()[:1], world.compiled()[1:]])
            with suppress(Killed):
                assert not run(world.inputs(), {"s1": some}, dying, Options()).mistakes
        engine = Told(memory.connection)
        told = world.run(engine)
        assert not told.mistakes
        assert not any(any(one.conflicts.values()) for one in told.results)
        for one in world.compiled():
            rows = sorted(engine.rows(f"SELECT id, v FROM {one.target_sql}"))
            assert rows == tables.rows(one.relation.name)


def test_the_newest_staged_change(tmp_path: Path) -> None:
    """Up to a number that lies in a part of a file, before all, or behind them."""
    for number, parts in enumerate(([[1, 5], [9, 7]], [[12]], [])):
        file = StagedFile(tmp_path / f"{number}.parquet", [pyarrow.int64()])
        for part in parts:
            file.write([pyarrow.array(part)])
        file.close()
    told = [newest_staged(tmp_path, upto) for upto in (0, 1, 4, 8, 9, 11, 12, None)]
    assert told == [None, 1, 1, 7, 9, 9, 12, 12]
    assert newest_staged(tmp_path / "0.parquet", None) == 9
