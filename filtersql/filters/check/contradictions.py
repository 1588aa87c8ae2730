"""Conditions on one column that no value fulfils together, or some value out of a list.

Example
    =============================== ==================================
    `v > 1 AND v < 0`               no number is both
    `v = 1 AND v = 2`               no value is both
    `v NOT IN (1, NULL)`            false for 1, NULL for all others
    `v > 1 AND v < 2`               not of an int, of a numeric it can
    =============================== ==================================

    Only what is exact is compared: whole numbers and dates in their order. What is not understood
    can be anything, so the answer "never" is never wrong.

PostgreSQL
    predtest.c, predicate_refuted_by(), does it for constraint exclusion
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from filtersql.filters.facts import TURNED
from filtersql.filters.tree.nodes import (
    ArrayExpr,
    Bool,
    Const,
    Node,
    Op,
    ScalarArrayOp,
    Var,
    is_null_const,
)

__all__ = ["excluded", "lists_null"]

#: types whose values are whole numbers in the tree: a date is its day
_WHOLE = frozenset({"int2", "int4", "int8", "date"})
#: collations under which equal texts are the same bytes
_BYTES = frozenset({"default", "C", "POSIX"})


class _Condition(Struct, frozen=True):
    """`column operator value`."""

    column: str
    operator: str
    value: int | str


def lists_null(node: Node) -> bool:
    """Whether it is NOT IN or `<> ALL` of a list that holds NULL: false or NULL, never true."""
    if not isinstance(node, ScalarArrayOp) or node.any or not node.function.strict:
        return False
    items = node.args[1]
    return isinstance(items, ArrayExpr) and any(map(is_null_const, items.elements))


def excluded(node: Node) -> bool:
    """Whether the conditions that an AND needs all at once exclude each other."""
    held: dict[str, list[_Condition]] = {}
    for part in _parts(node):
        condition = _condition(part)
        if condition is not None:
            held.setdefault(condition.column, []).append(condition)
    return any(_are_apart(conditions) for conditions in held.values())


def _parts(node: Node) -> Iterator[Node]:
    """The conditions of nested ANDs."""
    if isinstance(node, Bool) and node.kind == "and":
        for arg in node.args:
            yield from _parts(arg)
    else:
        yield node


def _are_apart(conditions: Sequence[_Condition]) -> bool:
    """Whether no value fulfils all of them."""
    equal = {one.value for one in conditions if one.operator == "="}
    barred = {one.value for one in conditions if one.operator == "<>"}
    if len(equal) > 1 or equal & barred:
        return True
    numbers = [(one.operator, one.value) for one in conditions if isinstance(one.value, int)]
    least = [value + (word == ">") for word, value in numbers if word in (">", ">=", "=")]
    most = [value - (word == "<") for word, value in numbers if word in ("<", "<=", "=")]
    if not least or not most:
        return False
    return max(least) > min(most) or (max(least) == min(most) and max(least) in barred)


def _condition(node: Node) -> _Condition | None:
    """Of a bare column and a constant."""
    if type(node) is not Op or len(node.args) != 2:
        return None
    name = node.operator.name
    first, second = node.args
    if isinstance(first, Const):
        first, second, name = second, first, TURNED.get(name, "")
    if not isinstance(first, Var) or first.special or not isinstance(second, Const):
        return None
    value = second.value
    if isinstance(value, bool) or name not in TURNED:
        return None
    if first.type in _WHOLE and second.type in _WHOLE and isinstance(value, int):
        return _Condition(first.name, name, value)
    exact = first.type == "text" and second.type == "text" and node.input_collation in _BYTES
    if exact and isinstance(value, str) and name in ("=", "<>"):
        return _Condition(first.name, name, value)
    return None
