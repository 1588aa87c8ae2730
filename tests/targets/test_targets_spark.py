"""Embedded Spark with Delta and Iceberg: the same rows, a marked position, jars asked for once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest
from running import SPAN, World, delete, forget_the_end, insert, table, truncate, update

from filtersql.errors import Mistakes
from filtersql.run import ledger_writer
from filtersql.targets.depth import DEPTH, LOOKS
from filtersql.targets.jars import COORDINATES, cache_folder
from filtersql.targets.marks import Mark, Slot
from filtersql.targets.model import AT_ONCE
from filtersql.targets.open import open_engine
from filtersql.targets.session import Session
from filtersql.targets.statements import typed_rows

pytestmark = pytest.mark.spark

FORMATS = ["delta", "iceberg"]


def output(table_format: str, **settings: object) -> SimpleNamespace:
    """An output of profiles.yml."""
    iceberg = table_format == "iceberg"
    config = {"catalog_config": {"type": "hadoop", "warehouse": "lakehouse"}} if iceberg else {}
    return SimpleNamespace(
        type="spark",
        method="session",
        format=table_format,
        catalog="lake" if iceberg else None,
        threads=2,
        settings={"format": table_format, **config, **settings},
        span=SPAN,
    )


def sample(tmp_path, table_format: str) -> World:
    world = World(tmp_path, "spark", "lake" if table_format == "iceberg" else None)
    world.publish(
        table("t1", a="int4!", b="int4", c="text", v="numeric(10,2)", d="date", z="timestamptz"),
        where="{p}a > 5",
    ).publish(table("t2", a="int4!", c="text!"))
    world.source(path="source/{schema}.{table}.jsonl")
    world.write("source/public.t1.jsonl", [row(a=1), row(a=6), row(a=7)])
    world.write("source/public.t2.jsonl", [{"a": 1, "c": "it's ${x} \\ 'q'"}])
    return world.feed(
        [
            insert("t1", **row(a=8, b=1)),
            update("t1", {"a": 1}, **row(a=9, b=2)),
            update("t1", {"a": 6}, **row(a=2, b=2)),
            update("t1", **row(a=7, b=7)),
            insert("t2", a=2, c="y"),
        ]
    )


def row(**more: object) -> dict:
    return {"a": 0, "b": 0, "c": "é", "v": "1.50", "d": "1500-03-01",
            "z": "2024-01-01 00:00:00.000001+02", **more}  # fmt: skip


@pytest.fixture
def warm(spark) -> None:
    """Spark runs: the fixture of the session started it."""


@pytest.fixture(params=FORMATS)
def lake(request, tmp_path, warm):
    """(world, engine) on Delta and on Iceberg."""
    world = sample(tmp_path, request.param)
    engine = open_engine(output(request.param), tmp_path)
    yield world, engine
    engine.close()


def held(engine, name: str) -> list[tuple]:
    rows = engine.rows(f"SELECT * FROM {engine.table_sql(('s1', name))} ORDER BY a")
    return [tuple(map(str, row)) for row in rows]


def test_a_run_leaves_the_filtered_rows_and_a_second_one_changes_nothing(lake, monkeypatch) -> None:
    """Copy, MERGE, truncate; counts are exact; the mark stands with the data."""
    world, engine = lake
    result = world.run(engine)
    assert result.mistakes == ()
    assert [row[:2] for row in held(engine, "t1")] == [("7", "7"), ("8", "1"), ("9", "2")]
    assert held(engine, "t1")[0][2:] == (
        "é", "1.50", "1500-03-01", "2023-12-31 22:00:00.000001",
    )  # fmt: skip
    assert held(engine, "t2") == [("1", "it's ${x} \\ 'q'"), ("2", "y")]
    first = result.results[0]
    assert (first.rows_inserted, first.rows_updated, first.rows_deleted) == (4, 1, 1)
    assert engine.rows(f"SET {DEPTH}") == [(DEPTH, LOOKS)]
    compiled = world.compiled()[0]
    assert engine.committed(compiled.target) == Mark("s1", compiled.relation, 1, 5)
    again = world.run(engine)
    assert [found.message for found in again.results] == ["nothing new", "nothing new"]

    # A statement whose outcome was unknown: the mark tells that it was committed.
    forget_the_end(engine, compiled, times=4)
    world.feed([{"seq": 9, **truncate("t1")}, {"seq": 10, **insert("t1", **row(a=30))},
                {"seq": 11, **delete("t2", a=1)}], name="2")  # fmt: skip
    rows, files = _ledger(engine)
    assert files > 4
    # Each commit of the ledger is a file: once in a while a run joins them.
    monkeypatch.setattr(ledger_writer, "JOINED_EVERY", 1)
    result = world.run(engine)
    assert result.mistakes == ()
    assert _ledger(engine) == (rows + 3, 1)
    assert [row[0] for row in held(engine, "t1")] == ["30"]
    assert held(engine, "t2") == [("2", "y")]
    counts = [(r.rows_inserted, r.rows_deleted, r.position) for r in result.results]
    assert counts == [(1, 3, 11), (0, 1, 11)]


@pytest.mark.parametrize(
    "lake", [pytest.param("delta", marks=pytest.mark.long), "iceberg"], indirect=True
)
def test_targets_are_worked_at_side_by_side_where_nothing_is_said(lake, monkeypatch) -> None:
    """In as many sessions as there are cores: the same rows and marks, and nothing is left over."""
    world, engine = lake
    assert engine.targets_at_once == min(AT_ONCE, os.cpu_count() or 1)
    engine.targets_at_once = 2
    writing, write = [], Session.write

    def noted(session: Session, statement: str, compiled, mark: Mark):
        writing.append((id(session), compiled.target))
        return write(session, statement, compiled, mark)

    monkeypatch.setattr(Session, "write", noted)
    assert world.run(engine, threads=None).mistakes == ()
    assert len({session for session, _ in writing}) == 2
    assert len(dict(writing)) == len({target for _, target in writing}) == 2
    assert [row[:2] for row in held(engine, "t1")] == [("7", "7"), ("8", "1"), ("9", "2")]
    assert held(engine, "t2") == [("1", "it's ${x} \\ 'q'"), ("2", "y")]
    for compiled in world.compiled():
        assert engine.committed(compiled.target) == Mark("s1", compiled.relation, 1, 5)
    again = world.run(engine, threads=None)
    assert [found.message for found in again.results] == ["nothing new", "nothing new"]


def _ledger(engine) -> tuple[int, int]:
    """How many rows it has, and how many files."""
    name = engine.table_sql(("filtersql", "ledger"))
    found = engine.rows(f"SELECT INPUT_FILE_NAME() FROM {name}")
    return len(found), len(set(found))


def test_a_repeated_merge_is_skipped_by_delta_itself(tmp_path, warm) -> None:
    """By txnAppId and txnVersion; no later statement is silenced by them."""
    world = sample(tmp_path, "delta")
    engine = open_engine(output("delta"), tmp_path)
    compiled = world.compiled()[1]
    engine.create(compiled.target, compiled.column_definitions_sql, {"cluster_by": ["a"]})
    merge = (
        f"MERGE INTO {compiled.target_sql} AS t USING (SELECT 1 AS a, 'x' AS c) AS s ON FALSE "
        "WHEN NOT MATCHED THEN INSERT (a, c) VALUES (s.a, s.c)"
    )
    mark = Mark("s1", compiled.relation, 1, 17)
    first = engine.write(merge, compiled, mark)
    assert first is not None
    assert first.inserted == 1
    assert engine.write(merge, compiled, mark) is None
    engine.execute(f"INSERT INTO {compiled.target_sql} VALUES (2, 'y')")
    assert held(engine, "t2") == [("1", "x"), ("2", "y")]
    engine.close()


def test_the_log_of_deltas_ledger_tells_whose_rows_it_took(tmp_path, warm) -> None:
    """Of a slot that was free no query is asked; of one that is filled, the rows that are there."""
    engine = open_engine(output("delta"), tmp_path)
    place, names = ("state", "ledger"), ("ordinal", "subscription")
    engine.create(place, "`ordinal` BIGINT, `subscription` STRING", {})
    then = f"SELECT * FROM {engine.table_sql(place)} WHERE `subscription` = 's' ORDER BY `ordinal`"

    def append(ordinal: int, query: str, subscription: str = "s") -> list[tuple]:
        rows = [(ordinal, subscription)]
        return engine.append(place, names, rows, Slot(subscription, ordinal), query)

    assert append(1, "no query") == [(1, "s")]
    assert append(1, "no query", "other") == [(1, "other")]
    assert append(2, "no query") == [(2, "s")]
    assert append(2, then) == [(1, "s"), (2, "s")]
    with pytest.raises(Mistakes):
        append(1, "no query")
    assert engine.rows(then) == [(1, "s"), (2, "s")]
    engine.close()


def test_a_table_whose_making_was_killed_is_made_anew(tmp_path, warm) -> None:
    """Delta itself takes no folder with a log and without a commit, whatever it is told."""
    engine = open_engine(output("delta"), tmp_path)

    def left(name: str):
        log = tmp_path / "warehouse" / "s1.db" / name / "_delta_log"
        (log / "_staged_commits").mkdir(parents=True)
        (log / f".{0:020}.json.7c.tmp").touch()
        assert not engine.exists(("s1", name))
        return log.parent

    left("made_anew")
    engine.create(("s1", "made_anew"), "a INT", {})
    assert engine.exists(("s1", "made_anew"))
    assert held(engine, "made_anew") == []
    (left("begun") / "part-00000-7c.snappy.parquet").write_bytes(b"PAR1")
    columns, rows = [("a", "BIGINT"), ("b", "STRING")], [(1, None), (2, "it's")]
    engine.begin(("s1", "begun"), typed_rows(columns, rows, "spark"))
    assert engine.columns(("s1", "begun")) == (("a", "bigint"), ("b", "string"))
    assert held(engine, "begun") == [("1", "None"), ("2", "it's")]
    engine.close()


def test_a_table_whose_folder_was_removed_is_made_anew(tmp_path, warm) -> None:
    """In the process that knows its name: Spark itself refuses to look at it."""
    engine = open_engine(output("delta"), tmp_path)
    engine.create(("s1", "removed"), "a INT", {})
    shutil.rmtree(tmp_path / "warehouse")
    assert not engine.exists(("s1", "removed"))
    engine.create(("s1", "removed"), "a INT", {})
    assert held(engine, "removed") == []
    engine.close()


def test_a_table_is_replaced_by_one_with_a_moment(tmp_path, warm) -> None:
    """Delta asks for the feature where the table that is there has none."""
    engine = open_engine(output("delta"), tmp_path)
    engine.create(("s1", "plain"), "`a` INT", {})
    query = "SELECT 1 AS a, TIMESTAMP_NTZ '2026-01-02 03:04:05' AS at"
    columns = "`a` INT,\n  `at` TIMESTAMP_NTZ"
    engine.execute(engine.replacing(("s1", "plain"), columns, {}, query, "stage")[0])
    assert held(engine, "plain") == [("1", "2026-01-02 03:04:05")]
    engine.close()


def test_the_first_rows_of_a_table_do_not_say_that_others_hold_a_value(tmp_path, warm) -> None:
    """A catalog of Iceberg may take a query's columns as they are: with what is never NULL."""
    made = output("iceberg")
    config = {"type": "hadoop", "warehouse": "strict", "use-nullable-query-schema": "false"}
    made.settings |= {"catalog_config": config}
    engine = open_engine(made, tmp_path)
    name = engine.table_sql(("s1", "begun"))
    engine.begin(
        ("s1", "begun"), typed_rows([("a", "BIGINT"), ("b", "STRING")], [(1, "x")], "spark")
    )
    engine.execute(f"INSERT INTO {name} VALUES (NULL, NULL)")
    assert sorted(engine.rows(f"SELECT * FROM {name}"), key=str) == [(1, "x"), (None, None)]
    engine.begin(("s1", "as_is"), "SELECT 1 AS a")
    with pytest.raises(Mistakes, match="NULL"):
        engine.execute(f"INSERT INTO {engine.table_sql(('s1', 'as_is'))} VALUES (NULL)")
    engine.close()


def test_a_spark_whose_like_takes_characters_apart_is_refused(tmp_path, warm, monkeypatch) -> None:
    """4.0.0 to 4.0.2, 4.1.0 and 4.1.1 say false; here the question is one to which all do."""
    open_engine(output("delta"), tmp_path).close()
    monkeypatch.setattr("filtersql.targets.open.FINDS", "'a' LIKE 'b'")
    with pytest.raises(Mistakes, match="does not find characters beyond") as found:
        open_engine(output("delta"), tmp_path)
    assert found.value.exit_code == 2


def test_a_refusal_leaves_no_table(lake) -> None:
    """A value that does not fit, in the first run."""
    world, engine = lake
    world.feed([{"seq": 50, **insert("t1", **row(a=50, d="infinity"))}], name="2")
    result = world.run(engine)
    assert "cannot be held by Spark's DATE" in result.mistakes[0].message
    hint = "With `target_type: string` a column keeps PostgreSQL's text."
    assert result.mistakes[0].hint == hint
    assert not engine.exists(("s1", "t1"))
    assert not engine.exists(("filtersql", "ledger"))


def test_an_engines_error_is_one_message(lake) -> None:
    """Not a Java stack trace."""
    _, engine = lake
    with pytest.raises(Mistakes) as found:
        engine.rows("SELECT * FROM nowhere")
    assert "TABLE_OR_VIEW_NOT_FOUND" in str(found.value)
    assert "org.apache" not in str(found.value)


_SECOND = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from test_targets_spark import held, output, sample
from filtersql.errors import Mistakes
from filtersql.targets.open import open_engine
cut_off = {"spark.jars.repositories": "http://127.0.0.1:9/", "spark.jars.ivy": sys.argv[1] + "/ivy",
           "spark.jars.ivySettings": sys.argv[1] + "/ivy.xml"}
root = Path(sys.argv[1])
try:
    engine = open_engine(output("delta", spark_conf=cut_off), root)
except Mistakes as found:
    print(found.exit_code, found)
    sys.exit()
world = sample(root / "again", "delta")
world.root = root
print([found.message for found in world.run(engine).results])
assert engine.exists(("s1", "t2"))  # a session knows of the tables that were asked for
print(held(engine, "t2"))
"""
_NOWHERE = """<ivysettings><settings defaultResolver="none"/><resolvers>
<ibiblio name="none" m2compatible="true" root="http://127.0.0.1:9/"/></resolvers></ivysettings>"""


def second_process(root, cache: str) -> subprocess.CompletedProcess[str]:
    """A run in a process of its own whose every registry is away."""
    (root / "ivy.xml").write_text(_NOWHERE)
    answer = subprocess.run(
        [sys.executable, "-c", _SECOND, str(root), *filter(None, sys.path)],
        env={**os.environ, "FILTERSQL_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    return answer


def test_a_second_process_sees_the_tables_with_every_registry_cut_off(tmp_path, warm) -> None:
    """The jars come from the cache; Spark writes nothing to the terminal."""
    world = sample(tmp_path, "delta")
    engine = open_engine(output("delta"), tmp_path)
    assert world.run(engine).mistakes == ()
    engine.close()
    answer = second_process(tmp_path, str(cache_folder().parent))
    assert answer.stdout.splitlines() == [
        "['nothing new', 'nothing new']",
        "[('1', \"it's ${x} \\\\ 'q'\"), ('2', 'y')]",
    ]
    assert answer.stderr == ""


def test_jars_that_cannot_be_had_are_an_unreachable_engine(tmp_path) -> None:
    """The message names the jars, the cache, and what to do."""
    answer = second_process(tmp_path, str(tmp_path / "empty"))
    assert answer.stdout.startswith(
        "2 could not reach Spark\ndetail: The jars io.delta:delta-spark"
    )
    assert str(tmp_path / "empty") in answer.stdout


def test_the_three_jars_are_enough() -> None:
    """60 MB instead of 134."""
    assert len(COORDINATES) == 3
