"""Whether tables of the server, and those that pgoutput describes, are what the project says.

Example
    The project knows orders (id int, note text); the server says that note is varchar(20):
    table "orders" of source "erp" is not what the project says
    detail: Column "note" is character varying(20), not text.

PostgreSQL
    src/backend/replication/logical/relation.c, logicalrep_rel_open().
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from msgspec import Struct
from msgspec.structs import replace

from filtersql.catalog import Catalog, Column, PgType, Table
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.capturing import (
    NO_IDENTITY,
    OLD_ROWS_TOO_SMALL,
    TABLE_CHANGED,
    TABLE_GONE,
    TABLE_UNKNOWN,
)
from filtersql.errors.wording import shown
from filtersql.names import RelationName
from filtersql.pgtypes import format_type
from filtersql.postgres.connection import Connection, major_version
from filtersql.postgres.json_rows import CopiedTable
from filtersql.postgres.pgoutput_messages import Relation, RelationColumn, Type
from filtersql.postgres.publication import SENDS_GENERATED
from filtersql.postgres.server_keys import check_server_keys

__all__ = [
    "KnownTables",
    "ServerTable",
    "_check_all",
    "copied_tables",
    "server_tables",
    "server_types",
]

_COLUMNS = """
SELECT n.nspname, c.relname, c.oid, c.relkind, c.relreplident, a.attname, a.atttypid, a.atttypmod,
    t.typname, a.attgenerated,
    c.relreplident = 'f' OR EXISTS (
        SELECT FROM pg_catalog.pg_index i
        WHERE i.indrelid = c.oid AND i.indimmediate
            AND a.attnum = ANY ((i.indkey::pg_catalog.int2[])[0:i.indnkeyatts - 1])
            AND CASE c.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident END)
FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
WHERE (n.nspname, c.relname) IN (
    SELECT * FROM unnest(%s::pg_catalog.text[], %s::pg_catalog.text[]))
ORDER BY n.nspname, c.relname, a.attnum
"""
_TYPES = """
WITH RECURSIVE bases (oid, base) AS (
    SELECT oid, oid FROM pg_catalog.pg_type WHERE typbasetype = 0
    UNION ALL
    SELECT t.oid, s.base FROM bases s JOIN pg_catalog.pg_type t ON t.typbasetype = s.oid)
SELECT t.oid, n.nspname, b.typname
FROM bases s
    JOIN pg_catalog.pg_type t ON t.oid = s.oid
    JOIN pg_catalog.pg_type b ON b.oid = s.base
    JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
"""
#: what PostgreSQL's own types have of a modifier; others' are their own
_FIRST_OF_USERS = 16384


class ServerTable(Struct, frozen=True):
    """A table as the server's catalogs have it, and as it is sent."""

    relation: Relation
    copied: CopiedTable


class KnownTables(Struct, frozen=True):
    """What the project says of the tables of a source, and what its filters need of old rows."""

    source: str
    catalog: Catalog
    #: columns that an old row must hold
    needed: Mapping[RelationName, frozenset[str]]
    #: asked of each table that is sent, and of where its transaction was committed: whether the
    #: publication still is what the project says
    recheck: Callable[[RelationName, int], None] = lambda name, position: None
    #: whether the server may send what is generated
    sends_generated: bool = True

    def for_server(self, connection: Connection) -> KnownTables:
        """What is asked of the tables of a server of this version."""
        return replace(self, sends_generated=major_version(connection) >= SENDS_GENERATED)

    def check(self, relation: Relation, types: Mapping[int, Type], position: int = 0) -> bool:
        """Whether it is a partition. Raises Mistakes where it is not what the project says."""
        name = RelationName(relation.schema, relation.name)
        table = self.catalog.tables.get(name)
        if table is None:
            raise Mistakes([TABLE_UNKNOWN(table=name, source=self.source)])
        self.recheck(name, position)
        if difference := next(self._differences(relation, types, table), None):
            wrong = TABLE_CHANGED(
                table.span, table=shown(name), source=self.source, difference=difference
            )
            raise Mistakes([wrong])
        if lacking := self._lacking(relation, name):
            raise Mistakes([self._too_small(name, lacking)])
        return table.partition_of is not None

    def _differences(
        self, relation: Relation, types: Mapping[int, Type], table: Table
    ) -> Iterator[str]:
        sent = {column.name: column for column in relation.columns}
        for name in sent:
            if table.column(name) is None:
                yield f'Column "{name}" is not in the project.'
        for column in table.columns:
            if column.generated is None and column.name not in sent:
                yield f'The server has no column "{column.name}".'
            elif column.name in sent and (said := _other_type(sent[column.name], types, column)):
                yield f'Column "{column.name}" is {said}, not {format_type(column.type)}.'
            elif column.generated and column.name in sent and not self.sends_generated:
                yield f'Column "{column.name}" is not generated any more.'
        key = [column.name for column in relation.columns if column.is_key]
        if relation.identity == "d" and key and {*key} != {*(table.primary_key or key)}:
            yield f"Its primary key is ({', '.join(key)}), not ({', '.join(table.primary_key)})."

    def _lacking(self, relation: Relation, name: RelationName) -> list[str]:
        held = {column.name for column in relation.columns if column.is_key}
        return sorted(self.needed.get(name, frozenset()) - held)

    def _too_small(self, name: RelationName, lacking: Sequence[str]) -> Mistake:
        return OLD_ROWS_TOO_SMALL(table=name, source=self.source, columns=lacking)


def copied_tables(
    connection: Connection,
    known: KnownTables,
    sources: Sequence[RelationName],
    copied: Sequence[RelationName],
) -> list[CopiedTable]:
    """The tables that are copied, as the server has them, once all are what the project says.

    Raises Mistakes with all that differs, of those whose changes are read, too.
    """
    names = tuple(dict.fromkeys((*sources, *copied)))
    known = known.for_server(connection)
    held, types = server_tables(connection, names), server_types(connection)
    _check_all(known, names, held, types)
    check_server_keys(connection, known.source, known.catalog, names)
    lacking = [
        NO_IDENTITY(table=name, source=known.source)
        for name in sources
        if not any(column.is_key for column in held[name].relation.columns)
    ]
    if lacking:
        raise Mistakes(lacking)
    return [held[name].copied for name in copied]


def server_tables(
    connection: Connection, names: Sequence[RelationName]
) -> dict[RelationName, ServerTable]:
    """The tables of these names that are there."""
    asked = ([name.schema for name in names], [name.name for name in names])
    rows = connection.execute(_COLUMNS, asked).fetchall()
    unsent = "v" if major_version(connection) >= SENDS_GENERATED else "sv"
    found = {}
    for (schema, table), columns in groupby(rows, key=itemgetter(0, 1)):
        name = RelationName(schema, table)
        found[name] = _server_table(name, list(columns), unsent)
    return found


def server_types(connection: Connection) -> dict[int, Type]:
    """The names of all types; of a domain that of its base, as pgoutput tells them."""
    return {row[0]: Type(*row) for row in connection.execute(_TYPES).fetchall()}


def _check_all(
    known: KnownTables,
    names: Iterable[RelationName],
    held: Mapping[RelationName, ServerTable],
    types: Mapping[int, Type],
) -> None:
    """Compare the server's tables with the project's. Raises Mistakes with all that differs."""
    mistakes: list[Mistake] = []
    for name in names:
        if name not in held:
            mistakes.append(TABLE_GONE(table=name, source=known.source))
            continue
        try:
            known.check(held[name].relation, types)
        except Mistakes as found:
            mistakes += found.mistakes
    if mistakes:
        raise Mistakes(mistakes)


def _server_table(name: RelationName, rows: Sequence[Sequence[object]], unsent: str) -> ServerTable:
    _, _, oid, kind, identity, *_ = rows[0]
    sent = [
        RelationColumn(str(column), int(str(type_oid)), int(str(typmod)), bool(is_key))
        for _, _, _, _, _, column, type_oid, typmod, _, generated, is_key in rows
        if not generated or str(generated) not in unsent
    ]
    relation = Relation(int(str(oid)), name.schema, name.name, str(identity), tuple(sent))
    columns = tuple((str(row[5]), str(row[8])) for row in rows)
    return ServerTable(relation, CopiedTable(name, columns, kind == "p"))


def _other_type(sent: RelationColumn, types: Mapping[int, Type], column: Column) -> str | None:
    """What the server's type is, where it is not the project's."""
    found = types.get(sent.type_oid)
    if found is None:
        return f"of an unknown type {sent.type_oid}"
    names = {column.type.name, *([column.type.base.name] if column.type.base else [])}
    same = found.name in names
    if sent.type_oid < _FIRST_OF_USERS and same and column.type.base is None:
        same = sent.typmod == column.type.typmod
    return None if same else format_type(PgType(found.name, sent.typmod, found.schema))
