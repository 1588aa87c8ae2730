"""What statements said and later ones changed: it is judged by the tables as they stood then.

Example
    `CREATE PUBLICATION p FOR TABLE t WHERE (b > 1)` before `ALTER TABLE t ADD COLUMN b int` is
    refused: column "b" does not exist. So is a wrong filter of a member that is dropped later.

PostgreSQL
    publicationcmds.c: TransformPubWhereClauses(), which each statement calls for what it names
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from msgspec.structs import replace

from filtersql.catalog import Table
from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.error_recovery import sound_now
from filtersql.definitions.freezing import frozen, made
from filtersql.definitions.kinds import kind_of
from filtersql.definitions.model import Earlier, Publication, PublishedTable, ReplicationSet
from filtersql.definitions.sql_names import Refused
from filtersql.errors import Mistake
from filtersql.names import RelationName

__all__ = ["earlier", "made_whole", "note"]


@contextmanager
def made_whole(drafts: Drafts, name: str) -> Iterator[None]:
    """CREATE of a publication: none is there where the source system refuses it.

    Where filtersql alone does, it is there, and what is said of it later is no second mistake.
    """
    drafts.broken_publications.add(name)
    try:
        yield
    except Refused:
        drafts.broken_publications.discard(name)
        raise
    except Mistake as mistake:
        if drafts.refuse is not None and not mistake.own:
            drafts.broken_publications.discard(name)
        raise
    drafts.broken_publications.discard(name)


def note(
    drafts: Drafts, said: Publication | ReplicationSet, there: Iterable[PublishedTable] = ()
) -> None:
    """Keeps what a statement says, with its tables as they stand now.

    Of those that are `there` already the filters are judged, before PostgreSQL says so.
    """
    tables, others = {}, {}
    for name in (entry.name for entry in said.tables):
        table, kind = drafts.tables.get(name), kind_of(drafts, name)
        if table is None and kind is not None:
            others[name] = kind
        elif table is not None and table.columns is not None and not table.unattached:
            tables[name] = frozen(drafts, table)
    statement = Earlier(said, tables, others)
    if drafts.refuse is not None:
        known = {entry.name for entry in there}
        judged = (
            replace(entry, columns=None) if entry.name in known else entry
            for entry in sound_now(said.tables, drafts)
        )
        sure = replace(said, tables=tuple(judged))
        if mistakes := drafts.refuse(replace(statement, said=sure, made=made(drafts, drafts.path))):
            drafts.mistakes += mistakes
            # who subscribes to it is told nothing more
            drafts.doubts.append(("publications", said.name))
            raise Refused
    drafts.said.append(statement)


def earlier(drafts: Drafts, tables: Mapping[RelationName, Table]) -> Iterator[Earlier]:
    """What was said and is not so in the end; `tables` are those of the end."""
    members: dict[tuple[type, str], Mapping[RelationName, PublishedTable]] = {}
    for statement in drafts.said:
        key = type(statement.said), statement.said.name
        now: Publication | ReplicationSet | None
        if isinstance(statement.said, Publication):
            now = drafts.publications.get(statement.said.name)
        else:
            now = drafts.replication_sets.get(statement.said.name)
        if now is None or _rules(now) != _rules(statement.said):
            yield statement
            continue
        if key not in members:
            members[key] = {entry.name: entry for entry in now.tables}
        changed = [
            entry
            for entry in statement.said.tables
            if not _is(members[key].get(entry.name), entry)
            or _judged(tables.get(entry.name), kind_of(drafts, entry.name))
            != _judged(statement.tables.get(entry.name), statement.others.get(entry.name))
        ]
        if changed:
            yield replace(statement, said=replace(statement.said, tables=tuple(changed)))


def _rules(said: Publication | ReplicationSet) -> object:
    """What else decides whether a member is refused."""
    if isinstance(said, ReplicationSet):
        return said.replicate
    return said.via_partition_root, said.generated_columns, bool(said.schemas)


def _is(now: PublishedTable | None, entry: PublishedTable) -> bool:
    """Whether a member is what it was."""
    return now is not None and (now.where, now.columns) == (entry.where, entry.columns)


def _judged(table: Table | None, kind: str | None) -> object:
    """What of a table, or of another kind of relation, decides whether a member is refused."""
    if table is None:
        return kind
    return table.columns, table.partition_by, table.unlogged, table.view, table.foreign
