"""Columns that the target stores in another type: filters over them answer as PostgreSQL does."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import psycopg
import pytest
from frames import frame_of
from msgspec.structs import replace
from servers import Server
from sqlglot import exp
from three_engines import NASTY, NOT_IN_SPARK, pg_type

from filtersql.catalog import Column, Table
from filtersql.filters import resolve
from filtersql.filters.write.dispatch import write
from filtersql.names import RelationName
from filtersql.source import Passage, Source
from filtersql.storage import Engine, column_type

_MOMENTS = (
    "a > '{0}'", "a <= '{0}'", "a = 'infinity'", "a <> 'infinity'", "a < 'infinity'",
    "a >= 'infinity'", "a <= 'infinity'", "a > 'infinity'", "'infinity' > a", "a > '-infinity'",
    "a <= '-infinity'", "a >= '-infinity'", "a IN ('infinity', '{0}')", "a NOT IN ('-infinity')",
    "a = ANY ('{{{0},infinity}}')", "a IS DISTINCT FROM b", "a IS NOT DISTINCT FROM 'infinity'",
    "a < b", "b >= a", "a <> p", "coalesce(a, 'infinity') > b", "coalesce(a, b) = 'infinity'",
    "isfinite(a)", "NOT isfinite(coalesce(a, 'infinity'))", "greatest(a, b) < 'infinity'",
    "nullif(a, b) = 'infinity'", "a BETWEEN '{0}' AND 'infinity'", "(a, b) < (b, a)", "a IS NULL",
    "CASE WHEN a = 'infinity' THEN b ELSE a END > '{0}'", "CASE a WHEN b THEN true END",
    "isfinite(a) AND extract(year FROM a) > 2000", "least(p, 'infinity') > '{0}'",
    "coalesce(p, 'infinity') >= b", "a > '0044-03-15 BC'", "a IN ('0001-01-01 BC', '{0}')",
)  # fmt: skip
Row = tuple[str | None, ...]
_QUESTIONS = {
    "date": ("date", "string", [text.format("2024-02-29") for text in _MOMENTS]),
    "timestamp": (
        "timestamp", "string", [text.format("1969-12-31 23:59:59.5") for text in _MOMENTS],
    ),
    "timestamptz": (
        "timestamptz", "varchar(40)",
        [text.format("2024-07-01 12:00:00+02") for text in _MOMENTS if "year" not in text],
    ),
    "bool": ("bool", "string", ["a", "NOT a", "a = b", "a IS NOT TRUE", "a < b", "a <> p"]),
    "bytea": ("bytea", "string", ["a = '\\x61'", "a > b", "length(a) = 1", "a IN (b, p)"]),
    "float8": ("float8", "string", ["a > 1", "a = b", "a = 'NaN'", "a + 1 > b", "a IN (0, 1.5)"]),
    "float4": ("float4", "double", ["a > 1", "a = 0.1::real", "a::float8 = 0.1", "a <> p"]),
    "int4": ("int4", "bigint", ["a > 5", "a % 2 = 0", "a = b", "a IN (1, 2)", "a::int8 > p"]),
    "int8": ("int8", "decimal(20, 0)", ["a > 5", "a = b", "a % 7 = p % 7", "a / 2 > 1"]),
    "numeric(12,3)": ("numeric(12,3)", "string", ["a > 1.5", "a = 'NaN'", "a = b", "a < p"]),
    "uuid": ("uuid", "string", ["a = b", "a > 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"]),
    "bpchar(5)": ("bpchar(5)", "string", ["a = 'abc'", "a = b", "length(a) = 3"]),
}  # fmt: skip
"""name -> (type of a and b, how these are stored, filters); p is of the type and stored as it is"""


ENGINES = (
    "duckdb",
    pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.xdist_group("spark")]),
)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_filter_means_the_same_over_a_column_of_another_type(
    postgres: Server, engine: Engine, request: pytest.FixtureRequest
) -> None:
    """Infinite moments among them, which Spark's own types cannot hold."""
    ask = _spark(request.getfixturevalue("spark")) if engine == "spark" else _duckdb
    with postgres.connect(postgres.create_database("retyped")) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for name, (kind, target, questions) in _QUESTIONS.items():
            rows, answers = _truth(connection, name, kind, questions)
            table = _table(kind, target)
            written = [_written(table, text, engine) for text in questions]
            found = ask(table, rows, written)
            for text, sql, expected, given in zip(questions, written, answers, found, strict=True):
                wrong = [
                    pair for pair in zip(rows, expected, given, strict=True) if pair[1] != pair[2]
                ]
                assert not wrong, f"{name}: {text}: {wrong[:3]}\n{sql}"


def _truth(
    connection: psycopg.Connection[Any], name: str, kind: str, questions: Sequence[str]
) -> tuple[list[Row], list[list[Any]]]:
    """The rows as PostgreSQL prints them, and its answers."""
    pairs = itertools.product(NASTY[name], repeat=2)
    connection.execute(
        f"DROP TABLE IF EXISTS r; CREATE TABLE r (id int, a {kind}, b {kind}, p {kind})"
    )
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO r VALUES (%s, %s, %s, %s)",
            [(at, a, b, None if b in NOT_IN_SPARK else b) for at, (a, b) in enumerate(pairs)],
        )
    rows = connection.execute("SELECT a::text, b::text, p::text FROM r ORDER BY id").fetchall()
    answers = [
        [one for (one,) in connection.execute(f"SELECT {text} FROM r ORDER BY id").fetchall()]
        for text in questions
    ]
    return rows, answers


def _table(kind: str, target: str) -> Table:
    span = Source("test", "r").span(0, 1)
    own = Column("p", pg_type(kind), span)
    other = (replace(own, name=name, target_type=target) for name in ("a", "b"))
    return Table(RelationName("public", "r"), (*other, own), span)


def _written(table: Table, question: str, engine: Engine) -> str:
    source = Source("test", question)
    found = resolve(Passage(source.text, source), table)
    return write(found, engine, lambda name: exp.column(name, quoted=True)).sql(engine)


def _query(table: Table, written: Sequence[str], engine: Engine) -> str:
    """What is asked of the columns as the target stores them, made from PostgreSQL's texts."""
    stored = ", ".join(
        f"unhex(substring({one.name}, 3)) AS {one.name}"
        if one.type.name == "bytea" and one.target_type is None
        else f"CAST({one.name} AS {column_type(one, engine).sql}) AS {one.name}"
        for one in table.columns
    )
    return f"SELECT {', '.join(written)} FROM (SELECT id, {stored} FROM t) AS r ORDER BY id"


def _duckdb(table: Table, rows: Sequence[Row], written: Sequence[str]) -> list[list[Any]]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'; CREATE TABLE t (id int, a text, b text, p text)")
        connection.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?)", [(at, *row) for at, row in enumerate(rows)]
        )
        found = connection.execute(_query(table, written, "duckdb")).fetchall()
        return [*map(list, zip(*found, strict=True))]


def _spark(session: Any) -> Callable[[Table, Sequence[Row], Sequence[str]], list[list[Any]]]:
    own = session.newSession()
    for setting in ("ansi.enabled=true", "session.timeZone=UTC", "variable.substitute=false"):
        own.conf.set(*f"spark.sql.{setting}".split("="))

    def ask(table: Table, rows: Sequence[Row], written: Sequence[str]) -> list[list[Any]]:
        numbered = [(at, *row) for at, row in enumerate(rows)]
        frame = frame_of(own, numbered, "id int, a string, b string, p string")
        frame.createOrReplaceTempView("t")
        return [*map(list, zip(*own.sql(_query(table, written, "spark")).collect(), strict=True))]

    return ask
