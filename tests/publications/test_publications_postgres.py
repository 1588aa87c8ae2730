"""Random publications on a real PostgreSQL 18: what it copies, sends and refuses, resolve() says.

The same definitions are made twice: as records, and as DDL on the server. The server's own answers
are pg_get_publication_tables() for the initial copy, and pgoutput's messages for the changes.
Filters are evaluated by the server, not by filtersql. Older versions take part when
FILTERSQL_POSTGRES_15, …_16 and …_17 hold connection strings of their superusers.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import psycopg
import pytest
from publication_worlds import Change, World, publication_ddl, workload
from publisher import Publisher, Sent, decode
from servers import Server

from filtersql import publications
from filtersql.catalog import Table
from filtersql.definitions.model import Action, Definitions
from filtersql.errors import Mistakes
from filtersql.filters.check.replica_identity import check_identity
from filtersql.filters.model import Filter
from filtersql.names import RelationName
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.semantics import POSTGRES
from filtersql.source import Passage

pytestmark = pytest.mark.postgres

ROUNDS = int(os.environ.get("FILTERSQL_PUBLICATION_ROUNDS", "250"))
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
def older_server(older: tuple[Server, int]) -> Iterator[Publisher]:
    server, version = older
    with server.connect(server.create_database("publications")) as connection:
        yield Publisher(connection, version)


@pytest.mark.parametrize("seed", range(10))
def test_random_publications(server: Publisher, seed: int) -> None:
    """Copied relations, columns and filters, every message of a workload, and every refusal."""
    agree(server, seed)


@pytest.mark.parametrize("seed", range(10))
def test_random_publications_of_older(older_server: Publisher, seed: int) -> None:
    """The same on older ones; PostgreSQL 15 copies a published leaf besides its root."""
    agree(older_server, seed)


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
    assert streamed > ROUNDS / 4
