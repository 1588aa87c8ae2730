"""Addresses and bit strings where the text of the column, or the length of a type, decides.

Example
    ============================ =====================================================
    node                         written as
    ============================ =====================================================
    `host(ip) = '10.0.0.1'`      the column's text up to its slash
    `i4::bit(8) = B'00000101'`   the last eight binary digits
    `bt::bit(4)`                 the first four, filled with 0 at the end
    ============================ =====================================================

PostgreSQL
    network.c: network_host(), network_show(); varbit.c: bit(), varbit(), bitfromint4().
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Const, Func, Node, Op, Var
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.write.writer import Family, Rule, Writer

__all__ = ["FAMILY"]


def _column(writer: Writer, node: Node, arg: Node) -> Var:
    arg = bare(arg)
    if not isinstance(arg, Var) or arg.target_type is not None:
        raise writer.refused(node, "Only a column's address has a form as a text.")
    return arg


def _host(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    return writer.piece(".inet_host", writer.column(_column(writer, node, args[0])))


def _text(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    return writer.piece(".inet_text", writer.column(_column(writer, node, args[0])))


def _abbrev(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    return writer.column(_column(writer, node, args[0]))


def _length(writer: Writer, node: Node, arg: Node) -> exp.Expr:
    length = arg.value if isinstance(arg, Const) else None
    if not isinstance(length, int):
        raise writer.refused(node, "The length must be a constant.")
    return writer.integer(length if length > 0 else 1)


def _cut(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """An explicit cast cuts; bit(n) fills with zeros. An assignment raises instead."""
    explicit = fold(args[2])
    if explicit is None or explicit.value is not True:
        raise writer.refused(node, "Only an explicit cast has a form.")
    return writer.piece(
        f".{node.function.name}", writer.put(args[0]), _length(writer, node, args[1])
    )


def _of_integer(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    return writer.piece(".bits_of_int", writer.put(args[0]), _length(writer, node, args[1]))


RULES: dict[str, Rule] = {
    "host(inet)": _host,
    "text(inet)": _text,
    "abbrev(inet)": _abbrev,
    "bit(bit,int4,bool)": _cut,
    "varbit(varbit,int4,bool)": _cut,
    "bit(int4,int4)": _of_integer,
    "bit(int8,int4)": _of_integer,
}


FAMILY = Family(rules=RULES)
