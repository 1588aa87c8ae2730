"""Which rule writes a function that a row of the engine's table cannot.

Example
    `timestamp_pl_interval` is written by `moments`, `network_sub` by `networks`; a module is loaded
    when the first function of its kind is met.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from filtersql.filters import fields
from filtersql.filters.facts import Function
from filtersql.filters.nodes import Func, Node, Op

if TYPE_CHECKING:
    from sqlglot import exp

    from filtersql.filters.writer import Writer

__all__ = ["rule"]

Rule = Callable[["Writer", Node, str, Sequence[Node]], "exp.Expr"]


@cache
def rule(function: Function) -> Rule | None:
    """The rule for a function, by its signature or else its name."""
    for rules in _all():
        found = rules.get(str(function)) or rules.get(function.name)
        if found is not None:
            return found
    return None


@cache
def _all() -> tuple[dict[str, Rule], ...]:
    from filtersql.filters import buckets, held_texts, moments, ranges, zones

    others: dict[str, Rule] = {
        "date_part": _date_part,
        "date_add(timestamptz,interval,text)": zones.moved,
        "date_subtract(timestamptz,interval,text)": zones.moved,
    }
    rules = (buckets.RULES, moments.RULES, held_texts.RULES, ranges.RULES)
    return (*rules, others)


def _date_part(writer: Writer, node: Node, name: str, args: Sequence[Node]) -> exp.Expr:
    assert isinstance(node, (Func, Op))
    return fields.double(writer, node)
