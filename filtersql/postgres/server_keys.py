"""Whether the server tells rows apart by the keys that the project says: `check_server_keys(…)`.

Example
    The project says that orders has the primary key (id); it became (id, kind):
    table "orders" of source "erp" is not what the project says
    detail: Its primary key is (id, kind), not (id).

    pgoutput describes the replica identity alone: where that is all columns, or an index, a
    primary key may change unseen. Then rows of one target's key would come over each other. Where
    the primary key is the identity, each change is compared with the key of its time.

PostgreSQL
    src/include/catalog/pg_index.h.
"""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.catalog import Catalog
from filtersql.errors import Mistakes
from filtersql.errors.capturing import TABLE_CHANGED
from filtersql.errors.wording import shown
from filtersql.names import RelationName
from filtersql.postgres.connection import Connection

__all__ = ["check_server_keys"]

#: the columns of each index that is unique for all rows; the primary key's first
_UNIQUE = """
SELECT n.nspname, c.relname, i.indisprimary, ARRAY(
    SELECT a.attname::pg_catalog.text
    FROM unnest((i.indkey::pg_catalog.int2[])[0:i.indnkeyatts - 1]) WITH ORDINALITY k (number, at)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
    ORDER BY k.at)
FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_catalog.pg_index i ON i.indrelid = c.oid AND i.indisunique AND i.indisvalid
        AND i.indpred IS NULL AND i.indexprs IS NULL
WHERE c.relreplident <> 'd' AND (n.nspname, c.relname) IN (
    SELECT * FROM unnest(%s::pg_catalog.text[], %s::pg_catalog.text[]))
ORDER BY n.nspname, c.relname, i.indisprimary DESC, i.indexrelid
"""


def check_server_keys(
    connection: Connection, source: str, catalog: Catalog, names: Iterable[RelationName]
) -> None:
    """Compare keys that are no replica identity. Raises Mistakes with all that differ."""
    keyed = {
        name: table for name in names if (table := catalog.tables.get(name)) and table.primary_key
    }
    asked = [name.schema for name in keyed], [name.name for name in keyed]
    unique: dict[RelationName, list[tuple[bool, list[str]]]] = {}
    for schema, table, is_primary, columns in connection.execute(_UNIQUE, asked).fetchall():
        found = unique.setdefault(RelationName(schema, table), [])
        if is_primary is not None:
            found.append((is_primary, columns))
    mistakes = [
        TABLE_CHANGED(
            keyed[name].span,
            table=shown(name),
            source=source,
            difference=_difference(found, ", ".join(keyed[name].primary_key)),
        )
        for name, found in unique.items()
        if not any({*keyed[name].primary_key}.issuperset(columns) for _, columns in found)
    ]
    if mistakes:
        raise Mistakes(mistakes)


def _difference(unique: list[tuple[bool, list[str]]], known: str) -> str:
    for is_primary, columns in unique:
        if is_primary:
            return f"Its primary key is ({', '.join(columns)}), not ({known})."
    return f"It has no primary key ({known}), nor another unique index of these columns."
