"""Columns that a project stores in another type than their own, and moments beyond Spark's types.

Example
    ==================================== =============================== =========================
    column                               filter                          written for Spark as
    ==================================== =============================== =========================
    `{type: int, target_type: bigint}`   `i > 5`                         CAST(i AS INT) > 5
    `{type: date, target_type: string}`  `d = 'infinity'`                d = 'infinity'
    the same                             `d > '2024-01-01'`              its days since 1970, of
                                                                         which infinity's are last
    the same                             `extract(year FROM d) = 2024`   CAST(d AS DATE); an
                                                                         infinite one raises
    `d` date                             `coalesce(d, 'infinity') > d2`  days since 1970
    ==================================== =============================== =========================

PostgreSQL
    date.c, date_cmp_internal(); timestamp.c, timestamp_cmp_internal(): infinity is last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from sqlglot import exp

from filtersql.catalog import PgType
from filtersql.filters.facts import SYMBOLS, Function
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Case, Coalesce, Const, MinMax, Node, NullIf, Relabel, Var
from filtersql.filters.tree.transparent_nodes import bare, chosen
from filtersql.filters.values.calendar import INFINITE
from filtersql.filters.write.rules import array_elements
from filtersql.filters.write.writer import Writer
from filtersql.storage import is_text, stored_as

__all__ = ["call", "is_beyond", "key", "stored"]

#: types held as PostgreSQL's text, of which another form is computed with
_HELD = {"timetz", "inet", "cidr", "money"}
#: other types that hold all values of a type, or a run stops at one
_WIDER = {
    **dict.fromkeys(
        ("int2", "int4", "int8"),
        "TINYINT|SMALLINT|INT|INTEGER|BIGINT|BYTE|SHORT|LONG|(DECIMAL|NUMERIC|DEC)[^A-Z]*",
    ),
    **dict.fromkeys(("float4", "float8"), "FLOAT|REAL|DOUBLE"),
}


def stored(writer: Writer, node: Var) -> exp.Expr:
    """A column as a value of its type, whatever it is stored as."""
    if node.special:
        raise writer.refused(node, "The target does not hold it.")
    column, target = writer.column(node), node.target_type
    if target is None:
        return writer.piece(f".{node.type}", column) if node.type in _HELD else column
    own = stored_as(PgType(node.type), writer.engine)
    if is_text(target):
        read = array_elements.stored(writer, node.type, column)
        if writer.engine == "duckdb" or node.type not in INFINITE:
            return read
        return writer.filled(
            "CASE WHEN _1 IN ('infinity', '-infinity') THEN raise_error('an infinite moment') "
            "ELSE _2 END",
            column,
            read,
        )
    if re.fullmatch(_WIDER.get(node.type, "-"), target.strip().upper()):
        return writer.cast(column, own.sql)
    raise writer.refused(node, f"It is stored as {target} on the target, not as its own type.")


def is_beyond(writer: Writer, node: Node) -> bool:
    """Whether a moment may be one that Spark's types cannot hold."""
    return writer.engine == "spark" and node.type in INFINITE and _is_beyond(node)


def _is_beyond(node: Node) -> bool:
    if (constant := fold(node)) is not None:
        return constant.value in INFINITE[node.type]
    match node:
        case Var():
            return node.target_type is not None
        case Relabel():
            return _is_beyond(node.arg)
    return any(map(_is_beyond, chosen(node)))


def call(writer: Writer, function: Function, args: Sequence[Node]) -> exp.Expr | None:
    """A comparison of moments beyond Spark's types, or isfinite() of one; None: it is none."""
    if not any(is_beyond(writer, arg) for arg in args):
        return None
    if function.name == "isfinite":
        ends = _ends(writer, args[0].type)
        return writer.filled("NOT _1 IN (_2, _3)", key(writer, args[0]), *ends)
    symbol = SYMBOLS.get(function.name.rsplit("_", 1)[-1])
    if symbol is None or len(args) != 2 or args[0].type != args[1].type:
        return None
    for place, other in ((1, 0), (0, 1)):
        constant = fold(args[place])
        if constant is not None and constant.value in INFINITE[constant.type]:
            last = (constant.value == INFINITE[constant.type][0]) == (place == 1)
            known = _beside_infinity(writer, symbol, constant, args[other], last=last)
            if known is not None:
                return known
    return writer.filled(f"_1 {symbol} _2", key(writer, args[0]), key(writer, args[1]))


def _beside_infinity(
    writer: Writer, symbol: str, constant: Const, other: Node, *, last: bool
) -> exp.Expr | None:
    """A comparison that an infinite constant decides, or the text of a column beside it.

    `last`: nothing is larger, where the constant stands on the right.
    """
    limits, known = INFINITE[constant.type], fold(other)
    other = bare(other)
    equal = symbol in ("=", ">=" if last else "<=")
    if known is None and isinstance(other, Var) and other.target_type is not None:
        if not equal and symbol not in ("<>", "<" if last else ">"):
            return None
        word = "infinity" if constant.value == limits[0] else "-infinity"
        sign = "=" if equal else "<>"
        return writer.filled(f"_1 {sign} _2", writer.column(other), word)
    if known is None and _is_beyond(other):
        return None
    truth = symbol == "<>" or symbol in (("<", "<=") if last else (">", ">="))
    if known is not None and known.value in limits:
        truth = symbol in ("=", "<=", ">=") if known.value == constant.value else truth
    test = writer.is_not_null(writer.put(other))
    return writer.case([(test, truth)], None)


def key(writer: Writer, node: Node) -> exp.Expr:
    """Days or microseconds since 1970; the infinite ones are first and last."""
    node = bare(node)
    if fold(node) is None and isinstance(node, (Case, Coalesce, MinMax, NullIf)):
        return writer.construct(node, partial(key, writer))
    return array_elements.of_node(writer, node)


def _ends(writer: Writer, type_name: str) -> list[exp.Expr]:
    return [
        array_elements.key(writer, type_name, writer.text(word))
        for word in ("infinity", "-infinity")
    ]
