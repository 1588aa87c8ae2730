"""A project on disk: what is found, in which order, and what is said when something is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path

import pytest
from test_definitions import DUMP, ours, read

from filtersql.definitions.model import Action
from filtersql.errors import Mistake, Mistakes
from filtersql.names import RelationName
from filtersql.project import Project, find_root, load, package_folder

PROJECT = "name: shop\nversion: 1\n"
PROFILES = "shop: {outputs: {dev: {type: duckdb, path: shop.duckdb}}}\n"
TABLES = "tables: [{name: t1, columns: {a: int not null, c: text}, primary_key: [a]}]\n"

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Writes a project's files, far from any home or environment of the machine."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("FILTERSQL_PROFILES_DIR", raising=False)

    def write(files: Mapping[str, str | bytes | None] = {}) -> Path:
        root = tmp_path / "shop"
        every = {"filtersql_project.yml": PROJECT, "profiles.yml": PROFILES, **files}
        for name, text in every.items():
            if text is None:
                continue
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return root

    return write


def refused(start: Path, **arguments: object) -> str:
    """What is said when a project cannot be loaded."""
    with pytest.raises((Mistake, Mistakes)) as caught:
        load(start, **arguments)  # type: ignore[arg-type]
    return str(caught.value)


def filters(project: Project) -> dict[str, str]:
    """Each publication's first filter."""
    found = {}
    for name, publication in project.definitions.publications.items():
        where = publication.tables[0].where
        found[name] = "" if where is None else where.text
    return found


def test_the_template_is_a_project() -> None:
    """What `init` copies loads, with its publications, subscriptions and unit tests."""
    project = load(package_folder("project_template"))

    assert {"s1", "s4"} <= set(project.definitions.subscriptions)
    assert filters(project)["p1"] == "a > 5 AND c = 'NSW'"
    assert project.definitions.unit_tests
    assert project.output is not None
    assert project.output.engine == "spark"


def test_a_project_is_found_from_any_folder_inside(make: Make) -> None:
    """As dbt does: the nearest filtersql_project.yml upwards."""
    root = make({"tables/deep/er/t.yml": TABLES})

    assert find_root(root / "tables" / "deep") == root
    assert load(root / "tables").root == root


def test_no_project_says_how_to_start_one(tmp_path: Path) -> None:
    """The message names the folder and the command."""
    said = refused(tmp_path)

    assert said.startswith(f"no filtersql_project.yml in {tmp_path} or any folder above it")
    assert "filtersql init" in said


def test_files_are_read_in_the_order_of_their_names(make: Make) -> None:
    """Tables, publications, subscriptions; what a later file says changes the earlier."""
    root = make(
        {
            "tables/b.sql": "ALTER TABLE t1 ADD COLUMN b int;",
            "tables/a.yml": TABLES,
            "tables/sub/z.sql": "ALTER TABLE t1 ADD COLUMN z int;",
            "tables/.hidden.yml": "not: [valid",
            "tables/readme.txt": "{{ no template }}",
            "publications/p.yaml": "publications: [{name: p, tables: [t1]}]",
            "subscriptions/a.sql": "ALTER PUBLICATION p SET (publish = 'insert');",
            "tests/deep/t.yml": "tests: []",
        }
    )

    project = load(root)

    table = project.definitions.catalog.tables[RelationName("public", "t1")]
    assert [column.name for column in table.columns] == ["a", "c", "b", "z"]
    assert project.definitions.publications["p"].publish == {Action.INSERT}
    assert project.files[:3] == ("tables/a.yml", "tables/b.sql", "tables/sub/z.sql")


def test_mistakes_of_all_files_come_together(make: Make) -> None:
    """None hides another, and they stand in the order of the files."""
    root = make(
        {
            "tables/a.yml": "tables: [{name: t1, colums: {a: int}}]",
            "tables/b.sql": "CREAT TABLE x (a int);\nCREATE TABLE y (a foo);",
            "publications/p.yml": "publications: [{name: p, tabels: [t1]}]",
            "profiles.yml": "shopp: {}",
        }
    )

    said = refused(root)

    places = [
        line.split(": ")[0] for line in said.splitlines() if ".yml:" in line or ".sql:" in line
    ]
    assert places == [
        "filtersql_project.yml:1:7",
        "tables/a.yml:1:17",
        "tables/a.yml:1:21",
        "tables/b.sql:1:1",
        "tables/b.sql:2:19",
        "publications/p.yml:1:26",
    ]


def test_profiles_are_searched_in_order(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--profiles-dir, then the environment, then the project, then the home folder."""
    root = make({"profiles.yml": None})
    assert "no profiles.yml" in refused(root)

    def write(folder: Path, name: str) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        text = f"shop: {{outputs: {{{name}: {{type: duckdb, path: x}}}}}}"
        (folder / "profiles.yml").write_text(text)
        return folder

    def chosen(**arguments: Path) -> str:
        output = load(root, **arguments).output  # type: ignore[arg-type]
        assert output is not None
        return output.name

    write(tmp_path / "home" / ".filtersql", "home")
    assert chosen() == "home"
    write(root, "project")
    assert chosen() == "project"
    monkeypatch.setenv("FILTERSQL_PROFILES_DIR", str(write(tmp_path / "env", "environment")))
    assert chosen() == "environment"
    assert chosen(profiles_dir=write(tmp_path / "flag", "flag")) == "flag"
    assert "no profiles.yml" in refused(root, profiles_dir=tmp_path)


def test_an_output_is_optional_where_it_is_not_needed(make: Make) -> None:
    """`ls` and `show` work without profiles."""
    assert load(make({"profiles.yml": None}), need_output=False).output is None


def test_the_chosen_output_with_its_settings(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are rendered; a secret is known, so that printers can remove it."""
    monkeypatch.setenv("SHOP_PASSWORD", "hunter2")
    monkeypatch.setenv("SHOP_HOST", "spark.example.org")
    profiles = """
shop:
  target: prod
  outputs:
    dev: {type: duckdb, path: x}
    prod:
      type: spark
      method: thrift
      host: "{{ env_var('SHOP_HOST') }}"
      port: {{ env_var('SHOP_PORT', 10000) }}
      user: etl
      password: "{{ env_var('SHOP_PASSWORD') }}"
      schema: "shop_{{ var('state') | lower }}"
      threads: 4
      spark_conf: {spark.sql.shuffle.partitions: 4, spark.hadoop.fs.s3a.secret.key: "abc"}
"""
    root = make(
        {"profiles.yml": profiles, "filtersql_project.yml": PROJECT + "vars: {state: NSW}\n"}
    )

    output = load(root).output

    assert output is not None
    assert (output.name, output.type, output.method, output.format) == (
        "prod",
        "spark",
        "thrift",
        "delta",
    )
    assert (output.schema, output.threads, output.state_schema) == ("shop_nsw", 4, "filtersql")
    assert output.settings["port"] == 10000
    assert output.settings["host"] == "spark.example.org"
    assert output.secrets == {"hunter2", "abc"}
    assert "hunter2" not in repr(output)
    assert load(root, target="dev").output.name == "dev"  # type: ignore[union-attr]


def test_secrets_stay_out_of_messages(make: Make) -> None:
    """A mistake beside a password shows the line with asterisks."""
    root = make(
        {
            "profiles.yml": "shop: {outputs: {dev: {type: spark, method: thrift, password: hunter2,"
            " pasword: hunter2, url: 'sc://u:hunter2@h', spark_conf: {x.y: hunter2}}}}"
        }
    )

    said = refused(root)

    assert "hunter2" not in said
    assert 'unknown key "pasword"' in said


def test_a_template_knows_its_target_but_no_secret(make: Make) -> None:
    """`target` is the chosen output without passwords."""
    root = make(
        {
            "profiles.yml": "shop: {outputs: {dev: {type: spark, method: thrift, host: h,"
            " schema: s, password: hunter2}}}",
            "tables/t.yml": TABLES,
            "publications/p.yml": "publications:\n"
            "  - name: p_{{ target.name }}_{{ target.schema }}\n"
            "    tables: [{name: t1, where: \"c = '{{ target.host }}'\"}]\n",
        }
    )

    assert filters(load(root)) == {"p_dev_s": "c = 'h'"}

    (root / "publications" / "q.sql").write_text("CREATE PUBLICATION q{{ target.password }};")
    said = refused(root)
    assert "hunter2" not in said
    assert "publications/q.sql:1" in said


def test_variables_of_the_command_line_win(make: Make) -> None:
    """--vars over the project's vars over the default of var()."""
    root = make(
        {
            "filtersql_project.yml": PROJECT + "vars: {a: 1, b: 2}\n",
            "tables/t.yml": TABLES,
            "publications/p.yml": "publications:\n  - name: p\n    tables: [{name: t1, where:"
            " \"a IN ({{ var('a') }}, {{ var('b') }}, {{ var('c', 3) }})\"}]\n",
        }
    )

    assert filters(load(root)) == {"p": "a IN (1, 2, 3)"}
    assert filters(load(root, variables={"b": 7, "c": 9})) == {"p": "a IN (1, 7, 9)"}


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
    assert project.definitions.catalog.user_functions == {RelationName("sales", "twice")}


def test_calls_of_pglogical_make_sets() -> None:
    """Named and positional arguments, arrays in both forms, dollar quotes."""
    script = """
CREATE TABLE t1 (a int PRIMARY KEY, b int); CREATE SCHEMA config; CREATE TABLE config.c (a int);
CREATE TABLE "Odd" (a int PRIMARY KEY);
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
    assert sets["default_insert_only"].replicate == {Action.INSERT}
    assert sets["default_insert_only"].tables[0].name == RelationName("config", "c")
    subscribed = definitions.subscriptions["s"].replication_sets
    assert [name for name, _ in subscribed] == ["emea", "default"]
    assert [notice.name for notice in definitions.notices] == ["sequences"]


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


def test_files_that_cannot_be_read(make: Make) -> None:
    """Bytes that are no UTF-8 are named; a byte order mark is none of the text."""
    said = refused(make({"tables/t.yml": b"tables:\n  - \xff"}))
    assert said == "tables/t.yml: cannot be read: byte 13 is not UTF-8"

    root = make({"tables/t.yml": b"\xef\xbb\xbf" + TABLES.encode()})
    assert RelationName("public", "t1") in load(root).definitions.catalog.tables
