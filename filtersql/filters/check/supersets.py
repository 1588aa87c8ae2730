"""Whether a target holds all rows of others: what xDB asks of its definition node.

Example
    ============================= ============================= ================================
    `superset_of` holds           the other holds               verdict
    ============================= ============================= ================================
    every row                     deptno < 30                   holds
    deptno < 30                   deptno < 30 AND loc = 'X'     holds
    deptno < 30 OR loc = 'X'      deptno < 30                   holds
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
from filtersql.filters.tree.nodes import Bool, Node
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
    """Whether each filter of the other side is one of ours, or one of ours with something ANDed."""
    if not mine:
        return True
    wide = {text for one in mine for text in _parts(one.tree, "or")}
    return bool(others) and all(
        one.deparsed in wide or wide & _parts(one.tree, "and") for one in others
    )


def _parts(tree: Node, kind: str) -> set[str]:
    """The arguments of AND or OR, and the whole."""
    parts = {deparse(tree)}
    if isinstance(tree, Bool) and tree.kind == kind:
        parts |= {part for arg in tree.args for part in _parts(arg, kind)}
    return parts


def _query(table: RelationName, mine: Sequence[Filter], others: Sequence[Filter]) -> str:
    theirs = " OR ".join(one.deparsed for one in others) or "true"
    ours = " OR ".join(one.deparsed for one in mine)
    return f"SELECT count(*) FROM {table} WHERE ({theirs}) AND ({ours}) IS NOT TRUE"
