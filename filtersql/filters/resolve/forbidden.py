"""What no row filter may hold, typed all the same: PostgreSQL tells what is wrong beside it first.

Example
    ======================== ======================================================================
    filter                   PostgreSQL says
    ======================== ======================================================================
    `current_date`           argument of PUBLICATION WHERE must be type boolean, not type date
    `ai[1] = 'x'`            invalid input syntax for type integer: "x"
    `ai[1] = 1`              invalid publication WHERE expression (Only columns, constants, …)
    `(s).length > 3`         nothing: it is length(s) > 3
    ======================== ======================================================================

PostgreSQL
    parse_expr.c: transformIndirection(), transformXmlExpr(), transformJsonIsPredicate();
    parse_agg.c, transformGroupingFunc(); arraysubs.c, jsonbsubs.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from filtersql.errors.filters import InvalidExpression, NotTranslated, Wrong
from filtersql.filters.facts import facts
from filtersql.filters.resolve import functions
from filtersql.filters.resolve.allowed import ONLY, TYPES, of_own_type
from filtersql.filters.resolve.coercion import coerce
from filtersql.filters.resolve.pathways import can_coerce
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.tree.nodes import Node, Other, Relabel, Row
from filtersql.filters.tree.walking import leftmost
from filtersql.filters.types import display
from filtersql.grammar import Node as Parsed
from filtersql.grammar import enum_name

__all__ = ["other"]

Transform = Callable[[Scope, Parsed], Node]
_IS_JSON = 16
_JSON = re.compile(r"\bjson\b", re.IGNORECASE)
#: arrays of a fixed length, which are no array types
_FIXED = {
    "box": "point",
    "int2vector": "int2",
    "line": "float8",
    "lseg": "point",
    "name": "char",
    "oidvector": "oid",
    "point": "float8",
}


_NO_FORM = "A CHECK constraint may hold it; filtersql has no exact form for it."


def other(scope: Scope, kind: str, parsed: Parsed, transform: Transform) -> Node:
    """The node of what no filter may hold; raises what PostgreSQL's parser does."""
    if kind == "json_is_predicate" and scope.clock.postgres_version < _IS_JSON:
        word = _JSON.search(scope.passage.text, parsed.location)
        place = word.start() if word else parsed.location
        raise Wrong('syntax error at or near "JSON"', scope.span(place))
    if kind == "grouping_func":
        for item in parsed.args:
            transform(scope, item)
        message = f"grouping operations are not allowed in {scope.clause}"
        raise Wrong(message, scope.span(parsed.location))
    rule = _RULES.get(kind)
    node = rule(scope, parsed, transform) if rule else None
    if node is not None and not (scope.checked and isinstance(node, Other)):
        return node
    raise _refusal(scope, kind, parsed, node, transform)


def check_cast(scope: Scope, node: Node, name: str) -> None:
    """Raises for a cast to a user's type, and of one to text.

    A domain checks what is cast to it, other types read a text: nodes that no filter may hold. A
    constant is read at once, and has its type.
    """
    if _is_users(name):
        plain = node.arg if isinstance(node, Relabel) and node.domain else node
        is_domain = _kinds(scope).get(name) == "domain"
        held = plain.type == name or (node.type == "unknown" and not is_domain)
        raise of_own_type(scope, TYPES if held else ONLY, node)
    if _is_users(node.type) and facts().type(name).category == "S" and not scope.checked:
        raise InvalidExpression(ONLY, scope.span(leftmost(node)))


def _is_users(name: str) -> bool:
    return "." in name and not facts().type(name).oid


def _kinds(scope: Scope) -> dict[str, str]:
    return {f"{known.schema}.{known.name}": kind for known, kind in scope.made.types.items()}


def _refusal(
    scope: Scope, kind: str, parsed: Parsed, node: Node | None, transform: Transform
) -> InvalidExpression | NotTranslated | Wrong:
    place = getattr(parsed, "location", -1) if node is None else leftmost(node)
    if kind == "sub_link" and parsed.HasField("testexpr"):
        place = min(place, leftmost(transform(scope, parsed.testexpr)))
    if not scope.checked:
        return InvalidExpression(ONLY, scope.span(place))
    if kind == "sub_link":
        return Wrong("cannot use subquery in check constraint", scope.span(place))
    what = getattr(node, "what", "") or kind.upper().replace("_", " ")
    return NotTranslated(what, "any engine", _NO_FORM, scope.span(place))


def _json(scope: Scope, parsed: Parsed, transform: Transform) -> Node:
    arg = transform(scope, parsed.expr)
    if arg.type == "unknown":
        arg = coerce(scope, arg, "text")
    if arg.type not in ("json", "jsonb", "bytea") and facts().type(arg.type).category != "S":
        raise Wrong(f"cannot use type {display(arg.type)} in IS JSON predicate", None)
    return Other("bool", -1, parsed.location, what="IS JSON", args=(arg,))


def _xml(scope: Scope, parsed: Parsed, transform: Transform) -> Node:
    args = [transform(scope, item) for item in (*parsed.named_args, *parsed.args)]
    document = enum_name(parsed, "op") == "IS_DOCUMENT"
    if document and not can_coerce(args[0].type, "xml", "a"):
        message = f"argument of IS DOCUMENT must be type xml, not type {display(args[0].type)}"
        raise Wrong(message, scope.span(leftmost(args[0])))
    kind = "bool" if document else "xml"
    return Other(kind, -1, parsed.location, what="XML", args=tuple(args))


def _part(scope: Scope, parsed: Parsed, transform: Transform) -> Node:
    """`a[1]`, `a[1:2]`, `(a).length`."""
    node = transform(scope, parsed.arg)
    subscripts: list[Parsed] = []
    for item in parsed.indirection:
        match item.WhichOneof("node"):
            case "a_indices":
                subscripts.append(item.a_indices)
            case "string":
                node = _subscripted(scope, node, subscripts, transform)
                node, subscripts = _field(scope, node, item.string.sval), []
            case _:
                raise InvalidExpression(ONLY, scope.span(leftmost(node)))
    return _subscripted(scope, node, subscripts, transform)


def _subscripted(
    scope: Scope, node: Node, subscripts: Sequence[Parsed], transform: Transform
) -> Node:
    if not subscripts:
        return node
    kind = facts().type(node.type)
    element = kind.element or _FIXED.get(node.type, "")
    if not element and node.type != "jsonb":
        message = (
            f"cannot subscript type {display(node.type)} because it does not support subscripting"
        )
        raise Wrong(message, scope.span(leftmost(node)))
    is_slice = any(item.is_slice for item in subscripts)
    sides = [
        getattr(item, side)
        for item in subscripts
        for side in ("lidx", "uidx")
        if item.HasField(side)
    ]
    args = [node, *(_subscript(scope, transform(scope, side), node.type) for side in sides)]
    result = node.type if is_slice or not element else element
    return Other(result, node.typmod, what="a subscript", args=tuple(args))


def _subscript(scope: Scope, node: Node, container: str) -> Node:
    if container == "jsonb":
        if node.type == "unknown":
            return coerce(scope, node, "text")
        if any(can_coerce(node.type, kind, "i") for kind in ("int4", "text")):
            return node
        message = f"subscript type {display(node.type)} is not supported"
        hint = "jsonb subscript must be coercible to either integer or text."
        raise Wrong(message, scope.span(leftmost(node)), hint=hint)
    if node.type != "unknown" and not can_coerce(node.type, "int4", "a"):
        raise Wrong("array subscript must have type integer", scope.span(leftmost(node)))
    return coerce(scope, node, "int4", "a")


def _is_composite(scope: Scope, name: str) -> bool:
    """Whether a type has fields: a row's, a relation's, and what CREATE TYPE … AS makes."""
    own = _is_users(name) and _kinds(scope).get(name, "composite type") == "composite type"
    return name == "record" or own


def _field(scope: Scope, node: Node, name: str) -> Node:
    """`(a).length` is length(a)."""
    place = leftmost(node)
    found = functions.of_column(scope, node, name, place)
    if found is None and isinstance(node, Row):
        names = [f"f{number}" for number, _ in enumerate(node.args, 1)]
        if name not in names:
            raise Wrong(
                f'could not identify column "{name}" in record data type', scope.span(place)
            )
    if found is None and _is_composite(scope, node.type):
        if scope.checked:
            raise NotTranslated("a field", "any engine", _NO_FORM, scope.span(place))
        raise InvalidExpression(ONLY, scope.span(place))
    if found is None:
        message = (
            f"column notation .{name} applied to type {display(node.type)}, "
            "which is not a composite type"
        )
        raise Wrong(message, scope.span(place))
    return found


_RULES: dict[str, Callable[[Scope, Parsed, Transform], Node]] = {
    "a_indirection": _part,
    "json_is_predicate": _json,
    "xml_expr": _xml,
}
