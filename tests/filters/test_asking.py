"""What filters of many tables say of rows, asked in one query: as each says alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from reviewed import span

from filtersql.catalog import Column, PgType, Table
from filtersql.filters import resolve
from filtersql.names import RelationName
from filtersql.source import Source
from filtersql.targets.duckdb_file import connect
from filtersql.verify.filter_answers import Answer, Question, ask
from filtersql.verify.loading import TrialEngine

TYPES = {"a": "int4", "b": "int4", "c": "text", "place": "int4", "v1": "text"}
TABLE = Table(
    RelationName("public", "t"),
    tuple(Column(name, PgType(kind), span("t.sql")) for name, kind in TYPES.items()),
    span("t.sql"),
)
Row = tuple[str | None, ...]


def question(columns: str, rows: list[Row], *filters: str) -> Question:
    """Filters over some columns of the table."""
    found = tuple(one for one in TABLE.columns if one.name in columns.split())
    resolved = tuple(resolve(Source("p.yml", text).passage(), TABLE) for text in filters)
    return Question(found, resolved, rows)


ASKED = {
    "number": (question("a", [("4",), ("6",), (None,)], "a > 5"), [(False,), (True,), (None,)]),
    "names": (question("place v1", [("2", "x"), ("9", "x")], "place < 5 AND v1 = 'x'"), None),
    "two": (question("a b", [("1", "2"), ("2", "1")], "a < b", "b IS NULL"), None),
    "text": (question("c", [("6",), (None,)], "c = '6'"), [(True,), (None,)]),
    "nothing": (question("", [()], "true"), [(True,)]),
    "raises": (question("a", [("1",), ("0",)], "1 / a = 1"), [(True,), None]),
    "always": (question("a", [("1",), ("2",)], "1 / (a - a) = 1"), [None, None]),
}


@pytest.mark.parametrize(
    "names",
    [
        ("number", "names", "two", "text", "nothing"),
        ("text", "number"),
        ("number", "raises", "two"),
        ("always", "number"),
        ("raises",),
    ],
)
def test_each_is_answered_as_alone(names: tuple[str, ...], tmp_path: Path) -> None:
    """Columns that share a staged one, more filters than others have, and one that raises."""
    engine = connect(None)
    try:
        trial = TrialEngine(engine, tmp_path)
        together = ask(trial, [ASKED[name][0] for name in names])
        alone = [answers for name in names for answers in ask(trial, [ASKED[name][0]])]
    finally:
        engine.close()
    assert together == alone
    for name, answers in zip(names, together, strict=True):
        expected: list[Answer] | None = ASKED[name][1]
        assert len(answers) == len(ASKED[name][0].rows)
        assert expected is None or answers == expected


def test_tables_share_a_query(tmp_path: Path) -> None:
    """As many as there are, where no filter raises."""
    engine = connect(None)
    count = 0
    rows = engine.rows

    def counted(statement: str) -> list[tuple[object, ...]]:
        nonlocal count
        count += 1
        return rows(statement)

    engine.rows = counted  # type: ignore[method-assign]
    try:
        ask(TrialEngine(engine, tmp_path), [ASKED["number"][0], ASKED["text"][0], ASKED["two"][0]])
    finally:
        engine.close()
    assert count == 1
