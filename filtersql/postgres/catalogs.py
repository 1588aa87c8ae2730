"""What a server's catalogs say of replication, as PostgreSQL's own statements.

Example
    read_catalogs(connection).parts["publications"][0].text
    # CREATE PUBLICATION eu WITH (publish = 'insert, update, delete, truncate');

One query for each catalog (`queries/`) gives whole statements: names by format('%I'), types by
format_type(), expressions by pg_get_expr(), so they read on any server as they were meant. Rows
come in the order of names. What every role may read is asked, no more: filters, not table rows.

PostgreSQL
    pg_dump.c: dumpTableSchema(), dumpPublication(), dumpPublicationTable()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psycopg
from msgspec import Struct
from psycopg.rows import TupleRow

from filtersql.definitions.types import EXTENSION_TYPES
from filtersql.postgres.connection import Connection

__all__ = ["Catalogs", "Made", "Server", "publications_of", "read_catalogs"]

_QUERIES = Path(__file__).parent / "queries"
#: the queries behind each part of a project, in the order in which their statements are carried out
_PARTS = {
    "tables": (
        *("schemas", "collations", "types", "tables", "indexes", "partitions", "identities"),
        "foreign_keys",
    ),
    "publications": ("publications", "members"),
    "subscriptions": ("subscriptions",),
}
#: parts of other systems, by the schema that they stand in
_SETS = {"pglogical": ("pglogical", "pglogical_subscriptions"), "bdr": ("bdr", None)}
_PROVIDERS = {"c": "libc", "b": "builtin", "i": "icu"}


class Made(Struct, frozen=True):
    """Something that a server has, and the statements that make it: `kind` and `name` are words.

    `needs` are names of tables, the own one first, and of publications: `publication p`.
    """

    kind: str
    name: str
    needs: tuple[str, ...]
    text: str


class Server(Struct, frozen=True):
    """What the project file says of a server. `locale` is `database_locale`; `others`: see _SETS.

    Of the others it is known whether the role may look into them.
    """

    version: int
    locale: Mapping[str, str]
    others: Mapping[str, bool]


class Catalogs(Struct, frozen=True):
    """Statements by part (`tables`, `publications`, `sets`, `subscriptions`), in their order.

    `refused` are catalogs that could not be read, each with the server's reason.
    """

    server: Server
    parts: Mapping[str, Sequence[Made]]
    refused: Mapping[str, str]


def read_catalogs(connection: Connection) -> Catalogs:
    """All of one snapshot. Raises psycopg.Error."""
    server = _server(connection)
    parts: dict[str, list[Made]] = {"sets": []}
    refused = {}
    for part, names in _PARTS.items():
        parts[part] = [one for name in names for one in _made(connection, name)]
    for system, may_look in server.others.items():
        sets, subscriptions = _SETS[system]
        try:
            if not may_look:
                raise PermissionError("the role has no USAGE on its schema")
            with connection.transaction():
                parts["sets"] += _made(connection, sets)
                if subscriptions:
                    parts["subscriptions"] += _made(connection, subscriptions)
        except (PermissionError, psycopg.Error) as error:
            refused[system] = str(error).split("\n")[0]
    return Catalogs(server, parts, refused)


def publications_of(connection: Connection) -> list[Made]:
    """The publications alone, and what they have. Raises psycopg.Error."""
    return [one for name in _PARTS["publications"] for one in _made(connection, name)]


def _query(name: str) -> bytes:
    return (_QUERIES / f"{name}.sql").read_bytes()


def _server(connection: Connection) -> Server:
    row = connection.execute(_query("server")).fetchone()
    assert row is not None
    version, provider, collate, ctype, locale, *others = row
    if provider == "c":
        collation = {"provider": "libc", "collate": collate, "ctype": ctype}
    else:
        collation = {"provider": _PROVIDERS[provider], "collate": locale or collate}
    known = dict(zip(_SETS, others, strict=True))
    return Server(version, collation, {name: may for name, may in known.items() if may is not None})


def _made(connection: Connection, name: str) -> Iterator[Made]:
    """The statements of a query, each behind those of it that must be earlier."""
    rows = connection.execute(_query(name)).fetchall()
    makers = {row[2]: row for row in rows}
    done = set[tuple[str, str, str]]()

    def behind(row: TupleRow) -> Iterator[Made]:
        kind, made, _, earlier, needs, text = row
        if (kind, made, text) in done:
            return
        done.add((kind, made, text))
        for number in earlier:
            if number in makers:
                yield from behind(makers[number])
        if kind != "type" or made.split(".")[-1] not in EXTENSION_TYPES:
            yield Made(kind, made, tuple(needs), text)

    for row in rows:
        yield from behind(row)
