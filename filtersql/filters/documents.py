"""jsonb in columns, which the target holds as PostgreSQL's text: one value of one path at a time.

Example
    ============================ =========================================================
    filter                       written as
    ============================ =========================================================
    `j ->> 'a' = '1.50'`         the text of $.a, digits as they stand; raises on {} and []
    `j #>> '{a,b}' = 'x'`        the text of $.a.b
    `j ? 'a'`                    whether $.a is there, or the array or string holds 'a'
    `j @> '{"a": {"b": 1}}'`     $.a.b is a number, and its text without trailing zeros is 1
    ============================ =========================================================

    The engines read numbers of JSON as doubles, so numbers are put into quotes first: the text of
    jsonb holds no control characters, with which the places are marked.

PostgreSQL
    jsonfuncs.c: jsonb_object_field_text(), get_jsonb_path_all(); jsonb_op.c: jsonb_exists(),
    jsonb_contains().
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters import arrays
from filtersql.filters.engines import values
from filtersql.filters.facts import Function
from filtersql.filters.nodes import Func, Node, Op, Relabel, Var

if TYPE_CHECKING:
    from filtersql.filters.writing import Writer

__all__ = ["FUNCTIONS", "call", "is_null"]

_TEXTS = {"jsonb_object_field_text", "jsonb_extract_path_text"}
_STEPS = {"jsonb_object_field", "jsonb_extract_path"}
FUNCTIONS = {*_TEXTS, "jsonb_exists", "jsonb_exists_any", "jsonb_exists_all", "jsonb_contains",
             "jsonb_typeof"}  # fmt: skip
_ONLY_COLUMN = "Only paths of constant keys into a column have a form."


def call(writer: Writer, node: Node, function: Function, args: Sequence[Node]) -> exp.Expr:
    """One of FUNCTIONS."""
    name = function.name
    if name in _TEXTS:
        column, path = _path(writer, node)
        return writer.piece(".json_text", writer.piece(".json_quoted", column), path)
    column, path = _path(writer, args[0])
    if name == "jsonb_typeof":
        return writer.piece(".json_type", column, path)
    known = arrays.constant(args[1])
    if known is None:
        raise writer.refused(node, "The right side must be a constant.")
    if known.value is None:
        return values.null("bool", writer.engine)
    if not isinstance(args[0], Var):
        raise writer.refused(node, "Only a column, no part of it, may stand on the left side.")
    if name == "jsonb_contains":
        return _contains(writer, node, column, str(known.value))
    keys = known.value if isinstance(known.value, tuple) else (known.value,)
    tests = [_exists(writer, node, column, str(key)) for key in keys if key is not None]
    if not tests or len(tests) < len(keys):
        raise writer.refused(node, "The keys must be texts.")
    return (exp.and_ if name == "jsonb_exists_all" else exp.or_)(*tests, copy=False)


def is_null(writer: Writer, node: Node) -> exp.Expr | None:
    """`j -> 'a' IS NULL`: whether it is missing; the null of JSON is a value."""
    while isinstance(node, Relabel):
        node = node.arg
    if not isinstance(node, (Op, Func)) or node.function.name not in _STEPS:
        return None
    column, path = _path(writer, node)
    return writer.is_null(writer.piece(".json_type", column, path))


def _path(writer: Writer, node: Node) -> tuple[exp.Expr, exp.Expr]:
    keys: list[str] = []
    inner = node
    while isinstance(inner, (Op, Func)) and inner.function.name in _TEXTS | _STEPS:
        known = arrays.constant(inner.args[1]) if len(inner.args) == 2 else None
        if known is None or known.value is None:
            raise writer.refused(node, _ONLY_COLUMN)
        found = known.value if isinstance(known.value, tuple) else (known.value,)
        if len(found) > 1 and any(str(key).lstrip("-").isdigit() for key in found):
            raise writer.refused(node, "A path with the place of an element has no form yet.")
        keys[:0] = [str(key) for key in found if isinstance(key, str)]
        if not found or not all(isinstance(key, str) for key in found):
            raise writer.refused(node, _ONLY_COLUMN)
        if inner.function.name.startswith("jsonb_extract") and str(found[0]).lstrip("-").isdigit():
            raise writer.refused(node, "A path with the place of an element has no form yet.")
        inner = inner.args[0]
    if not isinstance(inner, Var) or inner.type != "jsonb":
        raise writer.refused(node, _ONLY_COLUMN)
    return writer.put(inner), _written(writer, node, keys)


def _written(writer: Writer, node: Node, keys: Sequence[str]) -> exp.Expr:
    """A path as the engine writes it."""
    if any(not key or set(key) & set("\"'\\*[]") for key in keys):
        raise writer.refused(node, "This key has no form yet.")
    step = '["{}"]' if writer.engine == "spark" else '."{}"'
    return writer.text("$" + "".join(step.replace("{}", key) for key in keys))


def _exists(writer: Writer, node: Node, column: exp.Expr, key: str) -> exp.Expr:
    path = _written(writer, node, [key])
    return writer.piece(".json_exists", column.copy(), path, writer.text(key))


def _contains(writer: Writer, node: Node, column: exp.Expr, text: str) -> exp.Expr:
    """`j @> '{…}'`: each value of the right side stands at its place."""
    wanted = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    if not isinstance(wanted, dict):
        raise writer.refused(node, "The right side must be an object.")
    tests = [
        writer.filled(
            "_1 = _2",
            writer.piece(".json_type_or_none", column.copy(), _written(writer, node, keys)),
            writer.text(kind),
        )
        if value is None
        else writer.filled(
            "_1 = _2 AND _3 = _4",
            writer.piece(".json_type_or_none", column.copy(), _written(writer, node, keys)),
            writer.text(kind),
            writer.piece(
                f".json_{kind}",
                writer.piece(".json_quoted", column.copy()),
                _written(writer, node, keys),
            ),
            writer.text(value),
        )
        for keys, kind, value in _facts(writer, node, wanted, ())
    ]
    known = exp.Not(this=writer.is_null(column.copy()))
    return writer.case([(known, exp.and_(*tests, copy=False))], None)


def _facts(
    writer: Writer, node: Node, wanted: object, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str, str | None]]:
    """(path, type, text) of everything that must be there."""
    if isinstance(wanted, dict):
        yield path, "object", None
        for key, value in wanted.items():
            yield from _facts(writer, node, value, (*path, key))
    elif isinstance(wanted, bool):
        yield path, "boolean", "true" if wanted else "false"
    elif wanted is None:
        yield path, "null", None
    elif isinstance(wanted, Decimal):
        plain = format(wanted, "f")
        yield path, "number", plain.rstrip("0").rstrip(".") if "." in plain else plain
    elif isinstance(wanted, str):
        yield path, "string", wanted
    else:
        raise writer.refused(node, "An array on the right side has no form yet.")
