"""Changes whose file lands behind a run that went beyond them: refused, never taken for replays."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pyarrow
import pytest
from answers import Project
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rows import rows_of
from running import SPAN, World, table

from filtersql.definitions.model import Feed
from filtersql.feeds.staging import StagedFile, newest_staged
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


def dms(_: str, *rows: tuple[int, int]) -> str:
    """Inserts, each at a second of a minute."""
    return "".join(
        ["Op,id,v,at\n", *(f"I,{key},x,2026-01-02 03:04:{at:02}.{key % 10}\n" for key, at in rows)]
    )


def debezium(table: str, *rows: tuple[int, int]) -> str:
    """Inserts, each in a transaction behind a position of the log."""
    values = []
    for key, at in rows:
        lsn = str(at * 1000)
        source = {"schema": "public", "table": table, "txId": at, "lsn": at * 1000 + key}
        values.append(
            {
                "op": "c",
                "source": {**source, "sequence": json.dumps([lsn, lsn])},
                "before": None,
                "after": {"id": key, "v": "x"},
                "transaction": {"id": f"{at}:{lsn}", "total_order": 1 + key % 10},
            }
        )
    return "".join(f"{json.dumps(value)}\n" for value in values)


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
        self.project.write(f"feed/public/{table}/{name}", WRITERS[self.form](table, *rows))

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


def test_a_change_of_a_file_that_lands_late_is_refused(landing: Landing) -> None:
    """Nothing is changed; a full refresh of its target takes it in."""
    landing.land("t", "1", (1, 10), (2, 20))
    landing.land("u", "1", (1, 12))
    landing.run()
    landing.land("u", "2", (2, 15), (3, 30))
    said = landing.refused()
    assert "feed/public/u/2" in said
    assert "change came late: target s/public.u is beyond it already" in said
    assert "run --full-refresh --select s/public.u." in said
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2], [1])
    landing.project.succeed("run", "--full-refresh", "--select", "s/public.u")
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2], [1, 2, 3])


def test_a_quiet_table_is_remembered(landing: Landing) -> None:
    """Runs that have nothing for it, and that know its files already, change nothing of that."""
    landing.land("t", "1", (1, 10))
    landing.run()
    for number in (2, 3):
        landing.land("t", str(number), (number, 10 * number))
        landing.run()
    landing.land("u", "1", (1, 40))
    landing.run()
    landing.land("t", "5", (5, 50))
    landing.run()
    landing.land("u", "2", (2, 45))
    assert "change came late: target s/public.u" in landing.refused()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2, 3, 5], [1])


def test_a_change_that_is_sent_again_is_none(landing: Landing) -> None:
    """What a target has is passed over, in whatever file it comes again."""
    landing.land("t", "1", (1, 10), (2, 20))
    landing.land("u", "1", (1, 12), (2, 18))
    landing.run()
    landing.land("u", "2", (1, 12), (2, 18), (3, 30))
    landing.land("t", "2", (2, 20))
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2], [1, 2, 3])


def test_the_files_of_one_table_never_land_late(landing: Landing) -> None:
    """A subscription of each table is not beyond what it reads."""
    said = FEEDS[landing.form]
    each = ", ".join(
        f"{{name: {name}, publications: [{name}], changes: {said.replace('/*/*/', f'/*/{name}/')}}}"
        for name in "tu"
    )
    published = ", ".join(
        f"{{name: {name}, publish: [insert, update, delete], tables: [{name}]}}" for name in "tu"
    )
    landing.project.write("publications/p.yml", f"publications: [{published}]\n")
    landing.project.write("subscriptions/s.yml", f"subscriptions: [{each}]\n")
    landing.land("t", "1", (1, 10), (2, 20))
    landing.land("u", "1", (1, 12))
    landing.run()
    landing.land("u", "2", (2, 15))
    landing.run()
    held = rows_of(landing.project.folder, "dev")
    assert held["u", "public.u"].total() == 2


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


CHANGES = st.lists(st.sampled_from("tu"), min_size=1, max_size=20)


@settings(max_examples=60 * MORE, deadline=None, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(st.sampled_from([*FEEDS]), CHANGES, st.randoms(use_true_random=False))
def test_a_run_holds_all_that_has_landed(
    tmp_path_factory: pytest.TempPathFactory,
    form: str,
    drawn: list[str],
    rng: random.Random,
) -> None:
    """In whatever order files land, some of them again: it does, or the run is refused."""
    world = World(tmp_path_factory.mktemp("late"))
    feed = Feed(SPAN, form, "changes/*/*/*", options={"sequence": "at"})
    for name in "tu":
        one = table(name, key=("id",), id="int4!", v="text")
        world.subscribe(changes=feed).publish(one, None)
    waiting: dict[str, list[tuple[int, int]]] = {"t": [], "u": []}
    for at, name in enumerate(drawn, 1):
        waiting[name].append((10 * at, at))
    landed: dict[str, list[tuple[int, int]]] = {"t": [], "u": []}
    engine = connect(None)
    for turn in range(5):
        for name in "tu":
            # DMS sends nothing again.
            again = rng.choice([[], [], landed[name][-2:]]) if form == "debezium" else []
            count = rng.choice([0, 1, 3, len(waiting[name])])
            rows, waiting[name] = waiting[name][:count], waiting[name][count:]
            if rows or again:
                text = WRITERS[form](name, *again, *rows)
                world.write(f"changes/public/{name}/{turn}", text.encode())
            landed[name] += rows
        if not any(landed.values()):
            continue
        if refused := world.run(engine).mistakes:
            assert all("came late" in one.message for one in refused)
            return
        for one in world.compiled():
            rows = sorted(engine.rows(f"SELECT id FROM {one.target_sql}"))
            assert rows == sorted((key,) for key, _ in landed[one.relation.name])


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
