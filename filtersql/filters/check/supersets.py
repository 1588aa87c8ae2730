"""Whether a target holds all rows of others: what xDB asks of its definition node.

Example
    ============================= ============================= ================================
    `superset_of` holds           the other holds               verdict
    ============================= ============================= ================================
    every row                     deptno < 30                   holds
    deptno < 30                   deptno < 30 AND loc = 'X'     holds
    deptno < 30 OR loc = 'X'      deptno < 30                   holds
    a window of 30 days           the same of 10 days           holds
    deptno < 40                   deptno < 30                   a warning, with a query that tells
    ============================= ============================= ================================

    What a filter's own AND and OR do not show is left to the data: the query counts the rows that
    the other target holds and this one does not, and has to give 0.

xDB
    Replication Server user's guide, "Multi-master replication": the primary definition node holds a
    superset of the data of all other primary nodes
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from filtersql.definitions.model import Subscription
from filtersql.errors import Notice
from filtersql.errors.publications import shown
from filtersql.filters.model import Filter
from filtersql.filters.tree.deparse import deparse
from filtersql.filters.tree.nodes import Bool, Cut, Node, Op, Var
from filtersql.names import RelationName

__all__ = ["Held", "covers", "lints"]

#: the filters of the rows that each subscription holds of each table; none: every row
Held = Mapping[str, Mapping[RelationName, Sequence[Filter]]]


def lints(subscription: Subscription, held: Held) -> Iterator[Notice]:
    """What `superset_of` of a subscription may miss."""
    mine = held.get(subscription.name, {})
    for other, span in subscription.superset_of:
        for table, filters in held.get(other, {}).items():
            if table not in mine:
                yield Notice(
                    "superset-misses-table",
                    f'subscription "{subscription.name}" does not hold table "{shown(table)}", '
                    f'which "{other}" holds',
                    span,
                )
            elif not covers(mine[table], filters):
                yield Notice(
                    "superset-unproved",
                    f'subscription "{subscription.name}" may lack rows of table "{shown(table)}" '
                    f'that "{other}" holds',
                    span,
                    f"They are counted by {_query(table, mine[table], filters)}.",
                    "Where it is not 0, a snapshot of the definition node is incomplete.",
                )


def covers(mine: Sequence[Filter], others: Sequence[Filter]) -> bool:
    """Whether AND, OR and windows of time show that rows of the other side are rows of ours."""
    wide = [part for one in mine for part in (one.tree, *_parts(one.tree, "or"))]
    narrow = [part for one in others for part in _parts(one.tree, "or")]
    within = all(any(_within(inner, outer) for outer in wide) for inner in narrow)
    return not mine or (bool(others) and within)


def _within(inner: Node, outer: Node) -> bool:
    """Whether each condition that is ANDed in `outer` stands in `inner`, or a narrower one."""
    given = _parts(inner, "and")
    texts = {deparse(each) for each in given}
    return all(
        deparse(part) in texts or any(_is_shorter(each, part) for each in given)
        for part in _parts(outer, "and")
    )


def _is_shorter(one: Node, other: Node) -> bool:
    """Whether a window of time lies within the same column's other one, whatever the clock is.

    A moment that is counted back by no more of each unit is never before the other one.
    """
    match one, other:
        case (
            Op(operator=operator, args=(Var(name=column), Cut(column=cut))),
            Op(operator=same, args=(Var(name=same_column), Cut(column=beside))),
        ) if (operator, column, cut.grain) == (same, same_column, beside.grain):
            near, far = (cut, beside) if operator.name == ">=" else (beside, cut)
            return all(less <= more for less, more in zip(near.interval, far.interval, strict=True))
    return False


def _parts(tree: Node, kind: str) -> list[Node]:
    """What AND or OR joins, or the one condition."""
    if isinstance(tree, Bool) and tree.kind == kind:
        return [part for arg in tree.args for part in _parts(arg, kind)]
    return [tree]


def _query(table: RelationName, mine: Sequence[Filter], others: Sequence[Filter]) -> str:
    theirs = " OR ".join(one.deparsed for one in others) or "true"
    ours = " OR ".join(one.deparsed for one in mine)
    return f"SELECT count(*) FROM {table} WHERE ({theirs}) AND ({ours}) IS NOT TRUE"
