"""The rows of a small Delta table, read in its log, beside those that Spark reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_targets_spark import output

from filtersql.targets import delta_rows
from filtersql.targets.open import open_engine

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

COLUMNS = ("n", "word", "flag")


def test_rows_are_those_that_spark_reads(tmp_path: Path) -> None:
    """Before and after checkpoints, removed files and joined ones."""
    engine = open_engine(output("delta"), tmp_path)
    place = ("state", "ledger")
    properties = {"table_properties": {"delta.checkpointInterval": "3"}}
    engine.create(place, "`n` BIGINT, `word` STRING, `flag` BOOLEAN", properties)
    name, folder = engine.table_sql(place), tmp_path / "warehouse" / "state.db" / "ledger"
    assert delta_rows.rows(folder, COLUMNS) == []
    for statement in (
        f"INSERT INTO {name} VALUES (1, 'é', true), (-{2**63 - 1}, '', NULL)",
        f"INSERT INTO {name} VALUES (2, NULL, false)",
        f"DELETE FROM {name} WHERE n = 1",
        f"INSERT INTO {name} VALUES (3, 'a/b %20', true)",
        f"OPTIMIZE {name}",
    ):
        engine.execute(statement)
        held = delta_rows.rows(folder, COLUMNS)
        assert held is not None
        asked = engine.rows(f"SELECT n, word, flag FROM {name}")
        assert sorted(held, key=repr) == sorted(asked, key=repr)
        assert asked
    assert (folder / "_delta_log" / "_last_checkpoint").exists()
    engine.close()


@pytest.mark.parametrize(
    ("properties", "partitioned"),
    [("'delta.enableDeletionVectors' = 'true'", ""), ("'x' = 'y'", "PARTITIONED BY (word)")],
)
def test_what_only_delta_reads_right_is_left_to_it(
    tmp_path: Path, properties: str, partitioned: str
) -> None:
    """Rows that a deletion vector hides, values that stand in a file's name."""
    engine = open_engine(output("delta"), tmp_path)
    folder = tmp_path / "t"
    engine.execute(
        f"CREATE TABLE delta.`{folder}` (n BIGINT, word STRING, flag BOOLEAN) USING delta"
        f" {partitioned} TBLPROPERTIES ({properties})"
    )
    engine.execute(f"INSERT INTO delta.`{folder}` VALUES (1, 'a', true), (2, 'b', true)")
    assert delta_rows.rows(folder, COLUMNS) is None
    engine.close()


def test_a_log_that_begins_late_or_is_not_there_is_left_to_delta(tmp_path: Path) -> None:
    """As where earlier commits were cleaned away and the checkpoint is of another kind."""
    assert delta_rows.rows(tmp_path / "none", COLUMNS) is None
    log = tmp_path / "t" / "_delta_log"
    log.mkdir(parents=True)
    (log / f"{4:020}.json").write_text("{}\n")
    assert delta_rows.rows(tmp_path / "t", COLUMNS) is None
    (log / "_last_checkpoint").write_text('{"version": 3, "parts": 2}')
    assert delta_rows.rows(tmp_path / "t", COLUMNS) is None
