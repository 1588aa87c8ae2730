"""delta_cdf and iceberg_changelog from real tables: the target holds the rows that match now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from noting import noting
from places import put_files
from running import table
from small_spark import LAKES
from transcripts import Shell

from filtersql.feeds.commits import Commit, Unpaired, changes_of
from filtersql.feeds.lake_texts import is_array, text_of
from filtersql.run import feed_reading

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = (
    "id INT, v STRING, n DECIMAL(10,2), z TIMESTAMP, b BINARY, l ARRAY<INT>, d DOUBLE, i STRING,"
    " r STRING"
)
#: the last two are texts that PostgreSQL prints otherwise
ROW = (
    "{}, '{}', {}.50, TIMESTAMP '2024-02-29 12:34:56.789012', X'00FF', array(1, NULL), 0.1D,"
    " '10.0.0.1/32', '[1,4]'"
)
FILES = {
    "filtersql_project.yml": "name: lake\nversion: 1\nprofile: lake\n",
    "profiles.yml": """lake:
  target: delta
  outputs:
"""
    + LAKES,
    "tables/t.yml": """tables:
  - name: t
    columns: {id: int not null, v: text, n: "numeric(10,2)", z: timestamptz, b: bytea, l: "int[]",
      d: float8, i: inet, r: int4range}
    primary_key: [id]
    replica_identity: full
""",
    "publications/p.yml": "publications: [{name: p, tables: [{name: t, where: \"v = 'eu'\"}]}]\n",
}


def project(folder: Path, feed: str, target: str) -> Shell:
    """A subscription with such a feed, and nothing else."""
    files = {
        **FILES,
        "subscriptions/s.yml": f"subscriptions:\n  - {{name: s, publications: [p], changes: {feed},"
        f' target: "{target}"}}\n',
    }
    put_files(folder, files)
    return Shell(folder)


def commits(table: str) -> Iterator[list[str]]:
    """Statements between two runs."""

    def row(key: int, region: str, number: int) -> str:
        return ROW.format(key, region, number)

    yield [
        f"INSERT INTO {table} SELECT {row(1, 'eu', 1)} UNION ALL SELECT {row(2, 'us', 2)}"
        f" UNION ALL SELECT {row(3, 'eu', 3)} UNION ALL SELECT {row(4, 'eu', 4)}",
        f"UPDATE {table} SET id = 7 - id, v = CASE id WHEN 3 THEN 'us' ELSE v END WHERE id > 2",
    ]
    yield [
        f"UPDATE {table} SET id = id + 10, v = 'eu' WHERE id IN (2, 3)",
        f"MERGE INTO {table} t USING (SELECT 12 AS id, 'us' AS v UNION ALL SELECT 9, 'eu'"
        " UNION ALL SELECT 1, 'eu') s ON t.id = s.id WHEN MATCHED AND s.id = 1 THEN DELETE"
        " WHEN MATCHED THEN UPDATE SET v = s.v, n = 0.25 WHEN NOT MATCHED THEN INSERT (id, v)"
        " VALUES (s.id, s.v)",
    ]


@pytest.mark.spark
@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_the_target_holds_the_rows_that_match(
    form: str, tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each run: rows that entered, left, changed their keys, came back.

    The first commits are read by one reader, later ones by the executors.
    """
    from filtersql.api.loading import load_project
    from filtersql.api.options import Options
    from filtersql.api.reporter import Reporter
    from filtersql.targets.open import open_engine

    name = "feed_source.t" if form == "delta" else "lake.src.t"
    feed = "delta_cdf" if form == "delta" else "iceberg_changelog"
    shell = project(tmp_path, f"{{format: {feed}, table: {name}}}", f"{form}_feed.t")
    output = load_project(Reporter(Options(project_dir=tmp_path, target=form))).output
    assert output
    engine = open_engine(output, tmp_path)
    engine.configure({"spark.sql.session.timeZone": "UTC"})
    using = "DELTA TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    using = using if form == "delta" else "ICEBERG TBLPROPERTIES ('format-version' = 2)"
    schema = name.rpartition(".")[0]
    location = f" LOCATION '{tmp_path}/warehouse/{schema}.db'" if form == "delta" else ""
    engine.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}{location}")
    engine.execute(f"CREATE TABLE {name} ({COLUMNS}) USING {using}")
    seen: list[int] = []
    used: list[str] = []
    executors = noting(feed_reading.spread_table, used)
    for statements in commits(name):
        for statement in statements:
            engine.execute(statement)
        reading = executors if seen else lambda *_, **__: None
        monkeypatch.setattr(feed_reading, "spread_table", reading)
        shell.succeed("run", "--target", form)
        query = "SELECT id, v, n, z, hex(b) FROM {} ORDER BY id"
        expected = engine.rows(query.format(f"(SELECT * FROM {name} WHERE v = 'eu')"))
        target = engine.table_sql((f"{form}_feed", "t"))
        engine.execute(f"REFRESH TABLE {target}")
        assert engine.rows(query.format(target)) == expected
        arrays = engine.rows(f"SELECT DISTINCT l, d, i, r FROM {target} WHERE l IS NOT NULL")
        assert arrays in ([], [("{1,NULL}", 0.1, "10.0.0.1", "[1,5)")])
        seen.append(len(expected))
    assert seen == [2, 2]
    assert used == ["spread_table"]


def test_a_commit_is_ordered_by_itself() -> None:
    """Deletes, updates that change keys, other updates, inserts; the same however it is read."""

    def row(key: int, value: str) -> dict[str, object]:
        return {"id": key, "v": value}

    commit = Commit(
        5,
        deleted=[row(1, "a")],
        old=[row(4, "d"), row(2, "b")],
        new=[row(4, "D"), row(3, "B")],
        inserted=[row(1, "A")],
    )
    found = list(changes_of(commit, "public.t", ["id"]))
    assert [(each.op, each.before, each.after) for each in found] == [
        ("delete", row(1, "a"), None),
        ("update", row(2, "b"), row(3, "B")),
        ("update", row(4, "d"), row(4, "D")),
        ("insert", None, row(1, "A")),
    ]
    assert [each.seq - (5 << 31) for each in found] == [0, 1, 2, 3]


def test_a_key_that_comes_twice_in_a_commit_is_refused() -> None:
    """Two added rows with one key cannot be those of a table with that key."""
    commit = Commit(1, inserted=[{"id": 1}, {"id": 1}])
    with pytest.raises(Unpaired, match="two rows with one key are added"):
        list(changes_of(commit, "public.t", ["id"]))


@pytest.mark.parametrize(
    ("feed", "publication", "message"),
    [
        (
            "{format: delta_cdf, table: a.t}",
            "{name: p, tables: [t, u]}",
            'a delta_cdf feed serves one table; subscription "s" has 2',
        ),
        (
            "{format: iceberg_changelog, table: a.t}",
            "{name: p, publish: [insert, update], tables: [t]}",
            'the iceberg_changelog feed does not tell what table "public.t" needs',
        ),
        (
            "{format: delta_cdf, path: a.json}",
            "{name: p, tables: [t]}",
            '"path" is no key of feed format "delta_cdf"',
        ),
    ],
)
def test_what_such_a_feed_cannot_tell_is_refused(
    feed: str, publication: str, message: str, tmp_path: Path
) -> None:
    """Before anything runs."""
    shell = project(tmp_path, feed, "{table}")
    (tmp_path / "publications/p.yml").write_text(f"publications: [{publication}]\n")
    with (tmp_path / "tables/t.yml").open("a") as tables:
        tables.write("  - {name: u, columns: {id: int not null}, primary_key: [id]}\n")
    ended = shell.filtersql("compile")
    assert ended.exit_code == 1
    assert message in ended.both


@pytest.mark.spark
@pytest.mark.parametrize(
    ("held", "kind", "value", "text"),
    [
        ("_numeric", "array<decimal(38,10)>", "array(12345678901234567890.0123456789, NULL)",
         ["12345678901234567890.0123456789", None]),
        ("_timestamptz", "array<timestamp>", "array(TIMESTAMP '2024-02-29 12:34:56.789012')",
         ["2024-02-29 12:34:56.789012+00"]),
        ("_timestamp", "array<timestamp_ntz>", "array(TIMESTAMP_NTZ '2024-02-29 12:34:56.789012')",
         ["2024-02-29 12:34:56.789012"]),
        ("_bytea", "array<array<binary>>", "array(array(X'00FF'), array(NULL))",
         [["\\x00FF"], [None]]),
        ("_float8", "array<double>", "array(double('NaN'), 0.1D)", ["NaN", "0.1"]),
        ("jsonb", "array<int>", "array(1, NULL)", "[1,null]"),
        ("jsonb", "struct<z:timestamp>", "struct(TIMESTAMP '2024-02-29 12:34:56.789012' AS z)",
         '{"z":"2024-02-29T12:34:56.789012Z"}'),
    ],
)  # fmt: skip
def test_values_inside_of_values_are_exact(
    held: str, kind: str, value: str, text: object, spark: SparkSession
) -> None:
    """JSON's numbers, times and bytes would be rounded, cut, or base64."""
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    one = table("t", v=held)
    query = f"SELECT {text_of('v', kind, one).sql('spark')} FROM (SELECT {value} AS v)"
    ((found,),) = session.sql(query).collect()
    assert (json.loads(found) if is_array(kind, one, "v") else found) == text
