"""Ordinary filters are printed about as long as they were written, on both engines.

A person reviews the compiled SQL. The list is what administrators write over an ordinary table;
what no short text can say exactly is named, and there are at most three of them.
"""

from __future__ import annotations

import statistics

import pytest
import sqlglot
from ordinary_filters import FILTERS, TABLE
from sqlglot import exp

from filtersql.filters import resolve, write
from filtersql.filters.write.simplify import simplified
from filtersql.source import Passage, Source
from filtersql.storage import Engine

#: what has no short text: documents and dates are text on Spark, and are read in the condition
LONG = {"doc ? 'k'", "during @> '2024-01-01'::date"}


def _printed(text: str, engine: Engine) -> str:
    found = resolve(Passage(text, Source("f", text)), TABLE)
    return write(found, engine, exp.column).sql(dialect=engine)


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_ordinary_filters_stay_short(engine: Engine) -> None:
    printed = {text: _printed(text, engine) for text in FILTERS}
    ratios = [len(shown) / len(text) for text, shown in printed.items()]
    assert statistics.median(ratios) <= 1.5
    assert {text for text, shown in printed.items() if len(shown) > 400} <= LONG
    assert max(map(len, printed.values())) <= 1_000
    assert len(printed) >= 70
    assert len(LONG) <= 3


@pytest.mark.parametrize(
    ("text", "spark", "duckdb"),
    [
        ("qty % 2 = 0", "", ""),
        ("substring(code, 1, 2) = 'DE'", "SUBSTRING(code, 1, 2) = 'DE'", ""),
        ("left(code, 2) = 'DE'", "LEFT(code, 2) = 'DE'", ""),
        ("amount BETWEEN 1 AND 100", "amount >= 1 AND amount <= 100", ""),
        ("d >= '2024-01-01'", "d >= DATE '2024-01-01'", ""),
        ("code IS NOT NULL AND code <> ''", "", ""),
        ("rate > 0.5", "rate > 0.5D", "rate > 0.5e0"),
        ("rate > 5", "", ""),
        ("ip = '10.0.0.1'", "", ""),
        (
            "ip << '172.16.0.0/12'",
            "ip RLIKE '^172[.](1[6-9]|2[0-9]|3[0-1])[.]' AND NOT ip RLIKE '/([0-9]|1[0-2])$'",
            "REGEXP_MATCHES(ip, '^172[.](1[6-9]|2[0-9]|3[0-1])[.]') "
            "AND NOT REGEXP_MATCHES(ip, '/([0-9]|1[0-2])$')",
        ),
        ("id % 4 = 1 AND NOT flag", "", ""),
    ],
)
def test_a_condition_reads_as_a_person_writes_it(text: str, spark: str, duckdb: str) -> None:
    """Where nothing is given, the engine's text is the filter's, or that of Spark."""
    assert _printed(text, "spark") == (spark or text)
    assert _printed(text, "duckdb") == (duckdb or spark or text)


#: what is simplified, and what must not be: it may raise, or be NULL
CASES = [
    ("CASE WHEN 2 < 0 THEN RAISE_ERROR('x') ELSE a END", "a"),
    ("CASE WHEN 2 > 0 THEN RAISE_ERROR('x') ELSE a END", "RAISE_ERROR('x')"),
    ("CASE WHEN a < 0 THEN RAISE_ERROR('x') WHEN 1 = 1 THEN b ELSE c END",
     "CASE WHEN a < 0 THEN RAISE_ERROR('x') ELSE b END"),
    ("RAISE_ERROR('x') AND FALSE", "RAISE_ERROR('x') AND FALSE"),
    ("FALSE AND RAISE_ERROR('x')", "FALSE"),
    ("a AND TRUE", "a"),
    ("FALSE OR a", "a"),
    ("a OR TRUE", "a OR TRUE"),
    ("NULL AND a", "NULL AND a"),
    ("CASE WHEN FALSE THEN a END", "CASE WHEN FALSE THEN a END"),
    ("a IS NULL OR 1 IS NULL OR 'x' IS NULL", "a IS NULL"),
    ("NOT (a IS NULL)", "a IS NOT NULL"),
    ("NOT (a AND b)", "NOT (a AND b)"),
    ("(a OR b) AND c", "(a OR b) AND c"),
    ("COALESCE(1, a)", "1"),
    ("COALESCE(a, 1)", "COALESCE(a, 1)"),
    ("CASE WHEN a IS NULL THEN NULL ELSE LEFT(a, 2) END", "LEFT(a, 2)"),
    ("CASE WHEN a IS NULL THEN NULL ELSE LEFT(b, 2) END",
     "CASE WHEN a IS NULL THEN NULL ELSE LEFT(b, 2) END"),
    ("CASE WHEN a IS NULL THEN NULL ELSE LEFT(a, b) END",
     "CASE WHEN a IS NULL THEN NULL ELSE LEFT(a, b) END"),
    ("CAST(LEAST(GREATEST(CAST(1 AS BIGINT) + 2 - GREATEST(1, 1), 0), 2147483647) AS INT)", "2"),
    ("2147483647 + 1", "2147483647 + 1"),
    ("'a' < 'b'", "'a' < 'b'"),
    ("CAST('2024-01-31' AS DATE)", "DATE '2024-01-31'"),
    ("CAST('infinity' AS DATE)", "CAST('infinity' AS DATE)"),
    ("CAST(CAST(a AS BIGINT) % CAST(2 AS BIGINT) AS INT)", "a % 2"),
    ("CAST(CAST(a AS BIGINT) % -1 AS INT)", "CAST(CAST(a AS BIGINT) % -1 AS INT)"),
    ("CAST(CAST(a AS BIGINT) * 2 AS INT)", "CAST(CAST(a AS BIGINT) * 2 AS INT)"),
    ("(CASE WHEN a THEN b END)[1]", "(CASE WHEN a THEN b END)[1]"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_only_what_constants_decide_is_left_out(text: str, expected: str) -> None:
    tree = sqlglot.parse_one(text.replace("RAISE_ERROR", "error"), read="duckdb")
    shown = simplified(tree, "duckdb").sql(dialect="duckdb")
    assert shown.replace("ERROR", "RAISE_ERROR") == expected
