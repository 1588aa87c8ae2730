"""Texts that sort as numerics do, for numbers that no DECIMAL holds.

Example
    ============ ==================
    number       sort text
    ============ ==================
    -12.5        1999997874~
    0            2
    12.5         3000002125
    NaN          5
    ============ ==================

    A class (0 -Infinity, 1 negative, 2 zero, 3 positive, 4 Infinity, 5 NaN), the count of digits
    before the point, then all digits; those of negative numbers are subtracted from 9 and closed
    with `~`, so that larger texts are larger numbers, under the order of bytes.

PostgreSQL
    numeric.c, cmp_numerics(): NaN is equal to itself and larger than all.
"""

from __future__ import annotations

from decimal import Decimal

from sqlglot import exp

from filtersql.filters.engines.binding import VALUE
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Case, Coalesce, MinMax, Node, NullIf, Var
from filtersql.filters.tree.walking import walk
from filtersql.filters.write.rules import numeric_floats
from filtersql.filters.write.rules.numeric_digits import digits
from filtersql.filters.write.rules.numerics import put
from filtersql.filters.write.rules.undeclared_numerics import BROKEN
from filtersql.filters.write.writer import Writer

__all__ = ["bound", "is_undeclared", "sort_text", "sort_text_of", "sort_text_of_shown"]

#: the name of a text that is computed
_SHOWN = "shown"
#: the sign and the number of digits at the head of a sort text
_HEAD = 7
_MANY = 100
_COMPLEMENT = str.maketrans("0123456789", "9876543210")


def is_undeclared(node: Node) -> bool:
    """Whether a column of any digits is in it, or a float as numeric."""
    return any(
        (isinstance(item, Var) and item.type == "numeric" and not item.decimal)
        or numeric_floats.is_float(item)
        for item in walk(node)
    )


def bound(symbol: str, value: Decimal) -> str:
    """Of a number of very many digits, those before its last zeros: where it is itself inside.

    What has as many digits and begins with these is as large; what is beyond `10 ** 65500` so needs
    no text of that length.
    """
    if not value.is_finite() or value.adjusted() < _MANY:
        return ""
    text = sort_text_of(value)
    if value > 0:
        return text[:_HEAD] + text[_HEAD:].rstrip("0") if symbol in (">=", "<") else ""
    return text[:_HEAD] + text[_HEAD:-1].rstrip("9") + "~" if symbol in ("<=", ">") else ""


def sort_text(writer: Writer, node: Node) -> exp.Expr:
    """A text that sorts as the number does."""
    constant = fold(node)
    if constant is not None:
        if constant.value is None:
            return writer.cast(None, writer.text_type)
        assert isinstance(constant.value, Decimal)
        return writer.text(sort_text_of(constant.value))
    if isinstance(node, (Case, Coalesce, NullIf)) and not digits(node):
        return writer.construct(node, lambda item: sort_text(writer, item))
    if isinstance(node, MinMax) and not digits(node):
        name = "GREATEST" if node.greatest else "LEAST"
        texts = [sort_text(writer, item) for item in node.args]
        return exp.Anonymous(this=name, expressions=texts)
    shown = writer.held_text(node)
    if shown is None:
        shown = writer.piece(".text", put(writer, node))
        if is_undeclared(node):
            named = sort_text_of_shown(writer, exp.column(_SHOWN))
            return writer.filled(VALUE[writer.engine].format(_SHOWN), shown, named)
    return sort_text_of_shown(writer, shown)


def sort_text_of(value: Decimal) -> str:
    """The sort text of a constant."""
    if value.is_nan():
        return "5"
    if value.is_infinite():
        return "0" if value < 0 else "4"
    if not value:
        return "2"
    whole, _, part = format(value.copy_abs(), "f").partition(".")
    whole = whole.lstrip("0")
    body = f"{len(whole):06d}{whole}{part.rstrip('0')}"
    return f"1{body.translate(_COMPLEMENT)}~" if value < 0 else f"3{body}"


def sort_text_of_shown(writer: Writer, shown: exp.Expr) -> exp.Expr:
    """The sort text of a number that is PostgreSQL's text."""
    body = writer.piece(".numeric_digits", shown)
    complement = writer.piece(".translate", body, "0123456789", "9876543210")
    negative = writer.filled("_1 || _2 || _3", "1", complement, "~")
    positive = writer.filled("_1 || _2", "3", body)
    return writer.case(
        [
            (writer.filled("_1 = 'NaN'", shown), "5"),
            (writer.filled("_1 = 'Infinity'", shown), "4"),
            (writer.filled("_1 = '-Infinity'", shown), "0"),
            (writer.piece(".numeric_zero", shown), "2"),
            (
                writer.piece(".numeric_canonical", shown),
                writer.case([(writer.piece(".numeric_negative", shown), negative)], positive),
            ),
            (writer.is_null(shown), writer.cast(None, writer.text_type)),
        ],
        writer.raised(BROKEN, writer.text_type),
    )
