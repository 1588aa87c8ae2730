"""`+`, `-` and `*` of multiranges: the ranges of both, cut by one another.

Example
    ================================ ====================================================
    node                             written as
    ================================ ====================================================
    `mr * '{[1,5)}'`                 what each range of one has in common with each other
    `mr - '{[1,5)}'`                 mr, and what is not in the other: `{(,1),[5,)}`
    `mr + '{[1,5)}'`                 what is not (not in mr, and not in the other)
    ================================ ====================================================

    What is not in a multirange begins where a range ends, and ends where the next one begins.

PostgreSQL
    multirangetypes.c: multirange_union(), multirange_minus_internal(),
    multirange_intersect_internal().
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters import sharing
from filtersql.filters.facts import facts
from filtersql.filters.model import ELEMENT
from filtersql.filters.nodes import Node, Var

if TYPE_CHECKING:
    from filtersql.filters.writer import Writer

__all__ = ["NAMES", "ONE_RANGE", "combined", "joined", "text_of"]

NAMES = {"multirange_union", "multirange_minus", "multirange_intersect"}
#: a range's text between the braces; no bound has a bracket in it
ONE_RANGE = r"[\[(][^\[\]()]*[\])]"
_OTHER = f"{ELEMENT} of the other one"
_BOUND = r"([^,\[\](){}]*)"
#: the steps from a multirange to what is not in it, each a pattern and the order of its groups;
#: the brackets stand turned until the last step
_TURNED = (
    (rf"{_BOUND}([\])]),([\[(]){_BOUND}", ("", 2, 1, ",", 4, 3)),
    (rf"\A[{{]([\[(]){_BOUND}", ("{],", 2, 1)),
    (rf"{_BOUND}([\])])[}}]\z", ("", 2, 1, ",[}")),
)
#: what is before no lower bound, and behind no upper one
_NOTHING = r"[(],\],?|,?\[,[)]"
_NULL = "multirange values cannot contain null members"


def text_of(writer: Writer, node: Node, name: str, args: Sequence[Node]) -> exp.Expr:
    """The text of a sum, difference or product of two multiranges."""
    from filtersql.filters.ranges import text_of as text_of_one

    first, second = (text_of_one(writer, arg) for arg in args)
    return combined(writer, node, name, first, second)


def joined(writer: Writer, node: Node, ranges: Sequence[exp.Expr]) -> exp.Expr:
    """The multirange of ranges in any order; of several, none may be NULL."""
    whole: exp.Expr | None = None
    for one in ranges:
        nothing = writer.filled("_1 = 'empty'", one)
        text = writer.case(
            [(nothing, writer.text("{}"))], writer.filled("'{' || _1 || '}'", one.copy())
        )
        whole = text if whole is None else combined(writer, node, "multirange_union", whole, text)
    if whole is None or len(ranges) == 1:
        return writer.text("{}") if whole is None else whole
    missing = exp.or_(*(writer.is_null(one.copy()) for one in ranges))
    problem = writer.piece(".raise", writer.text(_NULL))
    return writer.case([(missing, writer.cast(problem, writer.text_type))], whole)


def combined(writer: Writer, node: Node, name: str, first: exp.Expr, second: exp.Expr) -> exp.Expr:
    """The same of two texts."""
    if name == "multirange_union":
        first, second = _outside(writer, first), _outside(writer, second)
    elif name == "multirange_minus":
        second = _outside(writer, second)
    found = _common(writer, node, first, second)
    return _outside(writer, found) if name == "multirange_union" else found


def _common(writer: Writer, node: Node, first: exp.Expr, second: exp.Expr) -> exp.Expr:
    """What two multiranges have in common: in order, and nothing in it touches."""
    from filtersql.filters.ranges import common

    kind = facts().type(node.type).subtype
    pair = [Var(kind, -1, node.location, name=name) for name in (ELEMENT, _OTHER)]
    inner = writer.for_element(exp.column("item")).for_element(exp.column("other"), _OTHER)

    def of_both(left: exp.Expr, right: exp.Expr) -> exp.Expr:
        lists = [
            writer.piece(".list_found", each, writer.text(ONE_RANGE)) for each in (left, right)
        ]
        cut = writer.piece(".joined_pairs", *lists, common(inner, *pair))
        missing = writer.filled("_1 IS NULL OR _2 IS NULL", left.copy(), right.copy())
        return writer.case([(missing, writer.null())], writer.filled("'{' || _1 || '}'", cut))

    return sharing.once(
        writer, "ranges_1", first,
        lambda left: sharing.once(
            writer, "ranges_2", second, lambda right: of_both(left, right)
        ),
    )  # fmt: skip


def _outside(writer: Writer, text: exp.Expr) -> exp.Expr:
    """What is not in a multirange."""

    def turned(whole: exp.Expr) -> exp.Expr:
        found = whole.copy()
        sign = "$" if writer.engine == "spark" else "\\"
        for pattern, order in _TURNED:
            groups = "".join(f"{sign}{part}" if isinstance(part, int) else part for part in order)
            found = writer.piece(".replaced_all", found, writer.text(pattern), writer.text(groups))
        found = writer.filled("TRANSLATE(_1, '[]()', ')(][')", found)
        found = writer.piece(".replaced_all", found, writer.text(_NOTHING), writer.text(""))
        empty = writer.filled("_1 = '{}'", whole.copy())
        return writer.case([(empty, writer.text("{(,)}"))], found)

    return sharing.once(writer, "ranges", text, turned)
