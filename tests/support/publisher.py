"""A PostgreSQL server that publishes: what it refuses, copies, and sends through pgoutput."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg

from filtersql.names import RelationName
from filtersql.publications.model import Contribution


@dataclass
class Publisher:
    """The server's side of one round."""

    connection: psycopg.Connection[Any]
    version: int = 18
    matches: dict[tuple[str, tuple[int, ...]], bool] = field(default_factory=dict)

    def reset(self, ddl: Sequence[str]) -> None:
        self.connection.execute("DROP SCHEMA IF EXISTS public, s CASCADE")
        for (name,) in self.connection.execute("SELECT pubname FROM pg_publication").fetchall():
            self.connection.execute(f"DROP PUBLICATION {name}")
        self.connection.execute("; ".join(["CREATE SCHEMA public", "CREATE SCHEMA s", *ddl]))

    def refusal(self, statement: str) -> tuple[str, str | None] | None:
        """The message and detail with which the server refuses a statement, if it does."""
        try:
            with self.connection.transaction():
                self.connection.execute(statement)
        except psycopg.Error as error:
            return error.diag.message_primary or "", error.diag.message_detail
        return None

    def transaction(self, statement: str) -> int:
        """Execute one statement; its transaction's number."""
        with self.connection.transaction():
            self.connection.execute(statement)
            found = self.connection.execute("SELECT pg_current_xact_id()::text::bigint").fetchone()
        assert found
        return int(found[0])

    def copied(self, names: Sequence[str]) -> dict[RelationName, tuple[set[str], set[str | None]]]:
        """For each copied relation: its column lists, and the filters of its publications."""
        found: dict[RelationName, tuple[set[str], set[str | None]]] = {}
        rows = (
            self._published_alone(names)
            if self.version < 16
            else self.connection.execute(
                "SELECT n.nspname, c.relname, pg_get_expr(t.qual, t.relid),"
                " (SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute"
                "  WHERE attrelid = t.relid AND attnum = ANY (t.attrs))"
                " FROM pg_get_publication_tables(VARIADIC %s) t JOIN pg_class c ON c.oid = t.relid"
                " JOIN pg_namespace n ON n.oid = c.relnamespace",
                (list(names),),
            ).fetchall()
        )
        for schema, name, qual, columns in rows:
            lists, quals = found.setdefault(RelationName(schema, name), (set(), set()))
            lists.add(columns)
            quals.add(qual)
        return found

    def _published_alone(self, names: Sequence[str]) -> list[Any]:
        """PostgreSQL 15 asks each publication alone."""
        return self.connection.execute(
            "SELECT schemaname, tablename, rowfilter, array_to_string(attnames, ',')"
            " FROM pg_publication_tables WHERE pubname = ANY (%s)",
            (list(names),),
        ).fetchall()

    def is_match(self, filters: Sequence[Contribution], row: tuple[int, ...]) -> bool:
        """Whether the server says that any of the filters is true for a row; none: every row."""
        texts = [each.where.text for each in filters if each.where is not None]
        return not texts or any(self._evaluate(text, row) for text in texts)

    def _evaluate(self, text: str, row: tuple[int, ...]) -> bool:
        if (text, row) not in self.matches:
            found = self.connection.execute(
                f"SELECT ({text}) IS TRUE FROM (VALUES (%s, %s, %s, %s)) t (k, id, b, c)", row
            ).fetchone()
            assert found
            self.matches[text, row] = found[0]
        return self.matches[text, row]


@dataclass(frozen=True)
class Sent:
    """What pgoutput sent in one transaction: letters with relations, and columns by relation."""

    messages: tuple[tuple[str, frozenset[RelationName]], ...]
    columns: Mapping[RelationName, tuple[str, ...]]


def decode(rows: Sequence[tuple[int, bytes]]) -> dict[int, Sent]:
    """Read pgoutput's messages by transaction."""
    names: dict[int, RelationName] = {}
    columns: dict[RelationName, tuple[str, ...]] = {}
    messages: dict[int, list[tuple[str, frozenset[RelationName]]]] = {}
    for xid, data in rows:
        letter, body = chr(data[0]), data[1:]
        if letter == "R":
            number, relation, published = _relation(body)
            names[number] = relation
            columns[relation] = published
        elif letter in "IUD":
            (number,) = struct.unpack_from(">I", body)
            messages.setdefault(xid, []).append((letter, frozenset([names[number]])))
        elif letter == "T":
            (count,) = struct.unpack_from(">I", body)
            numbers = struct.unpack_from(f">{count}I", body, 5)
            messages.setdefault(xid, []).append(("T", frozenset(names[each] for each in numbers)))
        else:
            assert letter in "BCOY", letter
    return {xid: Sent(tuple(each), columns) for xid, each in messages.items()}


def _relation(body: bytes) -> tuple[int, RelationName, tuple[str, ...]]:
    (number,) = struct.unpack_from(">I", body)
    schema, name, rest = body[4:].split(b"\0", 2)
    (count,) = struct.unpack_from(">h", rest, 1)
    published, at = [], 3
    for _ in range(count):
        end = rest.index(b"\0", at + 1)
        published.append(rest[at + 1 : end].decode())
        at = end + 9
    return number, RelationName(schema.decode(), name.decode()), tuple(published)
