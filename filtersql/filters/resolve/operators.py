"""Which operator `a > '5'` is, and the node for it.

Example
    `i4 + i8` is int48pl(int4,int8); `v = 'x'` is texteq(text,text) over a relabelled column.

PostgreSQL
    parse_oper.c: oper(), left_oper(), make_op(), make_scalar_array_op(), op_error().
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from filtersql.errors import Mistake
from filtersql.errors.filters import (
    AMBIGUOUS_OPERATOR,
    UNKNOWN_OPERATOR,
    UNKNOWN_PREFIX,
    InvalidExpression,
    NotTranslated,
    Wrong,
)
from filtersql.filters.facts import Operator, facts
from filtersql.filters.resolve.allowed import OPERATORS, TYPES, of_own_type
from filtersql.filters.resolve.candidates import Candidate, best, matching
from filtersql.filters.resolve.coercion import coerce, shown_type
from filtersql.filters.resolve.collations import merged, of_result
from filtersql.filters.resolve.polymorphic import enforce
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.tree.nodes import Distinct, Node, NullIf, Op, ScalarArrayOp
from filtersql.filters.tree.walking import leftmost
from filtersql.filters.types import display

__all__ = ["make", "make_distinct", "make_null_if", "make_scalar_array", "select"]


_NOT_READ = "What a user's operator does is not read."


def make(scope: Scope, name: str, args: Sequence[Node], location: int) -> Op:
    """The operator over one or two arguments."""
    operator, declared, result = _resolved(scope, name, args, location)
    return _built(scope, Op, operator, declared, result, args, location)


def make_distinct(scope: Scope, args: Sequence[Node], location: int) -> Op:
    """`a IS DISTINCT FROM b`."""
    return _equality(scope, Distinct, "IS DISTINCT FROM", args, location)


def make_null_if(scope: Scope, args: Sequence[Node], location: int) -> Op:
    """`NULLIF(a, b)`: its type is that of the first argument of `=`."""
    return _equality(scope, NullIf, "NULLIF", args, location)


def _equality(
    scope: Scope, kind: type[Op], construct: str, args: Sequence[Node], location: int
) -> Op:
    operator, declared, result = _resolved(scope, "=", args, location)
    if result != "bool":
        raise Wrong(f"{construct} requires = operator to yield boolean", scope.span(location))
    result = declared[0] if kind is NullIf else result
    return _built(scope, kind, operator, declared, result, args, location)


def make_scalar_array(
    scope: Scope, name: str, left: Node, right: Node, location: int, *, any_of: bool
) -> Node:
    """`left op ANY (right)`."""
    element = "unknown" if right.type == "unknown" else facts().type(right.type).element
    if not element:
        raise Wrong("op ANY/ALL (array) requires array on right side", scope.span(location))
    shown = (shown_type(left), display(element))
    start = min(location, leftmost(left))
    operator = select(scope, name, (left.type, element), location, shown, start=start)
    enforced = enforce((left.type, element), (operator.left, operator.right), operator.result)
    if enforced is None:
        raise _unknown(scope, name, shown, location)
    (left_type, right_type), result = enforced
    if result != "bool":
        raise Wrong("op ANY/ALL (array) requires operator to yield boolean", scope.span(location))
    array = facts().type(right_type).array
    if not array:
        message = f"could not find array type for data type {display(right_type)}"
        raise Wrong(message, scope.span(location))
    args = (coerce(scope, left, left_type), coerce(scope, right, array))
    state = merged(scope, args)
    function = facts().function(operator.function)
    return ScalarArrayOp(
        "bool",
        location=location,
        operator=operator,
        function=function,
        args=args,
        input_collation=state.collation,
        any=any_of,
    )


def select(
    scope: Scope,
    name: str,
    types: tuple[str, ...],
    location: int,
    shown: Sequence[str] = (),
    *,
    start: int | None = None,
) -> Operator:
    """The operator for arguments of these types, which mistakes call as `shown`.

    `start`: where its first argument begins.
    """
    for one in scope.rivals:
        own = [Candidate(one, one.args or types)]
        if one.kind == "operator" and one.name == name and matching(own, types):
            raise _of_users(scope, name, location if start is None else start)
    found = _select(name, types)
    shown = shown or [display(item) for item in types]
    if isinstance(found, Operator):
        return found
    if found:
        raise AMBIGUOUS_OPERATOR(scope.span(location), signature=_signature(name, shown))
    raise _unknown(scope, name, shown, location)


@lru_cache(maxsize=4096)
def _select(name: str, types: tuple[str, ...]) -> Operator | bool:
    """The operator; True: ambiguous, False: there is none."""
    known = facts()
    binary = len(types) == 2
    # `OPERATOR(pg_catalog.=)` keeps its schema for the message
    plain = name.removeprefix("pg_catalog.")
    operators = [item for item in known.operators(plain) if bool(item.left) == binary]
    exact = types
    if binary and "unknown" in types and types != ("unknown", "unknown"):
        one = types[0] if types[1] == "unknown" else types[1]
        exact = (one, one)
    candidates = [
        Candidate(item, (item.left, item.right) if binary else (item.right,)) for item in operators
    ]
    for candidate in candidates:
        if candidate.args == exact:
            return candidate.thing  # type: ignore[return-value]
    left = matching(candidates, types)
    if not left:
        return False
    chosen = best(left, types)
    return chosen.thing if chosen else True  # type: ignore[return-value]


def _resolved(
    scope: Scope, name: str, args: Sequence[Node], location: int
) -> tuple[Operator, Sequence[str], str]:
    types = tuple(arg.type for arg in args)
    _check_users_type(scope, args)
    shown = [shown_type(arg) for arg in args]
    start = min(location, leftmost(args[0]))
    operator = select(scope, name, types, location, shown, start=start)
    declared = (operator.left, operator.right) if len(args) == 2 else (operator.right,)
    enforced = enforce(types, declared, operator.result)
    if enforced is None:
        raise _unknown(scope, name, shown, location)
    return operator, *enforced


def _built(
    scope: Scope,
    kind: type[Op],
    operator: Operator,
    declared: Sequence[str],
    result: str,
    args: Sequence[Node],
    location: int,
) -> Op:
    function = facts().function(operator.function)
    coerced = tuple(map(lambda arg, want: coerce(scope, arg, want), args, declared))
    state = merged(scope, coerced)
    typmod = coerced[0].typmod if kind is NullIf else -1
    return kind(
        result, typmod, location, *of_result(result, state), operator, function, coerced,
        state.collation,
    )  # fmt: skip


def _of_users(scope: Scope, name: str, location: int) -> Mistake:
    """What is said of an operator of the files."""
    span = scope.span(location)
    if scope.checked:
        return NotTranslated(f'operator "{name}"', "any engine", _NOT_READ, span)
    return InvalidExpression(OPERATORS, span)


def _check_users_type(scope: Scope, args: Sequence[Node]) -> None:
    """An enum or row type has operators, so PostgreSQL's parser gets past them to this refusal."""
    for arg in args:
        others = {other.type for other in args if other is not arg}
        if "." in arg.type and not facts().type(arg.type).oid and others <= {arg.type, "unknown"}:
            raise of_own_type(scope, TYPES, arg)


def _unknown(scope: Scope, name: str, shown: Sequence[str], location: int) -> Mistake:
    return (UNKNOWN_PREFIX if len(shown) == 1 else UNKNOWN_OPERATOR)(
        scope.span(location), signature=_signature(name, shown)
    )


def _signature(name: str, shown: Sequence[str]) -> str:
    return f"{shown[0]} {name} {shown[1]}" if len(shown) == 2 else f"{name} {shown[0]}"
