"""Changes whose file lands behind a run that went beyond them: applied, never taken for replays."""

from __future__ import annotations

import json
import os
import random
from contextlib import suppress
from pathlib import Path

import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from landing_files import FEEDS, PUBLICATION, TABLES, WRITERS, Change, Landing, Tables, Told, fed
from one_by_one import Killed
from rows import execute, rows_of
from running import World
from test_targets_spark import output, warm

from filtersql.feeds.staging import StagedFile, newest_staged
from filtersql.run import Options, run
from filtersql.targets.duckdb import connect
from filtersql.targets.model import Written
from filtersql.targets.open import open_engine
from filtersql.targets.session import Session

__all__ = ["warm"]

MORE = 25 if os.environ.get("FILTERSQL_LONG_TESTS") else 1


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


def test_a_late_transaction_may_have_its_end(tmp_path: Path) -> None:
    """Whether that was read before, or lands with it."""
    landing = Landing(tmp_path, "debezium")

    def end(name: str, *told: tuple[int, str]) -> None:
        values = [
            {
                "status": "END",
                "id": f"{at}:{at * 1000}",
                "data_collections": [{"data_collection": f"public.{table}", "event_count": 1}],
            }
            for at, table in told
        ]
        landing.project.write(f"feed/public/ends/{name}", "\n".join(map(json.dumps, values)))

    landing.land("t", "1", (1, 1), (2, 4))
    landing.land("u", "1", (1, 1))
    end("1", (2, "u"), (4, "t"))
    landing.run()
    landing.land("u", "2", (2, 2))
    landing.run()
    landing.land("u", "3", (3, 3))
    end("2", (3, "u"))
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2], [1, 2, 3])


@pytest.mark.parametrize("how", ["accept", "apply"])
def test_a_changed_definition_takes_late_changes(landing: Landing, how: str) -> None:
    """And none that it did not take when they were read."""
    landing.land("t", "1", (1, 10), (2, 20))
    text = WRITERS[landing.form]("u", Change(1, 12), Change(1, 14, "u"))
    landing.project.write("feed/public/u/1", text)
    inserts = PUBLICATION.replace("insert, update, delete", "insert")
    landing.project.write("publications/p.yml", inserts)
    landing.run()
    assert "12." in str(rows_of(landing.project.folder, "dev")["s", "public.u"])
    landing.project.write("publications/p.yml", PUBLICATION)
    if how == "apply":
        landing.project.succeed("apply", "--yes")
    landing.project.write("feed/public/u/1", text + landing.changes("u", (2, 16)))
    landing.project.succeed("run", *(["--accept-filter-change"] if how == "accept" else []))
    assert "12." in str(rows_of(landing.project.folder, "dev")["s", "public.u"])
    assert landing.keys("u") == [1, 2]


LEAVES = """CREATE TABLE root (id int NOT NULL, v text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE t PARTITION OF root FOR VALUES FROM (0) TO (10);
CREATE TABLE u PARTITION OF root DEFAULT;
"""


def test_leaves_under_one_root_are_told_apart(landing: Landing) -> None:
    """A leaf's change that lands behind those of others is refused; what is sent again is not."""
    (landing.project.folder / "tables/t.yml").unlink()
    landing.project.write("tables/t.sql", LEAVES)
    (landing.project.folder / "publications/p.yml").unlink()
    landing.project.write(
        "publications/p.sql",
        "CREATE PUBLICATION p FOR TABLE root"
        " WITH (publish = 'insert, update, delete', publish_via_partition_root = true);",
    )
    landing.land("t", "1", (1, 10), (2, 20))
    landing.land("u", "1", (11, 12))
    landing.run()
    landing.land("t", "2", (3, 30))
    landing.land("u", "2", (11, 12))
    landing.run()
    landing.land("u", "3", (12, 15), (13, 40))
    said = landing.refused()
    assert "feed/public/u/3" in said
    assert 'change of "public.u" came late: target s/public.root is beyond it already' in said
    assert landing.keys("root") == [1, 2, 3, 11]
    landing.project.succeed("run", "--full-refresh")
    assert landing.keys("root") == [1, 2, 3, 11, 12, 13]
    landing.land("t", "3", (4, 35))
    assert 'change of "public.t" came late' in landing.refused()


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


CHANGE = st.tuples(st.sampled_from("tu"), st.integers(0, 4))
TRANSACTIONS = st.lists(st.lists(CHANGE, min_size=1, max_size=6), min_size=1, max_size=12)


@settings(max_examples=40 * MORE, deadline=None, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(st.sampled_from([*FEEDS]), TRANSACTIONS, st.randoms(use_true_random=False))
def test_a_run_holds_all_that_has_landed(
    tmp_path_factory: pytest.TempPathFactory,
    form: str,
    drawn: list[list[tuple[str, int]]],
    rng: random.Random,
) -> None:
    """Over whatever files transactions are parted, some changes sent again, and runs killed."""
    world = fed(World(tmp_path_factory.mktemp("late")), form)
    # A late full load of DMS is refused.
    tables = Tables(drawn, 0 if form == "dms" else rng.choice([0, 5]))
    memory = connect(None)
    for turn in range(6):
        for name in "tu":
            # DMS sends nothing again.
            again = rng.choice([[], [], tables.landed[name][-2:]]) if form != "dms" else []
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


@pytest.mark.spark
@pytest.mark.parametrize(("form", "table_format"), [("debezium", "delta"), ("dms", "iceberg")])
def test_spark_applies_a_late_change_once(tmp_path, monkeypatch, warm, form, table_format) -> None:
    """Its mark is behind the last of its target, not behind those of others; also when killed."""
    world = World(tmp_path, "spark", "lake" if table_format == "iceberg" else None)
    fed(world, form)
    engine = open_engine(output(table_format), tmp_path)

    def land(table: str, name: str, *changes: Change) -> None:
        world.write(f"changes/public/{table}/{name}", WRITERS[form](table, *changes).encode())

    def again() -> list[tuple[object, ...]]:
        told = world.run(engine)
        assert not told.mistakes
        assert not any(any(one.conflicts.values()) for one in told.results)
        return engine.rows(f"SELECT id, v FROM {engine.table_sql(('s1', 'u'))} ORDER BY id")

    land("t", "1", Change(1, 10), Change(2, 30))
    land("u", "1", Change(1, 12))
    assert again() == [(1, "12.0")]
    land("u", "2", Change(1, 14, "d"), Change(2, 15))
    assert again() == [(2, "15.0")]
    land("u", "3", Change(2, 16, "u"), Change(1, 17))
    write = Session.write

    def killed(*asked: object) -> Written | None:
        write(*asked)
        raise Killed

    monkeypatch.setattr(Session, "write", killed)
    with pytest.raises(Killed):
        world.run(engine)
    monkeypatch.setattr(Session, "write", write)
    land("u", "4", Change(5, 17, n=1), Change(3, 20), Change(4, 40))
    expected = [(1, "17.0"), (2, "16.0"), (3, "20.0"), (4, "40.0"), (5, "17.1")]
    assert again() == expected
    engine.close()


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
