"""A target whose table was not altered with the published one is refused, before it is written."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from answers import Project
from executing import compiled

from filtersql.run.table_columns import unfit

_PUBLISHED = "CREATE PUBLICATION p FOR TABLE t WHERE (a > 5);\n"
_SUBSCRIBED = (
    "subscriptions:\n  - {name: s, publications: [p], changes: {path: 'changes/*.jsonl'}}\n"
)


def _feed(number: int, after: str) -> str:
    return f'{{"seq": {number}, "relation": "t", "op": "insert", "after": {{{after}}}}}\n'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """One row with two decimals is in the target."""
    made = Project(tmp_path)
    made.write("tables/t.sql", "CREATE TABLE t (a int PRIMARY KEY, b numeric(10,2));\n")
    made.write("publications/p.sql", _PUBLISHED)
    made.write("subscriptions/s.yml", _SUBSCRIBED)
    made.write("changes/1.jsonl", _feed(1, '"a": 6, "b": "1.25"'))
    made.succeed("run")
    return made


def _rows(project: Project) -> list[tuple[object, ...]]:
    with duckdb.connect(str(project.folder / "cases.duckdb")) as connection:
        return connection.execute("SELECT a, b::text FROM s.t ORDER BY a").fetchall()


def test_a_wider_type_is_not_rounded_into_the_narrower_column(project: Project) -> None:
    """1.2345 would become 1.23 without a word; copied again, it is there."""
    project.write("tables/t.sql", "CREATE TABLE t (a int PRIMARY KEY, b numeric(10,4));\n")
    project.write("changes/2.jsonl", _feed(2, '"a": 7, "b": "1.2345"'))
    ended = project.shell.filtersql("run")
    assert ended.exit_code == 1
    said = "Its column b is DECIMAL(10, 2), the definition's is DECIMAL(10, 4)."
    assert said in ended.stderr
    assert _rows(project) == [(6, "1.25")]
    project.succeed("run", "--resync", "t")
    assert _rows(project) == [(6, "1.2500"), (7, "1.2345")]


def test_a_column_that_the_target_lacks_is_named(project: Project) -> None:
    """ADD COLUMN on the source: on the target it is added by hand, as on a subscriber."""
    project.write("tables/u.sql", "ALTER TABLE t ADD COLUMN c text;\n")
    project.write("changes/2.jsonl", _feed(2, '"a": 7, "b": "1", "c": "x"'))
    ended = project.shell.filtersql("run", "--accept-filter-change")
    assert ended.exit_code == 1
    assert "It has no column c (TEXT)." in ended.stderr
    with duckdb.connect(str(project.folder / "cases.duckdb")) as connection:
        connection.execute("ALTER TABLE s.t ADD COLUMN c VARCHAR")
    project.succeed("run", "--accept-filter-change")
    assert _rows(project) == [(6, "1.25"), (7, "1.00")]


@pytest.mark.parametrize("written", ["char(9)", "decimal", "no_type"])
def test_a_target_type_that_holds_no_value_is_told_by_compile(
    project: Project, written: str
) -> None:
    """DuckDB would take the first two; what each change would need is known before."""
    kind = f"{{type: numeric, target_type: {written}}}"
    table = f"{{name: v, columns: {{a: int, b: {kind}}}, primary_key: [a]}}"
    project.write("tables/v.yml", f"tables: [{table}]\n")
    ended = project.shell.filtersql("compile")
    assert ended.exit_code == 1
    assert f"values of type numeric cannot be stored as {written}" in ended.stderr


@pytest.mark.parametrize("written", ["varchar(9)", "string", "numeric(12)"])
def test_a_target_type_is_what_the_engine_makes_of_it(project: Project, written: str) -> None:
    """DuckDB drops lengths of texts and fills in those of decimals: the second run goes on."""
    kind = f"{{type: numeric, target_type: {written}}}"
    table = f"{{name: v, columns: {{a: int, b: {kind}}}, primary_key: [a]}}"
    project.write("tables/v.yml", f"tables: [{table}]\n")
    project.write("publications/v.sql", "CREATE PUBLICATION v FOR TABLE v;\n")
    subscribed = '{name: v, publications: [v], changes: {path: "changes/*.jsonl"}}'
    project.write("subscriptions/v.yml", f"subscriptions: [{subscribed}]\n")
    project.succeed("run", "--select", "v")
    project.succeed("run", "--select", "v")


@pytest.mark.parametrize("pending", [False, True])
def test_another_type_is_refused_until_the_target_has_it(project: Project, pending: bool) -> None:
    """Also where nothing is pending; one that was altered by hand goes on."""
    project.write("tables/t.sql", "CREATE TABLE t (a int PRIMARY KEY, b numeric(12,4));\n")
    if pending:
        project.write("changes/2.jsonl", _feed(2, '"a": 7, "b": "1.2345"'))
    ended = project.shell.filtersql("run")
    assert ended.exit_code == 1
    assert "Its column b is DECIMAL(10, 2), the definition's is DECIMAL(12, 4)." in ended.stderr
    assert "hint: Look at what it moves with filtersql plan, and move it with " in ended.stderr
    with duckdb.connect(str(project.folder / "cases.duckdb")) as connection:
        connection.execute("ALTER TABLE s.t ALTER b TYPE DECIMAL(12, 4)")
    project.succeed("run")
    assert _rows(project) == [(6, "1.2500"), *([(7, "1.2345")] if pending else [])]


def test_a_column_that_is_published_no_more_may_stay(project: Project) -> None:
    """DROP COLUMN on the source leaves the subscriber's column, and NULL in new rows."""
    project.write("tables/u.sql", "ALTER TABLE t DROP COLUMN b;\n")
    project.write("changes/1.jsonl", _feed(2, '"a": 7'))
    project.succeed("run", "--accept-filter-change")
    assert _rows(project) == [(6, "1.25"), (7, None)]


@pytest.mark.parametrize(
    ("column", "held", "value"),
    [
        ("numeric(10,2)", "DECIMAL(10, 4)", "1.2345"),
        ("numeric(10,2)", "DOUBLE", "1.5"),
        ("int", "DECIMAL(4, 1)", "1.5"),
        ("int", "VARCHAR", "1.5"),
        ("date", "TIMESTAMP", "2024-01-01 12:00"),
        ("timestamp", "TIMESTAMP_NS", "2024-01-01 12:00:00.000000001"),
        ("real", "DOUBLE", "0.1"),
        ("boolean", "INTEGER", "2"),
        ("interval", "INTERVAL", "1 year 2 months"),
    ],
)
def test_a_source_whose_values_a_cast_would_change_is_refused(
    project: Project, column: str, held: str, value: str
) -> None:
    """1.2345 would have become 1.23, noon midnight, and `1 year 2 months` a text of DuckDB."""
    _copied(project, column, held, value)
    ended = project.shell.filtersql("run", "--select", "v")
    assert ended.exit_code == 1
    assert "has other columns than its definition" in ended.stderr
    assert "Its column b is " in ended.stderr


@pytest.mark.parametrize(
    ("column", "held", "value", "copied"),
    [
        ("numeric(10,2)", "DECIMAL(5, 1)", "1.5", "1.50"),
        ("numeric(10,2)", "INTEGER", "7", "7.00"),
        ("numeric", "DECIMAL(10, 3)", "1.5", "1.500"),
        ("int", "BIGINT", "7", "7"),
        ("bigint", "HUGEINT", "7", "7"),
        ("double precision", "REAL", "0.5", "0.5"),
        ("timestamptz", "TIMESTAMP", "2024-01-01 12:00", "2024-01-01 12:00:00+00"),
        ("char(5)", "VARCHAR", "ab", "ab   "),
        ("uuid", "VARCHAR", "A0000000-0000-0000-0000-00000000000F",
         "a0000000-0000-0000-0000-00000000000f"),
        ("uuid", "UUID", "A0" + "0" * 30, "a0000000-0000-0000-0000-000000000000"),
    ],
)  # fmt: skip
def test_a_source_of_another_type_is_copied_where_a_cast_keeps_each_value(
    project: Project, column: str, held: str, value: str, copied: str
) -> None:
    """As the target stores it."""
    _copied(project, column, held, value)
    project.succeed("run", "--select", "v")
    with duckdb.connect(str(project.folder / "cases.duckdb")) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        assert connection.execute("SELECT b::text FROM v.v").fetchall() == [(copied,)]


@pytest.mark.parametrize(
    ("column", "value", "printed"),
    [
        ("inet", "10.0.0.1/32", "10.0.0.1"),
        ("inet", "2001:DB8:0:0::1", "2001:db8::1"),
        ("cidr", "10.0.0.0", "10.0.0.0/32"),
        ("int4range", "[1,5]", "[1,6)"),
        ("int4multirange", "{[1,3),[3,5)}", "{[1,5)}"),
        ("daterange", "[2024-01-01,2024-01-31]", "[2024-01-01,2024-02-01)"),
        ("macaddr", "08002b010203", "08:00:2b:01:02:03"),
        ("interval", "PT36H", "36:00:00"),
        ("int[]", "{1, 2}", "{1,2}"),
        ("inet", "nowhere", None),
    ],
)
def test_a_source_whose_texts_postgresql_prints_otherwise_is_refused(
    project: Project, column: str, value: str, printed: str | None
) -> None:
    """A feed tells them as PostgreSQL prints them, and filters compare these texts."""
    _copied(project, column, "VARCHAR", value)
    ended = project.shell.filtersql("run", "--select", "v")
    assert ended.exit_code == 1
    assert f'holds "{value}" in column "b", which is not how PostgreSQL prints' in ended.stderr
    assert (printed is None) == ('PostgreSQL prints "' not in ended.stderr)
    if printed is not None:
        assert f'PostgreSQL prints "{printed}".' in ended.stderr
        with duckdb.connect(str(project.folder / "cases.duckdb")) as connection:
            connection.execute("UPDATE held SET b = ?", [printed])
        project.succeed("run", "--select", "v")


@pytest.mark.parametrize(
    ("column", "condition", "value", "printed"),
    [
        ("inet", "b = '10.0.0.1'", "10.0.0.1/32", "10.0.0.1"),
        ("inet", "b << '2001:db8::/32'", "2001:0DB8::1/64", "2001:db8::1/64"),
        ("int4range", "b @> 5", "[1,5]", "[1,6)"),
    ],
)
def test_a_feed_in_a_table_is_read_as_postgresql_prints_it(
    project: Project, column: str, condition: str, value: str, printed: str
) -> None:
    """The condition is one over PostgreSQL's text: as the feed writes it, the row would be lost."""
    project.write("tables/v.sql", f"CREATE TABLE v (a int PRIMARY KEY, b {column});\n")
    project.write(
        "publications/v.sql",
        f"CREATE PUBLICATION v FOR TABLE v WHERE ({condition}) WITH (publish = insert);\n",
    )
    feed = "changes: {format: filtersql, table: main.fed}"
    project.write(
        "subscriptions/v.yml", f"subscriptions: [{{name: v, publications: [v], {feed}}}]\n"
    )
    with duckdb.connect(str(project.folder / "cases.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE fed AS SELECT 1 AS seq, 'insert' AS op, 'v' AS relation,"
            f""" NULL::VARCHAR AS before, '{{"a": 1, "b": "{value}"}}' AS after"""
        )
    project.succeed("run", "--select", "v")
    with duckdb.connect(str(project.folder / "cases.duckdb")) as connection:
        assert connection.execute("SELECT b FROM v.v").fetchall() == [(printed,)]


def _copied(project: Project, column: str, held: str, value: str) -> None:
    """A subscription whose source is a table of the target's own file."""
    project.write("tables/v.sql", f"CREATE TABLE v (a int PRIMARY KEY, b {column});\n")
    project.write("publications/v.sql", "CREATE PUBLICATION v FOR TABLE v;\n")
    source = "source: main.held, changes: {path: 'changes/v*.jsonl'}"
    project.write(
        "subscriptions/v.yml", f"subscriptions: [{{name: v, publications: [v], {source}}}]\n"
    )
    project.write("changes/v.jsonl", "")
    with duckdb.connect(str(project.folder / "cases.duckdb")) as connection:
        connection.execute(f"CREATE TABLE held AS SELECT 1 AS a, '{value}'::{held} AS b")


def test_a_text_of_a_collation_is_another_type(project: Project) -> None:
    """Keys that differ in capital letters would be one."""
    project.write("tables/t.sql", "CREATE TABLE t (a int PRIMARY KEY, b text);\n")
    table = compiled(project.folder, "s", "public.t", ())
    held = {"string": 0, "string collate UTF8_LCASE": 1, "varchar(20)": 0}
    for kind, mistakes in held.items():
        found = unfit("s/public.t", table, (("a", "int"), ("b", kind)), "spark")
        assert len(found) == mistakes, kind
