"""A run in which only time passes: its MERGE opens the files of rows whose time may be over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from demo import started
from executing import compilation
from sqlglot import exp
from transcripts import Shell

from filtersql.rendering.compiled import CompiledTable
from filtersql.run.passing import narrowed

MOMENT = "CAST('2026-10-21' AS DATE)"
MOMENTS = {"cut_30_days_by_day_date": exp.cast(exp.Literal.string("2026-10-21"), "date")}


@pytest.fixture(scope="module")
def support(tmp_path_factory: pytest.TempPathFactory) -> CompiledTable:
    """The target of the example of windows, for Spark."""
    shell = started(tmp_path_factory.mktemp("window"), "window")
    (node,) = compilation(shell.folder, []).nodes
    return node.compiled


def test_the_condition_stands_beside_the_keys(support: CompiledTable) -> None:
    """Once, in parentheses, about the row of the target; the rest is as it was reviewed."""
    merge = support.merge_sql
    text = narrowed(merge, support, MOMENTS, "spark")
    added = f" (`t`.`created_on` < {MOMENT}) AND (t.id = s.id) "
    assert text.count(added) == 1
    begin, _, end = text.partition(added)
    assert merge.startswith(begin)
    assert merge.endswith(end)
    assert merge[len(begin) : len(merge) - len(end)].split() == "t.id = s.id".split()


@pytest.mark.parametrize(
    ("merge", "expected"),
    [
        (
            "MERGE INTO a AS x USING (SELECT * FROM b JOIN c ON b.i = c.i) AS s"
            " ON x.i = s.i OR x.j = s.j WHEN MATCHED THEN DELETE",
            f"s ON (`x`.`created_on` < {MOMENT}) AND (x.i = s.i OR x.j = s.j) WHEN MATCHED",
        ),
        ("MERGE INTO a USING b ON a.i = b.i WHEN MATCHED THEN DELETE", "b ON a.i = b.i WHEN"),
        ("DELETE FROM a", "DELETE FROM a"),
    ],
    ids=["another alias", "no alias", "no MERGE"],
)
def test_what_a_project_prints_itself(merge: str, expected: str, support: CompiledTable) -> None:
    """All of ON is in parentheses; what is not understood stays as it is."""
    assert expected in narrowed(merge, support, MOMENTS, "spark")


def _insert(shell: Shell, seq: int, day: str) -> None:
    row = {"id": seq, "region": "eu", "created_on": day}
    change = {"seq": seq, "relation": "orders", "op": "insert", "after": row}
    (shell.folder / "changes" / f"{seq}.jsonl").write_text(json.dumps(change))


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_file_of_young_rows_is_not_opened(tmp_path: Path) -> None:
    """It may even be missing while older rows leave."""
    shell = started(tmp_path, "window")
    for file in (shell.folder / "changes").iterdir():
        file.unlink()
    orders = shell.folder / "warehouse" / "support.db" / "orders"
    _insert(shell, 1, "2026-10-05")
    assert "1 inserted" in shell.run("filtersql run --as-of 2026-10-20").stdout
    before = {*orders.glob("*.parquet")}
    _insert(shell, 2, "2026-11-19")
    assert "1 inserted" in shell.run("filtersql run --as-of 2026-10-20").stdout
    (young,) = {*orders.glob("*.parquet")} - before
    aside = young.rename(tmp_path / "aside")
    said = shell.run("filtersql run --as-of 2026-11-10")
    assert "1 deleted" in said.stdout, said.both
    aside.rename(young)
    said = shell.run("filtersql run --as-of 2026-11-10 --show 5")
    assert said.stdout.endswith(" 2  | eu     | 2026-11-19\n(1 row)\n"), said.both
