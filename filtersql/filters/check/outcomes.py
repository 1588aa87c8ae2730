"""Which of true, false and NULL a filter can be, as far as its text alone tells.

Example
    =============================== =================
    filter                          can be
    =============================== =================
    id > 5          (id not null)   true, false
    total > 5       (total null)    true, false, NULL
    true OR id > 5                  true
    total = NULL                    NULL
    id IS NULL      (id not null)   false
    v > 1 AND v < 0                 false, NULL
    v NOT IN (1, NULL)              false, NULL
    =============================== =================

The answer is never too small: what is not understood can be anything. `lints` warns of a filter
that is always true, or never.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from filtersql.catalog import Table
from filtersql.errors import Notice
from filtersql.errors.publications import shown
from filtersql.filters.check.contradictions import excluded, lists_null
from filtersql.filters.model import Filter
from filtersql.filters.tree.nodes import (
    Bool,
    BooleanTest,
    Const,
    Node,
    NullTest,
    Op,
    ScalarArrayOp,
    Var,
)

__all__ = ["lints", "outcomes"]

Outcome = bool | None
_ANY: frozenset[Outcome] = frozenset({True, False, None})
_NULL: frozenset[Outcome] = frozenset({None})
_TESTED: dict[str, Outcome] = {"TRUE": True, "FALSE": False, "UNKNOWN": None}


def outcomes(node: Node, table: Table) -> frozenset[Outcome]:
    """What a boolean node can be for some row of the table."""
    match node:
        case Const():
            known = node.value is None or isinstance(node.value, bool)
            return frozenset({node.value}) if known else _ANY  # type: ignore[arg-type]
        case Bool(kind="not"):
            return frozenset(_not(one) for one in outcomes(node.args[0], table))
        case Bool():
            parts = [outcomes(arg, table) for arg in node.args]
            found = _combined(parts, absorbing=node.kind == "or")
            return found - {True} if node.kind == "and" and excluded(node) else found
        case ScalarArrayOp() if lists_null(node):
            return frozenset({False, None})
        case BooleanTest():
            tested = {one is _TESTED[node.test] for one in outcomes(node.arg, table)}
            return frozenset(one != node.negated for one in tested)
        case NullTest():
            return frozenset(one == node.is_null for one in _is_null(node.arg, table))
        case Op() if type(node) is Op and node.function.strict:
            nulls = [_is_null(arg, table) for arg in node.args]
            if any(one == {True} for one in nulls):
                return _NULL
            nullable = any(True in one for one in nulls)
            return _ANY if nullable else frozenset({True, False})
        case _:
            return _ANY


def lints(row_filter: Filter, table: Table) -> Iterator[Notice]:
    """A filter that lets every row through, or none."""
    found = outcomes(row_filter.tree, table)
    span, name = row_filter.text.span(), shown(table.name)
    if found == {True}:
        yield Notice(
            "filter-always-true",
            f'row filter for table "{name}" is always true',
            span,
            hint="Leave it out: without a filter every row is sent.",
        )
    elif True not in found:
        null = found == _NULL
        yield Notice(
            "filter-never-true",
            f'row filter for table "{name}" is {"always NULL" if null else "never true"}',
            span,
            "A comparison with NULL is NULL." if null else None,
            "IS NULL and IS NOT DISTINCT FROM compare with NULL." if null else None,
        )


def _is_null(node: Node, table: Table) -> frozenset[bool]:
    """Whether an argument can be NULL, and can be something else."""
    match node:
        case Const():
            return frozenset({node.value is None})
        case Var() if not node.special:
            return frozenset({False}) if table.never_null(node.name) else frozenset({True, False})
        case Op() if type(node) is Op and node.function.strict:
            parts = [_is_null(arg, table) for arg in node.args]
            if any(one == {True} for one in parts):
                return frozenset({True})
            # A strict function of values may still give NULL.
            return frozenset({True, False})
        case Bool() | BooleanTest() | NullTest():
            return frozenset(one is None for one in outcomes(node, table))
        case _:
            return frozenset({True, False})


def _not(one: Outcome) -> Outcome:
    return None if one is None else not one


def _combined(parts: Iterable[frozenset[Outcome]], *, absorbing: bool) -> frozenset[Outcome]:
    """AND (`absorbing` is False) or OR (True) of all combinations, two by two."""
    first, *rest = parts
    for part in rest:
        first = frozenset(
            absorbing if absorbing in pair else (None if None in pair else not absorbing)
            for pair in product(first, part)
        )
    return first
