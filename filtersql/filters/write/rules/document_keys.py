"""`?`, `?|` and `?&` of jsonb: whether keys, elements or the string itself are there.

Example
    ============================ =========================================================
    filter                       written as
    ============================ =========================================================
    `j ? 'a'`                    whether the key a is there, or the array or string holds 'a'
    `j ?| '{a,b}'`               the same of a, or of b
    `j ?& at`                    the same of each key that the row has, but NULL
    ============================ =========================================================

PostgreSQL
    jsonb_op.c: jsonb_exists(), jsonb_exists_any(), jsonb_exists_all().
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.engines.binding import VALUE
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.write.rules import array_literals, array_values
from filtersql.filters.write.rules.document_values import document, field
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES"]

#: the name of a document that is looked at from several sides
_DOCUMENT = "document"


def _exists(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    known = fold(args[1])
    if known is not None and known.value is None:
        return writer.typed(None, "bool")
    source = document(writer, args[0])
    if known is None:
        return _has_key(writer, source, args[1])
    has = _has_key(writer, exp.column(_DOCUMENT), known.value)
    return writer.filled(VALUE[writer.engine].format(_DOCUMENT), source, has)


def _has_key(writer: Writer, source: exp.Expr, key: object) -> exp.Expr:
    if isinstance(key, Node):
        name = writer.put(key)
        marked = writer.piece(".document_key", name)
        inside = field(writer, source, name)
    else:
        marked = writer.text(f"s{key}")
        inside = field(writer, source, str(key))
    return writer.piece(".document_has", source, marked, inside)


def _exists_of_rows(writer: Writer, node: Node, args: Sequence[Node], every: bool) -> exp.Expr:
    """`j ?| keys` of keys that rows have; those that are NULL are not looked for."""
    source, keys = document(writer, args[0]), array_values.listed(writer, node, args[1]).items
    known = writer.piece(".list_without", keys, None)
    item = exp.column("item")
    inside = field(writer, source, item)
    has = writer.piece(".document_has", source, writer.piece(".document_key", item), inside)
    found = writer.piece(".items_all" if every else ".items_any", known, has)
    missing = writer.filled("_1 IS NULL OR _2 IS NULL", source, keys)
    return writer.case([(missing, writer.typed(None, "bool"))], found)


def _exists_many(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    every = node.function.name == "jsonb_exists_all"
    known = array_literals.constant(args[1])
    if known is None:
        return _exists_of_rows(writer, node, args, every)
    if known.value is None:
        return writer.typed(None, "bool")
    assert isinstance(known.value, tuple)
    keys = [key for key in known.value if key is not None]
    source = document(writer, args[0])
    if not keys:
        given = writer.is_not_null(source)
        return writer.case([(given, every)], None)
    tests = [_has_key(writer, source, key) for key in keys]
    return (exp.and_ if every else exp.or_)(*tests, copy=False)


RULES: dict[str, Rule] = {
    "jsonb_exists": _exists,
    **dict.fromkeys(("jsonb_exists_any", "jsonb_exists_all"), _exists_many),
}
