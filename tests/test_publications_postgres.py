"""Random publications on a real PostgreSQL 18: what it copies, sends and refuses, resolve() says.

The same definitions are made twice: as records, and as DDL on the server. The server's own answers
are pg_get_publication_tables() for the initial copy, and pgoutput's messages for the changes.
Filters are evaluated by the server, not by filtersql. A PostgreSQL 15 takes part when
FILTERSQL_POSTGRES_15 holds a connection string of its superuser.
"""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import psycopg
import pytest
from servers import Server

from filtersql import publications
from filtersql.catalog import (
    Catalog,
    Column,
    Generated,
    Identity,
    PgType,
    ReplicaIdentity,
    Table,
)
from filtersql.definitions.model import (
    Action,
    Definitions,
    Publication,
    PublishedTable,
    Subscription,
)
from filtersql.errors import Mistakes
from filtersql.filters.identity import check_identity
from filtersql.filters.model import Filter
from filtersql.names import RelationName
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.semantics import POSTGRES
from filtersql.source import Passage, Source

pytestmark = pytest.mark.postgres

ROUNDS = int(os.environ.get("FILTERSQL_PUBLICATION_ROUNDS", "250"))
SPAN = Source("p.sql", "x").span(0, 1)
INT = PgType("int4")
COLUMNS = ("k", "id", "b", "c")
KEYS = {"leaf1": 1, "leaf2": 2, "leaf3": 3, "leaf4": 4}
#: schema, name, what it is, parent; a leaf of list partitions holds the k of KEYS
TREE = (
    ("public", "root", "root", None),
    ("s", "mid", "root", ("public", "root")),
    ("public", "leaf1", "leaf", ("s", "mid")),
    ("s", "leaf2", "leaf", ("s", "mid")),
    ("public", "leaf3", "leaf", ("public", "root")),
    ("s", "leaf4", "leaf", ("public", "root")),
    ("public", "empty", "root", None),
    ("public", "plain", "plain", None),
    ("s", "other", "plain", None),
    ("public", "keyless", "keyless", None),
    ("public", "parent", "plain", None),
    ("public", "child", "heir", ("public", "parent")),
    ("s", "grandchild", "heir", ("public", "child")),
    ("public", "gen", "generated", None),
    ("s", "calc", "virtual", None),
    ("public", "noisy", "unlogged", None),
)
MIDDLE_KEYS = (1, 2)


def name_of(pair: tuple[str, str]) -> RelationName:
    return RelationName(*pair)


@dataclass
class World:
    """One random project: records, and the DDL that makes the same on the server."""

    random: random.Random
    version: int = 18
    tables: dict[RelationName, Table] = field(default_factory=dict)
    ddl: list[str] = field(default_factory=list)
    publications: list[Publication] = field(default_factory=list)

    def build(self) -> World:
        for schema, name, kind, parent in TREE:
            if kind == "virtual" and self.version < 18:
                continue
            self._table(RelationName(schema, name), kind, name_of(parent) if parent else None)
        for number in range(self.random.randint(1, 4)):
            self._publication(f"p{number}")
        return self

    def _table(self, name: RelationName, kind: str, parent: RelationName | None) -> None:
        columns = tuple(Column(each, INT, SPAN) for each in COLUMNS)
        table = Table(name, columns, SPAN, ("k", "id"), f"{name.name}_pkey")
        head = f"CREATE TABLE {name} (k int, id int, b int, c int"
        if kind == "root":
            table = replace(table, partition_by=("list", ("k",)))
        if kind == "leaf" or (kind == "root" and parent):
            table = replace(table, partition_of=parent)
            keys = f"{KEYS[name.name]}" if kind == "leaf" else ", ".join(map(str, MIDDLE_KEYS))
            head = f"CREATE TABLE {name} PARTITION OF {parent} FOR VALUES IN ({keys})"
        elif kind == "heir":
            table = replace(table, inherits=(parent,)) if parent else table
            head = f"CREATE TABLE {name} (PRIMARY KEY (k, id)) INHERITS ({parent})"
        elif kind == "keyless":
            table = replace(table, primary_key=(), primary_key_name=None)
            head += ")"
        elif kind in ("generated", "virtual"):
            how = Generated.STORED if kind == "generated" else Generated.VIRTUAL
            table = replace(table, columns=(*columns, Column("g", INT, SPAN, generated=how)))
            head += f", g int GENERATED ALWAYS AS (b * 2) {how}, PRIMARY KEY (k, id))"
        else:
            head += ", PRIMARY KEY (k, id))"
        if kind == "unlogged":
            head = head.replace("CREATE TABLE", "CREATE UNLOGGED TABLE")
            table = replace(table, unlogged=True)
        if kind == "root":
            head += " PARTITION BY LIST (k)"
        self.ddl.append(head)
        identity = self.random.choice([Identity.DEFAULT, Identity.FULL, Identity.FULL])
        if self.random.random() < 0.05:
            identity = Identity.NOTHING
        if kind == "virtual" and identity is Identity.FULL and self.random.random() < 0.7:
            identity = Identity.DEFAULT
        self.ddl.append(f"ALTER TABLE {name} REPLICA IDENTITY {identity}")
        self.tables[name] = replace(table, replica_identity=ReplicaIdentity(identity))

    def _publication(self, name: str) -> None:
        kind = self.random.choices(["tables", "schema", "both", "all"], [7, 2, 1, 1.5])[0]
        tables: tuple[PublishedTable, ...] = ()
        if kind in ("tables", "both"):
            tables = tuple(self._entry(kind) for _ in range(self.random.randint(1, 3)))
        actions = self.random.choice(
            [
                *[tuple(Action)] * 3,
                ("insert",),
                ("update",),
                ("delete",),
                ("insert", "truncate"),
                ("update", "delete"),
                ("insert", "update"),
                (),
            ]
        )
        self.publications.append(
            Publication(
                name,
                SPAN,
                tables,
                (self.random.choice(["public", "s"]),) if kind in ("schema", "both") else (),
                all_tables=kind == "all",
                publish=frozenset(map(Action, actions)),
                via_partition_root=self.random.random() < 0.5,
                generated_columns=self.random.choice(
                    ["none", "none", "stored" if self.version >= 18 else "none"]
                ),
                written_in="sql",
            )
        )

    def _entry(self, kind: str) -> PublishedTable:
        picked = list(self.tables)
        weights = [4 if each.name in (*KEYS, "root", "mid") else 1.5 for each in picked]
        weights = [
            0.2 if each.name == "noisy" else weight
            for each, weight in zip(picked, weights, strict=True)
        ]
        name = self.random.choices(picked, weights)[0]
        where = columns = None
        if self.random.random() < 0.6:
            column = self.random.choice(["id", "id", "id", "b", "c"])
            text = f"({column} {self.random.choice(['>', '<', '<>'])} {self.random.randint(1, 4)})"
            where = Passage(text, Source("p.sql", text))
        if self.random.random() < (0.15 if kind == "tables" else 0.05):
            known = [column.name for column in self.tables[name].columns]
            columns = tuple(
                dict.fromkeys(
                    ["k", "id", *self.random.choices([*known, "zz"], [*[9] * len(known), 0.3], k=2)]
                )
            )
            columns = columns if self.random.random() < 0.8 else columns[1:]
        return PublishedTable(name, SPAN, where, columns, only=self.random.random() < 0.3)

    @property
    def definitions(self) -> Definitions:
        names = tuple((each.name, SPAN) for each in self.publications)
        return Definitions(
            Catalog(self.tables),
            {each.name: each for each in self.publications},
            subscriptions={"s": Subscription("s", SPAN, names)},
        )


def publication_ddl(publication: Publication, version: int = 18) -> str:
    """CREATE PUBLICATION for a record."""
    generated = f", publish_generated_columns = {publication.generated_columns})"
    objects = [
        f"TABLE {'ONLY ' if each.only else ''}{each.name}"
        + (f" ({', '.join(each.columns)})" if each.columns is not None else "")
        + (f" WHERE ({each.where})" if each.where else "")
        for each in publication.tables
    ] + [f"TABLES IN SCHEMA {schema}" for schema in publication.schemas]
    what = "ALL TABLES" if publication.all_tables else ", ".join(objects)
    return (
        f"CREATE PUBLICATION {publication.name} FOR {what} WITH (publish = '"
        + ", ".join(publication.publish)
        + f"', publish_via_partition_root = {publication.via_partition_root}"
        + (generated if version >= 18 else ")")
    )


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


@dataclass(frozen=True)
class Change:
    """One statement, and the row changes that it makes: (leaf, action, old, new)."""

    statement: str
    rows: tuple[tuple[RelationName, Action, tuple[int, ...] | None, tuple[int, ...] | None], ...]
    truncated: RelationName | None = None


def workload(tables: Mapping[RelationName, Table], *, inserts_only: bool) -> Iterator[Change]:
    """Rows that enter, stay in, leave and miss the filters, in every table that has rows."""
    for name, table in tables.items():
        if table.partition_by is not None or table.unlogged:
            continue
        k = KEYS.get(name.name, 9)
        rows = [(k, 1, 1, 4), (k, 2, 4, 1), (k, 3, 3, 3), (k, 4, 2, 2)]
        for row in rows:
            yield Change(f"INSERT INTO {name} VALUES {row}", ((name, Action.INSERT, None, row),))
        if inserts_only:
            continue
        for old, new in [(0, (1, 4, 4)), (1, (5, 4, 1)), (2, (0, 1, 1)), (3, (4, 2, 0))]:
            image = (k, *new)
            yield Change(
                f"UPDATE ONLY {name} SET id = {new[0]}, b = {new[1]}, c = {new[2]}"
                f" WHERE id = {rows[old][1]}",
                ((name, Action.UPDATE, rows[old], image),),
            )
            rows[old] = image
        for row in rows[:3]:
            yield Change(
                f"DELETE FROM ONLY {name} WHERE id = {row[1]}", ((name, Action.DELETE, row, None),)
            )
    if not inserts_only:
        old, new = (3, 4, 2, 0), (2, 4, 2, 0)
        leaf3, leaf2 = RelationName("public", "leaf3"), RelationName("s", "leaf2")
        # leaf2 holds the row (2, 4, 2, 0) already, so it goes first.
        yield Change("DELETE FROM s.leaf2", ((leaf2, Action.DELETE, new, None),))
        moved = ((leaf3, Action.DELETE, old, None), (leaf2, Action.INSERT, None, new))
        yield Change("UPDATE public.root SET k = 2 WHERE k = 3", moved)
    for name, table in tables.items():
        if not table.unlogged:
            only = "" if table.partition_by else "ONLY "
            yield Change(f"TRUNCATE {only}{name}", (), name)


LETTERS = {Action.INSERT: "I", Action.UPDATE: "U", Action.DELETE: "D"}


def expected(
    change: Change, resolved: Sequence[ResolvedTable], server: Publisher
) -> tuple[tuple[str, frozenset[RelationName]], ...]:
    """The messages that resolve()'s answer implies."""
    messages = []
    for leaf, action, old, new in change.rows:
        for target in resolved:
            if leaf in target.sources and action in target.filters:
                if leaf not in target.only_from.get(action, target.sources):
                    continue
                letter = _letter(target.filters[action], action, old, new, server)
                if letter:
                    messages.append((letter, frozenset([target.table.name])))
    if change.truncated is not None:
        emptied = frozenset(
            target.table.name
            for target in resolved
            if target.truncates and change.truncated in target.truncated_by
        )
        if emptied:
            messages.append(("T", emptied))
    return tuple(messages)


def _letter(
    filters: Sequence[Contribution],
    action: Action,
    old: tuple[int, ...] | None,
    new: tuple[int, ...] | None,
    server: Publisher,
) -> str | None:
    was = old is not None and server.is_match(filters, old)
    now = new is not None and server.is_match(filters, new)
    if action is Action.UPDATE:
        return {(True, True): "U", (False, True): "I", (True, False): "D"}.get((was, now))
    return LETTERS[action] if was or now else None


def fake_filter(where: Passage, table: Table, publication: str) -> Filter:
    """A filter as far as the identity check asks: the one column that the generator wrote."""
    column = where.text.removeprefix("(").split()[0]
    return Filter(where, None, where.text, {column: where.span()})  # type: ignore[arg-type]


def identity_mistakes(world: World) -> list[tuple[str, str | None]]:
    """Message and detail of everything that would stop an UPDATE or DELETE."""
    found: list[tuple[str, str | None]] = []
    definitions = world.definitions
    lenient = resolve(definitions, "run", world.version)
    for each in lenient:
        filters = {
            action: tuple(
                fake_filter(part.where, each.table, part.publication)
                for part in parts
                if part.where
            )
            for action, parts in each.filters.items()
        }
        try:
            check_identity(each, filters, catalog=definitions.catalog, filter_of=fake_filter)
        except Mistakes as mistakes:
            found += [(mistake.message, mistake.detail) for mistake in mistakes.mistakes]
    return found


def resolve(
    definitions: Definitions, identity_check: str, version: int
) -> tuple[ResolvedTable, ...]:
    return publications.resolve(
        definitions.subscriptions["s"],
        definitions,
        semantics=POSTGRES,
        postgres_version=version,
        identity_check=identity_check,
    )


KINDS = (
    ("Column used in the publication WHERE", "which is not part of the replica identity"),
    ("Column list used by the publication", "Column list used by the publication"),
    ("Replica identity must not contain", "Replica identity must not contain"),
    ("does not have a replica identity", "does not have a replica identity"),
)


def kind_of(refusal: tuple[str, str | None], side: int) -> int:
    text = " ".join(filter(None, refusal))
    return next(index for index, kind in enumerate(KINDS) if kind[side] in text)


@pytest.fixture(scope="module")
def server(postgres: Server) -> Iterator[Publisher]:
    database = postgres.create_database("publications")
    with postgres.connect(database) as connection:
        yield Publisher(connection)


def accepted(world: World, server: Publisher) -> bool:
    """Make the publications; those that both sides refuse with the same words are left out."""
    kept = []
    for publication in world.publications:
        ddl = publication_ddl(publication, world.version)
        refused = server.refusal(ddl)
        alone = replace(world, publications=[publication]).definitions
        try:
            publications.check(alone, semantics=POSTGRES, postgres_version=world.version)
        except Mistakes as mistakes:
            said = [(mistake.message, mistake.detail) for mistake in mistakes.mistakes]
            assert refused in said, ddl
            continue
        assert refused is None, ddl
        kept.append(publication)
    world.publications = kept
    return bool(kept)


def agree_on_copy(world: World, server: Publisher) -> tuple[ResolvedTable, ...] | None:
    """The relations, columns and filters of the copy; None where both refuse column lists."""
    copied = server.copied([publication.name for publication in world.publications])
    differ = {name for name, (lists, _) in copied.items() if len(lists) > 1}
    try:
        resolved = resolve(world.definitions, "run", world.version)
    except Mistakes as mistakes:
        messages = {mistake.message for mistake in mistakes.mistakes}
        wording = "cannot use different column lists for table"
        lists = {message for message in messages if message.startswith(wording)}
        assert len(lists) == len(differ)
        assert all(any(f'"{each}"' in message for message in lists) for each in differ)
        if not lists:
            assert agree_on_refusal(world, server, messages)
        return None
    assert not differ
    assert {each.table.name for each in resolved} == set(copied)
    for each in resolved:
        lists, quals = copied[each.table.name]
        names = lists.pop().split(",")
        if world.version < 16:  # it lists generated columns there, and does not send them
            names = [name for name in names if name != "g"]
        assert [column.name for column in each.columns] == names
        wheres = {part.where.text for part in each.copy_filters if part.where is not None}
        assert wheres == (set() if None in quals else quals), each.table.name
    return resolved


def agree_on_refusal(world: World, server: Publisher, messages: set[str]) -> bool:
    """Decoding fails with the same words (different values of publish_generated_columns)."""
    with pytest.raises(psycopg.Error) as caught:
        play(world, list(workload(world.tables, inserts_only=True)), server)
    return caught.value.diag.message_primary in messages


def play(
    world: World, changes: Sequence[Change], server: Publisher
) -> list[tuple[Change, Sent | None]]:
    """Execute statements and decode them for the publications of the round."""
    connection = server.connection
    connection.execute("SELECT pg_create_logical_replication_slot('slot', 'pgoutput')")
    try:
        numbers = [server.transaction(change.statement) for change in changes]
        names = ", ".join(publication.name for publication in world.publications)
        rows = connection.execute(
            "SELECT xid::text::bigint, data FROM pg_logical_slot_peek_binary_changes("
            "'slot', NULL, NULL, 'proto_version', '3', 'publication_names', %s)",
            (names,),
        ).fetchall()
    finally:
        connection.execute("SELECT pg_drop_replication_slot('slot')")
    sent = decode([(xid, bytes(data)) for xid, data in rows])
    return [(change, sent.get(number)) for change, number in zip(changes, numbers, strict=True)]


def agree_on_identity(world: World, server: Publisher) -> bool:
    """Whether updates and deletes are allowed; both sides must say the same."""
    refused = set()
    for name, table in world.tables.items():
        if table.partition_by is None and not table.unlogged:
            for statement in (
                f"UPDATE {name} SET b = 1 WHERE false",
                f"DELETE FROM {name} WHERE false",
            ):
                refusal = server.refusal(statement)
                if refusal:
                    refused.add(kind_of(refusal, 0))
    said = {kind_of(each, 1) for each in identity_mistakes(world)}
    assert bool(said) == bool(refused)
    # A table without replica identity is one mistake, whatever its filters read.
    assert refused <= said | ({0} if 3 in said else set())
    return not refused


@pytest.fixture(scope="module")
def server_15() -> Iterator[Publisher]:
    url = os.environ.get("FILTERSQL_POSTGRES_15")
    if not url:
        pytest.skip("FILTERSQL_POSTGRES_15 names no server")
    with psycopg.connect(url, autocommit=True) as connection:
        yield Publisher(connection, 15)


@pytest.mark.parametrize("seed", range(10))
def test_random_publications(server: Publisher, seed: int) -> None:
    """Copied relations, columns and filters, every message of a workload, and every refusal."""
    agree(server, seed)


@pytest.mark.parametrize("seed", range(10))
def test_random_publications_of_15(server_15: Publisher, seed: int) -> None:
    """The same on PostgreSQL 15, which copies a published leaf besides its root."""
    agree(server_15, seed)


def agree(server: Publisher, seed: int) -> None:
    streamed = 0
    for number in range(ROUNDS // 10):
        world = World(random.Random(f"{seed}/{number}"), server.version).build()
        server.reset(world.ddl)
        if not accepted(world, server):
            continue
        resolved = agree_on_copy(world, server)
        if resolved is None:
            continue
        judged = agree_on_identity(world, server)
        for change, sent in play(
            world, list(workload(world.tables, inserts_only=not judged)), server
        ):
            wanted = expected(change, resolved, server)
            label = "\n".join([change.statement, *map(publication_ddl, world.publications)])
            assert sorted(sent.messages if sent else (), key=str) == sorted(wanted, key=str), label
            streamed += len(wanted)
            for each in resolved:
                if sent and each.streamed and each.table.name in sent.columns:
                    names = tuple(column.name for column in each.columns)
                    assert sent.columns[each.table.name] == names, label
    assert streamed > ROUNDS
