"""Which filters can raise an error on some row, and on which values.

Example
    ================== ===========================================================
    filter             warning
    ================== ===========================================================
    `10 / a > 1`       "/" raises when the divisor is 0
    `a + 1 > 0`        "+" raises when the result does not fit in integer
    `a / 2 > 1`        none: no value of `a` makes it raise, whatever its type
    ================== ===========================================================

PostgreSQL
    The ereport(ERROR) calls of each function. A filter that raises stops the source's replication
    for good, so a project should know before that happens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from filtersql.filters.facts import NUMERIC_COMPARISONS
from filtersql.filters.tree import locales
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Const, Func, Node, Op, Var
from filtersql.filters.tree.walking import reads_column, walk
from filtersql.filters.types import display
from filtersql.filters.values import jsonpaths
from filtersql.filters.values.intervals import Parts
from filtersql.filters.write.raising_functions import (
    CLASSES,
    DIGITS,
    HARMLESS,
    OURS,
    PATH,
    PATTERN,
    UNFINISHED,
    reason_of,
)
from filtersql.filters.write.rules import (
    case_comparisons,
    letter_case,
    like,
    regex_columns,
    regular_expressions,
    time_zones,
)
from filtersql.filters.write.rules.numeric_digits import factors
from filtersql.filters.write.rules.undeclared_numerics import FITTING

__all__ = ["may_raise", "raises_there", "raising"]

#: units of which years before Christ are not handled
_COUNTED = re.compile(r"dec|c|millen|mils?\Z", re.IGNORECASE)
_LAST = 2**31 - 1
#: no text is longer
_LONGEST = Const("int4", value=2**30)


def may_raise(node: Node) -> bool:
    """Whether some row makes the expression raise an error."""
    return next(raising(node), None) is not None


def raises_there(node: Node) -> bool:
    """The same of PostgreSQL itself: on some values only an engine raises, for it may not know."""
    return any(_is_theirs(one, reason) for one, reason in raising(node))


def _is_theirs(node: Op | Func, reason: str) -> bool:
    if node.function.name in like.LIKE:
        return like.may_be_unended(node.args[1])
    return reason not in OURS and reason.partition('"')[0] != DIGITS.partition('"')[0]


def raising(tree: Node) -> Iterator[tuple[Op | Func, str]]:
    """The calls that may raise, each with the values on which it does."""
    sure = set[int]()
    for node in walk(tree):
        sure.update(case_comparisons.sure(node))
        if not isinstance(node, (Op, Func)) or id(node) in sure:
            continue
        reason = reason_of(node.function)
        if reason and not _harmless(node):
            yield node, reason.replace("{type}", display(node.type))
        elif regular_expressions.doubtful(node):
            yield node, CLASSES
        elif node.function.name in regular_expressions.MATCHES and regex_columns.of_column(
            node.args[1]
        ):
            yield node, PATTERN
        elif node.function.name in like.LIKE and like.may_be_unended(node.args[1]):
            yield node, UNFINISHED
        elif node.function.name.startswith("jsonb_path_") and (problem := _path_problem(node)):
            yield node, problem
        elif node.function.name not in NUMERIC_COMPARISONS:
            for arg in node.args:
                if isinstance(arg, Var) and arg.type == "numeric" and arg.decimal is None:
                    product = node.function.name == "numeric_mul"
                    size = factors(node.args)[node.args.index(arg)] if product else FITTING
                    yield node, DIGITS.format(arg.name, *size)


def _path_problem(node: Op | Func) -> str:
    """What a jsonpath may raise on."""
    known = fold(node.args[1])
    if known is None or known.value is None:
        return ""
    whole = jsonpaths.parsed(str(known.value))
    last = fold(node.args[-1]) if len(node.args) > 3 else None
    silent = node.function.name.endswith("_opr") or (last is not None and last.value is True)
    return PATH if whole.strict and not silent else ""


def _harmless(node: Op | Func) -> bool:
    """Whether the constants in a call keep it from raising."""
    if not reads_column(node):
        return fold(node) is not None
    name = node.function.name
    if str(node.function) in letter_case.CASED and locales.ascii_only(node.input_collation):
        return True
    if name == "date_trunc":
        unit, sure = fold(node.args[0]), len(node.args) < 3 or time_zones.is_sure(node.args[2])
        return sure and unit is not None and not _COUNTED.match(str(unit.value))
    if name in ("texticlike", "texticnlike", "bpchariclike", "bpcharicnlike"):
        return case_comparisons.is_sure(node)
    if name == "timezone":
        return time_zones.is_sure(node.args[0])
    if name.startswith(("time_", "timetz_", "interval_pl_time")):
        spans = [fold(arg) for arg in node.args if arg.type == "interval"]
        return all(span is not None and isinstance(span.value, Parts) for span in spans)
    if name == "overlay":
        return _is_inside(*map(fold, node.args[2:]))
    if name == "date_bin" and fold(node.args[0]) is None:
        return False
    known, keeps = fold(node.args[-1]), HARMLESS.get(name)
    return (
        keeps is not None and known is not None and known.value is not None and keeps(known.value)
    )


def _is_inside(start: Const | None, length: Const | None = _LONGEST) -> bool:
    """Whether overlay() replaces what begins at 1 or later and ends where an integer does."""
    if start is None or length is None:
        return False
    first, size = start.value, length.value
    return isinstance(first, int) and isinstance(size, int) and 0 < first <= _LAST - size
