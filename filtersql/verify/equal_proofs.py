"""Whether the files of two targets are one proof: the same statements, tried on the same cases.

Example
    t1 and t2 have the same columns, keys and row filter            one proof
    t2 is published without deletes, or has another primary key     a proof of its own

Cases are made of what is listed here and of nothing else of a table: no name of its own, no place
in a file. Filters that are resolved together have one tree (`filters.resolve.resolution_cache`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from filtersql.changes import stopping
from filtersql.compile import Node
from filtersql.filters.resolve.lookups import looked_up
from filtersql.publications.model import Contribution
from filtersql.verify.statement import Statement

__all__ = ["sameness"]


def sameness(node: Node, statements: Sequence[Statement]) -> Hashable | None:
    """What files have in common that are one proof, while their nodes live; None: it has its own.

    What a filter looks up is a view of that one table.
    """
    if any(looked_up(each.tree) for each in node.filters.values()):
        return None
    resolved, table, feed = node.resolved, node.resolved.table, node.resolved.subscription.changes
    return (
        *(statement.outline.text for statement in statements),
        *(
            tuple(sorted(texts.items()))
            for statement in statements
            for _, texts in sorted(statement.filters.items())
        ),
        tuple(
            (one.name, one.type, one.not_null, one.generated, one.target_type, one.collation)
            for one in table.columns
        ),
        (table.primary_key, table.finding_key),
        (table.replica_identity.kind, table.replica_identity.index),
        tuple(one.name for one in resolved.columns),
        tuple((action, _trees(node, some)) for action, some in sorted(resolved.filters.items())),
        _trees(node, resolved.copy_filters),
        _trees(node, list(node.filters)),
        (resolved.semantics, resolved.truncates, tuple(sorted(stopping(resolved)))),
        (resolved.subscription.on_conflict, feed is not None and feed.before_complete),
        (node.compiled.columns, node.compiled.feed_columns, node.compiled.may_be_unchanged),
        node.compiled.column_definitions_sql,
    )


def _trees(node: Node, judges: Sequence[Contribution]) -> tuple[int, ...]:
    return tuple(id(node.filters[each].tree) for each in judges)
