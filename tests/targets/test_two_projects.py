"""Two projects in one process and its Spark, with the same names: neither touches the other's."""

from __future__ import annotations

from pathlib import Path

import pytest
from demo import started
from pyspark.sql import SparkSession
from test_targets_spark import output

from filtersql.targets.open import open_engine

pytestmark = pytest.mark.spark


def _kept(folder: Path) -> set[str]:
    return {path.name for path in (folder / "demo" / "warehouse").glob("*/*")}


def test_neither_loses_a_row(tmp_path: Path, spark: SparkSession) -> None:
    """Each finds what it wrote, though the other's tables had its names meanwhile.

    Nor does the user, who has made a table in the same Spark between them.
    """
    shells = []
    for name in ("first one", "second"):
        (tmp_path / name).mkdir()
        shells.append(started(tmp_path / name, "shop"))
    first, second = shells
    assert first.run("filtersql run").exit_code == 0
    kept = _kept(tmp_path / "first one")
    assert kept == {"orders", "ledger", "definitions"}
    spark.sql("CREATE DATABASE users_own")
    spark.sql("CREATE TABLE users_own.precious USING parquet AS SELECT 42 AS x")
    assert second.run("filtersql run --vars '{region: us}'").exit_code == 0
    assert _kept(tmp_path / "first one") == kept
    assert "every target was up to date" in first.run("filtersql run").stdout
    assert "RIGHT=2 WRONG=0" in first.run("filtersql audit").stdout
    said = second.run("filtersql run --vars '{region: us}' --show 9 --select europe")
    assert "Nothing changed" in said.stdout
    assert " 4  | us     | paid   |\n" in said.stdout
    assert spark.table("users_own.precious").collect() == [(42,)]
    spark.sql("DROP DATABASE users_own CASCADE")


def test_a_table_of_the_users_stays_when_it_is_looked_for(
    tmp_path: Path, spark: SparkSession
) -> None:
    """It may be a feed, or have the name of a target; no warehouse of filtersql's has its rows."""
    engine = open_engine(output("delta"), tmp_path)
    engine.execute(f"CREATE SCHEMA mine LOCATION '{tmp_path / 'elsewhere'}'")
    engine.execute("CREATE TABLE mine.fed USING delta AS SELECT 7 AS a")
    try:
        assert engine.exists(("mine", "fed"))
        assert engine.rows("SELECT a FROM mine.fed") == [(7,)]
    finally:
        engine.execute("DROP SCHEMA mine CASCADE")
        engine.close()
