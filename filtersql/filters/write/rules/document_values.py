"""Documents: jsonb and json as engines can walk through them, with every digit of their numbers.

Example
    ======================= ===================================================
    jsonb                   document
    ======================= ===================================================
    `{"a": 1.50, "b": "x"}` `{"sa":"n1.50","sb":"sx"}`
    `[null, true]`          `["nnull","ntrue"]`
    ======================= ===================================================

    The engines read numbers of JSON as doubles, so each scalar becomes a string: `s` before the
    text of strings and keys, `n` before everything else. The *raw* text of a document is that of
    an object or array (it begins with a bracket), or that of one scalar (it begins with `s` or
    `n`). A *plain* document has no trailing zeros behind the point: then equal values have equal
    texts.

PostgreSQL
    jsonb.c, JsonbToCString(): one value has one text but for those zeros.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sqlglot import exp

from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Case, Coalesce, Const, Func, Node, NullIf, Op, Relabel, Var
from filtersql.filters.write.raising import may_raise
from filtersql.filters.write.rules import array_literals, array_values
from filtersql.filters.write.rules.document_constants import document_of, loaded
from filtersql.filters.write.writer import Writer

__all__ = ["STEPS", "any_item", "document", "field", "item", "key_path", "raw", "walk_to"]

_FIELDS = {"jsonb_object_field", "json_object_field"}
_ITEMS = {"jsonb_array_element", "json_array_element"}
_PATHS = {"jsonb_extract_path", "json_extract_path"}
STEPS = _FIELDS | _ITEMS | _PATHS
_QUERIES = {"jsonb_path_query_first", "jsonb_path_query_array"}
_PLACE = re.compile(r"[ \t\n\v\f\r]*[+-]?[0-9]+\Z")
_LARGEST = 2**31


def document(writer: Writer, node: Node, *, plain: bool = False) -> exp.Expr:
    """The document that a node of type jsonb or json is; NULL where it is NULL."""
    constant = fold(node)
    if constant is not None:
        return _constant(writer, constant, plain)
    match node:
        case Relabel():
            return document(writer, node.arg, plain=plain)
        case Var():
            return _column(writer, node, plain)
        case Coalesce() | Case() | NullIf():
            return writer.construct(node, lambda item: document(writer, item, plain=plain))
        case Op() | Func() if node.function.name in STEPS:
            return walk_to(writer, node, plain=plain)
        case Op() | Func() if node.function.name == "jsonb_delete" and node.args[1].type != "int4":
            return _without(writer, node, document(writer, node.args[0], plain=plain))
        case Op() | Func() if node.function.name in _QUERIES:
            return writer.made_document(node, plain)
        case Op() | Func() if node.function.name == "jsonb_concat":
            sides = [document(writer, arg, plain=plain) for arg in node.args]
            return writer.piece(".document_concat", *sides)
    raise writer.refused(node, "filtersql has no exact form for a document made this way yet.")


def _constant(writer: Writer, constant: Const, plain: bool) -> exp.Expr:
    if constant.value is None:
        return writer.piece(".no_document")
    text = document_of(loaded(str(constant.value)), plain)
    return writer.piece(".document", text)


def _column(writer: Writer, node: Var, plain: bool) -> exp.Expr:
    column = writer.put(node)
    if node.type == "json":
        column = writer.piece(".json_sure", column)
    marked = writer.piece(".marked_plain" if plain else ".marked", column)
    return writer.piece(".document", marked)


def _without(writer: Writer, node: Op | Func, source: exp.Expr) -> exp.Expr:
    """`j - 'a'` and `j - '{a,b}'`: a document without these keys, or elements."""
    known = array_literals.constant(node.args[1])
    if known is None:
        return _without_marked(writer, node, source)
    if known.value is None:
        return writer.piece(".no_document")
    keys = known.value if isinstance(known.value, tuple) else (known.value,)
    # Each begins with an s or n. Of a scalar nothing can be taken away, not even nothing.
    texts = [f"s{key}" for key in keys if key is not None] or [""]
    without = exp.Array(expressions=[writer.text(one) for one in texts])
    return writer.piece(".document_without", source, without)


def _without_marked(writer: Writer, node: Op | Func, source: exp.Expr) -> exp.Expr:
    """The same of keys that rows have."""
    key = node.args[1]
    if key.type == "_text":
        shown = array_values.one(writer, node, key).items
        known = writer.piece(".list_without", shown, None)
        marked = writer.piece(".list_map", known, writer.piece(".document_key", exp.column("item")))
    else:
        shown = writer.put(key)
        marked = exp.Array(expressions=[writer.piece(".document_key", shown)])
    without = writer.piece(".document_without", source, marked)
    nothing = writer.piece(".no_document")
    missing = [(writer.is_null(one), nothing) for one in (source, shown)]
    return writer.case(missing, without)


def walk_to(writer: Writer, node: Op | Func, *, plain: bool = False) -> exp.Expr:
    """The document behind `->`, `#>` and the functions of that kind."""
    name, (source, step) = node.function.name, node.args
    checked = name.startswith("json_")
    from_here = document(writer, source, plain=plain)
    base = name.removesuffix("_text")
    if base in _FIELDS:
        return field(writer, from_here, _key(writer, step), checked=checked)
    if base in _ITEMS:
        return _element(writer, from_here, step, alone=not checked)
    known = array_literals.constant(step)
    if known is None:
        raise writer.refused(node, "The path must be a constant.")
    if not isinstance(known.value, tuple) or None in known.value:
        return _nothing(writer, source, from_here)
    steps = [str(key) for key in known.value]
    if checked and len(steps) > 1:
        return _last_of_path(writer, node, from_here, steps)
    for key in steps:
        from_here = _path_step(writer, from_here, key, checked)
    return from_here


def _last_of_path(
    writer: Writer, node: Op | Func, source: exp.Expr, steps: Sequence[str]
) -> exp.Expr:
    """The last value at the end of json's path, where its keys may stand several times."""
    places = [int(key) if _is_place(key) else None for key in steps]
    if any(place is not None and place < 0 for place in places[1:]):
        # get_array_start(): it is turned into a place by the first array of that depth, any one
        raise writer.refused(node, "A place from the end, behind another step, has no form.")
    if places[0] is not None and places[0] < 0:
        for key in steps[:-1]:
            found = _path_step(writer, source, key, True)
            name = f"s{key}"
            source = writer.piece(".json_field_once", source, name, found)
        return _path_step(writer, source, steps[-1], True)
    found = writer.piece(".path_start", source)
    for key, place in zip(steps, places, strict=True):
        name = f"s{key}"
        if place is None:
            found = writer.piece(".json_values", found, name)
        else:
            found = writer.piece(".json_values_at", found, name, min(place, _LARGEST - 2) + 1)
    return writer.piece(".list_item", found, -1)


def _nothing(writer: Writer, node: Node, written: exp.Expr) -> exp.Expr:
    """NULL, whatever the document is; it is computed if it may raise."""
    if not may_raise(node):
        return writer.piece(".no_document")
    return writer.case([(writer.absent(written, node), written)], None)


def _element(writer: Writer, source: exp.Expr, step: Node, *, alone: bool) -> exp.Expr:
    """`-> 0`; a scalar of jsonb is the one element of itself."""
    place = fold(step)
    if place is not None and place.value is None:
        return writer.piece(".no_document")
    if place is None:
        written = writer.put(step)
        found = writer.piece(".document_item_at", source, written)
        itself = writer.piece(".document_alone_at", source, written)
        return writer.coalesce(found, itself) if alone else found
    assert isinstance(place.value, int)
    found = item(writer, source, place.value)
    if not alone or place.value not in (0, -1):
        return found
    return writer.coalesce(found, writer.piece(".document_alone", source))


def _key(writer: Writer, step: Node) -> str | exp.Expr:
    constant = fold(step)
    if constant is None or constant.value is None:
        return writer.put(step)
    return str(constant.value)


def _path_step(writer: Writer, source: exp.Expr, key: str, checked: bool) -> exp.Expr:
    """A text of a path is a key, and the place of an element if it is a whole number."""
    found = field(writer, source, key, checked=checked)
    if not _is_place(key):
        return found
    other = item(writer, source, int(key))
    return writer.coalesce(found, other)


def _is_place(key: str) -> bool:
    return bool(_PLACE.match(key)) and -_LARGEST <= int(key) < _LARGEST


def field(
    writer: Writer, source: exp.Expr, key: str | exp.Expr, *, checked: bool = False
) -> exp.Expr:
    """The value of a key; NULL where there is none, and where the document is no object."""
    name = f"s{key}" if isinstance(key, str) else writer.piece(".document_key", key)
    if checked:
        return writer.piece(".json_field", source, name)
    if writer.engine == "spark":
        return writer.piece(".document_field", source, name)
    path = key_path(key) if isinstance(key, str) else writer.piece(".document_path", key)
    return writer.piece(".document_field", source, path)


def key_path(key: str) -> str:
    """DuckDB's path to the value of a key."""
    quoted = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'$."s{quoted}"'


def item(writer: Writer, source: exp.Expr, place: int) -> exp.Expr:
    """The element at a place, counted from 0 or, below 0, from the end."""
    if writer.engine == "spark":
        number = place + 1 if place >= 0 else place
        if number >= _LARGEST or number == -_LARGEST:
            return writer.piece(".no_document")
        return writer.piece(".document_item", source, number)
    path = f"$[{place}]" if place >= 0 else f"$[#{place}]"
    return writer.piece(".document_item", source, path)


def raw(writer: Writer, source: exp.Expr) -> exp.Expr:
    """The raw text of a document."""
    return writer.piece(".document_raw", source)


def any_item(
    writer: Writer, source: exp.Expr, depth: int, test: Callable[[exp.Expr], exp.Expr]
) -> exp.Expr:
    """Whether the test is true for an element of the array; false or NULL where it is none."""
    name = f"e{depth}"
    items = writer.piece(".document_items", source)
    one = test(exp.column(name))
    if writer.engine == "spark":
        return writer.filled(f"EXISTS(_1, {name} -> _2)", items, one)
    return writer.filled(f"LEN([{name} FOR {name} IN _1 IF _2]) > 0", items, one)
