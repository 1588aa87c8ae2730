"""PostgreSQL's own relations: no publication takes one, whichever it is.

Example
    pg_class is one of the "system tables", and so is whatever else is called pg_… and not made.
    information_schema has four tables of its own; the rest of it are "views".

PostgreSQL
    pg_publication.c: check_publication_add_relation(), is_publishable_class()
"""

from __future__ import annotations

from filtersql.names import RelationName

__all__ = ["SYSTEM_SCHEMAS", "system_kind"]

SYSTEM_SCHEMAS = frozenset({"pg_catalog", "pg_toast"})
_INFORMATION_TABLES = {"sql_features", "sql_implementation_info", "sql_parts", "sql_sizing"}


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
