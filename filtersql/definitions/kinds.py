"""What a relation's name stands for: tables, views, indexes and the rest share their names.

Example
    After `CREATE TABLE t (a int PRIMARY KEY)`, t_pkey is one of the "indexes": no table can be
    made under that name, and `ALTER TABLE t INHERIT t_pkey` cannot open it.

PostgreSQL
    namespace.c: get_relname_relid(); pg_class.h: errdetail_relkind_not_supported()
"""

from __future__ import annotations

from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.names import RelationName

__all__ = [
    "CATALOG_SCHEMAS",
    "SHARED_IDENTITIES",
    "SYSTEM_COLUMNS",
    "SYSTEM_SCHEMAS",
    "UNOPENED",
    "has_row_type",
    "index_holder",
    "kind_of",
    "kind_of_table",
    "system_kind",
]

#: schemas of which no publication takes a table
CATALOG_SCHEMAS = frozenset({"pg_catalog", "pg_toast"})
SYSTEM_SCHEMAS = ("pg_catalog", "information_schema", "pg_toast")
_INFORMATION_TABLES = {"sql_features", "sql_implementation_info", "sql_parts", "sql_sizing"}
SYSTEM_COLUMNS = frozenset({"ctid", "xmin", "cmin", "xmax", "cmax", "tableoid"})
#: since when partitions have their root's identity columns
SHARED_IDENTITIES = 17
#: what table_open() refuses, and how PostgreSQL 15 calls one of them
UNOPENED = {
    "indexes": "an index",
    "partitioned indexes": "an index",
    "composite types": "a composite type",
}


def kind_of(drafts: Drafts, name: RelationName) -> str | None:
    """What a relation is, in the words of PostgreSQL's details; None where there is none."""
    table = drafts.tables.get(name)
    if table is not None:
        return kind_of_table(table)
    other = drafts.others.get(name)
    if other is not None:
        return other
    holder = index_holder(drafts, name)
    if holder is None:
        return None
    return "indexes" if holder.partition_by is None else "partitioned indexes"


def kind_of_table(table: DraftTable) -> str:
    """Of a draft, which is a view or a foreign table sometimes."""
    if table.view:
        return "views"
    if table.foreign:
        return "foreign tables"
    return "tables" if table.partition_by is None else "partitioned tables"


def has_row_type(drafts: Drafts, name: RelationName) -> bool:
    """Whether a relation made a type of its name."""
    return kind_of(drafts, name) not in (None, "sequences", "indexes", "partitioned indexes")


def index_holder(drafts: Drafts, name: RelationName) -> DraftTable | None:
    """The table whose index has a name; an index is in the schema of its table."""
    schema, index = name
    for table in drafts.tables.values():
        if table.name.schema == schema and index in table.indexes:
            return table
    return None


def system_kind(name: RelationName) -> str | None:
    """What one of PostgreSQL's own relations is; None where the name is not of their kind.

    search_path finds pg_catalog before any other schema, so a name may stand there as public's.
    """
    match name.schema:
        case "information_schema":
            return "tables" if name.name in _INFORMATION_TABLES else "views"
        case "pg_toast":
            return "TOAST tables"
        case "pg_catalog" | "public" if name.name.startswith("pg_stat"):
            return "views"
        case "pg_catalog" | "public" if name.name.startswith("pg_"):
            return "system tables"
        case _:
            return None
