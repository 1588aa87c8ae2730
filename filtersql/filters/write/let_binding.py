"""A long argument of a call is written once, as the value of a variable.

Example
    ============================ ==========================================================
    filter, `a` is long          written for DuckDB
    ============================ ==========================================================
    `ts_of(a) + iv > x`          `[… v … v … v … FOR v IN [a]][1] > x`
    `i / a > 1`                  the same: `a` may raise, and would be written again before `/`
    `a || 'x' = 'y'`             as it is: written once
    ============================ ==========================================================

    Texts inside of texts would grow with the number of uses to the power of their depth.
    `engines.binding` does the same for one text; this is for what rules make of several, and for
    what is computed first because it may raise. PostgreSQL computes every argument of a call, so
    the variable's value may be computed whatever becomes of it.

PostgreSQL
    execExprInterp.c, EEOP_FUNCEXPR: the arguments stand before the call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec.structs import replace
from sqlglot import exp

from filtersql.errors.filters import NotTranslated
from filtersql.filters.engines.binding import VALUE, is_long
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, NullIf, Op
from filtersql.filters.tree.walking import children
from filtersql.filters.write.rules import like, regex_functions, regular_expressions
from filtersql.filters.write.writer import Writer

__all__ = ["Held", "height", "once", "shared"]

#: types of which a value is written by itself, not in parts or beside others
_TYPES = {"bool", "int2", "int4", "int8", "float4", "float8", "text", "bytea", "date", "timestamp",
          "timestamptz", "time", "timetz", "uuid", "inet", "cidr", "money"}  # fmt: skip
#: how much smaller the whole must become
_WORTH = 0.75
Call = Callable[[Op | Func], exp.Expr]


class Held(Node, frozen=True):
    """An argument that stands as a variable's value; no rule takes it for anything else."""

    name: str = ""


def shared(writer: Writer, node: Op | Func, call: Call) -> exp.Expr:
    """The call, its long arguments written once where that makes it much shorter."""
    places = [place for place, arg in enumerate(_values(node)) if _is_deep(arg)]
    if not places:
        return call(node)
    long = {}
    for place in places:
        with suppress(NotTranslated):  # a rule that writes the call without this value
            value = writer.put(node.args[place])
            writer.kept[id(node.args[place])] = (node.args[place], value)
            if is_long(value):
                long[place] = value
    whole = call(node)
    if not long:
        return whole
    try:
        held = _held(writer, node, long, call)
    except NotTranslated:  # a rule that looks into its arguments
        return whole
    return held if _size(held) < _WORTH * _size(whole) else whole


def _held(writer: Writer, node: Op | Func, long: dict[int, exp.Expr], call: Call) -> exp.Expr:
    args, names = list(node.args), {}
    for place in long:
        names[place] = f"held{height(node)}_{place}"
        args[place] = Held(args[place].type, name=names[place])
    whole = call(replace(node, args=tuple(args)))
    for place, value in long.items():
        whole = _bound(writer, names[place], value.copy(), whole)
    return whole


def once(
    writer: Writer, name: str, value: exp.Expr, body: Callable[[exp.Expr], exp.Expr]
) -> exp.Expr:
    """What the body makes of a value, which is written once if it is long."""
    if not is_long(value):
        return body(value)
    return _bound(writer, name, value, body(exp.column(name)))


def _bound(writer: Writer, name: str, value: exp.Expr, whole: exp.Expr) -> exp.Expr:
    """An expression in which a name stands for a value."""
    return writer.filled(VALUE[writer.engine].format(name), value, whole)


def _is_deep(arg: Node) -> bool:
    """Whether it is a call of what is computed itself, and no constant."""
    return (
        isinstance(arg, (Op, Func))
        and not isinstance(arg, NullIf)
        and arg.type in _TYPES
        and any(isinstance(one, (Op, Func)) for one in arg.args)
        and not any(one.type in ("json", "jsonb") for one in arg.args)
        and fold(arg) is None
    )


def _values(node: Op | Func) -> Sequence[Node]:
    """The arguments whose values count; patterns are read when they are written."""
    name = node.function.name
    reads = (
        name in regular_expressions.MATCHES
        or name in like.LIKE
        or name in regex_functions.FUNCTIONS
    )
    return node.args[:1] if reads else node.args


def height(node: Node) -> int:
    """How deep calls stand in one another: no two of them have the same name for a value."""
    return 1 + max(map(height, children(node)), default=0)


def _size(tree: exp.Expr) -> int:
    return sum(1 for _ in tree.walk())
