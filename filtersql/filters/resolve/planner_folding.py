"""What PostgreSQL's planner makes of a filter before the first row, where NULL shows it.

Example
    ======================== ==================== ==========================
    filter                   15 and 16, a is NULL since 17, whatever a is
    ======================== ==================== ==========================
    `a <@ '(,)'::int4range`  NULL                 true
    `a <@ 'empty'`           NULL                 false
    `a / 0 > NULL`           NULL, never an error NULL, never an error
    ======================== ==================== ==========================

PostgreSQL
    clauses.c, evaluate_function(): a strict function is never called beside a constant NULL;
    rangetypes.c, find_simplified_clause(); pgoutput.c prepares a filter with ExecPrepareExpr(),
    which plans it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from filtersql.errors.filters import BadLiteral, NotTranslated
from filtersql.filters.resolve.inlined_functions import inlined
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import (
    Const,
    Distinct,
    Func,
    Node,
    NullIf,
    Op,
    ScalarArrayOp,
    is_null_const,
)
from filtersql.filters.tree.rebuilding import rebuilt
from filtersql.filters.tree.walking import reads_column, walk
from filtersql.filters.values import ranges
from filtersql.filters.values.ranges import Range

__all__ = ["planned"]

#: function name: which argument is the range
_HOLDS = {"range_contains_elem": 0, "elem_contained_by_range": 1}
_SINCE = 17
#: what a range is made of
_OF = {"int4range": "int4", "int8range": "int8", "numrange": "numeric", "daterange": "date",
       "tsrange": "timestamp", "tstzrange": "timestamptz"}  # fmt: skip


def planned(scope: Scope, tree: Node) -> Node:
    """The tree that is computed for every row."""
    nodes = walk(tree)
    tree = inlined(tree, nodes)
    if any(node.type == "unknown" for node in nodes):
        tree = rebuilt(tree, _as_text)
    if any(map(is_null_const, nodes)):
        tree = rebuilt(tree, _uncalled)
    return _decided(scope, tree, nodes)


def _as_text(node: Node) -> Node:
    """A literal that may be of any type: only its being NULL matters."""
    return replace(node, type="text") if node.type == "unknown" else node


def _uncalled(node: Node) -> Node:
    """NULL where a strict function has a constant NULL beside whatever else a row holds."""
    if not isinstance(node, (Op, Func)) or not node.function.strict:
        return node
    if isinstance(node, (ScalarArrayOp, Distinct, NullIf)):
        return node
    known = [fold(arg) for arg in node.args]
    if not any(one is not None and one.value is None for one in known):
        return node
    # what holds no column is computed at once: it may raise all the same
    if any(
        one is None and not reads_column(arg) for one, arg in zip(known, node.args, strict=True)
    ):
        return node
    return Const(node.type, -1, node.location, node.collation, node.strength, None)


def _decided(scope: Scope, tree: Node, before: Sequence[Node]) -> Node:
    if scope.clock.postgres_version < _SINCE:
        return tree
    if not any(isinstance(node, (Op, Func)) and node.function.name in _HOLDS for node in before):
        return tree

    def decided(node: Node) -> Node:
        if not isinstance(node, (Op, Func)) or node.function.name not in _HOLDS:
            return node
        ranged = node.args[_HOLDS[node.function.name]]
        if reads_column(ranged):
            return node
        value = _value(ranged)
        if value is None:
            reason = "Since PostgreSQL 17 a range of constants may decide for NULL too."
            raise NotTranslated(
                "a range made of constants", "any engine", reason, scope.span(node.location)
            )
        everything = not value.empty and (value.lower, value.upper) == (None, None)
        if value.empty or everything:
            return Const("bool", -1, node.location, value=everything)
        return node

    return rebuilt(tree, decided)


def _value(node: Node) -> Range | None:
    """A range of constants; None where it is not known, or NULL."""
    known = fold(node)
    if known is not None:
        # beside NULL nothing is decided
        return known.value if isinstance(known.value, Range) else Range(0, None, True, False)
    if not isinstance(node, Func) or node.function.name != node.type:
        return None
    values = [known.value for arg in node.args if (known := fold(arg)) is not None]
    if len(values) != len(node.args):
        return None
    lower, upper, ends = (*values, "[)")[:3]
    if ends not in ("[)", "[]", "(]", "()"):
        return None  # it raises
    try:
        return ranges.made(_OF[node.type], Range(lower, upper, ends[0] == "[", ends[1] == "]"))
    except BadLiteral:
        return None
