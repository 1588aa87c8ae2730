"""jsonb and json in columns, which the target holds as PostgreSQL's text.

Example
    ============================ =========================================================
    filter                       written as
    ============================ =========================================================
    `j ->> 'a' = '1.50'`         the text of the value at a, digits as they stand
    `j #> '{a,0}' = '1'`         the first element of the array at a is the number 1
    `j @> '{"a": {"b": 1}}'`     the value at a, b is the number 1
    `(j -> 'a')::int > 5`        the number at a, rounded; the row raises if it is none
    ============================ =========================================================

    `document_values` says how a value is found, `document_keys` whether a key is there,
    `containment` what contains what, `json_paths` what a jsonpath means.

PostgreSQL
    jsonfuncs.c: jsonb_object_field_text(), get_jsonb_path_all(); jsonb_op.c, jsonb_eq();
    jsonb.c, jsonb_int4().
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from sqlglot import exp

from filtersql.filters.facts import SYMBOLS
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op, Var
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.write.rules import case_comparisons, containment, numeric_sort_texts
from filtersql.filters.write.rules.document_constants import loaded
from filtersql.filters.write.rules.document_values import STEPS, document, raw, walk_to
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES", "among", "beside", "beside_each_other", "is_null", "number", "of_json"]

#: a scalar of JSON that is no string: its mark is another one
_NO_STRING = re.compile(r"-?[0-9][-+.0-9eE]*|true|false")
_TEXTS = {f"{name}_text" for name in STEPS}
_NULL_IS_CAST = 18
_SYMBOLS = {f"jsonb_{name}": symbol for name, symbol in SYMBOLS.items()}


def of_json(node: Node) -> bool:
    """Whether a cast takes its number or truth out of a jsonb."""
    return isinstance(node, (Func, Op)) and bool(node.args) and node.args[0].type == "jsonb"


def _as_text(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    found = raw(writer, walk_to(writer, node))
    if node.function.name.startswith("jsonb"):
        return writer.piece(".document_text", found)
    # json keeps the blanks between its tokens, which an engine's reader drops
    source = node.args[0]
    while isinstance(source, (Func, Op)) and source.function.name in STEPS:
        source = source.args[0]
    if not isinstance(source, Var):
        return writer.piece(".document_scalar", found)
    whole = writer.piece(".document_close", raw(writer, document(writer, source)))
    return writer.piece(".document_kept", found, writer.put(source), whole)


def _kind(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    return writer.piece(".document_kind", raw(writer, document(writer, args[0])))


def _length(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    return writer.piece(".document_length", document(writer, args[0]))


def _equal(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    sides = [raw(writer, document(writer, arg, plain=True)) for arg in args]
    return writer.filled(f"_1 {_SYMBOLS[node.function.name]} _2", *sides)


def _ordered(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """`<` and its kind beside a scalar, `[]` or `{}`: what else differs inside is not needed."""
    if not any(fold(arg) is not None for arg in args):
        raise writer.refused(node, "One side must be a constant.")
    sides = [_order_text(writer, node, arg) for arg in args]
    return writer.filled(f"_1 {_SYMBOLS[node.function.name]} _2", *sides)


def _order_text(writer: Writer, node: Node, arg: Node) -> exp.Expr:
    """A text that sorts as the document does."""
    known = fold(arg)
    if known is None:
        found = raw(writer, document(writer, arg, plain=True))
        number = numeric_sort_texts.sort_text_of_shown(
            writer, writer.piece(".document_number_or_none", found)
        )
        return writer.piece(".document_order", found, number)
    if known.value is None:
        return writer.typed(None, "text")
    match loaded(str(known.value)):
        case bool() as truth:
            return writer.text("41" if truth else "40")
        case None:
            return writer.text("1")
        case Decimal() as value:
            return writer.text(f"3{numeric_sort_texts.sort_text_of(value)}")
        case [] | {} as empty if not empty:
            return writer.text("0" if isinstance(empty, list) else "6")
    raise writer.refused(node, "Only numbers, true, false, null, [] and {} have an order here.")


def _contains(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    known = fold(args[1])
    if known is None and fold(args[0]) is None:
        return writer.piece(".document_deep", *(document(writer, arg, plain=True) for arg in args))
    if known is None:
        return _contained_by(writer, args[::-1])
    if known.value is None:
        return writer.typed(None, "bool")
    source = document(writer, args[0], plain=True)
    given = writer.column(args[0]) if isinstance(args[0], Var) else source
    return containment.contains(writer, source, loaded(str(known.value)), given)


def _contained(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    if fold(args[1]) is None:
        return _contains(writer, node, args[::-1])
    return _contained_by(writer, args)


def _contained_by(writer: Writer, args: Sequence[Node]) -> exp.Expr:
    """A document in a constant."""
    known = fold(args[1])
    assert known is not None
    if known.value is None:
        return writer.typed(None, "bool")
    source = document(writer, args[0], plain=True)
    return containment.contained(writer, source, loaded(str(known.value)))


def is_null(writer: Writer, node: Node) -> exp.Expr | None:
    """`j -> 'a' IS NULL`: whether it is missing; the null of JSON is a value."""
    node = bare(node)
    if isinstance(node, (Op, Func)) and node.function.name in _TEXTS:
        return writer.piece(".document_null", raw(writer, walk_to(writer, node)))
    if node.type not in ("json", "jsonb") or isinstance(node, Var):
        return None
    return writer.absent(document(writer, node), node)


def beside(writer: Writer, node: Node, others: Sequence[Node]) -> exp.Expr:
    """A text that is compared with others.

    Beside constants that are no text of an object or array, the exact text of one is not needed;
    nor is the other case of letters outside ASCII beside constants of ASCII.
    """
    if (cased := case_comparisons.beside(writer, node, others)) is not None:
        return cased
    if not isinstance(node, (Op, Func)) or node.function.name not in _TEXTS:
        return writer.put(node)
    known = [fold(other) for other in others]
    if any(item is None or str(item.value)[:1] in ("{", "[") for item in known):
        return writer.put(node)
    return writer.piece(".document_loose", raw(writer, walk_to(writer, node)))


def beside_each_other(writer: Writer, args: Sequence[Node]) -> list[exp.Expr]:
    """The sides of a comparison, each beside the other."""
    return [beside(writer, arg, args[1 - place : 2 - place]) for place, arg in enumerate(args)]


def among(writer: Writer, node: Node, others: Sequence[Node]) -> exp.Expr | None:
    """`j ->> 'a'` is one of some constants: by their marks. None where it is nothing of the kind.

    The text of an object or array is none of them, however it is spaced.
    """
    if not isinstance(node, (Op, Func)) or node.function.name not in _TEXTS:
        return None
    known = [fold(other) for other in others]
    texts = [str(item.value) for item in known if item is not None and item.value is not None]
    if len(texts) < len(others) or any(text[:1] in ("{", "[") for text in texts):
        return None
    marked = [f"s{text}" for text in texts]
    marked += [f"n{text}" for text in texts if _NO_STRING.fullmatch(text)]
    value = writer.filled("NULLIF(_1, 'nnull')", raw(writer, walk_to(writer, node)))
    if len(marked) == 1:
        return writer.filled("_1 = _2", value, marked[0])
    return exp.In(this=value, expressions=[writer.text(text) for text in marked])


def number(writer: Writer, node: Func | Op) -> exp.Expr:
    """`(j -> 'a')::numeric` as PostgreSQL's text of the number."""
    return writer.piece(".document_number", _no_null(writer, node.args[0]))


def _no_null(writer: Writer, arg: Node) -> exp.Expr:
    """The raw text that is cast: the null of JSON was no NULL before PostgreSQL 18."""
    found = raw(writer, document(writer, arg))
    if writer.postgres_version >= _NULL_IS_CAST:
        return found
    null = writer.filled("_1 = 'nnull'", found)
    return writer.case([(null, writer.raised("cannot cast jsonb null", writer.text_type))], found)


def _cast(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """`(j -> 'a')::int`, `::float8`, `::boolean`."""
    name = node.function.name
    found = _no_null(writer, args[0])
    if name == "bool":
        return writer.piece(".document_truth", found)
    shown = writer.piece(".document_number", found)
    if name.startswith("int"):
        return writer.typed(writer.piece(".whole_of_digits", shown), name)
    return writer.piece(f".{name}_of_digits", shown)


RULES: dict[str, Rule] = {
    **dict.fromkeys(_TEXTS, _as_text),
    **dict.fromkeys(("jsonb_typeof", "json_typeof"), _kind),
    **dict.fromkeys(("jsonb_array_length", "json_array_length"), _length),
    **dict.fromkeys(_SYMBOLS, _ordered),
    **dict.fromkeys(("jsonb_eq", "jsonb_ne"), _equal),
    "jsonb_contains": _contains,
    "jsonb_contained": _contained,
    **{f"{name}(jsonb)": _cast for name in ("bool", "int2", "int4", "int8", "float4", "float8")},
}
