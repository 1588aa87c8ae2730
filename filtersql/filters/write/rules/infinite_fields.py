"""What is computed with the year or epoch of an infinite value: decided where the value is one.

Example
    ================================= =========================================
    filter                            where `ts` is infinity
    ================================= =========================================
    `extract(epoch FROM ts) / 60 > 9` Infinity / 60 > 9: true
    `extract(year FROM ts) % 4 = 0`   Infinity % 4 is NaN: false
    `extract(year FROM ts) * n > 9`   what `n` is decides: the engine raises
    ================================= =========================================

    A DECIMAL holds neither. Where all else is constant, the comparison is computed here, once for
    each infinity.

PostgreSQL
    numeric.c: add_var() and the others are not called for NaN and the infinities; each operator
    says by itself what it gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Context, Decimal, Inexact
from typing import TypeGuard

from sqlglot import exp

from filtersql.filters.engines import constants
from filtersql.filters.facts import NUMERIC_COMPARISONS, SYMBOLS
from filtersql.filters.tree.constant_folding import comparison, fold
from filtersql.filters.tree.nodes import Func, Node, Op, Relabel
from filtersql.filters.tree.walking import children, walk
from filtersql.filters.write.rules import datetime_fields, extract_fields
from filtersql.filters.write.writer import Writer

__all__ = ["decided", "endless"]

#: Infinity - Infinity is NaN; what is finite is exact
_EXACT = Context(prec=1000, traps=[Inexact])
_WORDS = {symbol: word for word, symbol in SYMBOLS.items()}


class _NotKnownError(Exception):
    """Something else than constants decides, or PostgreSQL raises."""


def _decides(left: Node, right: Node) -> bool:
    """Whether two sides are made of fields of infinite values and of constants alone."""
    with suppress(_NotKnownError):
        for sign in (1, -1):
            _of(left, sign)
            _of(right, sign)
        return True
    return False


def endless(tree: Node) -> Iterator[Func]:
    """What is computed with a field that may be infinite: no comparison decides beside it."""
    compared = [
        node
        for node in walk(tree)
        if isinstance(node, Op) and node.function.name in NUMERIC_COMPARISONS
    ]
    decided = {id(one) for node in compared if _decides(*node.args) for one in walk(node)}
    for node in walk(tree):
        if id(node) in decided or (
            isinstance(node, Op) and node.function.name in NUMERIC_COMPARISONS
        ):
            continue
        yield from filter(_never_ends, children(node))


def decided(
    writer: Writer, symbol: str, left: Node, right: Node
) -> list[tuple[exp.Expr, exp.Expr]]:
    """For each infinity, whether the value is one, and what the comparison then gives."""
    found = [node for side in (left, right) for node in walk(side) if _never_ends(node)]
    if not found or (found[0] in (left, right) and len(found) == 1):
        return []
    tests = [datetime_fields.infinities(writer, node.args[1]) for node in found]
    if tests[0] is None or any(other != tests[0] for other in tests):
        return []
    whens = []
    for test, sign in zip(tests[0], (1, -1), strict=True):
        with suppress(_NotKnownError):
            pair = _of(left, sign), _of(right, sign)
            whens.append((test, _truth(writer, symbol, pair)))
    return whens


def _truth(writer: Writer, symbol: str, pair: tuple[Decimal | None, Decimal | None]) -> exp.Expr:
    rule = comparison(f"numeric_{_WORDS[symbol]}")
    assert rule is not None
    if None in pair:
        return writer.cast(None, "BOOLEAN")
    return constants.boolean(bool(rule(*pair)))


def _never_ends(node: Node) -> TypeGuard[Func]:
    return (
        isinstance(node, Func)
        and node.function.name == "extract"
        and extract_fields.never_ends(node)
    )


def _of(node: Node, sign: int) -> Decimal | None:
    """A number, where each value of which it reads a field is infinite."""
    known = fold(node)
    if known is not None:
        assert known.value is None or isinstance(known.value, Decimal)
        return known.value
    if isinstance(node, Relabel):
        return _of(node.arg, sign)
    if not isinstance(node, (Func, Op)):
        raise _NotKnownError
    if node.function.name == "extract":
        return Decimal("Infinity") * sign if extract_fields.never_ends(node) else None
    rule = _RULES.get(node.function.name)
    if rule is None or any(_is_other(arg) for arg in node.args):
        raise _NotKnownError
    given = [_of(arg, sign) for arg in node.args if arg.type == "numeric"]
    if None in given:
        return None
    try:
        return rule(*given)
    except Inexact:
        raise _NotKnownError from None


def _is_other(arg: Node) -> bool:
    """Whether an argument is no number, and not the count of places that a constant gives."""
    known = None if arg.type == "numeric" else fold(arg)
    return arg.type != "numeric" and (known is None or known.value is None)


def _divided(left: Decimal, right: Decimal) -> Decimal:
    """A quotient; of two finite numbers it has the digits that PostgreSQL gives it."""
    if not right or (left.is_finite() and right.is_finite()):
        raise _NotKnownError
    return _EXACT.divide(left, right)


def _remainder(left: Decimal, right: Decimal) -> Decimal:
    if not right:
        raise _NotKnownError
    return _EXACT.remainder(left, right)


def _rounded(number: Decimal) -> Decimal:
    """What is infinite or NaN stays; a finite number is left to the engines."""
    if number.is_finite() and number:
        raise _NotKnownError
    return number


def _sign(number: Decimal) -> Decimal:
    return number if number.is_nan() else Decimal((number > 0) - (number < 0))


_RULES: dict[str, Callable[..., Decimal]] = {
    "numeric_add": _EXACT.add,
    "numeric_sub": _EXACT.subtract,
    "numeric_mul": _EXACT.multiply,
    "numeric_div": _divided,
    **dict.fromkeys(("numeric_mod", "mod"), _remainder),
    "numeric_uminus": Decimal.copy_negate,
    **dict.fromkeys(("numeric_abs", "abs"), Decimal.copy_abs),
    **dict.fromkeys(("round", "trunc", "ceil", "ceiling", "floor"), _rounded),
    "sign": _sign,
}
