"""Messages of Debezium and wal2json in a column of a table are read as those in files are."""

from __future__ import annotations

import os
import random
from contextlib import closing
from pathlib import Path

import pytest
from bronze import CREATE, Message, bronze_feed, kept
from cases import read_fences
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from landing_files import WRITERS, Change, Tables, Told, fed
from rows import differences
from running import World
from small_spark import SMALL
from test_foreign_feeds import lines_of, parts, project, ran
from test_page_of_feeds import PAGE
from test_targets_spark import output, warm

from filtersql.run import message_ranges, message_tables
from filtersql.targets.duckdb_file import connect
from filtersql.targets.open import open_engine
from filtersql.targets.session import Session

__all__ = ["warm"]

MORE = 25 if os.environ.get("FILTERSQL_LONG_TESTS") else 1
TRANSACTIONS = st.lists(
    st.lists(st.tuples(st.sampled_from("tu"), st.integers(0, 4)), min_size=1, max_size=6),
    min_size=1,
    max_size=12,
)
#: what a recorded project says of its feed, and what it says here
RECORDED = {
    "debezium": ('path: "changes/*.jsonl.gz"', "[topic, partition, offset]"),
    "wal2json": ('path: "changes/*.json.gz"', "offset"),
}


@pytest.mark.parametrize(
    ("form", "kind"), [("debezium", "VARCHAR"), ("debezium", "BLOB"), ("wal2json", "VARCHAR")]
)
def test_a_recorded_feed_leaves_what_subscribers_held(
    form: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each run finds more rows; for Debezium they are a topic's, as the page of feeds says it."""
    monkeypatch.setattr(message_ranges, "RANGE", 64)
    root = project(tmp_path, form, "bare" if form == "debezium" else "")
    before, order = RECORDED[form]
    said = f"table: lake.bronze, column: value, order: {order}"
    if form == "debezium":
        (shown,) = (fence for fence in read_fences(PAGE) if fence.language == "yaml")
        assert shown.text == f"changes: {{format: debezium, {said}}}"
    (subscriptions,) = (root / "subscriptions").iterdir()
    subscriptions.write_text(subscriptions.read_text().replace(before, said))
    lines = lines_of(form, "bare" if form == "debezium" else "")
    with closing(connect(root / "feeds.duckdb")) as engine:
        engine.execute("CREATE SCHEMA lake")
        columns = f'topic TEXT, "partition" INT, "offset" BIGINT, value {kind}'
        engine.execute(f"CREATE TABLE lake.bronze ({columns})")
    for part in parts([*enumerate(lines)], 2):
        messages: list[Message] = [("t", 0, offset, line) for offset, line in part]
        with closing(connect(root / "feeds.duckdb")) as engine:
            kept(engine, "lake.bronze", kind, messages)
        ran(root)
    assert differences(root, "duckdb") == []


@settings(max_examples=20 * MORE, deadline=None, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(TRANSACTIONS, st.sampled_from([1, 2, 5, 100]), st.randoms(use_true_random=False))
def test_a_run_holds_all_that_was_brought(
    tmp_path_factory: pytest.TempPathFactory,
    drawn: list[list[tuple[str, int]]],
    width: int,
    rng: random.Random,
) -> None:
    """However many offsets are read together; some messages came twice, and some are tombstones."""
    world = fed(World(tmp_path_factory.mktemp("bronze")), "debezium")
    world.subscribe(changes=bronze_feed("main.bronze"))
    tables = Tables(drawn, rng.choice([0, 5]))
    memory = connect(None)
    memory.execute(CREATE.format(name="bronze", text="TEXT", kind="TEXT"))
    ends = {"t": 0, "u": 0}
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(message_ranges, "RANGE", width)
        for _ in range(4):
            messages: list[Message] = []
            for name in "tu":
                sent = [one for one in tables.landed[name][-2:] if one.op != "r"]
                landing = [*rng.choice([[], sent]), *tables.land(name, rng.choice([0, 1, 3, 20]))]
                for line in WRITERS["debezium"](name, *landing).splitlines():
                    said = rng.choice([line, line, line, f"{line}\n", None])
                    for text in [None, line] if said is None else [said]:
                        ends[name] += rng.choice([1, 1, 1, 3])
                        messages += [(name, 0, ends[name], text)] * rng.choice([1, 1, 2])
            if messages:
                kept(memory, "bronze", "TEXT", messages)
            engine = Told(memory.connection)
            told = world.run(engine)
            assert not told.mistakes
            for one in world.compiled():
                rows = sorted(engine.rows(f"SELECT id, v FROM {one.target_sql}"))
                assert rows == tables.rows(one.relation.name)
    memory.close()


@pytest.mark.spark
@pytest.mark.parametrize(("table_format", "kind"), [("delta", "BINARY"), ("iceberg", "STRING")])
def test_executors_of_spark_write_what_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm: None, table_format: str, kind: str
) -> None:
    """No message comes to this process."""
    world = World(tmp_path, "spark", "lake" if table_format == "iceberg" else None)
    fed(world, "debezium")
    engine = open_engine(output(table_format, spark_conf=SMALL), tmp_path)
    name = "bronze_debezium.m" if table_format == "delta" else "lake.bronze_debezium.m"
    schema = name.rpartition(".")[0]
    place = f" LOCATION '{tmp_path}/bronze.db'" if table_format == "delta" else ""
    engine.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}{place}")
    created = CREATE.format(name=name, text="STRING", kind=kind)
    engine.execute(f"{created} USING {table_format}")
    world.subscribe(changes=bronze_feed(name))

    def here(*_: object) -> None:
        raise AssertionError("rows come to this process")

    monkeypatch.setattr(Session, "stream", here)
    monkeypatch.setattr(message_tables, "_ROWS", 2)
    monkeypatch.setattr(message_ranges, "RANGE", 2)
    changes = {"t": [Change(1, 10), Change(2, 30), Change(3, 31)], "u": [Change(1, 12)]}
    for topic, some in changes.items():
        lines = WRITERS["debezium"](topic, *some).splitlines()
        kept(engine, name, kind, [(topic, 0, at, line) for at, line in enumerate(lines)])
    assert world.run(engine).mistakes == ()
    lines = WRITERS["debezium"]("u", Change(1, 14, "d"), Change(2, 15)).splitlines()
    kept(engine, name, kind, [("u", 0, 2, None), ("u", 0, 3, lines[0]), ("u", 0, 4, lines[1])])
    assert world.run(engine).mistakes == ()
    rows = [
        engine.rows(f"SELECT id, v FROM {engine.table_sql(('s1', each))} ORDER BY id")
        for each in "tu"
    ]
    assert rows == [[(1, "10.0"), (2, "30.0"), (3, "31.0")], [(2, "15.0")]]
    wrong = WRITERS["debezium"]("u", Change(7, 50)).encode().replace(b'"50.0"', b'"\xff"')
    assert b"\xff" in wrong
    engine.execute(f"INSERT INTO {name} SELECT 'u', 0, 9, CAST(X'{wrong.hex()}' AS {kind})")
    (mistake,) = world.run(engine).mistakes
    assert f"{name}[u,0,9]:1:1: " in str(mistake)
    assert "utf-8" in str(mistake).lower()
    engine.close()


@pytest.mark.spark
def test_spark_reads_views_and_tables_that_stand_elsewhere(tmp_path: Path, warm: None) -> None:
    """Their names stay: they are none that filtersql made."""
    world = fed(World(tmp_path, "spark"), "debezium")
    engine = open_engine(output("delta", spark_conf=SMALL), tmp_path)
    engine.execute(f"CREATE SCHEMA bronze_elsewhere LOCATION '{tmp_path}/bronze.db'")
    created = CREATE.format(name="bronze_elsewhere.m", text="STRING", kind="STRING")
    engine.execute(f"{created} USING delta LOCATION '{tmp_path}/elsewhere'")
    engine.execute("CREATE VIEW bronze_elsewhere.v AS SELECT * FROM bronze_elsewhere.m")
    for place, name in enumerate("vm"):
        line = WRITERS["debezium"]("t", Change(place, 10 + place)).strip()
        kept(engine, "bronze_elsewhere.m", "STRING", [("t", 0, place, line)])
        world.subscribe(changes=bronze_feed(f"bronze_elsewhere.{name}"))
        assert world.run(engine).results[0].rows_inserted == 1
    engine.execute("DROP VIEW bronze_elsewhere.v")
    engine.close()
