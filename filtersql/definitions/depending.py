"""What would go with a column, table, view or schema: the lines of PostgreSQL's refusal.

Example
    With `CREATE VIEW v AS SELECT b FROM t`, and w over v, DROP TABLE t is refused: view v depends
    on table t, view w depends on view v. What is younger stands below; each thing is told once.

PostgreSQL
    dependency.c: findDependentObjects(), object_address_comparator(), reportDependentObjects()
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from filtersql.definitions.dependents import (
    described,
    drawing,
    generated_from,
    memberships,
    publications_reading,
    references_to,
)
from filtersql.definitions.drafts import Drafts, DraftTable
from filtersql.definitions.expressions import columns_named
from filtersql.definitions.multiranges import range_of
from filtersql.definitions.sql_names import Script
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["Thing", "described_thing", "lines_of", "of_relation", "users_of"]


#: what goes with its relation
_PARTS = ("constraint", "default")


@dataclass(frozen=True, slots=True)
class Thing:
    """What can be dropped; `part` is the column, constraint, publication or set at a table."""

    kind: str
    name: RelationName
    part: str = ""


def of_relation(drafts: Drafts, name: RelationName) -> Thing:
    """A table or view."""
    view = drafts.views.get(name)
    return Thing(view.kind if view is not None else "table", name)


def users_of(drafts: Drafts, table: DraftTable, column: str) -> list[Thing]:
    """What reads a column, in the order of its making."""
    return _oldest_first(drafts, _of_column(drafts, table, column))


def lines_of(
    script: Script, roots: Sequence[Thing], told: Callable[[Thing], bool] = lambda thing: True
) -> list[str]:
    """What depends on some things that are dropped together, as lines of the detail.

    `told` leaves out what another one tells of: PostgreSQL knows nothing of replication sets.
    """
    found: list[tuple[Thing, Thing]] = []
    seen = set(roots)

    def visit(thing: Thing) -> None:
        for each in reversed(_direct(script.drafts, thing)):
            if each not in seen:
                seen.add(each)
                visit(each)
                found.append((each, thing))

    for root in roots:
        visit(root)
    return [
        f"{described_thing(script, each)} depends on {described_thing(script, of)}"
        for each, of in reversed(found)
        if told(each) and not _goes_along(script.drafts, each, seen)
    ]


def _goes_along(drafts: Drafts, thing: Thing, dropped: Container[Thing]) -> bool:
    """A partition is a part of its root, a foreign key one of its table."""
    if thing.kind in _PARTS:
        own = thing.kind == "default" and Thing("column", thing.name, thing.part) in dropped
        return own or of_relation(drafts, thing.name) in dropped
    if thing.kind == "sequence":
        return any(
            Thing("table", table.name) in dropped
            or Thing("column", table.name, table.sequences[thing.name]) in dropped
            for table in drafts.tables.values()
            if thing.name in table.sequences
        )
    if thing.kind == "type" and (thing.part or thing.name not in drafts.types):
        return True
    if thing.kind == "type" and thing.name in drafts.multiranges.values():
        return Thing("type", range_of(drafts, thing.name) or thing.name) in dropped
    table = drafts.tables.get(thing.name)
    if thing.kind != "table" or table is None or table.partition_of is None:
        return False
    return Thing("table", table.partition_of) in dropped


def described_thing(script: Script, thing: Thing) -> str:
    """A thing as PostgreSQL names it."""
    if thing.kind == "schema":
        return f"schema {thing.name.schema}"
    shown = described(script, thing.name)
    match thing.kind:
        case "column":
            return f"column {thing.part} of table {shown}"
        case "default":
            return f"default value for column {thing.part} of table {shown}"
        case "constraint":
            return f"constraint {thing.part} on table {shown}"
        case "publication":
            return f"publication of table {shown} in publication {thing.part}"
        case "type":
            return f"type {shown}{thing.part}"
        case "sequence's set":
            return f"sequence {shown} membership in replication set {thing.part}"
        case "set":
            return f"table {shown} membership in replication set {thing.part}"
        case _:
            return f"{thing.kind} {shown}"


def _direct(drafts: Drafts, thing: Thing) -> list[Thing]:
    """What depends on a thing itself, the oldest first."""
    table = drafts.tables.get(thing.name)
    match thing.kind:
        case "column" if table is not None:
            return _oldest_first(drafts, _of_column(drafts, table, thing.part))
        case "table" if table is not None:
            return _oldest_first(drafts, _of_table(drafts, table))
        case "schema":
            inside = {
                of_relation(drafts, name): made.span
                for relations in (drafts.tables, drafts.views)
                for name, made in relations.items()
                if name.schema == thing.name.schema
            }
            others: dict[Thing, Span | None] = {
                Thing("sequence", name): drafts.places.get(name)
                for name, kind in drafts.others.items()
                if kind == "sequences" and name.schema == thing.name.schema
                if all(name not in table.sequences for table in drafts.tables.values())
                or next(drawing(drafts, name), None) is not None
            }
            types: dict[Thing, Span | None] = {
                Thing("type", name): drafts.places.get(name)
                for name in drafts.types
                if name.schema == thing.name.schema
            }
            return _oldest_first(drafts, {**others, **types, **inside}.items())
        case "type":
            return _of_type(drafts, thing)
        case "sequence":
            found = drawing(drafts, thing.name)
            defaults = [Thing("default", table.name, column) for table, column in found]
            sets = sorted(drafts.sequence_members.get(thing.name, ()))
            return [*defaults, *(Thing("sequence's set", thing.name, one) for one in sets)]
        case _:
            return []


def _oldest_first(drafts: Drafts, things: Iterable[tuple[Thing, Span | None]]) -> list[Thing]:
    """In the order of their statements; those of other files, in the order of reading."""
    files = {path: number for number, path in enumerate(drafts.files)}

    def age(item: tuple[Thing, Span | None]) -> tuple[int, int]:
        span = item[1]
        return (files.get(span.source.path, -1), span.start) if span is not None else (-1, -1)

    return [thing for thing, _ in sorted(things, key=age)]


def _of_column(
    drafts: Drafts, table: DraftTable, column: str
) -> Iterator[tuple[Thing, Span | None]]:
    for generated in generated_from(table, column):
        yield Thing("column", table.name, generated), None  # as old as the table
    for other, key, span in references_to(drafts, table.name):
        if column in (key.referenced_columns or table.primary_key):
            yield Thing("constraint", other.name, key.name), span
    for publication, entry in publications_reading(drafts, table, column):
        yield Thing("publication", table.name, publication), entry.span
    for one, entry in memberships(drafts, table.name):
        if entry.where is not None and column in columns_named(entry.where):
            yield Thing("set", table.name, one.name), entry.span
    for sequence, of in table.sequences.items():
        if of == column:
            yield Thing("sequence", sequence), drafts.places.get(sequence)


def _of_type(drafts: Drafts, thing: Thing) -> list[Thing]:
    """The columns of a type; those of its array type depend on that one."""
    name = f"_{thing.name.name}" if thing.part else thing.name.name
    columns: dict[Thing, Span | None] = {
        Thing("column", table.name, column.name): column.span
        for table in drafts.tables.values()
        for column in (table.columns or {}).values()
        if (column.type.schema, column.type.name) == (thing.name.schema, name)
    }
    array = [] if thing.part else [Thing("type", thing.name, "[]")]
    if thing.name in drafts.multiranges and not thing.part:
        array.append(Thing("type", drafts.multiranges[thing.name]))
    return [*array, *_oldest_first(drafts, columns.items())]


def _of_table(drafts: Drafts, table: DraftTable) -> Iterator[tuple[Thing, Span | None]]:
    yield Thing("type", table.name), table.span
    for sequence in table.sequences:
        yield Thing("sequence", sequence), drafts.places.get(sequence)
    for child in drafts.children(table.name):
        yield Thing("table", child.name), child.span
    for other, key, span in references_to(drafts, table.name):
        yield Thing("constraint", other.name, key.name), span
    for one, entry in memberships(drafts, table.name):
        if not one.autoadd_tables:  # a set that adds tables by itself lets them go by itself
            yield Thing("set", table.name, one.name), entry.span
