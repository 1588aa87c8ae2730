"""Which functions of pglogical and bdr a SELECT calls, each of them once.

Example
    `SELECT pglogical.drop_replication_set('emea')` and `SELECT * FROM
    pglogical.drop_replication_set('emea')` are such calls. Where a row, a condition or another
    expression decides whether and how often the function is called, it is refused.

PostgreSQL
    functions in FROM are called before those of the target list: execMain.c: ExecutePlan()
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from filtersql.definitions.session_code import sets
from filtersql.definitions.sql_names import Script
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, Statement, below

__all__ = ["calls_of", "check_calls_of", "check_hidden", "may_call"]

_CALL = re.compile(r"\b(?:pglogical|bdr)\"?\s*\.", re.IGNORECASE)
_HINT = "Write SELECT with the call alone, as a statement of its own."


def calls_of(statement: Statement) -> Iterator[Node]:
    """The calls that stand in FROM and in the target list by themselves."""
    node = statement.node
    for item in node.from_clause:
        if item.WhichOneof("node") == "range_function":
            for function in item.range_function.functions:
                if function.list.items[0].WhichOneof("node") == "func_call":
                    yield function.list.items[0].func_call
    for target in node.target_list:
        value = target.res_target.val
        if value.WhichOneof("node") == "func_call":
            yield value.func_call


def check_calls_of(script: Script, statement: Statement, functions: Container[str]) -> None:
    """Raises where one of some functions is called otherwise, or not just once."""
    node = statement.node
    once = [call.location for call in calls_of(statement)]
    rows = any(item.WhichOneof("node") != "range_function" for item in node.from_clause)
    several = rows or any(
        node.HasField(clause)
        for clause in ("where_clause", "having_clause", "limit_count", "limit_offset")
    )
    for one, name in _calls_in(node, functions):
        if several or one.location not in once:
            where = "for each row of a query" if several else "inside of another expression"
            construct = f"a call of {name}() {where}"
            raise UnsupportedStatement(construct, script.span(one.location, len(name)), _HINT)


def may_call(text: str) -> bool:
    """Whether a statement of no concern must be looked at for such calls."""
    return _CALL.search(text) is not None


def check_hidden(script: Script, statement: Statement, functions: Container[str]) -> None:
    """INSERT, EXPLAIN, PREPARE and their like: raises where one of some functions is called."""
    for call, name in _calls_in(statement.node, functions):
        construct = f"a call of {name}() inside of another statement"
        raise UnsupportedStatement(construct, script.span(call.location, len(name)), _HINT)


def _calls_in(node: Node, functions: Container[str]) -> Iterator[tuple[Node, str]]:
    """The calls of some functions below a node, with their names; set_config() is one of them."""
    for call in below(node, "FuncCall"):
        name = ".".join(part.string.sval for part in call.funcname)
        setting = name.removeprefix("pg_catalog.") == "set_config"
        if name in functions or (setting and sets(_first(call))):
            yield call, name


def _first(node: Node) -> str | None:
    """The text that a call begins with, where it is a constant."""
    first = node.args[0] if node.args else None
    named = first is not None and first.WhichOneof("node") == "a_const"
    return str(first.a_const.sval.sval) if first is not None and named else None
