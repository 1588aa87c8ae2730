"""merge.sql as a person pastes it: one statement, on Delta and Iceberg, once its view exists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from executing import compiled
from frames import frame_of
from places import put_files
from test_targets_spark import output

from filtersql.targets.open import open_engine

pytestmark = pytest.mark.spark

_DDL = """
CREATE TABLE keyed (a int PRIMARY KEY, b int);
CREATE TABLE kept (a int PRIMARY KEY, b text);
CREATE TABLE counted (a int, b text);
ALTER TABLE counted REPLICA IDENTITY FULL;
CREATE TABLE added (a int, b text);
CREATE PUBLICATION p FOR TABLE keyed WHERE (a > 5), kept WHERE (a > 5), counted WHERE (a > 5);
CREATE PUBLICATION q FOR TABLE added WHERE (a > 5) WITH (publish = 'insert, truncate');
"""
_SUBSCRIPTIONS = "subscriptions: [{name: s, publications: [p, q]}]\n"
_PROFILES = """pasted:
  target: delta
  outputs:
    delta: {type: spark, method: session, format: delta}
    iceberg: {type: spark, method: session, format: iceberg, catalog: lake,
              catalog_config: {type: hadoop, warehouse: lakehouse}}
"""
_NOTHING = (None, None)


@pytest.fixture(params=["delta", pytest.param("iceberg", marks=pytest.mark.long)])
def pasted(request: pytest.FixtureRequest, tmp_path: Path, spark: object) -> Iterator[object]:
    """Pastes a table's merge.sql over changes, and gives the target's rows."""
    files = {
        "filtersql_project.yml": "{name: pasted, version: 1, profile: pasted}\n",
        "profiles.yml": _PROFILES,
        "tables/t.sql": _DDL,
        "subscriptions/s.yml": _SUBSCRIPTIONS,
    }
    put_files(tmp_path, files)
    engine = open_engine(output(request.param), tmp_path)
    made: set[str] = set()

    def paste(table: str, *changes: tuple) -> list[tuple]:
        found = compiled(tmp_path, "s", f"public.{table}", ["--target", request.param])
        if table not in made:
            engine.create(found.target, found.column_definitions_sql, {})
            made.add(table)
        engine.configure(dict(found.settings))
        kind = found.feed_columns[1].sql_type
        schema = (
            f"seq BIGINT, tx STRING, op STRING, before_a INT, before_b {kind}, "
            f"after_a INT, after_b {kind}, unchanged ARRAY<STRING>"
        )
        rows = [(seq, None, op, *old, *new, gone) for seq, op, old, new, gone in changes]
        frame_of(engine.spark, rows, schema).createOrReplaceTempView(found.changes_view)
        engine.spark.sql(found.merge_sql)
        target = engine.spark.sql(f"SELECT a, b FROM {found.target_sql}")
        return sorted((tuple(row) for row in target.collect()), key=str)

    yield paste
    engine.close()


def test_a_table_with_a_key(pasted) -> None:
    """Enter, leave, stay, a changed key and a TRUNCATE, each in one statement."""
    assert pasted(
        "keyed",
        (1, "insert", _NOTHING, (2, 2), None),
        (2, "insert", _NOTHING, (6, 6), None),
        (3, "insert", _NOTHING, (7, 7), None),
        (4, "update", (2, None), (8, 8), None),
        (5, "update", (7, None), (3, 3), None),
        (6, "update", _NOTHING, (6, 66), []),
    ) == [(6, 66), (8, 8)]
    assert pasted(
        "keyed",
        (7, "truncate", _NOTHING, _NOTHING, None),
        (8, "insert", _NOTHING, (6, 1), None),
    ) == [(6, 1)]


def test_a_column_that_was_not_sent_is_kept_or_stops_the_statement(pasted) -> None:
    """An incomplete UPDATE keeps the target's value; without the row nothing is written."""
    assert pasted("kept", (1, "insert", _NOTHING, (6, "x"), None)) == [(6, "x")]
    assert pasted("kept", (2, "update", _NOTHING, (6, None), ["b"])) == [(6, "x")]
    assert pasted(
        "kept",
        (3, "update", _NOTHING, (6, "y"), None),
        (4, "update", _NOTHING, (6, None), ["b"]),
    ) == [(6, "y")]
    for change in (
        (5, "update", _NOTHING, (9, None), ["b"]),
        (5, "update", (1, None), (7, None), ["b"]),
    ):
        with pytest.raises(Exception, match=r"filtersql: |TASK_WRITE_FAILED"):
            pasted("kept", change)
    assert pasted("kept") == [(6, "y")]


def test_a_table_without_key(pasted) -> None:
    """Copies are counted, NULL equals NULL."""
    assert pasted(
        "counted",
        (1, "insert", _NOTHING, (6, None), None),
        (2, "insert", _NOTHING, (6, None), None),
        (3, "insert", _NOTHING, (7, "x"), None),
    ) == [(6, None), (6, None), (7, "x")]
    assert pasted(
        "counted",
        (4, "delete", (6, None), _NOTHING, None),
        (5, "update", (7, "x"), (8, "y"), None),
        (6, "delete", (66, None), _NOTHING, None),
    ) == [(6, None), (8, "y")]


def test_a_table_to_which_rows_are_only_added(pasted) -> None:
    """Inserts are added as they are; a TRUNCATE empties."""
    assert pasted(
        "added",
        (1, "insert", _NOTHING, (6, "x"), None),
        (2, "insert", _NOTHING, (6, "x"), None),
        (3, "insert", _NOTHING, (1, "x"), None),
    ) == [(6, "x"), (6, "x")]
    assert pasted(
        "added",
        (4, "truncate", _NOTHING, _NOTHING, None),
        (5, "insert", _NOTHING, (9, "z"), None),
    ) == [(9, "z")]
