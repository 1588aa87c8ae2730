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
from collections.abc import Callable, Iterator
from functools import lru_cache

from sqlglot import exp

from filtersql.storage import Engine

__all__ = ["simplified"]

_INTEGERS = {
    exp.DataType.Type.SMALLINT: 15,
    exp.DataType.Type.INT: 31,
    exp.DataType.Type.BIGINT: 63,
}
_INT, _BIGINT = exp.DataType.Type.INT, exp.DataType.Type.BIGINT
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d{1,6})?([+-]\d\d(:\d\d)?)?)?")
_MOMENTS = {"DATE", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_NTZ"}
_COMPARISONS: dict[type[exp.Expr], Callable[[object, object], bool]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
}
_SUMS: dict[type[exp.Expr], Callable[[int, int], int]] = {
    exp.Add: operator.add,
    exp.Sub: operator.sub,
}
#: bind more tightly than comparisons
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.DPipe)
_TESTS = (*_COMPARISONS, exp.Is, exp.In, exp.Like, exp.RegexpLike, exp.Not)
#: NULL if their first argument is, whatever the others are
_STRICT = (exp.Substring, exp.Left, exp.Right, exp.SplitPart, exp.Upper, exp.Lower, exp.Cast)
#: integers that the engine gives as BIGINT, and are no larger than a text is long
_COUNTS = (exp.Length, exp.StrPosition, exp.ArraySize)
Rule = Callable[[exp.Expr, Engine], exp.Expr]


def simplified(tree: exp.Expr, engine: Engine) -> exp.Expr:
    """The expression without what its constants decide; it takes the place of the given one."""
    for key, value in tree.args.items():
        if isinstance(value, exp.Expr):
            _put(tree, key, value, simplified(value, engine))
        elif type(value) is list:
            for place, item in enumerate(value):
                if isinstance(item, exp.Expr):
                    new = simplified(item, engine)
                    if new is not item:
                        value[place] = new
                        new.parent, new.arg_key, new.index = tree, key, place
    rule = _RULES.get(type(tree))
    return rule(tree, engine) if rule is not None else tree


def _put(tree: exp.Expr, key: str, old: exp.Expr, new: exp.Expr) -> None:
    if new is not old:
        tree.args[key] = new
        new.parent, new.arg_key, new.index = tree, key, None


# -- constants -----------------------------------------------------------------------------------


def _integer(node: exp.Expr | None) -> tuple[int, exp.DataType.Type] | None:
    """A whole number and its type, which is INT where it has no cast."""
    if isinstance(node, exp.Cast):
        kind, inner = node.to.this, node.this
        if kind not in _INTEGERS:
            return None
        text = inner.name if isinstance(inner, exp.Literal) and inner.is_string else ""
        found = int(text) if re.fullmatch(r"-?\d{1,19}", text) else None
        if found is None:
            known = _integer(inner)
            found = known[0] if known else None
        return (found, kind) if found is not None and _fits(found, kind) else None
    sign = -1 if isinstance(node, exp.Neg) else 1
    node = node.this if isinstance(node, exp.Neg) else node
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        number = sign * int(node.name)
        return (number, _INT) if _fits(number, _INT) else None
    return None


def _fits(number: int, kind: exp.DataType.Type) -> bool:
    # the smallest one has no literal: minus is taken of one that is too large
    return abs(number) < 2 ** _INTEGERS[kind]


def _of_integer(number: int, kind: exp.DataType.Type) -> exp.Expr:
    found: exp.Expr = exp.Literal.number(abs(number))
    found = exp.Neg(this=found) if number < 0 else found
    return found if kind == _INT else exp.Cast(this=found, to=exp.DataType(this=kind))


def _constant(node: exp.Expr) -> object:
    """The value of a number or a text, or None."""
    known = _integer(node)
    if known:
        return known[0]
    if isinstance(node, exp.Neg) and node.name == "2147483648":
        return -(2**31)
    return node.name if isinstance(node, exp.Literal) and node.is_string else None


def _is_value(node: exp.Expr) -> bool:
    """Whether it is a constant that is not NULL."""
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal):
        text = node.this.name
        return bool(_NUMBER.fullmatch(text) or _MOMENT.fullmatch(text))
    return isinstance(node, (exp.Literal, exp.Boolean)) or _integer(node) is not None


def _truth(node: exp.Expr | None) -> bool | None:
    node = node.unnest() if isinstance(node, exp.Paren) else node
    return bool(node.this) if isinstance(node, exp.Boolean) else None


# -- rules ---------------------------------------------------------------------------------------


def _is(tree: exp.Expr, engine: Engine) -> exp.Expr:
    if isinstance(tree.expression, exp.Null):
        if isinstance(tree.this, exp.Null):
            return exp.true()
        if _is_value(tree.this):
            return exp.false()
    return tree


def _not(tree: exp.Expr, engine: Engine) -> exp.Expr:
    inner = tree.this.unnest()
    truth = _truth(inner)
    if truth is not None:
        return exp.Boolean(this=not truth)
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return exp.Is(this=inner.this, expression=exp.Not(this=exp.Null()))
    return tree


def _connector(tree: exp.Expr, engine: Engine) -> exp.Expr:
    """AND and OR: what is left decides where it is known; a neutral side says nothing."""
    decides = isinstance(tree, exp.Or)
    for this, other in (("this", "expression"), ("expression", "this")):
        truth = _truth(tree.args[this])
        if truth is not None and truth is not decides:
            return tree.args[other]
        if truth is decides and this == "this":
            return exp.Boolean(this=decides)
    for key in ("this", "expression"):
        side = tree.args[key]
        if isinstance(side, exp.Paren) and isinstance(side.this, (*_TESTS, type(tree))):
            if key == "expression" and isinstance(side.this, type(tree)):
                continue  # a AND (b AND c) is computed in that order
            _put(tree, key, side, side.this)
    return tree


def _comparison(tree: exp.Expr, engine: Engine) -> exp.Expr:
    left, right = _constant(tree.this), _constant(tree.expression)
    same = type(left) is type(right) and left is not None
    if same and (isinstance(left, int) or type(tree) in (exp.EQ, exp.NEQ)):
        return exp.Boolean(this=_COMPARISONS[type(tree)](left, right))
    for key, other in (("this", "expression"), ("expression", "this")):
        side = tree.args[key]
        if isinstance(side, exp.Paren) and isinstance(side.this, _ARITHMETIC):
            _put(tree, key, side, side.this)
        elif isinstance(side, exp.Cast):
            known = _integer(side)
            if known and _fits(known[0], _INT):
                # integers of any two types are compared as numbers
                _put(tree, key, side, _of_integer(known[0], _INT))
            elif side.to.this == _INT and isinstance(side.this, _COUNTS) and (
                _integer(tree.args[other])
            ):
                _put(tree, key, side, side.this)
    return tree


def _in(tree: exp.Expr, engine: Engine) -> exp.Expr:
    value, listed = _constant(tree.this), [_constant(item) for item in tree.expressions]
    if value is None or not listed or any(type(item) is not type(value) for item in listed):
        return tree
    return exp.Boolean(this=value in listed)


def _sum(tree: exp.Expr, engine: Engine) -> exp.Expr:
    left, right = _integer(tree.this), _integer(tree.expression)
    if left and right:
        kind = max(left[1], right[1], key=lambda one: _INTEGERS[one])
        number = _SUMS[type(tree)](left[0], right[0])
        if _fits(number, kind):
            return _of_integer(number, kind)
    return tree


def _extreme(tree: exp.Expr, engine: Engine) -> exp.Expr:
    known = [_integer(item) for item in (tree.this, *tree.expressions)]
    if not all(known):
        return tree
    numbers = [one[0] for one in known if one]
    kind = max((one[1] for one in known if one), key=lambda one: _INTEGERS[one])
    return _of_integer(max(numbers) if isinstance(tree, exp.Greatest) else min(numbers), kind)


def _coalesce(tree: exp.Expr, engine: Engine) -> exp.Expr:
    return tree.this if _is_value(tree.this) else tree


def _case(tree: exp.Expr, engine: Engine) -> exp.Expr:
    if tree.args.get("this") is not None:
        return tree
    kept = []
    default = tree.args.get("default")
    for branch in tree.args["ifs"]:
        truth = _truth(branch.this)
        if truth is None and not isinstance(branch.this, exp.Null):
            kept.append(branch)
        elif truth:
            default = branch.args["true"]
            break
    if len(kept) == len(tree.args["ifs"]):
        found = tree
    elif not kept:
        return tree if default is None else default
    else:
        found = exp.Case(ifs=kept, default=default)
    return _unguarded(found)


def _unguarded(tree: exp.Expr) -> exp.Expr:
    """Without `WHEN a IS NULL THEN NULL` before what is NULL then by itself."""
    first, default = tree.args["ifs"][0], tree.args.get("default")
    test = first.this
    if len(tree.args["ifs"]) > 1 or not isinstance(test, exp.Is) or not isinstance(test.this, exp.Column):
        return tree
    result = first.args["true"]
    if isinstance(test.expression, exp.Null) and isinstance(result, exp.Null):
        result = default
    elif not (isinstance(test.expression, exp.Not) and default in (None, exp.Null())):
        return tree
    strict = isinstance(result, _STRICT) and result.this == test.this
    return result if strict and all(map(_is_value, _others(result))) else tree


def _others(call: exp.Expr) -> Iterator[exp.Expr]:
    """What stands beside the first argument."""
    for key, value in call.args.items():
        if key != "this" and isinstance(value, exp.Expr) and not isinstance(value, exp.DataType):
            yield value


def _cast(tree: exp.Expr, engine: Engine) -> exp.Expr:
    assert isinstance(tree, exp.Cast)
    inner = tree.this
    known = _integer(tree)
    if known is not None:
        return _of_integer(*known)
    if isinstance(inner, exp.Cast) and inner.to == tree.to:
        return inner
    if tree.to.this == _INT and isinstance(inner, exp.Mod) and _is_small(inner):
        return exp.Mod(this=inner.this.this, expression=inner.expression)
    if not isinstance(inner, exp.Literal) or not inner.is_string:
        return tree
    text = inner.name
    if tree.to.this == exp.DataType.Type.DOUBLE and _NUMBER.fullmatch(text):
        sign, digits = text[:1] == "-", text.lstrip("-")
        number = exp.Literal.number(f"{digits}{'D' if engine == 'spark' else 'e0'}")
        return exp.Neg(this=number) if sign else number
    kind = _word(tree.to.this, engine) if _MOMENT.fullmatch(text) else ""
    if kind in _MOMENTS:
        return exp.Introducer(this=exp.Var(this=kind), expression=inner)
    return tree


def _is_small(tree: exp.Mod) -> bool:
    """Whether it is the remainder of a cast to BIGINT by a constant that cannot raise."""
    by, inner = _integer(tree.expression), tree.this
    wide = isinstance(inner, exp.Cast) and inner.to.this == _BIGINT
    if not (wide and by and by[0] not in (0, -1) and isinstance(inner.this, exp.Column)):
        return False
    _put(tree, "expression", tree.expression, _of_integer(by[0], _INT))
    return True


@lru_cache(maxsize=64)
def _word(kind: exp.DataType.Type, engine: Engine) -> str:
    return exp.DataType(this=kind).sql(dialect=engine)


def _length(tree: exp.Expr, engine: Engine) -> exp.Expr:
    """A count of characters is an integer of any type."""
    for key in ("start", "length"):
        known = _integer(tree.args.get(key))
        if known and known[1] == _BIGINT and _fits(known[0], _INT):
            _put(tree, key, tree.args[key], _of_integer(known[0], _INT))
    return tree


def _paren(tree: exp.Expr, engine: Engine) -> exp.Expr:
    inner = tree.this
    bare = isinstance(inner, (exp.Paren, exp.Boolean, exp.Literal, exp.Column, exp.Cast, exp.Case))
    return inner if bare else tree


def _if(tree: exp.Expr, engine: Engine) -> exp.Expr:
    """A branch of a CASE needs no parentheses."""
    for key in ("this", "true"):
        side = tree.args.get(key)
        if isinstance(side, exp.Paren):
            _put(tree, key, side, side.this)
    return tree


_RULES: dict[type[exp.Expr], Rule] = {
    exp.Is: _is,
    exp.Not: _not,
    exp.And: _connector,
    exp.Or: _connector,
    **dict.fromkeys(_COMPARISONS, _comparison),
    **dict.fromkeys(_SUMS, _sum),
    exp.In: _in,
    exp.Greatest: _extreme,
    exp.Least: _extreme,
    exp.Coalesce: _coalesce,
    exp.Case: _case,
    exp.If: _if,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Substring: _length,
    exp.Paren: _paren,
}
