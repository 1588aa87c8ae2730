"""What a filter reads out of a column several times is computed once, under a name.

That each has PostgreSQL's answer on every row is asked in `test_filters_engines`
(`data/filter_values.txt`, its last lines).
"""

from __future__ import annotations

import pytest
import sqlglot
from ordinary_filters import FILTERS, TABLE
from sqlglot import exp

from filtersql.filters import resolve, write
from filtersql.filters.write.decoded_once import decoded_once
from filtersql.filters.write.simplify import simplified
from filtersql.source import Passage, Source
from filtersql.storage import Engine

A = f"REGEXP_REPLACE(a, '{'a long pattern ' * 5}', '')"
#: with x for the long text A: what is written, and what becomes of it
SHAPES = [
    ("x = 'b'", "x = 'b'"),
    ("x = 'b' AND x <> 'c'", "[(v = 'b' AND v <> 'c') FOR v IN [x]][1]"),
    ("x = 'b' OR x = 'c' OR x = 'd'", "[(v = 'b' OR v = 'c' OR v = 'd') FOR v IN [x]][1]"),
    ("f AND x = 'b' AND x <> 'c'", "f AND [(v = 'b' AND v <> 'c') FOR v IN [x]][1]"),
    ("f AND x = 'b' AND x <> 'c' AND g", "f AND [(v = 'b' AND v <> 'c') FOR v IN [x]][1] AND g"),
    ("f AND (x = 'b' OR x = 'c')", "f AND [(v = 'b' OR v = 'c') FOR v IN [x]][1]"),
    ("x = 'b' AND f AND x <> 'c'", "[(v = 'b' AND f AND v <> 'c') FOR v IN [x]][1]"),
    (
        "CASE WHEN f THEN x = 'b' ELSE x = 'c' END",
        "[CASE WHEN f THEN v = 'b' ELSE v = 'c' END FOR v IN [x]][1]",
    ),
    ("CASE WHEN f THEN x = 'b' WHEN g THEN x = 'c' END", None),
    ("f OR (g AND x = 'b') OR (h AND x = 'c')", None),
    ("EXISTS(SELECT 1 FROM t WHERE x = 'b' AND x = 'c')", None),
    (
        "[(x = e AND x <> 'c') FOR e IN b]",
        "[[(v = e AND v <> 'c') FOR v IN [x]][1] FOR e IN b]",
    ),
    ("LIST_SUM([e || x FOR e IN b]) = LIST_SUM([e || x FOR e IN c])", None),
    (
        "CASE WHEN a IS NOT NULL THEN COALESCE(x = 'b', FALSE) END OR x = 'c'",
        "[(CASE WHEN a IS NOT NULL THEN COALESCE(v = 'b', FALSE) END OR v = 'c') FOR v IN [x]][1]",
    ),
    ("CASE WHEN g IS NOT NULL THEN COALESCE(x = 'b', FALSE) END OR x = 'c'", None),
    ("decoded = x AND x <> 'c'", "[(decoded = v AND v <> 'c') FOR v IN [x]][1]"),
]


@pytest.mark.parametrize(("text", "expected"), SHAPES)
def test_a_name_stands_where_the_value_is_computed_in_any_case(
    text: str, expected: str | None
) -> None:
    """None: as it is, because a row may not need it, or a variable or a query is in the way."""

    def parsed(shape: str, name: str) -> exp.Expr:
        tree = sqlglot.parse_one(shape, read="duckdb")
        values = {"x": sqlglot.parse_one(A, read="duckdb"), "v": exp.column(name)}

        def put(node: exp.Expr) -> exp.Expr:
            known = values.get(node.name) if isinstance(node, exp.Column) else None
            known = exp.to_identifier(name) if node == exp.to_identifier("v") else known
            return known.copy() if known is not None else node

        return simplified(tree.transform(put), "duckdb")

    name = "decoded2" if "decoded" in text else "decoded"
    found = decoded_once(parsed(text, name), "duckdb").sql("duckdb")
    assert found == parsed(expected or text, name).sql("duckdb")


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_no_ordinary_filter_reads_a_column_twice(engine: Engine) -> None:
    """No function of a column that takes 60 characters stands in a filter twice."""
    twice = {}
    both = [f"{text} AND {text}" for text in FILTERS if text.startswith(("doc", "tags", "price"))]
    for text in [*FILTERS, *both]:
        found = resolve(Passage(text, Source("f", text)), TABLE)
        seen: set[str] = set()
        for call in write(found, engine, exp.column).find_all(exp.Func):
            sql = call.sql(engine)
            reads = isinstance(call.find(exp.Column), exp.Column)
            bound = isinstance(call, (exp.Connector, exp.Case, exp.If)) or call.find_ancestor(
                exp.Lambda
            )
            if len(sql) >= 60 and reads and not bound and sql in seen:
                twice.setdefault(text, sql)
            seen.add(sql)
    assert twice == {}
