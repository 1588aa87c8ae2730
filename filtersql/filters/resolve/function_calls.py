"""A call of a function as it was written, and what only aggregates may have.

Example
    `count(*)` is Call("", "count", (), 0, aggregate_only="count(*)"), and no filter may hold it.

PostgreSQL
    parse_func.c: ParseFuncOrColumn().
"""

from __future__ import annotations

from typing import NamedTuple

from filtersql.errors.filters import Wrong
from filtersql.filters.facts import Function
from filtersql.filters.resolve.coercion import shown_type
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.tree.nodes import Display, Node
from filtersql.grammar import Node as Parsed
from filtersql.names import quote_identifier

__all__ = ["Call", "aggregate_only", "check_plain", "signature"]

#: pg_aggregate.aggkind o and h
_ORDERED_SETS = {
    "cume_dist",
    "dense_rank",
    "mode",
    "percent_rank",
    "percentile_cont",
    "percentile_disc",
    "rank",
}


class Call(NamedTuple):
    """A call as it was written."""

    schema: str
    name: str
    args: tuple[Node, ...]
    location: int
    variadic: bool = False
    display: Display = "call"
    #: OVER, DISTINCT, `*`, FILTER, ORDER BY, WITHIN GROUP: what only aggregates may have
    over: bool = False
    aggregate_only: str = ""


def aggregate_only(parsed: Parsed, name: str) -> str:
    """The first of a call's clauses that only aggregates may have; empty: none."""
    clauses = (
        ("DISTINCT", parsed.agg_distinct),
        (f"{name}(*)", parsed.agg_star),
        ("WITHIN GROUP", parsed.agg_within_group),
        ("ORDER BY", bool(parsed.agg_order)),
        ("FILTER", parsed.HasField("agg_filter")),
    )
    return next((word for word, present in clauses if present), "")


def check_plain(scope: Scope, written: Call, function: Function) -> None:
    """Aggregates, window functions and procedures have no place in a filter."""
    span = scope.span(written.location)
    if function.kind == "p":
        raise Wrong(
            f"{signature(written)} is a procedure",
            span,
            hint="To call a procedure, use CALL.",
        )
    if written.over:
        if function.kind == "f":
            message = (
                f"OVER specified, but {written.name} is not a window function "
                "nor an aggregate function"
            )
            raise Wrong(message, span)
        raise Wrong(f"window functions are not allowed in {scope.clause}", span)
    if function.kind == "a" and not written.args and not written.aggregate_only:
        message = f"{written.name}(*) must be used to call a parameterless aggregate function"
        raise Wrong(message, span)
    grouped = written.aggregate_only == "WITHIN GROUP"
    if function.kind == "a" and written.name in _ORDERED_SETS and not grouped:
        message = f"WITHIN GROUP is required for ordered-set aggregate {written.name}"
        raise Wrong(message, span)
    if function.kind == "a":
        raise Wrong(f"aggregate functions are not allowed in {scope.clause}", span)
    if function.kind == "w":
        raise Wrong(f"window function {written.name} requires an OVER clause", span)
    if written.aggregate_only:
        message = (
            f"{written.aggregate_only} specified, but {written.name} is not an aggregate function"
        )
        raise Wrong(message, span)


def signature(written: Call) -> str:
    """A call as mistakes show it: its name and the types of its arguments."""
    name = f"{quote_identifier(written.schema)}." if written.schema else ""
    return f"{name}{written.name}({', '.join(map(shown_type, written.args))})"
