"""Two items of a jsonpath beside each other.

Example
    ============== ====================================================
    condition      written as
    ============== ====================================================
    `@ == 1`       a number is compared, null differs, all else is unknown
    `@.a < @.b`    two numbers, two strings or two booleans are compared
    ============== ====================================================

PostgreSQL
    jsonpath_exec.c, compareItems(): strings of UTF-8 in the order of their bytes.
"""

from __future__ import annotations

from decimal import Decimal

from sqlglot import exp

from filtersql.filters.values.jsonpath_trees import Scalar
from filtersql.filters.write.rules import numeric_sort_texts
from filtersql.filters.write.rules.document_constants import raw_of
from filtersql.filters.write.writer import Part, Writer

__all__ = ["beside_scalar", "compared", "starts"]


def compared(writer: Writer, one: exp.Expr, symbol: str, other: exp.Expr) -> exp.Expr:
    """Two raw texts: of one type, or null beside anything, or unknown."""
    sign = {"==": "=", "!=": "<>"}.get(symbol, symbol)

    def both(pattern: str) -> exp.Expr:
        tests = [writer.piece(".matches", item, pattern) for item in (one, other)]
        return exp.and_(*tests, copy=False)

    plain = writer.filled(f"_1 {sign} _2", one, other)
    numbers = plain
    if symbol not in ("==", "!="):
        shown = [writer.filled("SUBSTRING(_1, 2)", item) for item in (one, other)]
        numbers = writer.filled(
            f"_1 {sign} _2",
            *(numeric_sort_texts.sort_text_of_shown(writer, text) for text in shown),
        )
    null = writer.filled("_1 = 'nnull' OR _2 = 'nnull'", one, other)
    return writer.case(
        [
            (both("^n[-0-9]"), numbers),
            (both("^s"), plain),
            (both("^n(true|false)$"), plain),
            (both("^nnull$"), symbol in ("==", "<=", ">=")),
            (null, symbol == "!="),
        ],
        None,
    )


def beside_scalar(writer: Writer, one: exp.Expr, symbol: str, value: Scalar) -> exp.Expr:
    """A raw text beside a scalar: what is of another type is unknown, null is not."""
    sign = {"==": "=", "!=": "<>"}.get(symbol, symbol)
    other: Part = raw_of(value)
    if value is None:
        holds = symbol in ("==", "<=", ">=")
        return writer.case([(writer.filled("_1 = _2", one, other), holds)], symbol == "!=")
    pattern = {bool: "^n(true|false)$", Decimal: "^n[-0-9]"}.get(type(value), "^s")
    same = writer.piece(".matches", one, pattern)
    sides: list[Part] = [one, other]
    if isinstance(value, Decimal) and symbol not in ("==", "!="):
        shown = writer.filled("SUBSTRING(_1, 2)", one)
        sides = [
            numeric_sort_texts.sort_text_of_shown(writer, shown),
            numeric_sort_texts.sort_text_of(value),
        ]
    test = writer.filled(f"_1 {sign} _2", *sides)
    null = writer.filled("_1 = 'nnull'", one)
    return writer.case([(same, test), (null, symbol == "!=")], None)


def starts(writer: Writer, one: exp.Expr, beginning: str) -> exp.Expr:
    """`starts with`, of a raw text: unknown where it is no string."""
    is_text = writer.piece(".begins", one, "s")
    test = writer.piece(".begins", one, f"s{beginning}")
    return writer.case([(is_text, test)], None)
