"""Constants of an engine's expression: what they are worth, and how they are best written.

Example
    ============================== ===========================
    expression                     written
    ============================== ===========================
    `CAST(1 AS BIGINT) + 2`        `CAST(3 AS BIGINT)`
    `GREATEST(3, 1)`               `3`
    `CAST('5' AS INT)`             `5`
    `CAST('0.5' AS DOUBLE)`        `0.5D`, `0.5e0`
    `CAST('2024-01-31' AS DATE)`   `DATE '2024-01-31'`
    ============================== ===========================
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from functools import lru_cache

from sqlglot import exp

from filtersql.storage import Engine

__all__ = [
    "BIGINT",
    "INT",
    "RULES",
    "Rule",
    "constant",
    "integer",
    "is_value",
    "plain",
    "put",
    "truth_of",
]

INT, BIGINT, _HUGE = exp.DType.INT, exp.DType.BIGINT, exp.DType.INT128
_BITS = {exp.DType.SMALLINT: 15, INT: 31, BIGINT: 63, _HUGE: 127}
#: in which type a remainder is computed
_WIDER = {INT: BIGINT, BIGINT: _HUGE}
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d{1,6})?([+-]\d\d(:\d\d)?)?)?")
_MOMENTS = {"DATE", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_NTZ"}
_SUMS: dict[type[exp.Expr], Callable[[int, int], int]] = {
    exp.Add: operator.add,
    exp.Sub: operator.sub,
}
#: what becomes of a node whose parts are simplified
Rule = Callable[[exp.Expr, Engine], exp.Expr]


def put(tree: exp.Expr, key: str, old: exp.Expr, new: exp.Expr) -> None:
    """Puts another expression in the place of one."""
    if new is not old:
        tree.args[key] = new
        new.parent, new.arg_key, new.index = tree, key, None


def integer(node: exp.Expr | None) -> tuple[int, exp.DType] | None:
    """A whole number and its type, which is INT where it has no cast."""
    if isinstance(node, exp.Cast):
        kind, inner = node.to.this, node.this
        if kind not in _BITS:
            return None
        text = inner.name if isinstance(inner, exp.Literal) and inner.is_string else ""
        found = int(text) if re.fullmatch(r"-?\d{1,19}", text) else None
        if found is None:
            known = integer(inner)
            found = known[0] if known else None
        return (found, kind) if found is not None and fits(found, kind) else None
    sign = -1 if isinstance(node, exp.Neg) else 1
    node = node.this if isinstance(node, exp.Neg) else node
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        number = sign * int(node.name)
        return (number, INT) if fits(number, INT) else None
    return None


def fits(number: int, kind: exp.DType) -> bool:
    """Whether a literal can be of the type; minus of the smallest one takes a larger type."""
    return bool(abs(number) < 2 ** _BITS[kind])


def of_integer(number: int, kind: exp.DType) -> exp.Expr:
    """A whole number of a type."""
    found: exp.Expr = exp.Literal.number(abs(number))
    found = exp.Neg(this=found) if number < 0 else found
    return found if kind == INT else exp.Cast(this=found, to=exp.DataType(this=kind))


def plain(node: exp.Expr, kind: exp.DType | None = None) -> exp.Expr:
    """A whole number (of a type) as an INT, where one beside it decides the type."""
    known = integer(node)
    if known is None or known[1] == INT or kind not in (None, known[1]):
        return node
    return of_integer(known[0], INT) if fits(known[0], INT) else node


def constant(node: exp.Expr) -> object:
    """The value of a number or a text, or None."""
    known = integer(node)
    if known:
        return known[0]
    if isinstance(node, exp.Neg) and node.name == "2147483648":
        return -(2**31)
    return node.name if isinstance(node, exp.Literal) and node.is_string else None


def truth_of(node: exp.Expr) -> bool | None:
    """The truth value that a node is, in parentheses or not; None where it is none."""
    node = node.unnest()
    return bool(node.this) if isinstance(node, exp.Boolean) else None


def is_value(node: exp.Expr) -> bool:
    """Whether it is a constant that is not NULL."""
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal):
        text = node.this.name
        return bool(_NUMBER.fullmatch(text) or _MOMENT.fullmatch(text))
    return isinstance(node, (exp.Literal, exp.Boolean)) or integer(node) is not None


def _sum(tree: exp.Expr, engine: Engine) -> exp.Expr:
    left, right = integer(tree.this), integer(tree.expression)
    if left and right:
        kind = max(left[1], right[1], key=lambda one: _BITS[one])
        number = _SUMS[type(tree)](left[0], right[0])
        if fits(number, kind):
            return of_integer(number, kind)
    return tree


def _extreme(tree: exp.Expr, engine: Engine) -> exp.Expr:
    known = [integer(item) for item in (tree.this, *tree.expressions)]
    if not all(known):
        return tree
    numbers = [one[0] for one in known if one]
    kind = max((one[1] for one in known if one), key=lambda one: _BITS[one])
    return of_integer(max(numbers) if isinstance(tree, exp.Greatest) else min(numbers), kind)


def _cast(tree: exp.Expr, engine: Engine) -> exp.Expr:
    assert isinstance(tree, exp.Cast)
    inner = tree.this
    known = integer(tree)
    if known is not None:
        return of_integer(*known)
    if isinstance(inner, exp.Cast) and inner.to == tree.to:
        return inner
    wider = _WIDER.get(tree.to.this)
    if wider and isinstance(inner, exp.Mod) and _is_small(inner, wider):
        return exp.Mod(this=inner.this.this, expression=inner.expression)
    if not isinstance(inner, exp.Literal) or not inner.is_string:
        return tree
    text = inner.name
    if tree.to.this == exp.DType.DOUBLE and _NUMBER.fullmatch(text):
        sign, digits = text[:1] == "-", text.lstrip("-")
        number = exp.Literal.number(f"{digits}{'D' if engine == 'spark' else 'e0'}")
        return exp.Neg(this=number) if sign else number
    kind = _word(tree.to.this, engine) if _MOMENT.fullmatch(text) else ""
    if kind in _MOMENTS:
        return exp.Introducer(this=exp.Var(this=kind), expression=inner)
    return tree


def _is_small(tree: exp.Mod, wider: exp.DType) -> bool:
    """Whether it is the remainder of a cast by a constant that cannot raise."""
    by, inner = integer(tree.expression), tree.this
    wide = isinstance(inner, exp.Cast) and inner.to.this == wider
    if not (wide and by and by[0] not in (0, -1) and isinstance(inner.this, exp.Column)):
        return False
    put(tree, "expression", tree.expression, plain(tree.expression))
    return fits(by[0], INT)


def _remainder(tree: exp.Expr, engine: Engine) -> exp.Expr:
    if isinstance(tree.this, exp.Column):
        put(tree, "expression", tree.expression, plain(tree.expression, BIGINT))
    return tree


@lru_cache(maxsize=64)
def _word(kind: exp.DType, engine: Engine) -> str:
    return exp.DataType(this=kind).sql(dialect=engine)


def _length(tree: exp.Expr, engine: Engine) -> exp.Expr:
    """A count of characters is an integer of any type."""
    for key in {"start", "length"} & tree.args.keys():
        number: exp.Expr | None = tree.args[key]
        if number is not None:
            put(tree, key, number, plain(number, BIGINT))
    return tree


RULES: dict[type[exp.Expr], Rule] = {
    **dict.fromkeys(_SUMS, _sum),
    exp.Greatest: _extreme,
    exp.Least: _extreme,
    exp.Mod: _remainder,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Substring: _length,
}
