"""Which function `round(n, 1)` is, and the node for it.

Example
    `round(i4)` is round(float8) over float8(i4); `date(ts)` is date(timestamp); `int4('5')` is the
    constant 5, because a call with the name of a type is a cast where no function fits.

PostgreSQL
    parse_func.c: ParseFuncOrColumn(), func_get_detail(); namespace.c, FuncnameGetCandidates().
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from filtersql.errors.filters import (
    AMBIGUOUS_FUNCTION,
    MISSING_THING,
    UNKNOWN_FUNCTION,
    InvalidExpression,
    Wrong,
)
from filtersql.filters.facts import Function, facts
from filtersql.filters.resolve.allowed import MUTABLE
from filtersql.filters.resolve.candidates import Candidate, best, matching
from filtersql.filters.resolve.coercion import coerce
from filtersql.filters.resolve.collations import merged, of_result
from filtersql.filters.resolve.function_calls import Call, check_plain, signature
from filtersql.filters.resolve.pathways import pathway
from filtersql.filters.resolve.polymorphic import enforce
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.resolve.versions import has
from filtersql.filters.tree.nodes import ArrayExpr, Func, Node
from filtersql.filters.tree.walking import leftmost

__all__ = ["call", "of_column"]


class Found(NamedTuple):
    """A function and how its arguments are passed; `target` instead for a cast."""

    function: Function | None = None
    declared: tuple[str, ...] = ()
    variadic: bool = False
    target: str = ""


def call(scope: Scope, written: Call) -> Node:
    """The node for a call."""
    types = tuple(arg.type for arg in written.args)
    if written.schema not in ("", "pg_catalog"):
        return _foreign(scope, written)
    if written.schema:
        found = _find(written.name, types, written.variadic)
    else:
        found = _found(scope, written.name, types, written.variadic)
    if found is _OWN:
        raise InvalidExpression(MUTABLE, scope.span(written.location))
    if found is None:
        if _is_users(scope, written):
            raise InvalidExpression(MUTABLE, scope.span(written.location))
        raise UNKNOWN_FUNCTION(scope.span(written.location), signature=signature(written))
    if found is _AMBIGUOUS:
        raise AMBIGUOUS_FUNCTION(scope.span(written.location), signature=signature(written))
    if found.target:
        return coerce(scope, written.args[0], found.target, "e", "call", written.location)
    assert found.function is not None
    if not has(scope, found.function, len(types)):
        raise UNKNOWN_FUNCTION(scope.span(written.location), signature=signature(written))
    check_plain(scope, written, found.function)
    return _built(scope, written, found, types)


def of_column(scope: Scope, node: Node, name: str, location: int) -> Node | None:
    """`(node).name`, which is `name(node)`; None where no function is meant."""
    found = _found(scope, name, (node.type,), False)
    if found is _OWN:
        raise InvalidExpression(MUTABLE, scope.span(location))
    if found is None or found is _AMBIGUOUS:
        return None
    if found.target:
        return coerce(scope, node, found.target, "e", "call", location)
    assert found.function is not None
    if found.function.kind != "f" or not has(scope, found.function, 1):
        return None
    written = Call("", name, (node,), location)
    return _built(scope, written, found, (node.type,))


class _Spread(NamedTuple):
    """A function, and whether its VARIADIC arguments are spread out in the call."""

    function: Function
    spread: bool


#: several fit, or the files make one of that name
_AMBIGUOUS, _OWN = Found(), Found(target="")


def _found(scope: Scope, name: str, types: tuple[str, ...], variadic: bool) -> Found | None:
    """What a plain name means with arguments of these types."""
    if any(one.kind == "function" and one.name == name for one in scope.rivals):
        return _OWN
    return _find(name, types, variadic)


@lru_cache(maxsize=4096)
def _find(name: str, types: tuple[str, ...], variadic: bool) -> Found | None:
    """func_get_detail(): None when nothing fits."""
    candidates = _candidates(name, len(types), variadic)
    for candidate in candidates:
        if candidate.args == types:
            return _as_found(candidate)
    if len(types) == 1 and not variadic and facts().has_type(name):
        way = "text" if types[0] == "unknown" else pathway(types[0], name, "e").kind
        if way in ("relabel", "text"):
            return Found(target=name)
    left = matching(candidates, types)
    if not left:
        return None
    chosen = best(left, types)
    return _as_found(chosen) if chosen else _AMBIGUOUS


def _as_found(candidate: Candidate) -> Found:
    assert isinstance(candidate.thing, _Spread)
    return Found(candidate.thing.function, candidate.args, candidate.thing.spread)


def _candidates(name: str, count: int, variadic: bool) -> list[Candidate]:
    """Functions of that name that take so many arguments, VARIADIC ones spread out."""
    plain: dict[tuple[str, ...], Candidate] = {}
    for function in facts().functions(name):
        args = function.args
        spread = bool(function.variadic) and not variadic
        if spread and function.variadic != "any" and count >= len(args):
            element = facts().type(args[-1]).element or {
                "anyarray": "anyelement",
                "anycompatiblearray": "anycompatible",
            }.get(args[-1], args[-1])
            args = args[:-1] + (element,) * (count - len(args) + 1)
        elif spread and function.variadic == "any" and count >= len(args):
            args = args[:-1] + ("any",) * (count - len(args) + 1)
        elif len(args) > count >= len(args) - function.defaults:
            args, spread = args[:count], False
        elif len(args) != count:
            continue
        else:
            spread = False
        if args not in plain or not spread:
            plain[args] = Candidate(_Spread(function, spread), args)
    return list(plain.values())


def _built(scope: Scope, written: Call, found: Found, types: Sequence[str]) -> Node:
    function = found.function
    assert function is not None
    enforced = enforce(types, found.declared, function.result)
    if enforced is None:
        message = "could not determine polymorphic type because input has type unknown"
        raise Wrong(message, scope.span(-1))
    filled, result = enforced
    args = [
        arg if want == "any" else coerce(scope, arg, want)
        for arg, want in zip(written.args, filled, strict=True)
    ]
    args = [
        coerce(scope, arg, "text") if arg.type == "unknown" and want != "any" else arg
        for arg, want in zip(args, filled, strict=True)
    ]
    if written.variadic and function.variadic == "any" and not facts().type(args[-1].type).element:
        raise Wrong("VARIADIC argument must be an array", scope.span(leftmost(args[-1])))
    if function.returns_set:
        message = f"set-returning functions are not allowed in {scope.clause}"
        raise Wrong(message, scope.span(written.location))
    state = merged(scope, args)
    gathered = found.variadic and function.variadic != "any"
    if gathered:
        fixed = len(function.args) - 1
        args = [*args[:fixed], _array_of(scope, args[fixed:])]
    return Func(
        result, -1, written.location, *of_result(result, state), function, tuple(args),
        written.display, gathered or written.variadic, state.collation,
    )  # fmt: skip


def _array_of(scope: Scope, elements: list[Node]) -> Node:
    element = elements[0].type
    array = facts().type(element).array
    state = of_result(array, merged(scope, elements))
    return ArrayExpr(array, -1, -1, *state, tuple(elements))


def _is_users(scope: Scope, written: Call) -> bool:
    return any(
        known.name == written.name and scope.made.finds(known, written.schema)
        for known in scope.made.functions
    )


def _foreign(scope: Scope, written: Call) -> Node:
    """A call into a schema that is not PostgreSQL's own."""
    if _is_users(scope, written):
        raise InvalidExpression(MUTABLE, scope.span(written.location))
    if not scope.has_schema(written.schema):
        raise MISSING_THING(scope.span(written.location), thing=f'schema "{written.schema}"')
    raise UNKNOWN_FUNCTION(scope.span(written.location), signature=signature(written))
