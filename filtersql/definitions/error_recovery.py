"""Of definitions that hold mistakes: the filters that no mistake touches, so that they are judged.

Example
    `CREATE TABLE t (a nope)` is a mistake, so what a publication says of t is not judged. The
    filter of another table is: its mistake is told beside the first one.

A table is in doubt where a statement that failed, or an entry or file that could not be read, has
its name in it, or that of a table above it. Lists and subscriptions wait until nothing is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TypeVar

from msgspec.structs import replace

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.model import Definitions, Publication, PublishedTable, ReplicationSet
from filtersql.names import RelationName

__all__ = ["doubt_of", "sound_now", "undoubted"]

_Said = TypeVar("_Said", bound=Publication | ReplicationSet)
_WORD = re.compile(r"[\w$]+")
#: statements that change no relation and no type
_OF_PUBLICATIONS = re.compile(
    r"^\s*(?:(?:create|alter|drop)\s+(?:publication|subscription)|select)\b", re.I | re.M
)
_OF_TYPES = re.compile(r"^\s*create\s+(?:or\s+replace\s+)?(?:domain|function|type)\b", re.I | re.M)


def doubt_of(text: str) -> tuple[str, str]:
    """What a statement that failed, or that does not parse, puts in doubt, for `Drafts`."""
    if _OF_TYPES.search(text):
        return "types", text
    return ("publications" if _OF_PUBLICATIONS.search(text) else "relations"), text


def undoubted(definitions: Definitions, drafts: Drafts) -> Definitions:
    """The filters of tables that are not in doubt, and nothing else."""
    gone, catalog = _doubted(drafts), definitions.catalog
    tables = {name: table for name, table in catalog.tables.items() if name not in gone}
    publications, sets = definitions.publications, definitions.replication_sets
    return replace(
        definitions,
        catalog=replace(catalog, tables=tables),
        publications={name: _sound(each, drafts) for name, each in publications.items()},
        replication_sets={name: _sound(each, drafts) for name, each in sets.items()},
        earlier=tuple(
            replace(each, said=_sound(each.said, drafts)) for each in definitions.earlier
        ),
        subscriptions={},
    )


def sound_now(entries: Iterable[PublishedTable], drafts: Drafts) -> Iterable[PublishedTable]:
    """Those of tables that nothing read so far puts in doubt, with filters that read no such."""
    if not drafts.doubts and not drafts.broken:
        return entries
    gone, types = _doubted(drafts), _words_of(drafts, "types")
    named, kept = _words_of(drafts, "relations") | _words_of(drafts, "publications"), []
    for entry in entries:
        clauses = (entry.where, *entry.filters.values())
        read = _words(" ".join(clause.text for clause in clauses if clause is not None))
        looked_up = any(
            _is_in(relation.name, read) for relation in gone if relation in drafts.tables
        )
        missing = entry.name not in drafts.tables and _is_in(entry.name.name, named)
        if not (entry.name in gone or missing or looked_up or read & types):
            kept.append(entry)
    return kept


def _sound(said: _Said, drafts: Drafts) -> _Said:
    """Nothing but its filters, which may read any time: `created` may be what is wrong."""
    tables = sound_now(said.tables, drafts)
    if isinstance(said, ReplicationSet):
        return replace(said, tables=tuple(tables))
    return replace(
        said,
        tables=tuple(replace(entry, columns=None) for entry in tables),
        schemas=(),
        except_tables=(),
        via_partition_root=True,
        generated_columns="none",
        created=said.created or datetime(2000, 1, 1, tzinfo=UTC),
    )


def _doubted(drafts: Drafts) -> set[RelationName]:
    """The tables that are named by what failed, or below such a table."""
    words = _words_of(drafts, "relations")
    doubted = {*drafts.broken, *(name for name in drafts.tables if _is_in(name.name, words))}
    return doubted | {below.name for name in doubted for below in drafts.below(name)}


def _words_of(drafts: Drafts, kind: str) -> frozenset[str]:
    return _words(" ".join(text for one, text in drafts.doubts if one == kind))


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))


def _is_in(name: str, words: frozenset[str]) -> bool:
    return _words(name) <= words
