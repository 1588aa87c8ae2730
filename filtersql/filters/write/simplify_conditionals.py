"""CASE and COALESCE in an engine's expression, where constants decide which branch is taken.

Example
    ============================================== ===========================
    expression                                     simplified
    ============================================== ===========================
    `CASE WHEN 2 < 0 THEN error('…') ELSE a END`   `a`
    `CASE WHEN (a > 1) THEN (b) END`               `CASE WHEN a > 1 THEN b END`
    `CASE WHEN NOT a IS NULL THEN LOWER(a) END`    `LOWER(a)`
    `COALESCE(5, a)`                               `5`
    ============================================== ===========================
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from filtersql.filters.write.simplify_constants import BIGINT, Rule, is_value, plain, put, truth_of
from filtersql.storage import Engine

__all__ = ["RULES"]

#: NULL if their first argument is, whatever the others are
_STRICT = (exp.Substring, exp.Left, exp.Right, exp.SplitPart, exp.Upper, exp.Lower, exp.Cast)

#: what needs parentheses inside of each other
_BINDING = (exp.Binary, exp.Not, exp.Neg, exp.Between, exp.In)


def _coalesce(tree: exp.Expr, engine: Engine) -> exp.Expr:
    first: exp.Expr = tree.args["this"]
    if is_value(first):
        return first
    if isinstance(first, exp.Column):
        tree.set("expressions", [plain(item, BIGINT) for item in tree.expressions])
    return tree


def _case(tree: exp.Expr, engine: Engine) -> exp.Expr:
    if tree.args.get("this") is not None:
        return tree
    kept = []
    default = tree.args.get("default")
    for branch in tree.args["ifs"]:
        truth = truth_of(branch.this)
        if truth is None and not isinstance(branch.this, exp.Null):
            kept.append(branch)
        elif truth:
            default = branch.args["true"]
            break
    if len(kept) == len(tree.args["ifs"]):
        found = tree
    elif not kept:
        if isinstance(default, _BINDING) and isinstance(tree.parent, _BINDING):
            return exp.Paren(this=default)  # what stands around the CASE may bind closer
        return tree if default is None else default
    else:
        found = exp.Case(ifs=kept, default=default)
    return _unguarded(found)


def _unguarded(tree: exp.Expr) -> exp.Expr:
    """Without `WHEN a IS NULL THEN NULL` before what is NULL then by itself."""
    first, default = tree.args["ifs"][0], tree.args.get("default")
    test = first.this
    if (
        len(tree.args["ifs"]) > 1
        or not isinstance(test, exp.Is)
        or not isinstance(test.this, exp.Column)
    ):
        return tree
    result = first.args["true"]
    if isinstance(test.expression, exp.Null) and isinstance(result, exp.Null):
        result = default
    elif not (isinstance(test.expression, exp.Not) and default in (None, exp.Null())):
        return tree
    strict = isinstance(result, _STRICT) and result.this == test.this
    return result if strict and all(map(is_value, _others(result))) else tree


def _others(call: exp.Expr) -> Iterator[exp.Expr]:
    """What stands beside the first argument."""
    for key, value in call.args.items():
        if key != "this" and isinstance(value, exp.Expr) and not isinstance(value, exp.DataType):
            yield value


def _if(tree: exp.Expr, engine: Engine) -> exp.Expr:
    """A branch of a CASE needs no parentheses."""
    for key in ("this", "true"):
        side = tree.args.get(key)
        if isinstance(side, exp.Paren):
            put(tree, key, side, side.this)
    return tree


RULES: dict[type[exp.Expr], Rule] = {
    exp.Coalesce: _coalesce,
    exp.Case: _case,
    exp.If: _if,
}
