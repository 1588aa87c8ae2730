"""YAML and SQL files say the same things: equal records, a real dump, calls of pglogical."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from projects import Make, maker
from test_definitions import DUMP, ours, read

from filtersql.definitions.model import Action
from filtersql.errors import Mistakes
from filtersql.names import RelationName
from filtersql.project import load


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Writes a project's files."""
    return maker(tmp_path, monkeypatch)


def test_yaml_and_sql_say_the_same(make: Make) -> None:
    """The same tables and publications in both languages are equal records."""
    yaml = """
tables:
  - name: public.t1
    columns:
      a: int not null
      b: int
      c: varchar(14) not null
      total: {type: "numeric(10,2)", generated: "b * 2", kind: stored}
    primary_key: [a, c]
  - name: Sales."Odd One"
    columns: {x: int not null unique, '"Y z"': 'timestamp(3) with time zone[]'}
    replica_identity: full
  - {name: child, partition_of: parent, bounds: {from: [-1], to: [10]}}
  - {name: parent, columns: {a: int not null}, primary_key: [a], partition_by: {range: [a]}}
  - {name: rest, partition_of: parent, bounds: default}
publications:
  - {name: p1, publish_via_partition_root: false, publish: [insert, update],
     tables: [{name: t1, where: a > 5, columns: [a, b, c]}, {name: parent, only: true}]}
  - {name: everything, all_tables: true, publish_via_partition_root: true}
  - {name: s, tables_in_schema: [sales], publish_via_partition_root: false}
"""
    sql = """
CREATE TABLE t1 (a int NOT NULL, b int, c varchar(14) NOT NULL,
                 total numeric(10,2) GENERATED ALWAYS AS (b * 2) STORED, PRIMARY KEY (a, c));
CREATE TABLE sales."Odd One" (x int NOT NULL UNIQUE, "Y z" timestamptz(3)[]);
ALTER TABLE sales."Odd One" REPLICA IDENTITY FULL;
CREATE TABLE parent (a int PRIMARY KEY) PARTITION BY RANGE (a);
CREATE TABLE child PARTITION OF parent FOR VALUES FROM (-1) TO (10);
CREATE TABLE rest PARTITION OF parent DEFAULT;
CREATE PUBLICATION p1 FOR TABLE t1 (a, b, c) WHERE (a > 5), ONLY parent
  WITH (publish = 'insert, update');
CREATE PUBLICATION everything FOR ALL TABLES WITH (publish_via_partition_root);
CREATE PUBLICATION s FOR TABLES IN SCHEMA sales;
"""
    written = read(("a.yml", yaml))
    stated = read(("a.sql", sql))

    assert ours(written) == ours(stated)
    generation = [
        one.catalog.tables[RelationName("public", "t1")].column("total")
        for one in (written, stated)
    ]
    assert [str(column and column.generation) for column in generation] == ["b * 2", "b * 2"]
    assert [one.publications["p1"].tables[0].where.text for one in (written, stated)] == [  # type: ignore[union-attr]
        "a > 5",
        "a > 5",
    ]


def test_a_real_dump_goes_in_unchanged(make: Make) -> None:
    """What pg_dump --schema-only of PostgreSQL 15 wrote, byte by byte."""
    project = load(make({"tables/dump.sql": DUMP.read_bytes()}))

    tables = project.definitions.catalog.tables
    assert tables[RelationName("public", "p2021a")].primary_key == ("a", "b")
    assert tables[RelationName("public", "p2021a")].bounds == "FOR VALUES IN (1, 2, NULL)"
    assert tables[RelationName("Odd Schema", "My Table")].identity_columns == ("A b",)
    assert tables[RelationName("public", "full_one")].identity_columns == ("x", "y", "z", "t")
    eu = project.definitions.publications["eu"]
    assert eu.publish == {Action.INSERT}
    assert {table.name.name: table.columns for table in eu.tables} == {
        "animal": None,
        "orders": ("id", "region", "total"),
    }
    where = project.definitions.publications["rooted"].tables[0].where
    assert where is not None
    assert where.text == "(a < 5)"
    assert where.span().excerpt().splitlines()[1].strip() == "^" * len("(a < 5)")
    subscription = project.definitions.subscriptions["sub"]
    assert "secret" not in subscription.span.source.text
    assert project.definitions.catalog.made.functions == {RelationName("sales", "twice")}


def test_calls_of_pglogical_make_sets() -> None:
    """Named and positional arguments, arrays in both forms, dollar quotes."""
    script = """
CREATE TABLE t1 (a int PRIMARY KEY, b int); CREATE SCHEMA config; CREATE TABLE config.c (a int);
CREATE TABLE "Odd" (a int PRIMARY KEY); CREATE SEQUENCE q;
SELECT pglogical.create_replication_set('emea', replicate_update := false,
                                        replicate_truncate => 'f', autoadd_tables := true);
SELECT * FROM nowhere;
SELECT pglogical.replication_set_add_table('emea', 't1', columns := '{a,b}',
                                           row_filter := $FILTER$ a > 0 $FILTER$);
SELECT pglogical.replication_set_add_table(set_name := 'default', relation := '"Odd"'::regclass,
                                           columns := ARRAY['a'], row_filter := 'a <> ''x''');
SELECT pglogical.replication_set_add_all_tables('default_insert_only', ARRAY['config']);
SELECT pglogical.alter_replication_set('emea', replicate_delete := false, replicate_insert := NULL);
SELECT pglogical.create_subscription('s', 'host=h password=x', ARRAY['emea', 'default']);
SELECT pglogical.create_node('n', 'host=h');
SELECT pglogical.replication_set_add_sequence('default', 'q');
"""
    definitions = read(("t.sql", script))

    sets = definitions.replication_sets
    assert sets["emea"].replicate == {Action.INSERT}
    assert sets["emea"].autoadd_tables is True
    (member,) = sets["emea"].tables
    assert (member.name, member.columns) == (RelationName("public", "t1"), ("a", "b"))
    assert member.where is not None
    assert member.where.text == "a > 0"
    assert str(member.where.span(2, 3)) == "t.sql:8:69"
    assert sets["default"].tables[0].where.text == "a <> 'x'"  # type: ignore[union-attr]
    assert sets["default_insert_only"].replicate == {Action.INSERT, Action.TRUNCATE}
    assert sets["default_insert_only"].tables[0].name == RelationName("config", "c")
    subscribed = definitions.subscriptions["s"].replication_sets
    assert [name for name, _ in subscribed] == ["emea", "default"]
    assert [notice.name for notice in definitions.notices] == ["sequences"]


@pytest.mark.parametrize("kind", ["TABLE", "VIEW", "MATERIALIZED VIEW"])
def test_a_drop_of_nothing_takes_nothing_out_of_what_is_published(kind: str) -> None:
    """YAML that is read first names tables that are made afterwards."""
    text = "publications: [{name: p, tables: [t]}]\nreplication_sets: [{name: r, tables: [t]}]\n"
    script = f"DROP {kind} IF EXISTS t; CREATE TABLE t (a int PRIMARY KEY);"
    definitions = read(("1.yml", text), ("2.sql", script))

    for one in (definitions.publications["p"], definitions.replication_sets["r"]):
        assert [table.name.name for table in one.tables] == ["t"]


def test_values_of_unit_tests_stay_as_they_are_written() -> None:
    """No number is rounded, and a word is no truth value."""
    text = """
tables: [{name: t, columns: {a: int}}]
publications: [{name: p, tables: [t]}]
subscriptions: [{name: s, publications: [p]}]
tests:
  - name: x
    subscription: s
    changes: [{seq: 1, after: {a: 1.50, b: NO, c: 12345678901234567890, d: true, e: null, f: '7',
               g: 2020-01-01, h: 02139, i: 1e3, j: [1, {k: ~}]}}]
    expect: {t: []}
"""
    (test,) = read(("t.yml", text)).unit_tests

    assert test.changes[0]["after"] == {
        "a": Decimal("1.50"),
        "b": "NO",
        "c": 12345678901234567890,
        "d": True,
        "e": None,
        "f": "7",
        "g": "2020-01-01",
        "h": "02139",
        "i": Decimal("1e3"),
        "j": [1, {"k": None}],
    }
    assert str(test.changes[0]["after"]["a"]) == "1.50"  # type: ignore[index]
    assert test.expect == {RelationName("public", "t"): ()}


def test_anchors_and_merge_keys() -> None:
    """YAML's own means of saying a thing once."""
    text = """
tables:
  - &base
    name: t1
    columns: &columns {a: int not null, b: text}
    primary_key: [a]
  - {<<: *base, name: t2}
  - {name: t3, columns: {<<: *columns, c: int}}
"""
    tables = read(("t.yml", text)).catalog.tables

    assert tables[RelationName("public", "t2")].primary_key == ("a",)
    third = tables[RelationName("public", "t3")]
    assert [column.name for column in third.columns] == ["c", "a", "b"]


@pytest.mark.parametrize(
    "text",
    ["&a [*a]", "tables: &a [*a]", "tables: &a\n  - {name: t, columns: {<<: *b}}", "? [a]\n: b"],
)
def test_odd_yaml_is_one_message(text: str) -> None:
    """A knot of aliases is a mistake, never an endless loop."""
    with pytest.raises(Mistakes):
        read(("t.yml", text))
