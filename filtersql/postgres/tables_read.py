"""Which tables of a live source a project reads: whose changes, and whose rows it copies.

Example
    needed, copied = tables_read("erp", catalog, subscriptions, compiled)
    needed[RelationName("public", "orders")]          {"id", "region"}, of its old rows
    chosen_tables(["item*"], copied, "erp")           (RelationName("public", "items"),)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from filtersql.catalog import Catalog
from filtersql.definitions.model import Subscription
from filtersql.errors import Mistakes
from filtersql.errors.capturing import NO_SUCH_ROWS
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable

__all__ = ["chosen_tables", "tables_read"]


def tables_read(
    source: str,
    catalog: Catalog,
    subscriptions: Mapping[str, Subscription],
    compiled: Iterable[CompiledTable],
) -> tuple[dict[RelationName, frozenset[str]], tuple[RelationName, ...]]:
    """Leaf tables with the columns that an old row must hold; and tables that are copied."""
    needed: dict[RelationName, frozenset[str]] = {}
    copied: dict[RelationName, None] = {}
    for table in compiled:
        subscription = subscriptions[table.subscription]
        if subscription.changes is not None and subscription.changes.postgres == source:
            read = {*table.identity, *table.judged_old}
            for each in table.sources:
                for leaf in catalog.leaves(each):
                    needed[leaf.name] = needed.get(leaf.name, frozenset()) | read
        if subscription.source is not None and subscription.source.postgres == source:
            copied[table.relation] = None
    return needed, tuple(copied)


def chosen_tables(
    patterns: Sequence[str], copied: Sequence[RelationName], source: str
) -> tuple[RelationName, ...]:
    """The tables that patterns of names mean. Raises Mistakes where one means none."""
    for pattern in patterns:
        if not any(_matches(name, pattern) for name in copied):
            raise Mistakes([NO_SUCH_ROWS(table=pattern, source=source, known=sorted(copied))])
    return tuple(name for name in copied if any(_matches(name, each) for each in patterns))


def _matches(name: RelationName, pattern: str) -> bool:
    return fnmatchcase(str(name), pattern) or fnmatchcase(name.name, pattern)
