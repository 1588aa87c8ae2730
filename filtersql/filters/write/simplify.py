"""What is constant in an engine's expression is computed, and what says nothing is left out.

Example
    ============================================== ===========================
    expression                                     simplified
    ============================================== ===========================
    `CASE WHEN 2 < 0 THEN error('…') ELSE a END`   `a`
    `SUBSTRING(a, GREATEST(3, 1))`                 `SUBSTRING(a, 3)`
    `a IS NULL OR 1 IS NULL`                       `a IS NULL`
    `CAST('0.5' AS DOUBLE)`                        `0.5D`, `0.5e0`
    `CAST('2024-01-31' AS DATE)`                   `DATE '2024-01-31'`
    `NOT a IS NULL`                                `a IS NOT NULL`
    ============================================== ===========================

    Rules are written for every argument; most arguments are constants. The value stays the same
    for each row, NULL included, and so does what raises: a part is left out only where a constant
    keeps the engine from computing it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from filtersql.filters.write import simplify_conditionals, simplify_constants
from filtersql.filters.write.simplify_constants import (
    INT,
    Rule,
    constant,
    integer,
    is_value,
    plain,
    put,
    truth_of,
)
from filtersql.storage import Engine

__all__ = ["simplified"]

_COMPARISONS: dict[type[exp.Expr], Callable[[Any, Any], bool]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
}
#: bind more tightly than comparisons
_ARITHMETIC: tuple[type[exp.Expr], ...] = (
    exp.Add,
    exp.Sub,
    exp.Mul,
    exp.Div,
    exp.IntDiv,
    exp.Mod,
    exp.DPipe,
)
_ATOMS = (exp.Paren, exp.Boolean, exp.Literal, exp.Column, exp.Bracket)
_TESTS: tuple[type[exp.Expr], ...] = (
    *_COMPARISONS,
    exp.Is,
    exp.In,
    exp.Like,
    exp.RegexpLike,
    exp.Not,
)
#: integers that the engine gives as BIGINT, and are no larger than a text is long
_COUNTS = (exp.Length, exp.StrPosition, exp.ArraySize)
_FIELDS = (exp.Year, exp.Month, exp.Day, exp.DayOfMonth, exp.DayOfWeek, exp.DayOfYear,
           exp.Quarter, exp.Week, exp.WeekOfYear)  # fmt: skip
_DOUBLE = re.compile(r"(D|e0)\Z")
_WHOLE = re.compile(r"\d{1,6}(D|e0)")


def simplified(tree: exp.Expr, engine: Engine) -> exp.Expr:
    """The expression without what its constants decide; it takes the place of the given one."""
    for key, value in tree.args.items():
        if isinstance(value, exp.Expr):
            put(tree, key, value, simplified(value, engine))
        elif type(value) is list:
            for place, item in enumerate(value):
                if isinstance(item, exp.Expr):
                    new = simplified(item, engine)
                    if new is not item:
                        value[place] = new
                        new.parent, new.arg_key, new.index = tree, key, place
    tree._hash = None  # it may have been compared before
    rule = _RULES.get(type(tree))
    return rule(tree, engine) if rule is not None else tree


def _is(tree: exp.Expr, engine: Engine) -> exp.Expr:
    if isinstance(tree.expression, exp.Null):
        if isinstance(tree.this, exp.Null):
            return exp.true()
        if is_value(tree.this):
            return exp.false()
    return tree


def _not(tree: exp.Expr, engine: Engine) -> exp.Expr:
    inner = tree.this.unnest()
    truth = truth_of(inner)
    if truth is not None:
        return exp.Boolean(this=not truth)
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return exp.Is(this=inner.this, expression=exp.Not(this=exp.Null()))
    if isinstance(inner, _TESTS):
        put(tree, "this", tree.this, inner)
    return tree


def _connector(tree: exp.Expr, engine: Engine) -> exp.Expr:
    """AND and OR: what is left decides where it is known; a neutral side says nothing."""
    decides = isinstance(tree, exp.Or)
    left: exp.Expr = tree.args["this"]
    right: exp.Expr = tree.args["expression"]
    if truth_of(left) is decides:
        return exp.Boolean(this=decides)
    if truth_of(left) is (not decides):
        return right
    if truth_of(right) is (not decides):
        return left
    bare: tuple[type[exp.Expr], ...] = (*_TESTS, type(tree))
    for key, side in (("this", left), ("expression", right)):
        if isinstance(side, exp.Paren) and isinstance(side.this, bare):
            put(tree, key, side, side.this)
    return tree


def _comparison(tree: exp.Expr, engine: Engine) -> exp.Expr:
    left, right = constant(tree.this), constant(tree.expression)
    same = type(left) is type(right) and left is not None
    if same and (isinstance(left, int) or type(tree) in (exp.EQ, exp.NEQ)):
        return exp.Boolean(this=_COMPARISONS[type(tree)](left, right))
    for key, other in (("this", "expression"), ("expression", "this")):
        side: exp.Expr = tree.args[key]
        if isinstance(side, exp.Paren) and isinstance(side.this, _ARITHMETIC):
            put(tree, key, side, side.this)
        elif isinstance(side, exp.Cast):
            number = integer(tree.args[other])
            # integers of any two types are compared as numbers
            number_alone = plain(side)
            if number_alone is not side:
                put(tree, key, side, number_alone)
            elif number and (
                (side.to.this == INT and isinstance(side.this, _COUNTS))
                or (side.to.this == exp.DType.DECIMAL and _is_field(side.this))
            ):
                put(tree, key, side, side.this)
        elif isinstance(side, exp.Literal) and _WHOLE.fullmatch(side.name):
            # a DOUBLE, or a FLOAT that holds it
            put(tree, key, side, exp.Literal.number(_DOUBLE.sub("", side.name)))
    return tree


def _is_field(node: exp.Expr) -> bool:
    """Whether it is a field of a date, which is a whole number."""
    match node:
        case exp.Case():
            default = node.args.get("default")
            results = [branch.args["true"] for branch in node.args["ifs"]]
            return default is not None and all(map(_is_field, (*results, default)))
        case exp.Add() | exp.Sub():
            return _is_field(node.this) and integer(node.expression) is not None
        case exp.Anonymous():
            return node.name.lower() in ("error", "raise_error")
    return isinstance(node, _FIELDS)


def _in(tree: exp.Expr, engine: Engine) -> exp.Expr:
    if tree.expressions:
        # compared as numbers, too
        tree.set("expressions", [plain(item) for item in tree.expressions])
    value, listed = constant(tree.this), [constant(item) for item in tree.expressions]
    if value is None or not listed or any(type(item) is not type(value) for item in listed):
        return tree
    return exp.Boolean(this=value in listed)


def _paren(tree: exp.Expr, engine: Engine) -> exp.Expr:
    inner = tree.this
    if isinstance(tree.parent, (exp.Bracket, exp.Dot)):
        return tree
    call = isinstance(inner, exp.Func) and not isinstance(inner, (exp.Binary, exp.Connector))
    return inner if call or isinstance(inner, _ATOMS) else tree


_RULES: dict[type[exp.Expr], Rule] = {
    **simplify_constants.RULES,
    **simplify_conditionals.RULES,
    exp.Is: _is,
    exp.Not: _not,
    exp.And: _connector,
    exp.Or: _connector,
    **dict.fromkeys(_COMPARISONS, _comparison),
    exp.In: _in,
    exp.Paren: _paren,
}
