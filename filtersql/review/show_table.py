r"""`show table`: what psql's \d prints, above all which publications hold the table.

Example
    ::

                  Table "public.t1"
     Column |  Type   | Collation | Nullable | Default
    --------+---------+-----------+----------+---------
     a      | integer |           | not null |
     c      | text    |           | not null |
    Indexes:
        "t1_pkey" PRIMARY KEY, btree (a, c)
    Publications:
        "p1" WHERE ((a > 5) AND (c = 'NSW'::text))
        "p2"

    As in psql, the publications of a partition are those that name it or its schema, or all
    tables; those of its root stand at the root.

PostgreSQL
    src/bin/psql/describe.c, describeOneTableDetails()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from filtersql.catalog import Column, ForeignKey, Generated, Table
from filtersql.definitions.model import Definitions
from filtersql.errors import Mistakes
from filtersql.errors.reviewing import NOT_DEFINED
from filtersql.errors.wording import meant
from filtersql.names import RelationName
from filtersql.pgtypes import format_type
from filtersql.publications import Settings, index_of
from filtersql.publications.lineage import Lineage, is_publishable
from filtersql.review.show_publication import Deparse, TableShown
from filtersql.review.table_footers import TableDetails, footers
from filtersql.review.text_table import aligned

__all__ = ["TableDetails", "show_table", "table_json", "table_text"]

_HEADERS = ("Column", "Type", "Collation", "Nullable", "Default")


def show_table(
    name: RelationName, definitions: Definitions, settings: Settings, deparse: Deparse
) -> TableDetails:
    """Everything that \\d says of a table."""
    tables = definitions.catalog.tables
    table = tables.get(name)
    if table is None:
        raise Mistakes(
            [NOT_DEFINED(kind="table", name=str(name), hint=meant(str(name), map(str, tables)))]
        )
    lineage = index_of(definitions, settings).lineage
    published = _publications(table, definitions, settings, deparse)
    above = [*definitions.catalog.ancestors(name)]  # which give it their foreign keys
    names = {name, *(each.name for each in above)}
    referencing = (
        (each.name, _complete(key, tables))
        for each in tables.values()
        for key in each.foreign_keys
        if key.references in names
    )
    keys = tuple(_complete(key, tables) for key in table.foreign_keys)
    inherited = (
        (ancestor.name, _complete(key, tables))
        for ancestor in above
        for key in ancestor.foreign_keys
    )
    return TableDetails(
        replace(table, foreign_keys=keys),
        tuple(sorted(inherited, key=lambda each: each[1].name)),
        tuple(sorted(published, key=lambda each: each[0])),
        tuple(sorted(referencing, key=lambda each: each[1].name)),
        tuple(_children(table, lineage)),
    )


def table_text(details: TableDetails) -> str:
    """As psql prints it."""
    table = details.table
    rows = [_column(column) for column in table.columns]
    title = f'{_kind(table)} "{table.name.schema}.{table.name.name}"'
    return aligned(title, _HEADERS, rows, footers(details))


def table_json(details: TableDetails) -> dict[str, object]:
    """The same as JSON values."""
    table = details.table
    return {
        "table": list(table.name),
        "columns": [
            {
                "name": column.name,
                "type": format_type(column.type),
                "collation": column.collation,
                "not_null": column.not_null,
                "generated": column.generated and str(column.generated),
                "generation": column.generation and column.generation.text,
                "target_type": column.target_type,
            }
            for column in table.columns
        ],
        "primary_key": list(table.primary_key),
        "unique_indexes": [
            {"name": each.name, "columns": list(each.columns)} for each in table.unique_indexes
        ],
        "replica_identity": {
            "kind": str(table.replica_identity.kind),
            "columns": list(table.identity_columns),
        },
        "partition_of": table.partition_of and list(table.partition_of),
        "bounds": table.bounds,
        "partition_by": table.partition_by and [table.partition_by[0], list(table.partition_by[1])],
        "inherits": [list(each) for each in table.inherits],
        "children": [list(each) for each in details.children],
        "publications": [
            {
                "publication": name,
                "columns": None if each.columns is None else list(each.columns),
                "where": each.where,
            }
            for name, each in details.publications
        ],
        "tags": list(table.tags),
    }


def _publications(
    table: Table, definitions: Definitions, settings: Settings, deparse: Deparse
) -> Iterator[tuple[str, TableShown]]:
    for name, member in index_of(definitions, settings).publications.items():
        entry = member.entries.get(table.name)
        by_kind = member.all_tables or table.name.schema in member.schemas
        if by_kind and is_publishable(table) and table.name not in member.excepted:
            yield name, TableShown(table.name)
        # By its schema and by its name: psql shows both where they differ.
        says_more = entry is not None and bool(
            entry.where is not None or entry.columns is not None or entry.filters
        )
        if entry is not None and not member.all_tables and (says_more or not by_kind):
            known = [column.name for column in table.columns]
            listed = entry.columns
            columns = None if listed is None else tuple(each for each in known if each in listed)
            where = deparse(entry.where, table.name, name) if entry.where else None
            rules = tuple(
                (rule, deparse(text, table.name, name)) for rule, text in entry.filters.items()
            )
            yield name, TableShown(table.name, columns, where, rules)


def _children(table: Table, lineage: Lineage) -> Iterator[RelationName]:
    for name, other in lineage.tables.items():
        if other.partition_of == table.name or table.name in other.inherits:
            yield name


def _complete(key: ForeignKey, tables: Mapping[RelationName, Table]) -> ForeignKey:
    """With the columns of the primary key that `REFERENCES t` stands for."""
    if key.referenced_columns or key.references not in tables:
        return key
    return replace(key, referenced_columns=tables[key.references].primary_key)


def _kind(table: Table) -> str:
    if table.view:
        return "View"
    if table.partition_by is not None:
        return "Partitioned table"
    return "Unlogged table" if table.unlogged else "Table"


def _column(column: Column) -> tuple[str, str, str, str, str]:
    default = ""
    if column.generation is not None:
        stored = " stored" if column.generated is Generated.STORED else ""
        default = f"generated always as ({_bare(column.generation.text)}){stored}"
    return (
        column.name,
        format_type(column.type),
        column.collation or "",
        "not null" if column.not_null else "",
        default,
    )


def _bare(text: str) -> str:
    """An expression without parentheses that enclose all of it."""
    text = text.strip()
    while text.startswith("(") and _closes(text) == len(text) - 1:
        text = text[1:-1].strip()
    return text


def _closes(text: str) -> int:
    """Where the first parenthesis closes; quotes hide parentheses."""
    depth, quote = 0, ""
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "()":
            depth += 1 if character == "(" else -1
            if not depth:
                return place
    return -1
