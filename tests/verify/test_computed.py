"""`check` calls nothing proved that reckons with values which no case is drawn for."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from checked import PROJECT
from test_check import Proofs, proofs, refusal

DELETES, UPDATES = "s.effect = 'delete'", "WHEN MATCHED THEN"


@pytest.fixture(scope="module", params=["dev", "local"])
def made(request: pytest.FixtureRequest) -> Iterator[Proofs]:
    """The project compiled for Spark, or for DuckDB, tried on DuckDB."""
    with tempfile.TemporaryDirectory() as folder:
        yield proofs(Path(folder) / "project", request.param, Path(folder))


@pytest.mark.parametrize(
    ("old", "new", "computed"),
    [
        (DELETES, f"{DELETES} AND t.id < 1000", "t.id < 1000"),
        (DELETES, f"{DELETES} AND t.id IN (1, 2)", "t.id IN (1, 2)"),
        (DELETES, f"{DELETES} AND t.region NOT LIKE 'z%'", "t.region NOT LIKE 'z%'"),
        (DELETES, f"{DELETES} AND t.id + s.id < t.id", "t.id + s.id < t.id"),
        (DELETES, f"{DELETES} AND CASE t.id WHEN 9 THEN FALSE ELSE TRUE END", "CASE t.id WHEN 9"),
        (UPDATES, "WHEN MATCHED AND s.total < RANDOM() THEN", "s.total < RAND"),
        ("region = s.region", "region = TRIM(s.region)", "region = TRIM(s.region)"),
        ("region = s.region", "region = CAST(s.region AS CHAR(9))", "region = CAST(s.region"),
    ],
)
def test_what_reckons_with_a_value_is_not_proved(
    old: str, new: str, computed: str, made: Proofs
) -> None:
    """All but one value would be right: a constant, a function, the time, chance."""
    said = refusal(made, "whole", lambda text: text.replace(old, new, 1))
    assert f"cannot be proved: it computes {computed}" in said
    assert said.count("hint:") == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (DELETES, f"{DELETES} AND t.id = s.id AND TRUE"),
        (DELETES, f"{DELETES} AND LENGTH(s.effect) = 6"),
        (UPDATES, "WHEN MATCHED AND (t.id IS NULL OR COALESCE(s.id = t.id, FALSE)) THEN"),
        ("region = s.region", "region = CASE WHEN s.effect = 'x' THEN NULL ELSE s.region END"),
    ],
)
def test_what_takes_values_as_they_are_is_proved(old: str, new: str, made: Proofs) -> None:
    """They are compared with each other, or chosen; what a change is may be reckoned with."""
    path = made.path("whole")
    text = path.read_text(encoding="utf-8")
    assert old in text
    try:
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        assert made.proof("whole").counterexample is None
    finally:
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("target", ["dev", "local"])
def test_a_column_with_a_name_of_the_feeds_is_proved(target: str, tmp_path: Path) -> None:
    """What a change did not send is looked up by a column's name: that reckons with no value."""
    names = "op: text, seq: int, tx: int, unchanged: text, relation: text, effect: text"
    tables = f"tables: [{{name: t, columns: {{id: int not null, {names}}}, primary_key: [id]}}]\n"
    published = "publications: [{name: p, tables: [{name: t, where: id > 3}]}]\n"
    read = "subscriptions: [{name: s2, publications: [p], changes: {path: 'changes/*.jsonl'}}]\n"
    more = {"publications/p.yml": published, "subscriptions/s.yml": read}
    files = {**PROJECT, "tables/t.yml": tables, **more}
    made = proofs(tmp_path / "project", target, tmp_path, files)
    assert made.proof("t").counterexample is None
