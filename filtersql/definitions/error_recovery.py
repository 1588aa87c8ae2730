"""Of definitions that hold mistakes: what no mistake touches, so that it can be judged as well.

Example
    `CREATE TABLE t (a nope)` is a mistake, so what a publication says of t is not judged. The
    filter of another table is: its mistake is told beside the first one.

A table is in doubt where a statement that failed, or an entry or file that could not be read, has
its name in it, or that of a table of its family. A publication with a mistake of its own is judged
by its filters alone, and nobody's subscription to it is judged.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from filtersql.catalog import Table
from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.model import Definitions, Publication, PublishedTable, Subscription
from filtersql.names import RelationName

__all__ = ["doubt_of", "sound_now", "undoubted"]

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
    """The definitions without what is in doubt."""
    words = _doubted_words(drafts)
    tables = _sound_tables(definitions, drafts, words["relations"])
    names = words["relations"] | words["publications"]
    gone = drafts.tables.keys() - tables

    def sound(entries: Iterable[PublishedTable]) -> Iterator[PublishedTable]:
        return _sound(entries, drafts, gone, words)

    publications, sets = {}, {}
    for name, one in definitions.publications.items():
        told = name in drafts.broken_publications or _is_in(name, names)
        kept = replace(
            one,
            tables=tuple(sound(one.tables)),
            except_tables=tuple(each for each in one.except_tables if each in tables),
        )
        publications[name] = _filters_alone(kept) if told else kept
    for name, each in definitions.replication_sets.items():
        sets[name] = replace(each, tables=tuple(sound(each.tables)))
    earlier = []
    for past in definitions.earlier:
        said = replace(past.said, tables=tuple(sound(past.said.tables)))
        if isinstance(said, Publication):
            told = said.name in drafts.broken_publications or _is_in(said.name, names)
            said = _filters_alone(said) if told else said
        earlier.append(replace(past, said=said))
    suspects = {*drafts.broken_publications}
    suspects |= {one for one in (*publications, *sets) if _is_in(one, names)}
    return replace(
        definitions,
        catalog=replace(definitions.catalog, tables=tables),
        publications=publications,
        replication_sets=sets,
        earlier=tuple(earlier),
        subscriptions={
            name: replace(one, superset_of=())
            for name, one in definitions.subscriptions.items()
            if not _is_in(name, names) and not _names(one, suspects, names, gone)
        },
    )


def sound_now(entries: Iterable[PublishedTable], drafts: Drafts) -> Iterable[PublishedTable]:
    """Those of a statement that nothing read so far puts in doubt."""
    if not drafts.doubts and not drafts.broken:
        return entries
    words, gone = _doubted_words(drafts), set()
    for entry in entries:
        above = {entry.name}
        while above and entry.name not in gone:
            if any(one in drafts.broken or _is_in(one.name, words["relations"]) for one in above):
                gone.add(entry.name)
            above = {parent for one in above for parent in _parents(drafts, one)}
    return _sound(entries, drafts, gone, words)


def _parents(drafts: Drafts, name: RelationName) -> Iterator[RelationName]:
    table = drafts.tables.get(name)
    if table is not None:
        yield from (one for one, _ in table.inherits)
        if table.partition_of is not None and not table.unattached:
            yield table.partition_of


def _doubted_words(drafts: Drafts) -> dict[str, frozenset[str]]:
    return {
        kind: _words(" ".join(text for one, text in drafts.doubts if one == kind))
        for kind in ("relations", "publications", "types")
    }


def _sound(
    entries: Iterable[PublishedTable],
    drafts: Drafts,
    gone: Collection[RelationName],
    words: Mapping[str, frozenset[str]],
) -> Iterator[PublishedTable]:
    """Without those of tables that are gone, or whose filters read what is in doubt."""
    names = words["relations"] | words["publications"]
    for entry in entries:
        missing = entry.name not in drafts.tables and _is_in(entry.name.name, names)
        if entry.name in gone or entry.name in drafts.broken or missing:
            continue
        clauses = (entry.where, *entry.filters.values())
        read = _words(" ".join(one.text for one in clauses if one is not None))
        if not read & words["types"] and not any(_is_in(one.name, read) for one in gone):
            yield entry


def _sound_tables(
    definitions: Definitions, drafts: Drafts, words: frozenset[str]
) -> dict[RelationName, Table]:
    """The tables whose definition no mistake touches, nor that of a table above or below."""
    tables = definitions.catalog.tables
    doubted = {name for name in tables if name in drafts.broken or _is_in(name.name, words)}
    while True:
        family = {
            one
            for name, table in tables.items()
            for above in (table.partition_of, *table.inherits)
            if above is not None and (above in doubted or above not in tables or name in doubted)
            for one in (name, above)
        }
        if family <= doubted:
            return {name: table for name, table in tables.items() if name not in doubted}
        doubted |= family


def _filters_alone(publication: Publication) -> Publication:
    """Nothing but its filters, which may read any time: `created` may be what is wrong."""
    return replace(
        publication,
        tables=tuple(replace(entry, columns=None) for entry in publication.tables),
        schemas=(),
        except_tables=(),
        via_partition_root=True,
        generated_columns="none",
        created=publication.created or datetime(2000, 1, 1, tzinfo=UTC),
    )


def _names(
    subscription: Subscription,
    suspects: set[str],
    words: frozenset[str],
    gone: Iterable[RelationName],
) -> bool:
    """Whether it names what is in doubt."""
    named = [name for name, _ in (*subscription.publications, *subscription.replication_sets)]
    filtered = _words(" ".join(subscription.filters))
    if any(_is_in(table.name, filtered) for table in gone):
        return True
    return any(name in suspects or _is_in(name, words) for name in named)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))


def _is_in(name: str, words: frozenset[str]) -> bool:
    return _words(name) <= words
