"""What PostgreSQL's catalogs hold after a script, and what filtersql's records say that they hold.

Both are mappings with the same keys: each table, each publication, each of its entries, and what
its view pg_publication_tables shows of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg

from filtersql.catalog import Identity, Table
from filtersql.compile import FilterCache, rules
from filtersql.definitions.model import Action, Subscription
from filtersql.errors import Mistakes
from filtersql.pgtypes import format_type
from filtersql.project import Project
from filtersql.publications import Settings, index_of, resolve
from filtersql.source import Source

__all__ = ["Catalogs", "of_definitions", "of_postgres"]

Catalogs = Mapping[tuple[str, ...], Any]

_IDENTITIES = {"d": "default", "f": "full", "n": "nothing", "i": "index"}
_TABLES = """
SELECT nspname, relname, relkind::text, relreplident::text, relpersistence::text,
    pg_get_expr(relpartbound, c.oid), relispartition,
    (SELECT json_agg(json_build_array(attname, format_type(atttypid, atttypmod), attnotnull,
        attgenerated) ORDER BY attnum)
     FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
    (SELECT array_agg(n.nspname || '.' || p.relname ORDER BY inhseqno) FROM pg_inherits
     JOIN pg_class p ON p.oid = inhparent JOIN pg_namespace n ON n.oid = p.relnamespace
     WHERE inhrelid = c.oid),
    (SELECT array_agg(attname ORDER BY place) FROM pg_index, unnest(indkey) WITH ORDINALITY
     AS k(number, place) JOIN pg_attribute ON attnum = number WHERE indrelid = c.oid
     AND attrelid = c.oid AND indisprimary),
    (SELECT array_agg(attname ORDER BY place) FROM pg_index, unnest(indkey) WITH ORDINALITY
     AS k(number, place) JOIN pg_attribute ON attnum = number WHERE indrelid = c.oid
     AND attrelid = c.oid AND indisreplident AND place <= indnkeyatts)
FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
WHERE relkind IN ('r', 'p') AND relpersistence <> 't'
AND nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
"""
_PUBLICATIONS = """
SELECT pubname, puballtables, pubinsert, pubupdate, pubdelete, pubtruncate, pubviaroot, {},
    (SELECT array_agg(nspname::text ORDER BY nspname) FROM pg_publication_namespace
     JOIN pg_namespace n ON n.oid = pnnspid WHERE pnpubid = p.oid)
FROM pg_publication p
"""
_GENERATED = "CASE pubgencols WHEN 'n' THEN 'none' ELSE 'stored' END"
_ENTRIES = """
SELECT pubname, nspname || '.' || relname, pg_get_expr(prqual, prrelid),
    (SELECT array_agg(attname ORDER BY attnum) FROM unnest(prattrs::int2[]) AS number
     JOIN pg_attribute ON attrelid = prrelid AND attnum = number)
FROM pg_publication_rel JOIN pg_publication p ON p.oid = prpubid
JOIN pg_class c ON c.oid = prrelid JOIN pg_namespace n ON n.oid = relnamespace
"""


def of_postgres(connection: psycopg.Connection[Any], version: int) -> Catalogs:
    """What the server's own catalogs hold."""
    held: dict[tuple[str, ...], Any] = {}
    for row in connection.execute(_TABLES).fetchall():
        schema, name, kind, identity, persistence, bounds, partition, columns, parents, *keys = row
        held["table", f"{schema}.{name}"] = {
            "partitioned": kind == "p",
            "unlogged": persistence == "u" and (kind != "p" or version >= 18),
            "identity": _IDENTITIES[identity],
            "columns": list(columns or []),
            "partition of": parents if partition else None,
            "inherits": None if partition else parents,
            "bounds": bounds,
            "primary key": keys[0],
            "identity index": keys[1] if identity == "i" else None,
        }
    generated = _GENERATED if version >= 18 else "'none'"
    for name, *flags, schemas in connection.execute(_PUBLICATIONS.format(generated)).fetchall():
        held["publication", name] = (*flags, schemas)
    for name, relation, where, columns in connection.execute(_ENTRIES).fetchall():
        held["entry", name, relation] = (where, columns)
    shown = connection.execute("SELECT * FROM pg_publication_tables").fetchall()
    for name, schema, table, columns, where in shown:
        kept = columns or []
        if version < 18:  # it lists generated columns there, and does not send them
            made = {one[0] for one in held["table", f"{schema}.{table}"]["columns"] if one[3]}
            kept = [one for one in kept if one not in made]
        held["shown", name, f"{schema}.{table}"] = (kept, where)
    return held


def of_definitions(project: Project) -> Catalogs:
    """What filtersql holds of the same script."""
    definitions, filter_cache = project.definitions, FilterCache(project)
    settings = Settings(project.semantics, project.postgres_version)
    held: dict[tuple[str, ...], Any] = {}
    for name, table in definitions.catalog.tables.items():
        if not table.view:
            held["table", f"{name.schema}.{name.name}"] = _table(table)
    for pub, member in index_of(definitions, settings).publications.items():
        one = definitions.publications[pub]
        held["publication", pub] = (
            one.all_tables,
            *(action in one.publish for action in Action),
            one.via_partition_root,
            one.generated_columns,
            sorted(one.schemas) or None,
        )
        for relation, entry in member.entries.items():
            columns = None
            if entry.columns is not None:
                known = definitions.catalog.tables[relation].columns
                columns = [column.name for column in known if column.name in entry.columns]
            where = filter_cache.deparse(entry.where, relation, pub) if entry.where else None
            held["entry", pub, f"{relation.schema}.{relation.name}"] = (where, columns)
        span = Source("x.sql", "x").span(0, 1)
        subscription = Subscription("s", span, ((pub, span),))
        try:
            targets = resolve(subscription, definitions, **rules(project, None))
        except Mistakes as mistakes:
            held["shown", pub, "refused"] = [str(each) for each in mistakes.mistakes]
            continue
        for each in targets:
            wheres = {
                filter_cache.deparse(part.where, each.table.name, pub)
                for part in each.copy_filters
                if part.where is not None
            }
            label = f"{each.table.name.schema}.{each.table.name.name}"
            names = [column.name for column in each.columns]
            held["shown", pub, label] = (names, " OR ".join(sorted(wheres)) or None)
    return held


def _table(table: Table) -> dict[str, object]:
    identity = table.replica_identity
    parent = table.partition_of
    return {
        "partitioned": table.partition_by is not None,
        "unlogged": table.unlogged,
        "identity": str(identity.kind),
        "columns": [
            [
                column.name,
                format_type(column.type),
                column.not_null,
                str(column.generated)[0] if column.generated else "",
            ]
            for column in table.columns
        ],
        "partition of": [f"{parent.schema}.{parent.name}"] if parent else None,
        "inherits": [f"{each.schema}.{each.name}" for each in table.inherits] or None,
        "bounds": table.bounds,
        "primary key": list(table.primary_key) or None,
        "identity index": list(identity.index) or None if identity.kind is Identity.INDEX else None,
    }
