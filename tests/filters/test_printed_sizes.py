"""Ordinary filters are printed about as long as they were written, on both engines.

A person reviews the compiled SQL. The list is what administrators write over an ordinary table;
what no short text can say exactly is named, and there are at most three of them. What the docs say
of their lengths, and how five of them are printed, is what is printed.
"""

from __future__ import annotations

import re
import statistics
from pathlib import Path

import pytest
import sqlglot
from demo import started
from ordinary_filters import FILTERS, TABLE
from sqlglot import exp

import filtersql
from filtersql.filters import resolve, write
from filtersql.filters.write.simplify import simplified
from filtersql.source import Passage, Source
from filtersql.storage import Engine

#: the median of printed beside written characters; how long a filter may be, and one of LONG
MEDIAN, SHORT, LONGEST = 2, 400, 1_500
#: what has no short text: documents and ranges of dates are text, and are read in the condition
LONG = {"doc ? 'k'", "during @> '2024-01-01'::date"}
DOCS = (Path(filtersql.__file__).parent / "docs" / "filters.md").read_text(encoding="utf-8")


ENGINES: tuple[Engine, ...] = ("spark", "duckdb")


def _printed(text: str, engine: Engine) -> str:
    found = resolve(Passage(text, Source("f", text)), TABLE)
    return write(found, engine, exp.column).sql(dialect=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_ordinary_filters_stay_short(engine: Engine) -> None:
    printed = {text: _printed(text, engine) for text in FILTERS}
    ratios = [len(shown) / len(text) for text, shown in printed.items()]
    assert statistics.median(ratios) <= MEDIAN
    assert {text for text, shown in printed.items() if len(shown) > SHORT} <= LONG
    assert max(map(len, printed.values())) <= LONGEST
    assert len(printed) >= 70
    assert len(LONG) <= 3


def test_the_docs_tell_the_lengths() -> None:
    """The medians, and the lengths of the filters that are long."""
    said = {}
    for engine in ENGINES:
        ratios = [len(_printed(text, engine)) / len(text) for text in FILTERS]
        said[engine] = f"{statistics.median(ratios):.3g}"
    assert f"{len(FILTERS)} ordinary filters the median is {said['spark']} times" in DOCS
    assert f"and {said['duckdb']} times for DuckDB" in DOCS
    for text in LONG:
        spark, duckdb = (len(_printed(text, engine)) for engine in ENGINES)
        assert f"`{text}` ({spark} on Spark, {duckdb} on DuckDB)" in DOCS


def test_a_refusal_of_the_docs_is_printed_so(tmp_path: Path) -> None:
    """The file with its place, a caret, why and what helps."""
    shell = started(tmp_path, "shop")
    (shell.folder / "tables" / "t1.sql").write_text("CREATE TABLE t1 (c text PRIMARY KEY);\n")
    (shell.folder / "publications" / "p.yml").write_text(
        "publications:\n  - name: p\n    tables: [{name: t1, where: \"c < 'NSW'\"}]\n"
    )
    (shell.folder / "subscriptions" / "p.yml").write_text(
        "subscriptions: [{name: p, publications: [p]}]\n"
    )
    said = shell.run("filtersql compile")
    assert f"```text\n{said.stderr.strip()}\n```" in DOCS


def test_five_filters_of_the_docs_are_printed_so() -> None:
    """`now` is what is printed for Spark; the lines of the docs are broken anywhere."""
    block = DOCS.partition("Five filters for Spark")[2].partition("```text\n")[2]
    examples = block.partition("```")[0].split("\n\n")
    assert len(examples) == 5
    for example in examples:
        written, _, rest = example.partition("\n")
        text = re.split(r" {4,}", written)[0]
        now = " ".join(rest.partition("now ")[2].split())
        assert _printed(text, "spark") == now
        assert text in FILTERS
    named = _printed("price BETWEEN 1 AND 100", "spark")
    assert "".join(named.split()) in "".join(DOCS.split())


@pytest.mark.parametrize(
    ("text", "spark", "duckdb"),
    [
        ("qty % 2 = 0", "", ""),
        ("big % 4 = 1", "", ""),
        ("big IN (1, -2)", "", ""),
        ("coalesce(big, 0) > 1", "COALESCE(big, 0) > 1", ""),
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
    ("CAST(CAST(a AS INT128) % CAST(2 AS INT128) AS BIGINT)", "a % 2"),
    ("CAST(CAST(a AS INT128) % CAST(-1 AS INT128) AS BIGINT)",
     "CAST(CAST(a AS INT128) % CAST(-1 AS INT128) AS BIGINT)"),
    ("a % CAST(2 AS SMALLINT)", "a % CAST(2 AS SMALLINT)"),
    ("f(a) % CAST(2 AS BIGINT)", "F(a) % CAST(2 AS BIGINT)"),
    ("a IN (CAST(1 AS BIGINT), CAST(5000000000 AS BIGINT))",
     "a IN (1, CAST(5000000000 AS BIGINT))"),
    ("COALESCE(a, CAST(0 AS BIGINT))", "COALESCE(a, 0)"),
    ("COALESCE(a, CAST(0 AS SMALLINT))", "COALESCE(a, CAST(0 AS SMALLINT))"),
    ("(CASE WHEN a THEN b END)[1]", "(CASE WHEN a THEN b END)[1]"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_only_what_constants_decide_is_left_out(text: str, expected: str) -> None:
    tree = sqlglot.parse_one(text.replace("RAISE_ERROR", "error"), read="duckdb")
    shown = simplified(tree, "duckdb").sql(dialect="duckdb")
    assert shown.replace("ERROR", "RAISE_ERROR") == expected
