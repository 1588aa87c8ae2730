"""What `ls` lists: one node a line, and each line is a selector.

Example
    ::

        publication:p1
        subscription:s1
        public.t1
        s1:public.t1
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct, field

from filtersql.definitions.model import Definitions, Publication, ReplicationSet, Subscription
from filtersql.names import RelationName
from filtersql.publications.model import ResolvedTable
from filtersql.selection import Traits
from filtersql.source import Span

__all__ = ["Listed", "Resource", "list_nodes", "listing_json", "target_traits"]

Resource = Literal["publication", "set", "table", "subscription", "target"]


class Listed(Struct, frozen=True):
    """A node of `ls`."""

    resource: Resource
    name: str
    traits: Traits
    span: Span
    description: str | None = None
    relation: RelationName | None = field(default=None)

    @property
    def line(self) -> str:
        """How `ls` prints it."""
        return self.traits.names[0]

    @property
    def unique_id(self) -> str:
        """A target's name in results; `ls` prints of anything else what names it."""
        if self.resource != "target":
            return self.line
        return f"{next(iter(self.traits.subscriptions))}/{self.relation}"

    @property
    def key(self) -> str:
        """A target's key in the manifest; of anything else its name."""
        if self.resource != "target":
            return self.name
        return f"{next(iter(self.traits.subscriptions))}.{self.relation}"


def list_nodes(
    definitions: Definitions, resolved: Iterable[ResolvedTable] = ()
) -> tuple[Listed, ...]:
    """Publications, sets, tables and subscriptions as defined, then the targets."""
    return (
        *(_publication("publication", each) for each in definitions.publications.values()),
        *(_publication("set", each) for each in definitions.replication_sets.values()),
        *(_table(name, definitions) for name in definitions.catalog.tables),
        *(_subscription(each) for each in definitions.subscriptions.values()),
        *(_target(each, definitions) for each in resolved),
    )


def listing_json(nodes: Iterable[Listed]) -> list[dict[str, object]]:
    """The nodes as JSON values."""
    return [
        {
            "resource_type": node.resource,
            "name": node.name,
            "unique_id": node.unique_id,
            "relation": list(node.relation) if node.relation else None,
            "tags": sorted(node.traits.tags),
            "publications": sorted(node.traits.publications),
            "subscriptions": sorted(node.traits.subscriptions),
            "path": str(node.span),
            "description": node.description,
        }
        for node in nodes
    ]


def target_traits(resolved: ResolvedTable, definitions: Definitions) -> Traits:
    """How a target is selected: by its table, subscription and publications, their tags, files."""
    subscription, table = resolved.subscription, resolved.table
    parts = (*resolved.contributions, *resolved.displaced)
    names = frozenset(part.publication for part in parts)
    written = [
        each
        for group in (definitions.publications, definitions.replication_sets)
        for name, each in group.items()
        if name in names
    ]
    definers: list[Publication | ReplicationSet | Subscription] = [subscription, *written]
    spans = [table.span, *(each.span for each in definers)]
    full = f"{table.name.schema}.{table.name.name}"
    own = [f"{subscription.name}:{full}", f"{subscription.name}.{full}"]
    own += [f"{subscription.name}.{table.name}", f"{subscription.name}/{table.name}"]
    own += [f"{subscription.name}:{table.name.name}", full, str(table.name), table.name.name]
    own += [subscription.name, *sorted(names), *([resolved.alias] if resolved.alias else [])]
    return Traits(
        tuple(dict.fromkeys(own)),
        frozenset(table.tags).union(*(each.tags for each in definers)),
        names,
        frozenset([subscription.name]),
        frozenset(span.source.path for span in spans),
    )


def _publication(kind: Resource, each: Publication | ReplicationSet) -> Listed:
    traits = Traits(
        (f"{kind}:{each.name}", each.name),
        frozenset(each.tags),
        frozenset([each.name]),
        frozenset(),
        frozenset([each.span.source.path]),
    )
    return Listed(kind, each.name, traits, each.span, each.description)


def _table(name: RelationName, definitions: Definitions) -> Listed:
    table = definitions.catalog.tables[name]
    full = f"{name.schema}.{name.name}"
    names = tuple(dict.fromkeys((full, str(name), name.name)))
    traits = Traits(names, frozenset(table.tags), paths=frozenset([table.span.source.path]))
    return Listed("table", full, traits, table.span, relation=name)


def _subscription(each: Subscription) -> Listed:
    traits = Traits(
        (f"subscription:{each.name}", each.name),
        frozenset(each.tags),
        frozenset(name for name, _ in (*each.publications, *each.replication_sets)),
        frozenset([each.name]),
        frozenset([each.span.source.path]),
    )
    return Listed("subscription", each.name, traits, each.span, each.description)


def _target(resolved: ResolvedTable, definitions: Definitions) -> Listed:
    traits = target_traits(resolved, definitions)
    span = resolved.subscription.span
    return Listed("target", traits.names[0], traits, span, relation=resolved.table.name)
