"""A column that is called like a variable of the compiled SQL stays a column."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from filtersql.filters.engines import duckdb as duckdb_table
from filtersql.filters.engines import spark as spark_table
from filtersql.filters.engines.templates import fill, of_a_table
from filtersql.storage import Engine

TABLES: dict[Engine, dict[str, str]] = {"spark": spark_table.TABLE, "duckdb": duckdb_table.TABLE}


def variables(tree: exp.Expr) -> set[str]:
    """The names that lambdas and list comprehensions bind."""
    lambdas = {name.name for node in tree.find_all(exp.Lambda) for name in node.expressions}
    return lambdas | {node.expression.name for node in tree.find_all(exp.Comprehension)}


@pytest.mark.parametrize("engine", TABLES)
def test_columns_are_never_captured(engine: Engine) -> None:
    """Every row of the tables, with its variables' own names in capitals as columns."""
    tried = 0
    for name, text in TABLES[engine].items():
        bound = variables(sqlglot.parse_one(text, read=engine))
        if not bound:
            continue
        capitals = [exp.to_identifier(variable.upper()) for variable in bound]
        args = [of_a_table(exp.column(capitals[place % len(bound)].copy())) for place in range(9)]
        written = variables(sqlglot.parse_one(fill(engine, text, args).sql(engine), read=engine))
        assert not bound & written, name
        assert len(written) == len(bound), name
        tried += 1
    assert tried > 20


@pytest.mark.parametrize("engine", TABLES)
def test_texts_grow_with_the_depth_and_no_faster(engine: Engine) -> None:
    """A long argument that a text reads several times is written once, beside any column."""
    text = "CASE WHEN _1 > 0 THEN _1 * _2 ELSE _1 END"
    whole, lengths = of_a_table(exp.column("value1")), []
    for _ in range(40):
        whole = fill(engine, text, [whole, of_a_table(exp.column("VALUE2"))])
        lengths.append(len(whole.sql(engine)))
    assert lengths[-1] < 40 * 2000
    assert variables(whole) & {"value1", "value2"} == set()
    assert len(variables(whole)) > 5


@pytest.mark.parametrize("engine", TABLES)
def test_an_argument_of_a_branch_is_computed_in_it(engine: Engine) -> None:
    """What the text may not need could raise: the first condition stands outside of variables."""
    long = sqlglot.parse_one(" + ".join(["a / b"] * 60), read=engine)
    text = "CASE WHEN _2 THEN _1 * _1 ELSE 0 END"
    whole = fill(engine, text, [long, exp.column("c")])
    assert isinstance(whole, exp.Case)
    assert len(variables(whole)) == 1
    decided = fill(engine, "CASE WHEN _1 > 0 THEN _1 END", [long.copy()])
    assert not isinstance(decided, exp.Case)
