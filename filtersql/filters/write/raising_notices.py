"""Warnings of a filter that can raise an error on some row, or whose value may change by itself.

Example
    `10 / a > 1`: the row filter can raise an error: "/" raises when the divisor is 0.

PostgreSQL
    The ereport(ERROR) calls of each function. A filter that raises stops the source's replication
    for good, so a project should know before that happens.
"""

from __future__ import annotations

from contextlib import suppress

from sqlglot import exp

from filtersql.errors import Notice
from filtersql.errors.filters import NotTranslated
from filtersql.filters.facts import NUMERIC_COMPARISONS
from filtersql.filters.tree.nodes import Func, Node, Op, Other
from filtersql.filters.tree.walking import leftmost, walk
from filtersql.filters.write import dispatch
from filtersql.filters.write.raising import raising
from filtersql.filters.write.raising_functions import DIGITS, INFINITE
from filtersql.filters.write.rules.division import QUOTIENT
from filtersql.filters.write.rules.infinite_fields import endless
from filtersql.filters.write.rules.numeric_digits import is_quotient
from filtersql.filters.write.rules.undeclared_numerics import is_asked
from filtersql.source import Passage

__all__ = ["mutable", "notices"]

#: warnings, each with the offset in the filter's text at which it stands
_Placed = tuple[tuple[Notice, int], ...]


def notices(passage: Passage, tree: Node) -> _Placed:
    """One warning for each kind of error, at the first place that can raise it."""
    found: dict[str, tuple[Notice, int]] = {}
    for node, reason in sorted(raising(tree), key=lambda item: item[0].location):
        name = node.operator.name if isinstance(node, Op) else node.function.name
        message = f'the row filter can raise an error: "{name}" raises {reason}'
        if message not in found and not _never_asked(passage, tree, reason):
            found[message] = Notice("may-raise", message), _place(node)
    return (*found.values(), *_of_quotients(passage, tree)) or _of_ends(tree)


def _place(node: Node) -> int:
    return node.location if node.location >= 0 else leftmost(node)


def _of_quotients(passage: Passage, tree: Node) -> _Placed:
    """The same of a comparison that the last digits of a quotient may decide."""
    for node in walk(tree):
        if not isinstance(node, (Op, Func)) or node.function.name not in NUMERIC_COMPARISONS:
            continue
        if not any(map(is_quotient, walk(node))):
            continue
        with suppress(NotTranslated):
            written = dispatch.writer_of("duckdb", exp.column, passage).put(node)
            if any(one.name == QUOTIENT for one in written.find_all(exp.Literal)):
                name = node.operator.name if isinstance(node, Op) else node.function.name
                message = (
                    f'the row filter can raise an error: "{name}" raises where its last digits '
                    "decide"
                )
                return ((Notice("may-raise", message), _place(node)),)
    return ()


def _of_ends(tree: Node) -> _Placed:
    """The same of a computed field, as of `extract(year FROM d) * 100`, where nothing else is."""
    for node in endless(tree):
        message = f'the row filter can raise an error: "extract" raises {INFINITE}'
        return ((Notice("may-raise", message), max(leftmost(node), 0)),)
    return ()


def _never_asked(passage: Passage, tree: Node, reason: str) -> bool:
    """Whether the filter is written without looking at the digits that the reason names.

    `m + 1 > 10` is `m > 9`, whatever the digits of `m` are.
    """
    if reason.partition('"')[0] != DIGITS.partition('"')[0]:
        return False

    name = reason.partition('"')[2].rpartition('"')[0]
    try:
        written = dispatch.writer_of("duckdb", exp.column, passage).put(tree)
    except NotTranslated:
        return False
    return not is_asked(written, name)


def mutable(tree: Node) -> _Placed:
    """One warning for each function whose value may change while the row does not."""
    words = {"v": "volatile", "s": "stable"}
    found: dict[str, tuple[Notice, int]] = {}
    for node in walk(tree):
        if not isinstance(node, (Op, Func, Other)) or (isinstance(node, Other) and node.args):
            continue
        # What is no function is one of the session: CURRENT_DATE, CURRENT_USER.
        kind = "s" if isinstance(node, Other) else node.function.volatility
        if kind in words:
            message = f'the row filter calls "{_mutable_name(node)}", which is {words[kind]}'
            hint = "What it gives now is not what it gave when the change was sent."
            notice = Notice("mutable-filter", message, hint=hint)
            found.setdefault(message, (notice, _place(node)))
    return tuple(found.values())


def _mutable_name(node: Op | Func | Other) -> str:
    if isinstance(node, Op):
        return node.operator.name
    return node.function.name if isinstance(node, Func) else node.what.removesuffix("_N").lower()
