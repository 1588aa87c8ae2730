"""Values at which a row filter may change its mind: taken from the constants of its tree.

Example
    ============== ==================== =====================================
    column         constants            candidates
    ============== ==================== =====================================
    a int          5                    6, 5, 4, NULL
    a int          5.5                  6, 5, 4, 7, NULL
    n numeric      1, 2                 1, 1.5, 2, 0, 3, NULL
    c text         'NSW', 'N%'          NSW, N%, Nx, nsw, NSWx, …, NULL
    ============== ==================== =====================================

A filter is *cellular* when each column is only compared with constants of its own kind, and the
comparisons are joined by AND, OR, NOT, IS and CASE. Then its answer depends only on where each
value stands among the constants: below, at, between or above. The candidates hold a value of every
such cell, so all their combinations together decide a question about the filter for every row.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from filtersql.catalog import Column, PgType, Table
from filtersql.filters.facts import facts
from filtersql.filters.tree.nodes import (
    ArrayExpr,
    Bool,
    BooleanTest,
    Case,
    Const,
    Distinct,
    Func,
    Node,
    NullIf,
    NullTest,
    Op,
    Relabel,
    ScalarArrayOp,
    Var,
)
from filtersql.filters.tree.walking import walk
from filtersql.filters.values import show
from filtersql.verify.composed_values import addresses, arrays, documents, plain, ranges
from filtersql.verify.regex_samples import samples
from filtersql.verify.scalar_values import (
    INTEGERS,
    NUMBERS,
    TEXTS,
    TIMES,
    moment_texts,
    moments,
    number_texts,
    numbers,
    text_values,
)

__all__ = ["Candidates", "candidates", "is_cellular"]

#: what is compared as a number, and equal where it is the same text
_COMPARED = NUMBERS - {"float4"}
_SAME = TEXTS - {"bpchar"}
_ORDERED = {"=", "<>", "<", "<=", ">", ">="}
_EQUAL = {"=", "<>"}
#: casts between kinds of numbers that no number loses anything by
_WIDENING = {"int4", "int8", "numeric", "float8"}
#: collations under which texts are equal when they are the same
_BY_BYTES = {None, "default", "C", "POSIX", "ucs_basic"}
#: elements of arrays and bounds of ranges that are tried
_FEW = 4


class Candidates(Struct, frozen=True):
    """Values of one column as PostgreSQL prints them; None is NULL.

    `complete` says that every cell among the constants has one.
    """

    column: Column
    values: tuple[str | None, ...]
    complete: bool


def is_cellular(tree: Node) -> bool:
    """Whether the filter's answer depends only on the cells of its columns' values."""
    match tree:
        case Const() | Var():
            return tree.type == "bool"
        case Bool():
            return all(map(is_cellular, tree.args))
        case BooleanTest():
            return is_cellular(tree.arg)
        case NullTest():
            return _column(tree.arg) is not None or is_cellular(tree.arg)
        case Case(arg=None):
            parts = [tree.default, *(part for when in tree.whens for part in when)]
            return all(map(is_cellular, parts))
        case NullIf():
            return False
        case ScalarArrayOp(args=(left, ArrayExpr() as array)):
            return all(_compares(tree, left, element) for element in array.elements)
        case ScalarArrayOp():
            return False
        case Op(args=(left, right)):
            return _compares(tree, left, right) or _compares(tree, right, left)
        case _:
            return False


def _compares(node: Op, column: Node, constant: Node) -> bool:
    """`column op constant` where only the constant's place among the column's values matters."""
    found, value = _column(column), _constant(constant)
    if found is None or value is None:
        return False
    name = "=" if isinstance(node, Distinct) else node.operator.name
    if {found.type, value.type} <= _COMPARED:
        return name in _ORDERED and (value.value is None or bool(list(numbers(value))))
    if found.type in TIMES:
        known = value.value is None or bool(list(moments(value, found.type)))
        return name in _ORDERED and found.type == value.type and known
    if found.type in _SAME:
        # The order of texts is the collation's; being equal is being the same.
        same = node.input_collation in _BY_BYTES and value.type in {*_SAME, "unknown"}
        return same and name in _EQUAL
    return name in _EQUAL and found.type == value.type and found.type in {"uuid", "bool"}


def _column(node: Node) -> Var | None:
    """The column itself, or as a wider number or another name of text."""
    match node:
        case Var():
            return node
        case Relabel(arg=Var() as inner) if inner.type in _SAME:
            return inner
        case Func(args=(Var() as inner,), display="implicit") if (
            inner.type in INTEGERS
            and node.function.name in _WIDENING
            and (inner.type, node.type) != ("int8", "float8")
        ):
            return inner
        case _:
            return None


def _constant(node: Node) -> Const | None:
    match node:
        case Const():
            return node
        case Func(args=(Const() as inner,)) if (
            inner.type in _COMPARED and node.function.name in _WIDENING
        ):
            # int4(5.5) would be another number than the one that is written.
            return inner if inner.type in INTEGERS or node.type != "int4" else None
        case Relabel(arg=Const() as inner):
            return inner
        case _:
            return None


def candidates(table: Table, trees: Sequence[Node]) -> tuple[Candidates, ...]:
    """Candidates of every column that the filters read, in the table's order."""
    nodes = [node for tree in trees for node in walk(tree)]
    read = {node.name for node in nodes if isinstance(node, Var)}
    constants = [node for node in nodes if isinstance(node, Const) and node.value is not None]
    cellular = all(map(is_cellular, trees))
    return tuple(
        _of(column, nodes, constants, table, cellular=cellular)
        for column in table.columns
        if column.name in read
    )


def _of(
    column: Column, nodes: list[Node], constants: list[Const], table: Table, *, cellular: bool
) -> Candidates:
    values, complete = _values(column, nodes, constants, near=not cellular)
    nullable = not table.never_null(column.name)
    found: list[str | None] = list(dict.fromkeys(values))
    return Candidates(column, (*found, None) if nullable else tuple(found), complete and cellular)


def _values(
    column: Column, nodes: Sequence[Node], constants: list[Const], *, near: bool
) -> tuple[list[str], bool]:
    """Values of a column, and whether they are all that a cellular filter can tell apart.

    `near`: the filter looks into values, so others than those next to its constants count.
    """
    kind = column.type.name
    if column.type.base is not None:  # a domain
        plainly = replace(column, type=column.type.base)
        return _values(plainly, nodes, constants, near=near)[0], False
    if column.type.schema != "pg_catalog":
        return [], False
    if kind == "bool":
        return ["t", "f"], True
    if kind in NUMBERS:
        return number_texts(column.type, constants, near=near), kind != "float4"
    if kind in TIMES:
        return moment_texts(column.type, constants, near=near), True
    if kind in TEXTS:
        whole = kind != "bpchar" and column.type.length is None
        return text_values(column.type, constants, samples(nodes), near=near), whole
    known = [show(each.type, each.value) for each in constants if each.type == kind]
    if kind == "uuid":
        others = (f"00000000-0000-0000-0000-{number:012x}" for number in range(len(known) + 1))
        return [*known, next(other for other in others if other not in known)], True
    if kind in ("json", "jsonb"):
        return documents(column.name, kind, nodes), False
    if kind in ("inet", "cidr"):
        return addresses(kind, constants), False
    part = facts().type(kind).element or facts().type(kind).subtype
    if not part:
        return plain(kind, known), False
    within = replace(column, type=PgType(part, column.type.typmod))
    texts, _ = _values(within, nodes, constants, near=near)
    composed = ranges if facts().type(kind).kind in ("r", "m") else arrays
    return composed(kind, texts[:_FEW], known), False
