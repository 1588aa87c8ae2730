"""Every row of the engines' tables gives PostgreSQL's value on every nasty row, or raises with it.

The functions of the tables are called by name over columns of their argument types; what has
syntax instead of a name (CASE, IN, LIKE, numeric, …) stands in `data/filter_values.txt`, one
`types | expression` a line. Of `filter_values_more.txt` (documents, regular expressions, arrays of
texts) every fifth is asked, and of all of these DuckDB is asked each and Spark every second, by
turns in Java that it writes and, as in a small run, without. With FILTERSQL_ALL_VALUES=1 all are
asked all of them. See `three_engines` for how values are compared.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from itertools import cycle
from typing import get_args

import duckdb
import pytest
from interpreting import interpreted
from places import DATA
from servers import Server
from three_engines import ERROR, NOT_IN_SPARK, Duck, Postgres, Rows, Sparks, as_text, same, shown

from filtersql.errors.filters import NotTranslated
from filtersql.filters.facts import Function, facts
from filtersql.filters.write.registry import rows_of
from filtersql.storage import Engine
from filtersql.targets.embedded import own_session
from filtersql.targets.raised import raised_by_spark

#: what stands for each argument type
COLUMN_TYPES = {
    **{name: name for name in ("bool", "int2", "int4", "int8", "float4", "float8", "text", "bytea",
                               "date", "timestamp", "timestamptz", "time", "uuid")},
    "numeric": "numeric(12,3)",
    "varchar": "varchar(5)",
    "bpchar": "bpchar(5)",
}  # fmt: skip
_ALL = bool(os.environ.get("FILTERSQL_ALL_VALUES"))
VALUES = (DATA / "filter_values.txt").read_text().splitlines()
MORE = (DATA / "filter_values_more.txt").read_text().splitlines()
TABLES: dict[Engine, Mapping[str, str]] = {engine: rows_of(engine) for engine in get_args(Engine)}
#: raised when a table grows; a test that finds fewer has lost some
FEWEST_FUNCTIONS = {"spark": 415, "duckdb": 415}
Question = tuple[tuple[str, ...], str]


def translated(engine: Engine) -> Iterator[tuple[Function, str]]:
    """The immutable functions that an engine's table has a row for, each with its call."""
    for key in TABLES[engine]:
        name = key.partition("(")[0]
        for function in facts().functions(name):
            if key.startswith(".") or ("(" in key and str(function) != key):
                continue
            if function.volatility == "i" and all(arg in COLUMN_TYPES for arg in function.args):
                args = [f"c{place}" for place in range(1, len(function.args) + 1)]
                if name in ("text_lt", "text_le", "text_gt", "text_ge"):
                    args[0] += ' COLLATE "C"'
                yield function, f'"{name}"({", ".join(args)})'


def questions() -> list[Question]:
    """Everything that is asked: (types of the columns, expression)."""
    asked: dict[Question, None] = {}
    for engine in TABLES:
        for function, call in translated(engine):
            asked[tuple(COLUMN_TYPES[arg] for arg in function.args), call] = None
    for line in [*VALUES, *MORE[:: 1 if _ALL else 5]]:
        types, _, expression = line.partition("|")
        text = expression.strip().replace("\\n", "\n") if "E'" not in line else expression.strip()
        asked[tuple(types.split()), text] = None
    return list(asked)


@pytest.fixture(scope="session")
def truth(postgres: Server) -> dict[Question, list[str | None]]:
    """PostgreSQL's values of every question; the tests of both engines are in one process."""
    with postgres.connect(postgres.create_database()) as connection:
        server = Postgres(connection)
        return {question: server.ask(Rows(question[0]), question[1]) for question in questions()}


@pytest.mark.postgres
@pytest.mark.xdist_group("spark")
def test_duckdb_gives_postgresqls_values(truth: dict[Question, list[str | None]]) -> None:
    """On DuckDB, every row of its table."""
    duck, wrong, all_rows = Duck(), [], {}
    for (types, expression), expected in truth.items():
        rows = all_rows.setdefault(types, Rows(types))
        try:
            kind, sql = rows.result_type(expression), rows.written(expression, "duckdb")
        except NotTranslated:
            continue
        sql = as_text(sql, kind, "duckdb")
        plain = [place for place, value in enumerate(expected) if value != ERROR]
        try:
            found = duck.ask(rows, sql, plain) if plain else {}
        except duckdb.Error as error:
            wrong.append(f"{expression} over {types}: {error}")
            continue
        wrong += _different(rows, expression, kind, expected, found)
        for place in [place for place, value in enumerate(expected) if value == ERROR][:3]:
            try:
                value = duck.ask(rows, sql, [place])[place]
            except duckdb.Error:
                continue
            wrong.append(f"{expression} on {rows.values[place]}: {value}, PostgreSQL raises")
    assert not wrong, "\n".join(wrong)


@pytest.mark.postgres
@pytest.mark.spark
def test_spark_gives_postgresqls_values(
    truth: dict[Question, list[str | None]], generated_code: None
) -> None:
    """On Spark, every row of its table; many expressions a query."""
    sparks, wrong, turns = Sparks(own_session(2, {}, ())), [], cycle((False, True))
    for types in dict.fromkeys(types for types, _ in truth):
        rows = Rows(types)
        asked = []
        for (kinds, expression), expected in truth.items():
            if kinds != types:
                continue
            try:
                kind, sql = rows.result_type(expression), rows.written(expression, "spark")
            except NotTranslated:
                continue
            asked.append((expression, kind, as_text(sql, kind, "spark"), expected))
        asked = asked[:: 1 if _ALL else 2]
        for start in range(0, len(asked), 40):
            some, by_turns = asked[start : start + 40], next(turns)
            if _ALL or not by_turns:
                wrong += _spark_differences(sparks, rows, some)
            if _ALL or by_turns:
                with interpreted(sparks.session):
                    wrong += _spark_differences(sparks, rows, some)
    assert not wrong, "\n".join(wrong)


def _spark_differences(
    sparks: Sparks, rows: Rows, asked: list[tuple[str, str, str, list[str | None]]]
) -> list[str]:
    def places(expected: list[str | None], kind: str, *, raising: bool) -> list[int]:
        return [
            place
            for place, value in enumerate(expected)
            if (value == ERROR) == raising
            and rows.fits(rows.values[place], "spark")
            and not (value in NOT_IN_SPARK and kind in ("date", "timestamp", "timestamptz"))
        ]

    found = sparks.ask(
        rows, [(sql, places(want, kind, raising=False)) for _, kind, sql, want in asked]
    )
    wrong = []
    for (expression, kind, sql, expected), values in zip(asked, found, strict=True):
        wrong += _different(rows, expression, kind, expected, values)
        for place in places(expected, kind, raising=True)[-1:]:
            try:
                value = sparks.ask_of_one(rows, sql, place)
            except Exception as error:
                if raised_by_spark(error) is None:
                    raise
                continue
            wrong.append(f"{expression} on {rows.values[place]}: {value}, PostgreSQL raises")
    return wrong


def _different(
    rows: Rows, expression: str, kind: str, expected: list[str | None], found: dict[int, object]
) -> list[str]:
    """The first row on which the values differ."""
    for place, value in found.items():
        text = shown(value, kind)
        if not same(expected[place], text, kind):
            where = f"{expression} on {rows.values[place]}"
            return [f"{where}: {text!r}, PostgreSQL gives {expected[place]!r}"]
    return []


def test_tables_do_not_lose_functions(announce: Callable[[str], None]) -> None:
    """The number of PostgreSQL's functions that each engine's table translates."""
    known = facts()
    immutable = {
        str(function)
        for name in known.function_names()
        for function in known.functions(name)
        if function.volatility == "i"
        and function.kind == "f"
        and all(arg in COLUMN_TYPES for arg in function.args)
        and function.result in COLUMN_TYPES
    }
    for engine in TABLES:
        count = len({str(function) for function, _ in translated(engine)})
        announce(
            f"{engine}: {count} of {len(immutable)} immutable functions over the types of the "
            "tables, and those with rules of their own (numeric, LIKE, char(n))"
        )
        assert count >= FEWEST_FUNCTIONS[engine]


def test_every_row_names_functions_that_exist() -> None:
    """A row for a function that PostgreSQL does not have is a slip."""
    missing = [
        key
        for rows in TABLES.values()
        for key in rows
        if not key.startswith(".")
        and not [
            function
            for function in facts().functions(key.partition("(")[0])
            if "(" not in key or str(function) == key
        ]
    ]

    assert missing == []
