"""What depends on a column, table, view or type that is dropped: nothing may.

Example
    With `CREATE VIEW v AS SELECT b FROM t`, DROP TABLE t is refused: view v depends on table t.
    DROP TABLE t CASCADE is refused too: what goes along is not followed here.

PostgreSQL
    dependency.c: findDependentObjects(), reportDependentObjects()
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from filtersql.catalog import Generated
from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.definitions.dependents import memberships, references_to
from filtersql.definitions.expressions import columns_named
from filtersql.definitions.kinds import kind_of
from filtersql.definitions.model import PublishedTable
from filtersql.definitions.sql_names import Place, Script
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.relations import DependedOn
from filtersql.grammar import Node, enum_name
from filtersql.names import RelationName, quote_identifier

__all__ = ["Thing", "check_undepended", "described", "of_relation", "users_of"]

#: what belongs to a relation and goes with it
_PARTS = ("constraint", "default", "column")


class Thing(Struct, frozen=True):
    """What can be dropped; `part` is the column, constraint, publication or set at a table."""

    kind: str
    name: RelationName
    part: str = ""


def of_relation(drafts: Drafts, name: RelationName) -> Thing:
    """A table or view."""
    kind = kind_of(drafts, name)
    views = ("views", "materialized views")
    return Thing(kind.removesuffix("s") if kind is not None and kind in views else "table", name)


def check_undepended(script: Script, roots: Sequence[Thing], place: Place, node: Node) -> None:
    """Raises where something depends on what `node` drops, and with CASCADE would go too."""
    drafts, users = script.drafts, dict[Thing, Thing]()
    dropped = [*roots]
    for root in roots if all(one.kind == "table" for one in roots) else ():
        below = (one for one in drafts.below(root.name) if one.partition_of is not None)
        dropped += (Thing("table", one.name) for one in below)
    for root in dropped:
        for each in users_of(drafts, root):
            if not _goes_along(drafts, each, dropped):
                users.setdefault(each, root)
    if users and enum_name(node, "behavior") == "DROP_CASCADE":
        construct = f"CASCADE that takes {described(script, next(iter(users)))} along"
        raise UnsupportedStatement.dumped(construct, script.span(script.at))
    if users:
        lines = (
            f"{described(script, a)} depends on {described(script, b)}" for a, b in users.items()
        )
        named = described(script, roots[0]) if len(roots) == 1 else None
        raise DependedOn(named, [*lines], place())


def _goes_along(drafts: Drafts, thing: Thing, dropped: Collection[Thing]) -> bool:
    """What is dropped itself, or is a part of a relation that is."""
    return thing in dropped or (thing.kind in _PARTS and of_relation(drafts, thing.name) in dropped)


def described(script: Script, thing: Thing) -> str:
    """A thing as PostgreSQL names it: without a schema that search_path has."""
    bare = thing.name.schema in script.path
    shown = quote_identifier(thing.name.name) if bare else str(thing.name)
    match thing.kind:
        case "column":
            return f"column {thing.part} of table {shown}"
        case "default":
            return f"default value for column {thing.part} of table {shown}"
        case "constraint":
            return f"constraint {thing.part} on table {shown}"
        case "publication":
            return f"publication of table {shown} in publication {thing.part}"
        case "set":
            return f"table {shown} membership in replication set {thing.part}"
        case _:
            return f"{thing.kind} {shown}"


def users_of(drafts: Drafts, thing: Thing) -> Iterator[Thing]:
    """What depends on a thing itself."""
    table = drafts.tables.get(thing.name)
    match thing.kind:
        case "column" if table is not None:
            yield from _of_column(drafts, table, thing.part)
        case "table" if table is not None:
            yield from _of_table(drafts, table)
        case "view" | "materialized view":
            yield from _of_type(drafts, thing.name)
        case "type":
            yield from _of_type(drafts, thing.name)


def _of_column(drafts: Drafts, table: DraftTable, column: str) -> Iterator[Thing]:
    for one in (table.columns or {}).values():
        if one.generation is not None and column in columns_named(one.generation):
            yield Thing("column", table.name, one.name)
    for other, key, _ in references_to(drafts, table.name):
        if column in (key.referenced_columns or table.primary_key):
            yield Thing("constraint", other.name, key.name)
    for publication in drafts.publications.values():
        for entry in publication.tables:
            if entry.name == table.name and column in _columns_of(entry, table):
                yield Thing("publication", table.name, publication.name)
    for each, entry in memberships(drafts, table.name):
        if entry.where is not None and column in columns_named(entry.where):
            yield Thing("set", table.name, each.name)
    for sequence, of in table.sequences.items():
        if of == column:
            own = Thing("default", table.name, column)
            yield from (user for user in _drawing(drafts, sequence) if user != own)


def _columns_of(entry: PublishedTable, table: DraftTable) -> frozenset[str]:
    """The columns that a filter and a column list depend on: virtual ones by what makes them."""
    found = frozenset(entry.columns or ())
    for name in columns_named(entry.where) if entry.where is not None else ():
        column = (table.columns or {}).get(name)
        if column is not None and column.generated is Generated.VIRTUAL and column.generation:
            found |= columns_named(column.generation)
        else:
            found |= {name}
    return found


def _of_type(drafts: Drafts, name: RelationName) -> Iterator[Thing]:
    """The columns of a type and of its arrays."""
    names = {name, RelationName(name.schema, f"_{name.name}")}
    for table in drafts.tables.values():
        for column in (table.columns or {}).values():
            if (column.type.schema, column.type.name) in names:
                yield Thing("column", table.name, column.name)


def _of_table(drafts: Drafts, table: DraftTable) -> Iterator[Thing]:
    for sequence in table.sequences:
        yield from _drawing(drafts, sequence)
    for child in drafts.children(table.name):
        yield Thing("table", child.name)
    for other, key, _ in references_to(drafts, table.name):
        yield Thing("constraint", other.name, key.name)
    for one, _ in memberships(drafts, table.name):
        if not one.autoadd_tables:  # a set that adds tables by itself lets them go by itself
            yield Thing("set", table.name, one.name)
    yield from _of_type(drafts, table.name)


def _drawing(drafts: Drafts, sequence: RelationName) -> Iterator[Thing]:
    """The defaults that name a sequence."""
    named = re.compile(rf"\b{re.escape(sequence.name)}\b")
    for table in drafts.tables.values():
        for column, text in table.defaults.items():
            if named.search(text):
                yield Thing("default", table.name, column)
