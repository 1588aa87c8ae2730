"""PostgreSQL's parse analysis of a filter: the grammar's tree becomes a typed one.

Example
    The tree of `a > 5`, whose operator is only a name, becomes Op int4gt(int4,int4).

PostgreSQL
    parse_expr.c, transformExprRecurse(); parse_relation.c, colNameToVar(); parse_type.c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from filtersql.errors.filters import MISSING_THING, InvalidExpression, Wrong
from filtersql.filters.facts import facts
from filtersql.filters.resolve import (
    arrays,
    columns,
    comparisons,
    constants,
    forbidden,
    functions,
    type_names,
)
from filtersql.filters.resolve.allowed import ONLY
from filtersql.filters.resolve.coercion import boolean, cast, coerce, common_type, to_common
from filtersql.filters.resolve.collations import collate, merged, of_result
from filtersql.filters.resolve.function_calls import Call, aggregate_only
from filtersql.filters.resolve.operators import make, make_null_if, make_scalar_array
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.resolve.session_values import current
from filtersql.filters.tree.nodes import (
    Bool,
    BooleanTest,
    Case,
    CaseTest,
    Coalesce,
    Const,
    Display,
    MinMax,
    Node,
    NullTest,
    Row,
)
from filtersql.grammar import Node as Parsed
from filtersql.grammar import enum_name

__all__ = ["transform"]


def transform(scope: Scope, parsed: Parsed) -> Node:
    """The typed tree of an expression."""
    kind = parsed.WhichOneof("node")
    rule = _RULES.get(kind)
    if rule is not None:
        return rule(scope, getattr(parsed, kind))
    return forbidden.other(scope, kind, getattr(parsed, kind), transform)


def _all(scope: Scope, parsed: Sequence[Parsed]) -> tuple[Node, ...]:
    return tuple([transform(scope, item) for item in parsed])


def _expression(scope: Scope, parsed: Parsed) -> Node:
    kind = enum_name(parsed, "kind")
    place = parsed.location
    names = [item.string.sval for item in parsed.name]
    match kind:
        case "AEXPR_OP" | "AEXPR_LIKE" | "AEXPR_ILIKE" | "AEXPR_SIMILAR":
            if not parsed.HasField("lexpr"):
                only = transform(scope, parsed.rexpr)
                return make(scope, _operator_name(scope, names, place), (only,), place)
            left, right = transform(scope, parsed.lexpr), transform(scope, parsed.rexpr)
            name = _operator_name(scope, names, place)
            if isinstance(left, Row) and isinstance(right, Row):
                return comparisons.rows(scope, name, left.args, right.args, place)
            return make(scope, name, (left, right), place)
        case "AEXPR_OP_ANY" | "AEXPR_OP_ALL":
            args = transform(scope, parsed.lexpr), transform(scope, parsed.rexpr)
            name = _operator_name(scope, names, place)
            return make_scalar_array(scope, name, *args, place, any_of=kind == "AEXPR_OP_ANY")
        case "AEXPR_DISTINCT" | "AEXPR_NOT_DISTINCT":
            left, right = transform(scope, parsed.lexpr), transform(scope, parsed.rexpr)
            negated = kind == "AEXPR_NOT_DISTINCT"
            return comparisons.distinct(scope, left, right, place, negated=negated)
        case "AEXPR_NULLIF":
            pair = transform(scope, parsed.lexpr), transform(scope, parsed.rexpr)
            return make_null_if(scope, pair, place)
        case "AEXPR_IN":
            left = transform(scope, parsed.lexpr)
            items = _all(scope, parsed.rexpr.list.items)
            return comparisons.in_list(scope, names[-1], left, items, place)
        case _:
            low, high = parsed.rexpr.list.items
            pair = transform(scope, parsed.lexpr), transform(scope, low)
            return comparisons.between(scope, kind, *pair, lambda: transform(scope, high), place)


def _operator_name(scope: Scope, names: list[str], place: int) -> str:
    if len(names) > 1 and names[-2] != "pg_catalog" and not scope.has_schema(names[-2]):
        raise MISSING_THING(scope.span(place), thing=f'schema "{names[-2]}"')
    return ".".join(names)


def _bool(scope: Scope, parsed: Parsed) -> Node:
    word = enum_name(parsed, "boolop").removesuffix("_EXPR")
    args = tuple(boolean(scope, transform(scope, item), word) for item in parsed.args)
    kind = {"AND": "and", "OR": "or", "NOT": "not"}[word]
    return Bool("bool", location=parsed.location, kind=kind, args=args)  # type: ignore[arg-type]


def _case(scope: Scope, parsed: Parsed) -> Node:
    arg, tested = None, None
    if parsed.HasField("arg"):
        arg = transform(scope, parsed.arg)
        if arg.type == "unknown":
            arg = coerce(scope, arg, "text")
        tested = CaseTest(arg.type, arg.typmod, -1, arg.collation, arg.strength)
    conditions, results = [], []
    for item in parsed.args:
        when = item.case_when
        condition = transform(scope, when.expr)
        if tested is not None:
            condition = make(scope, "=", (tested, condition), when.location)
        conditions.append(boolean(scope, condition, "CASE/WHEN"))
        results.append(transform(scope, when.result))
    default: Node = Const("unknown")
    if parsed.HasField("defresult"):
        default = transform(scope, parsed.defresult)
    target = common_type(scope, [default, *results], "CASE")
    default = to_common(scope, default, target, "CASE/ELSE")
    results = [to_common(scope, item, target, "CASE/WHEN") for item in results]
    state = of_result(target, merged(scope, [*results, default]))
    whens = tuple(zip(conditions, results, strict=True))
    typmod = _common_typmod([*results, default])
    return Case(target, typmod, parsed.location, *state, arg, whens, default)


def _common_typmod(nodes: Sequence[Node]) -> int:
    first = nodes[0].typmod
    return first if all(node.typmod == first for node in nodes) else -1


def _coalesce(scope: Scope, parsed: Parsed) -> Node:
    args = _all(scope, parsed.args)
    target = common_type(scope, args, "COALESCE")
    args = tuple(to_common(scope, arg, target, "COALESCE") for arg in args)
    state = of_result(target, merged(scope, args))
    return Coalesce(target, _common_typmod(args), parsed.location, *state, args)


def _min_max(scope: Scope, parsed: Parsed) -> Node:
    greatest = enum_name(parsed, "op") == "IS_GREATEST"
    word = "GREATEST" if greatest else "LEAST"
    args = _all(scope, parsed.args)
    target = common_type(scope, args, word)
    args = tuple(to_common(scope, arg, target, word) for arg in args)
    state = merged(scope, args)
    return MinMax(
        target, _common_typmod(args), parsed.location, *of_result(target, state), greatest, args,
        state.collation,
    )  # fmt: skip


def _null_test(scope: Scope, parsed: Parsed) -> Node:
    arg, is_null = transform(scope, parsed.arg), enum_name(parsed, "nulltesttype") == "IS_NULL"
    return NullTest("bool", location=parsed.location, arg=arg, is_null=is_null)


def _boolean_test(scope: Scope, parsed: Parsed) -> Node:
    words = enum_name(parsed, "booltesttype").split("_")
    arg = boolean(scope, transform(scope, parsed.arg), " ".join(words))
    test, negated = words[-1], "NOT" in words
    return BooleanTest("bool", -1, parsed.location, arg=arg, test=test, negated=negated)  # type: ignore[arg-type]


def _cast(scope: Scope, parsed: Parsed) -> Node:
    name, modifier = type_names.resolve(scope, parsed.type_name)
    place = parsed.location if parsed.location >= 0 else parsed.type_name.location
    if parsed.arg.WhichOneof("node") == "a_array_expr" and facts().type(name).element:
        inner = parsed.arg.a_array_expr
        node: Node = arrays.array_of(
            scope, inner, transform, facts().type(name).element, modifier, name
        )
    else:
        node = transform(scope, parsed.arg)
    forbidden.check_cast(scope, node, name)
    return cast(scope, node, name, modifier, place)


def _array(scope: Scope, parsed: Parsed) -> Node:
    return arrays.array_of(scope, parsed, transform)


def _row(scope: Scope, parsed: Parsed) -> Node:
    explicit = enum_name(parsed, "row_format") == "COERCE_EXPLICIT_CALL"
    args = _all(scope, parsed.args)
    return Row("record", location=parsed.location, args=args, explicit=explicit)


def _collate(scope: Scope, parsed: Parsed) -> Node:
    names = [item.string.sval for item in parsed.collname]
    return collate(scope, transform(scope, parsed.arg), names, parsed.location)


def _call(scope: Scope, parsed: Parsed) -> Node:
    names = [item.string.sval for item in parsed.funcname]
    args = []
    for item in parsed.args:
        if item.WhichOneof("node") == "named_arg_expr":
            raise InvalidExpression(ONLY, scope.span(item.named_arg_expr.location))
        args.append(transform(scope, item))
    shown: Display = "sql" if enum_name(parsed, "funcformat") == "COERCE_SQL_SYNTAX" else "call"
    written = Call(
        names[-2] if len(names) > 1 else "", names[-1], tuple(args), parsed.location,
        parsed.func_variadic, shown, parsed.HasField("over"), aggregate_only(parsed, names[-1]),
    )  # fmt: skip
    return functions.call(scope, written)


def _parameter(scope: Scope, parsed: Parsed) -> Node:
    message = f"there is no parameter ${parsed.number}"
    raise Wrong(message, scope.span(parsed.location))


def _default(scope: Scope, parsed: Parsed) -> Node:
    raise Wrong("DEFAULT is not allowed in this context", scope.span(parsed.location))


_RULES: dict[str, Callable[[Scope, Parsed], Node]] = {
    "a_array_expr": _array,
    "a_const": constants.constant,
    "a_expr": _expression,
    "bool_expr": _bool,
    "boolean_test": _boolean_test,
    "case_expr": _case,
    "coalesce_expr": _coalesce,
    "collate_clause": _collate,
    "column_ref": columns.reference,
    "func_call": _call,
    "min_max_expr": _min_max,
    "null_test": _null_test,
    "param_ref": _parameter,
    "row_expr": _row,
    "set_to_default": _default,
    "sqlvalue_function": current,
    "type_cast": _cast,
}
