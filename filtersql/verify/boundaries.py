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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from itertools import pairwise

from filtersql.catalog import Column, Table
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
    walk,
)
from filtersql.filters.values import show

__all__ = ["Candidates", "candidates", "is_cellular"]

_INTEGERS = {"int2": 16, "int4": 32, "int8": 64}
_NUMBERS = {*_INTEGERS, "numeric", "float8"}
_TEXTS = {"text", "varchar"}
_TIMES = {"date", "timestamp", "timestamptz"}
_ORDERED = {"=", "<>", "<", "<=", ">", ">="}
_EQUAL = {"=", "<>"}
#: casts between kinds of numbers that no number loses anything by
_WIDENING = {"int4", "int8", "numeric", "float8"}
#: collations under which texts are equal when they are the same
_BY_BYTES = {None, "default", "C", "POSIX", "ucs_basic"}
_MOST_DAYS = 2_900_000
_MICROSECONDS = 6
_MOST_TEXTS = 24


@dataclass(frozen=True, slots=True)
class Candidates:
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
    if {found.type, value.type} <= _NUMBERS:
        return name in _ORDERED and (value.value is None or bool(list(_numbers(value))))
    if found.type in _TIMES:
        known = value.value is None or bool(list(_moments(value, found.type)))
        return name in _ORDERED and found.type == value.type and known
    if found.type in _TEXTS:
        # The order of texts is the collation's; being equal is being the same.
        same = node.input_collation in _BY_BYTES and value.type in {*_TEXTS, "unknown"}
        return same and name in _EQUAL
    return name in _EQUAL and found.type == value.type and found.type in {"uuid", "bool"}


def _column(node: Node) -> Var | None:
    """The column itself, or as a wider number or another name of text."""
    match node:
        case Var():
            return node
        case Relabel(arg=Var() as inner) if inner.type in _TEXTS:
            return inner
        case Func(args=(Var() as inner,), display="implicit") if (
            inner.type in _INTEGERS
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
            inner.type in _NUMBERS and node.function.name in _WIDENING
        ):
            # int4(5.5) would be another number than the one that is written.
            return inner if inner.type in _INTEGERS or node.type != "int4" else None
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
        _of(column, constants, table, cellular=cellular)
        for column in table.columns
        if column.name in read
    )


def _of(column: Column, constants: list[Const], table: Table, *, cellular: bool) -> Candidates:
    values, complete = _values(column, constants)
    nullable = not column.not_null and column.name not in table.primary_key
    found: list[str | None] = list(dict.fromkeys(values))
    return Candidates(column, (*found, None) if nullable else tuple(found), complete and cellular)


def _values(column: Column, constants: list[Const]) -> tuple[list[str], bool]:
    """Values of a column, and whether they are all that a cellular filter can tell apart."""
    kind = column.type.name
    if column.type.schema != "pg_catalog":
        return [], False
    if kind == "bool":
        return ["t", "f"], True
    if kind in _NUMBERS or kind == "float4":
        numbers = [number for each in constants for number in _numbers(each)]
        return _number_texts(column, sorted(set(numbers))), kind != "float4"
    if kind in _TIMES:
        moments = sorted({value for each in constants for value in _moments(each, kind)})
        fine = kind == "date" or not 0 <= column.type.typmod < _MICROSECONDS
        unit = 1 if fine else 10 ** (_MICROSECONDS - column.type.typmod)
        return [show(kind, value) for value in _around(moments, unit)], True
    if kind in {*_TEXTS, "bpchar"}:
        texts = [text for each in constants for text in _texts(each)]
        return _text_values(column, texts), kind in _TEXTS and column.type.length is None
    known = [show(each.type, each.value) for each in constants if each.type == kind]
    if kind == "uuid":
        others = (f"00000000-0000-0000-0000-{number:012x}" for number in range(len(known) + 1))
        return [*known, next(other for other in others if other not in known)], True
    return known, False


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, tuple | list):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    # A float is the shortest text that PostgreSQL prints for it.
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return number if number.is_finite() else None


def _numbers(constant: Const) -> Iterator[Decimal]:
    if constant.type.removeprefix("_") in {*_NUMBERS, "float4", "oid"}:
        for value in _flat(constant.value):
            number = _number(value)
            if number is not None and abs(number.adjusted()) < 1000:
                yield number


def _number_texts(column: Column, constants: list[Decimal]) -> list[str]:
    kind = column.type.name
    digits = column.type.numeric_precision_scale
    with localcontext(prec=2100):
        if kind in _INTEGERS or digits is not None:
            scale = 0 if digits is None else digits[1]
            unit = Decimal(1).scaleb(-scale)
            most = (
                Decimal(2) ** (_INTEGERS[kind] - 1) - 1
                if digits is None
                else (Decimal(10) ** digits[0] - 1) * unit
            )
            least = -most - (1 if digits is None else 0)
            steps: list[Decimal] = []
            for constant in constants or [Decimal(0)]:
                floor = (constant / unit).to_integral_value("ROUND_FLOOR") * unit
                steps += [floor, floor + unit, floor - unit, floor + 2 * unit]
            inside = [step for step in steps if least <= step <= most]
            return [f"{step:f}" for step in (inside or [least, most])]
        found = constants or [Decimal(0)]
        between = [(one + other) / 2 for one, other in pairwise(found)]
        every = [*found, *between, found[0] - 1, found[-1] + 1]
    if kind in {"float4", "float8"}:
        return [show(kind, float(number)) for number in every]
    return [show(kind, number) for number in every]


def _moments(constant: Const, kind: str) -> Iterator[int]:
    day = 86_400_000_000
    for value in _flat(constant.value):
        if not isinstance(value, int) or isinstance(value, bool):
            continue
        days = value if constant.type.removeprefix("_") == "date" else value // day
        if constant.type.removeprefix("_") not in _TIMES or abs(days) > _MOST_DAYS:
            continue
        if constant.type.removeprefix("_") == kind:
            yield value
        else:
            yield days if kind == "date" else days * day


def _around(values: Iterable[int], unit: int) -> Iterator[int]:
    for value in list(values) or [9497]:
        floor = value // unit * unit
        yield from (floor, floor + unit, floor - unit)
        if floor != value:
            yield floor + 2 * unit


def _texts(constant: Const) -> Iterator[str]:
    if constant.type.removeprefix("_") in {*_TEXTS, "bpchar", "unknown", "name"}:
        yield from (value for value in _flat(constant.value) if isinstance(value, str))


def _text_values(column: Column, constants: list[str]) -> list[str]:
    """The constants, what LIKE patterns among them match, and texts near to them."""
    found = [*dict.fromkeys(constants)]
    near = [text.replace("%", "x").replace("_", "x") for text in found if {"%", "_"} & {*text}]
    near += [text.replace("%", "").replace("_", "x") for text in found if "%" in text]
    near += [other for text in found for other in (f"{text}x", text.swapcase(), text[:-1])]
    other = "other"
    while other in found:
        other += "x"
    every = [*found, other, *near, ""][: max(_MOST_TEXTS, len(found) + 1)]
    length = column.type.length
    if length is not None:
        every = [text for text in every if len(text) <= length]
        if column.type.name == "bpchar":
            every = [text.ljust(length) for text in every]
    return [text for text in every if "\0" not in text]
