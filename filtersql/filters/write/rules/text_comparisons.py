"""Comparisons of text, varchar and char(n), whose order has to be that of the bytes.

Example
    `c = 'NSW'` over char(5): bpchareq ignores trailing blanks, so both sides lose them.
    `s < 'b'`: refused, unless the order is that of the bytes (`COLLATE "C"`).

PostgreSQL
    varlena.c, text_cmp(); varchar.c, bpchareq().
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.facts import SYMBOLS
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.write.rules import case_comparisons, documents
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES"]

_BPCHAR = {f"bpchar{name}": symbol for name, symbol in SYMBOLS.items()}
_ORDERED = ("text_lt", "text_le", "text_gt", "text_ge")


def _equal(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """`=` and `<>`: a side may be in another case, or come out of a document."""
    name = node.function.name
    text = writer.rows[name]
    cased = case_comparisons.compare(writer, args, lambda pair: writer.filled(text, *pair))
    if cased is not None:
        return cased
    for place, arg in enumerate(args):
        found = documents.among(writer, arg, args[1 - place : 2 - place])
        if found is not None:
            return found if name == "texteq" else exp.Not(this=found)
    return writer.filled(text, *documents.beside_each_other(writer, args))


def _ordered(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    writer.check_order(node)
    return writer.filled(writer.rows[node.function.name], *map(writer.put, args))


def _of_bpchar(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    symbol = _BPCHAR[node.function.name]
    if symbol not in ("=", "<>"):
        writer.check_order(node)
    return writer.filled(f"_1 {symbol} _2", *(_without_blanks(writer, arg) for arg in args))


def _without_blanks(writer: Writer, node: Node) -> exp.Expr:
    constant = fold(node)
    if constant is not None and isinstance(constant.value, str):
        return writer.text(constant.value.rstrip(" "))
    return writer.piece(".rtrim", writer.put(node))


RULES: dict[str, Rule] = {
    **dict.fromkeys(("texteq", "textne"), _equal),
    **dict.fromkeys(_ORDERED, _ordered),
    **dict.fromkeys(_BPCHAR, _of_bpchar),
}
