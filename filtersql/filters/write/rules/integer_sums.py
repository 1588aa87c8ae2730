"""Sums and products of integers: Spark must not move their constants together.

Example
    `i + 2147483647 + -2147483647 > 0` raises where i is 1. Spark would make `i + 0` of it; of
    `(i + 2147483647) - 0 + -2147483647` it does not.

PostgreSQL
    int.c, int4pl(): each sum must fit; the planner keeps the order that was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp

from filtersql.filters.facts import Function
from filtersql.filters.tree.nodes import Node, Op
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.tree.walking import reads_column
from filtersql.filters.write.writer import Writer

__all__ = ["put"]

_INTEGER = re.compile(r"int[248]{1,2}(pl|mul)")
_ZERO = {"int2": "CAST(0 AS SMALLINT)", "int4": "0", "int8": "CAST(0 AS BIGINT)"}


def put(writer: Writer, function: Function, arg: Node, args: Sequence[Node]) -> exp.Expr:
    """An argument of a call; apart from the call where both are sums, or both products."""
    written = writer.put(arg)
    kind, of = _kind(function), function.result
    if writer.engine != "spark" or not kind or _inner(arg, kind, of) is None:
        return written
    if not _moved(args, kind, of):
        return written
    return writer.filled(f"_1 - {_ZERO[arg.type]}", written)


def _moved(args: Sequence[Node], kind: str, of: str) -> bool:
    """Whether a constant of the whole sum stands elsewhere than at its end."""
    leaves = [leaf for one in args for leaf in _leaves(one, kind, of)]
    constants = [leaf for leaf in leaves if not reads_column(leaf)]
    if not constants:
        return False
    return len(constants) > 1 or constants[0] is not args[1] or not _is_in_order(args[0], kind, of)


def _is_in_order(node: Node, kind: str, of: str) -> bool:
    """Whether only the left sides of sums are sums."""
    inner = _inner(node, kind, of)
    if inner is None:
        return True
    return _inner(inner.args[1], kind, of) is None and _is_in_order(inner.args[0], kind, of)


def _kind(function: Function) -> str:
    found = _INTEGER.fullmatch(function.name)
    return found[1] if found else ""


def _inner(node: Node, kind: str, of: str) -> Op | None:
    node = bare(node)
    same = isinstance(node, Op) and node.type == of and _kind(node.function) == kind
    return node if same and isinstance(node, Op) else None


def _leaves(node: Node, kind: str, of: str) -> Iterator[Node]:
    inner = _inner(node, kind, of)
    if inner is None:
        yield node
        return
    for arg in inner.args:
        yield from _leaves(arg, kind, of)
