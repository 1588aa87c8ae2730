"""Arguments that may raise, but are not computed, or not in any case, where their call is.

Example
    ============================== ============================ ===========================
    call                           `late`: beside a NULL        `hidden`: inside of a whole
    ============================== ============================ ===========================
    `a = b + 1`                    `b + 1`
    `10 / b > 2`                   none: nothing else is NULL
    `array_remove(x, 1 / b) = y`   the left side                `1 / b`
    ============================== ============================ ===========================

    `evaluation_order` says why, and writes what computes them first.

PostgreSQL
    execExprInterp.c, EEOP_FUNCEXPR_STRICT: the arguments stand before the call.
"""

from __future__ import annotations

from filtersql.filters.engines.templates import first_place
from filtersql.filters.facts import facts
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Const, Func, Node, NullIf, Op, Var, is_null_const
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.tree.walking import reads_column, walk
from filtersql.filters.write.raising import may_raise
from filtersql.filters.write.writer import Writer

__all__ = ["hidden", "inside", "late", "raises"]

#: of numerics: the divisor may be computed first
_DIVISIONS = {"numeric_div", "numeric_div_trunc", "numeric_mod", "div", "mod"}
#: functions that ask an interval for one of its numbers
_OF_A_PART = {"extract", "date_part", "time", "time_pl_interval", "time_mi_interval",
              "interval_pl_time", "timetz_pl_interval", "timetz_mi_interval",
              "interval_pl_timetz"}  # fmt: skip
#: functions of which each number of an interval may be too large by itself
_BY_PARTS = {"interval_pl", "interval_mi", "interval_um", "interval_mul", "mul_d_interval",
             "interval_div", "make_interval", "justify_days", "justify_hours",
             "justify_interval"}  # fmt: skip


def hidden(writer: Writer, node: Op | Func) -> list[Node]:
    """What may raise in the arguments, and is not computed where the call is."""
    found = list(_arguments(node))
    if node.function.name in _OF_A_PART:
        found += [
            arg
            for arg in node.args
            if arg.type == "interval" and raises(arg) and _is_by_parts(arg) and arg not in found
        ]
    for arg in node.args:
        if arg not in found:
            found += inside(writer, arg)
    return found


def _arguments(node: Op | Func) -> list[Node]:
    """The arguments that may raise of a function that takes NULL."""
    name = node.function.name
    if node.function.strict or name == node.type:
        return []
    return [arg for arg in node.args if raises(arg)]


def inside(writer: Writer, node: Node) -> list[Node]:
    """What may raise in a value that is held in parts, at any depth."""
    node = bare(node)
    if not isinstance(node, (Op, Func)) or isinstance(node, NullIf) or not _in_parts(node.type):
        return []
    found = [*_arguments(node), *late(writer, node)]
    for arg in node.args:
        if arg not in found:
            found += inside(writer, arg)
    return found


def _in_parts(name: str) -> bool:
    known = facts().type(name)
    return name in ("interval", "jsonb") or bool(known.element) or bool(known.subtype)


def _is_by_parts(node: Node) -> bool:
    return any(isinstance(one, (Op, Func)) and one.function.name in _BY_PARTS for one in walk(node))


def raises(node: Node) -> bool:
    """Whether some row makes it raise; constants do so before the first one."""
    return not isinstance(node, (Var, Const)) and may_raise(node) and reads_column(node)


def late(writer: Writer, node: Op | Func) -> list[Node]:
    """The arguments that can raise; none where the engine looks at all of them anyhow."""
    args = node.args
    if len(args) < 2 or not node.function.strict:
        return []
    raising = [place for place, arg in enumerate(args) if raises(arg)]
    if not raising:
        return []
    nullable = {place for place, arg in enumerate(args) if fold(arg) is None}
    if not any(nullable - {place} for place in raising):
        return []
    if raising == [_first(writer, node)] and not any(map(_holds_null, args)):
        return []
    return [args[place] for place in raising]


def _holds_null(node: Node) -> bool:
    """Whether an optimizer may find that it is NULL, so that nothing beside it counts."""
    return any(map(is_null_const, walk(node)))


def _first(writer: Writer, node: Op | Func) -> int:
    """The argument that is looked at in any case; -1: none that is known."""
    if node.args[0].type == "numeric":
        return -1 if node.function.name in _DIVISIONS else 0
    rows = writer.rows
    text = rows.get(str(node.function)) or rows.get(node.function.name)
    return first_place(writer.engine, text) if text is not None else -1
