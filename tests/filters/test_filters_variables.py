"""A column that is called like a variable of the compiled SQL stays a column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import pytest
import sqlglot
from sqlglot import exp
from three_engines import Duck, Rows

from filtersql.filters.engines.templates import fill, of_a_table
from filtersql.filters.write.registry import rows_of
from filtersql.storage import Engine

TABLES: dict[Engine, Mapping[str, str]] = {engine: rows_of(engine) for engine in get_args(Engine)}


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
        # as many as there are names, so that each is a column's
        args = [
            of_a_table(exp.column(capitals[place % len(bound)].copy()))
            for place in range(max(9, len(bound)))
        ]
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


#: a call that has one of its kind as an argument, what it is compared with, and the columns
NESTED = [
    ("{} + c2", "> '2024-01-01'", ("timestamp", "interval")),
    ("date_bin('1 hour', {}, '2000-01-01')", "> '2024-01-01'", ("timestamp",)),
    ("{} AT TIME ZONE 'Europe/Berlin' AT TIME ZONE 'UTC'", "> '2024-01-01'", ("timestamp",)),
    ("{} - c2", "> '12:00'", ("time", "interval")),
    ("initcap({})", "= 'A'", ("text",)),
    ("decode(encode({}, 'base64'), 'base64')", "= 'a'", ("bytea",)),
    ("c2 / {}", "> 1", ("float8", "float8")),
    ("array_cat({}, c2)", "= '{1}'", ("_int4", "_int4")),
    ("trim_array({}, 1)", "= '{1}'", ("_int4",)),
]


@pytest.mark.parametrize("engine", TABLES)
@pytest.mark.parametrize(("call", "test", "types"), NESTED)
def test_filters_grow_with_the_depth_and_no_faster(
    engine: Engine, call: str, test: str, types: tuple[str, ...]
) -> None:
    """Six calls inside of one another take about twice what four do, not four times as much."""
    rows, nested, lengths = Rows(types), "c1", []
    for _ in range(6):
        nested = f"({call.format(nested)})"
        lengths.append(len(rows.written(f"{nested} {test}", engine)))
    assert lengths[5] < 2.2 * lengths[3]


def test_a_column_may_be_called_as_a_long_argument_is() -> None:
    """`held4_0` stands for the division: the column of that name is another one."""
    quotient = "(held4_0 / (held4_0 / (held4_0 / held4_0)))"
    rows = Rows(("float8",), ("held4_0",))
    duck = Duck()
    for text in (quotient, f"{quotient} / held4_0", f"held4_0 / ({quotient} / held4_0)"):
        written = rows.written(text, "duckdb")
        place = rows.values.index(("2.5",))
        assert " FOR " in written
        assert duck.ask(rows, written, [place]) == {place: eval(text, {"held4_0": 2.5})}
