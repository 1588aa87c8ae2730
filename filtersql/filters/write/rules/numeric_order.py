"""Comparisons of numerics: as DECIMAL where one holds both, else by a text that sorts alike.

Example
    ========================= =========================================================
    filter                    written as
    ========================= =========================================================
    `n > n2`                  n > n2, both `numeric(12,3)`
    `n / n2 > 2`              without the quotient (`division`)
    `nu + 1 > 10`             nu > 9, `nu` without declared digits (`numeric_steps`)
    `nu > nv`                 their texts that sort alike (`numeric_sort_texts`)
    ========================= =========================================================

PostgreSQL
    numeric.c, cmp_numerics(): NaN is equal to itself and larger than all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial

from sqlglot import exp

from filtersql.filters.engines import constants
from filtersql.filters.engines.templates import operand
from filtersql.filters.facts import SYMBOLS, TURNED
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Case, Coalesce, Func, Node, Op, Var
from filtersql.filters.tree.transparent_nodes import chosen
from filtersql.filters.tree.walking import walk
from filtersql.filters.values.calendar import USECS_PER_DAY
from filtersql.filters.values.numbers import EXACT
from filtersql.filters.write.conditionals import conditional
from filtersql.filters.write.rules import (
    datetime_fields,
    division,
    extract_fields,
    infinite_fields,
    numeric_steps,
    undeclared_numerics,
)
from filtersql.filters.write.rules.numeric_digits import MOST, Digits, digits, is_inexact_quotient
from filtersql.filters.write.rules.numeric_sort_texts import bound, is_undeclared, sort_text
from filtersql.filters.write.rules.numerics import put
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES", "compare"]


def compare(writer: Writer, symbol: str, left: Node, right: Node) -> exp.Expr:
    """`left symbol right` for two numerics."""
    infinite = infinite_fields.decided(writer, symbol, left, right)
    found = _exactly(writer, symbol, left, right)
    return writer.case(infinite, found) if infinite else found


def _exactly(writer: Writer, symbol: str, left: Node, right: Node) -> exp.Expr:
    for place, (node, other) in enumerate(((left, right), (right, left))):
        if isinstance(node, Func) and node.function.name == "extract" and digits(other):
            return _with_infinite_field(writer, symbol, node, (left, right), place)
        if is_inexact_quotient(node):
            return division.compare(
                writer, node, symbol if place == 0 else TURNED[symbol], node, other
            )
        known = fold(other)
        sign = symbol if place == 0 else TURNED[symbol]
        if known is not None and known.value is not None and _chooses_quotient(node):
            return _of_chosen(writer, node, partial(_compare_with, writer, sign, other))
        if known is not None and isinstance(known.value, Decimal) and _steps(node):
            found = numeric_steps.compare(writer, sign, node, known.value, compare)
            if found is not None:
                return undeclared_numerics.unless_too_long(writer, node, found)
    return _finite(writer, symbol, left, right)


def _with_infinite_field(
    writer: Writer, symbol: str, node: Func, pair: tuple[Node, Node], place: int
) -> exp.Expr:
    """The year of infinity is infinite: larger than every number beside it."""
    if extract_fields.is_moment(node):
        finite = _day_and_fraction(writer, symbol, node, pair, place)
    else:
        finite = _finite(writer, symbol, *pair)
    tests = extract_fields.never_ends(node) and datetime_fields.infinities(writer, node.args[1])
    if not tests:
        return finite
    other = pair[1 - place]
    constant = fold(other)
    sure = constant is not None and constant.value is not None
    whens = []
    for test, larger in zip(tests, (place == 0, place == 1), strict=True):
        truth = symbol == "<>" or symbol in ((">", ">=") if larger else ("<", "<="))
        known = exp.true() if sure else writer.is_not_null(writer.raw(other))
        whens.append((writer.filled("_1 AND _2", test, known), constants.boolean(truth)))
    missing = [] if sure else [(test, None) for test in tests]
    return writer.case([*whens, *missing], finite)


#: the Julian date of 1970-01-01
_UNIX_DAY = 2_440_588
#: behind the point; PostgreSQL rounds the fraction of a day to 20 digits or more
_FEW, _WHOLE = 8, 12


def _day_and_fraction(
    writer: Writer, symbol: str, node: Func, pair: tuple[Node, Node], place: int
) -> exp.Expr:
    """A Julian date beside a constant of few digits: both in microseconds."""
    known, size = fold(pair[1 - place]), digits(pair[1 - place])
    if known is None or size is None or size.behind > _FEW or size.before > _WHOLE:
        raise writer.refused(node, "A Julian date has a form beside a constant of few digits.")
    if known.value is None:
        return writer.typed(None, "bool")
    assert isinstance(known.value, Decimal)
    bound = EXACT.multiply(EXACT.subtract(known.value, Decimal(_UNIX_DAY)), Decimal(USECS_PER_DAY))
    sides = [
        writer.cast(writer.piece(".epoch_micros", writer.put(node.args[1])), "DECIMAL(20, 0)"),
        writer.cast(format(bound, "f"), f"DECIMAL({MOST}, {size.behind})"),
    ]
    return writer.filled(f"_1 {symbol} _2", *(sides if place == 0 else sides[::-1]))


def _compare_with(writer: Writer, symbol: str, right: Node, left: Node) -> exp.Expr:
    return compare(writer, symbol, left, right)


def _chooses_quotient(node: Node) -> bool:
    """Whether it is a CASE or COALESCE with a quotient that is compared without being computed."""
    return isinstance(node, (Case, Coalesce)) and any(
        is_inexact_quotient(one) or _chooses_quotient(one) for one in chosen(node)
    )


def _of_chosen(writer: Writer, node: Node, compared: Callable[[Node], exp.Expr]) -> exp.Expr:
    """The comparison of what a CASE or COALESCE chooses."""
    if isinstance(node, Case):
        return conditional(writer, node, compared)
    assert isinstance(node, Coalesce)
    *first, last = node.args
    whens = [(exp.Not(this=operand(writer.null_of(arg))), compared(arg)) for arg in first]
    return writer.case(whens, compared(last))


def _steps(node: Node) -> bool:
    """Whether it is looked at step by step: no DECIMAL may hold its digits."""
    size = digits(node)
    return (
        (size is not None and size.before + size.behind > MOST)
        or is_undeclared(node)
        or any(map(is_inexact_quotient, walk(node)))
    )


def _finite(writer: Writer, symbol: str, left: Node, right: Node) -> exp.Expr:
    sizes = [digits(left), digits(right)]
    if all(sizes):
        first, second = (size for size in sizes if size)
        before, behind = max(first.before, second.before), max(first.behind, second.behind)
        if before + behind <= MOST:
            parts = [
                (_number(node, other) if before + behind < MOST else None) or put(writer, node)
                for node, other in ((left, second), (right, first))
            ]
            return writer.filled(f"_1 {symbol} _2", *parts)
    for node, other, sign in ((left, right, symbol), (right, left, TURNED[symbol])):
        constant = fold(other)
        if isinstance(node, Var) and constant and isinstance(constant.value, Decimal):
            found = undeclared_numerics.compared(writer, sign, node, constant.value)
            if found is not None:
                return found
    known = fold(right)
    few = known and isinstance(known.value, Decimal) and bound(symbol, known.value)
    texts = [sort_text(writer, left), writer.text(few) if few else sort_text(writer, right)]
    return writer.filled(f"_1 {symbol} _2", *texts)


def _number(node: Node, other: Digits) -> exp.Expr | None:
    """A constant as it is written, where the engines read it as a DECIMAL or INT beside another."""
    known = fold(node)
    value = known.value if known is not None else None
    if not isinstance(value, Decimal) or not value.is_finite():
        return None
    text = format(value.copy_abs(), "f")
    if "." not in text and (len(text) > 9 or len(text) > other.before):
        return None  # it must fit the other's type on DuckDB
    number = exp.Literal.number(text)
    return exp.Neg(this=number) if value < 0 else number


def _comparison(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    return compare(writer, _SYMBOLS[node.function.name], args[0], args[1])


_SYMBOLS = {f"numeric_{name}": symbol for name, symbol in SYMBOLS.items()}
RULES: dict[str, Rule] = dict.fromkeys(_SYMBOLS, _comparison)
