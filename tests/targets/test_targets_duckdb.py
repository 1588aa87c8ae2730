"""DuckDB as a target: its file, its settings, and what it says when it refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from running import SPAN, World, insert, table

from filtersql.errors import Mistakes
from filtersql.targets import turns
from filtersql.targets.duckdb_file import connect
from filtersql.targets.open import open_engine
from filtersql.targets.refusals import reason_of


def test_a_file_that_cannot_be_opened_is_an_unreachable_engine(tmp_path) -> None:
    """Exit code 2, one message."""
    (tmp_path / "x.duckdb").write_text("no database")
    with pytest.raises(Mistakes) as found:
        connect(tmp_path / "x.duckdb")
    assert found.value.exit_code == 2
    assert found.value.mistakes[0].message == "could not reach DuckDB"


def test_a_file_that_another_process_holds_is_named(tmp_path) -> None:
    """It is the one lease that a file needs: a run that comes second stops with exit code 2."""
    engine = connect(tmp_path / "x.duckdb")
    code = (
        "import sys, pathlib\n"
        "from filtersql.errors import Mistakes\n"
        "from filtersql.targets.duckdb_file import connect\n"
        "try: connect(pathlib.Path(sys.argv[1]))\n"
        "except Mistakes as found: print(found.exit_code, found)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "x.duckdb")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.startswith('2 another process has the DuckDB file "x.duckdb"\n')
    assert f"Process {os.getpid()} has it open. This run wrote nothing." in answer.stdout
    engine.close()


def test_a_thread_waits_for_its_turn_and_not_for_ever(tmp_path, monkeypatch) -> None:
    """Two may wait for each other. A thread that has the file may open it again."""
    path = tmp_path / "x.duckdb"
    first, again = connect(path), connect(path)
    first.close()
    first.close()
    with ThreadPoolExecutor(1) as other:
        monkeypatch.setattr(turns, "PATIENCE", 0.1)
        with pytest.raises(Mistakes, match="another thread of this process") as found:
            other.submit(connect, path).result()
        assert found.value.exit_code == 2
        monkeypatch.setattr(turns, "PATIENCE", 60)
        waiting = other.submit(lambda: connect(path).close())
        again.close()
        waiting.result(30)
    connect(path).close()


def test_macros_that_hide_functions_of_duckdb_are_refused(tmp_path) -> None:
    """Statements name functions without a schema: the file's macro of that name would be called."""
    path = tmp_path / "x.duckdb"
    engine = connect(path)
    engine.execute("CREATE MACRO shout(x) AS upper(x)")
    engine.execute("CREATE SCHEMA s; CREATE MACRO s.lower(x) AS 'mine'")
    engine.close()
    engine = connect(path)
    assert engine.rows("SELECT lower('A')") == [("a",)]
    engine.execute("CREATE MACRO Lower(x) AS 'mine'")
    engine.execute("CREATE MACRO current_schema() AS 's'")
    assert engine.rows("SELECT lower('A')") == [("mine",)]
    engine.close()
    with pytest.raises(Mistakes) as found:
        connect(path)
    assert found.value.exit_code == 2
    assert 'hides DuckDB\'s own functions "Lower", "current_schema"' in str(found.value)


def test_a_file_with_the_name_of_a_schema_is_told(tmp_path) -> None:
    """Its own words name neither the file nor what to do."""
    engine = connect(tmp_path / "europe.duckdb")
    engine.execute("CREATE SCHEMA europe.europe")
    with pytest.raises(Mistakes) as found:
        engine.execute("CREATE TABLE europe.t (a INT)")
    assert 'give "path" in profiles.yml another one' in str(found.value.mistakes[0].hint)
    engine.close()


def test_a_column_that_finds_other_texts_equal_is_of_another_type(tmp_path) -> None:
    """Of keys A and a one row would be left."""
    world = World(tmp_path).publish(table("t", a="text!", n="int4"))
    world.feed([insert("t", a="A", n=1), insert("t", a="a", n=2)])
    engine = connect(tmp_path / "x.duckdb")
    assert world.run(engine).mistakes == ()
    assert engine.columns(("s1", "t")) == (("a", "VARCHAR"), ("n", "INTEGER"))
    engine.execute("CREATE OR REPLACE TABLE s1.t (a VARCHAR COLLATE NOCASE, n INTEGER)")
    assert engine.columns(("s1", "t"))[0] == ("a", "VARCHAR COLLATE NOCASE")
    assert world.run(engine).mistakes == ()
    world.feed([{"seq": 3, **insert("t", a="B", n=3)}], name="2")
    (told,) = world.run(engine).mistakes
    assert "has other columns than its definition" in told.message
    assert "VARCHAR COLLATE NOCASE" in str(told)
    engine.close()


def test_the_settings_that_meaning_depends_on_are_in_force() -> None:
    """Its optimizer drops integer overflow; times are read in UTC."""
    engine = connect(None)
    assert engine.rows("SELECT current_setting('TimeZone')") == [("UTC",)]
    assert engine.rows("SELECT current_setting('disabled_optimizers')") == [
        ("expression_rewriter",)
    ]
    with pytest.raises(Mistakes, match="refused"):
        engine.configure({"TimeZone": "Mars/Olympus"})
    engine.close()


def test_a_transaction_is_all_or_nothing() -> None:
    """Tables and rows."""
    engine = connect(None)

    def fill() -> None:
        with engine.transaction():
            engine.create(("s", "t"), '"a" INTEGER', {})
            engine.execute("SELECT * FROM nowhere")

    with pytest.raises(Mistakes, match="refused"):
        fill()
    assert not engine.exists(("s", "t"))
    engine.close()


def test_names_of_any_characters_are_names(tmp_path) -> None:
    """A quote, a dot and a semicolon in a table and in a column."""
    hostile = '"; DROP TABLE t; --'
    world = World(tmp_path).publish(table(hostile, **{"a": "int4!", 'b"c;': "text"}))
    world.feed([{**insert("x", **{"a": 1, 'b"c;': "it's"}), "relation": ["public", hostile]}])
    engine = connect(tmp_path / "x.duckdb")
    assert world.run(engine).mistakes == ()
    name = engine.table_sql(("s1", hostile))
    assert engine.rows(f"SELECT * FROM {name}") == [(1, "it's")]
    engine.close()


def test_a_guard_of_filtersql_is_told_without_the_engines_frame() -> None:
    """What a person needs of an engine's error."""
    spark = "[USER_RAISED_EXCEPTION] filtersql: public.t: x is not known SQLSTATE: P0001\n== SQL =="
    assert reason_of(spark) == "public.t: x is not known"
    assert reason_of("Invalid Input Error: filtersql: public.t: x") == "public.t: x"
    assert reason_of("[A] b\n\nJVM stacktrace:\norg.apache…") == "[A] b"


def test_resources_are_the_users(tmp_path) -> None:
    """An output's settings are in force; what DuckDB refuses is told at the output."""
    output = SimpleNamespace(
        type="duckdb",
        settings={"path": ":memory:", "settings": {"memory_limit": "300MB", "threads": 2}},
        span=SPAN,
    )
    engine = open_engine(output, tmp_path)
    query = "SELECT current_setting('memory_limit'), current_setting('threads')"
    assert engine.rows(query) == [("286.1 MiB", 2)]
    engine.close()
    for wrong, told in (
        ({"settings": {"memory_limit": "lots"}}, 'DuckDB refused the setting "memory_limit": '),
        ({"extensions": ["qqq"]}, 'DuckDB refused the extension "qqq": '),
    ):
        output.settings = {"path": "x.duckdb", **wrong}
        with pytest.raises(Mistakes) as found:
            open_engine(output, tmp_path)
        refused = found.value.mistakes[0]
        assert refused.message.startswith(told)
        assert (refused.span, found.value.exit_code) == (SPAN, 1)
        assert refused.hint is not None
    connect(tmp_path / "x.duckdb").close()
