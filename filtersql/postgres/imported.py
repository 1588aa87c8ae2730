"""A server's catalogs as files of a project, and what cannot be taken over.

Example
    read = imported("erp", catalogs, "postgres", ("tables", "publications", "subscriptions"))
    read.files["publications/erp.sql"]     # -- filtersql: raw …
    read.left_out[0].reason                # a column of several parents is not supported

The files are read as any command reads them, so what is written compiles. A statement that is
refused is left out, with the reason; so is, in turn, what needs what it would have made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.finish import finish
from filtersql.definitions.model import Definitions
from filtersql.definitions.sql_file import read_sql
from filtersql.errors import Mistake, Mistakes
from filtersql.filters.check.generated_columns import check_generations
from filtersql.names import path_name
from filtersql.postgres.catalogs import Catalogs, Made
from filtersql.project.settings import VERSIONS
from filtersql.source import Source

__all__ = ["PARTS", "Imported", "LeftOut", "head_of", "imported", "path_of"]

#: what may be imported, each into its folder
PARTS = ("tables", "publications", "subscriptions")
_HEAD = """\
-- filtersql: raw
-- Written by `filtersql import {name}`: change it there, and import it again with --force.
"""
_PATH = "SELECT pg_catalog.set_config('search_path', '', false);\n"
_TABLES = ("table", "foreign table", "unlogged table")
_OF_TABLES = ("partition", "replica identity", "index")
_NEVER_SENT = {
    "foreign table": "its rows are another server's",
    "unlogged table": "its changes are not logged",
}


class LeftOut(Struct, frozen=True):
    """What is not taken over, or is and no change of it ever comes."""

    kind: str
    name: str
    reason: str


class Imported(Struct, frozen=True):
    """Files by path within the project, what they say, and how many things of a kind they make."""

    files: Mapping[str, str]
    #: files without a statement
    empty: frozenset[str]
    definitions: Definitions
    counts: Mapping[str, int]
    left_out: Sequence[LeftOut]
    never_sent: Sequence[LeftOut]


class _Text(Struct, frozen=True):
    """A file, and where each statement begins and ends in it."""

    source: Source
    places: Sequence[tuple[int, int, Made]]


def imported(name: str, catalogs: Catalogs, system: str, parts: Collection[str]) -> Imported:
    """The parts of a server in a project whose source system is `postgres`, `pglogical` or `bdr`.

    All parts are read, because one needs another. Raises Mistakes where that cannot be done for
    another reason than a statement of theirs.
    """
    wanted, left_out = _wanted(catalogs, system)
    version = min(catalogs.server.version, VERSIONS[-1])
    while True:
        texts = {
            part: _text(path_of(part, name), head_of(name), made) for part, made in wanted.items()
        }
        definitions, mistakes = _read(texts.values(), version)
        refused = _refused(texts.values(), mistakes)
        if "publications" in parts:
            refused |= _homeless(definitions, wanted["subscriptions"])
        if not refused:
            break
        refused |= _needing(refused, wanted)
        left_out += [
            LeftOut(one.kind, one.name, refused[one])
            for part in parts
            for one in wanted[part]
            if one in refused
        ]
        wanted = {
            part: [one for one in made if one not in refused] for part, made in wanted.items()
        }
    counts: dict[str, int] = {}
    never_sent = []
    for one in (one for part in parts for one in wanted[part]):
        counts[one.kind] = counts.get(one.kind, 0) + 1
        if one.kind in _NEVER_SENT:
            never_sent.append(LeftOut(one.kind, one.name, _NEVER_SENT[one.kind]))
    written = [texts[part] for part in parts]
    files = {text.source.path: text.source.text for text in written}
    empty = frozenset(text.source.path for text in written if not text.places)
    return Imported(files, empty, definitions, counts, left_out, never_sent)


def path_of(part: str, name: str) -> str:
    """Where in a project a part of a server stands."""
    return f"{part}/{path_name(name)}.sql"


def head_of(name: str) -> str:
    """What its files begin with."""
    return _HEAD.format(name=name)


def _wanted(catalogs: Catalogs, system: str) -> tuple[dict[str, Sequence[Made]], list[LeftOut]]:
    """The statements of each part; a project has the publications of one system."""
    theirs, others = ("publications", "sets") if system == "postgres" else ("sets", "publications")
    wanted = {part: catalogs.parts[theirs if part == "publications" else part] for part in PARTS}
    left_out = [LeftOut("catalogs of", *refused) for refused in catalogs.refused.items()]
    captures = [one for one in wanted["publications"] if _is_of_capture(one)]
    left_out += [LeftOut(one.kind, one.name, "a capture made it") for one in captures]
    without = {*captures, *_needing(captures, wanted)}
    wanted["publications"] = [one for one in wanted["publications"] if one not in without]
    elsewhere = (one for one in catalogs.parts[others] if one.kind != "member")
    why = f"the project's semantics are {system}"
    return wanted, left_out + [LeftOut(one.kind, one.name, why) for one in elsewhere]


def _is_of_capture(one: Made) -> bool:
    """Whether `capture --create` made it: its publication has tables whole, for all targets."""
    return one.kind == "publication" and one.name.startswith("filtersql_")


def _text(path: str, head: str, made: Iterable[Made]) -> _Text:
    pieces, places = [head, _PATH], []
    at = sum(map(len, pieces))
    for one in made:
        pieces += ["\n", one.text, "\n"]
        places.append((at + 1, at + 1 + len(one.text), one))
        at += len(one.text) + 2
    return _Text(Source(path, "".join(pieces)), places)


def _read(texts: Iterable[_Text], version: int) -> tuple[Definitions, list[Mistake]]:
    drafts = Drafts(mistakes=[], postgres_version=version)
    for text in texts:
        read_sql(text.source.passage(), drafts)
    definitions = finish(drafts)
    return definitions, [*drafts.mistakes, *check_generations(definitions.catalog, version)]


def _refused(texts: Iterable[_Text], mistakes: Sequence[Mistake]) -> dict[Made, str]:
    """The statements that mistakes are about, each with the first of them."""
    refused: dict[Made, str] = {}
    known = {text.source.path: text.places for text in texts}
    for mistake in mistakes:
        at = mistake.span
        places = known[at.source.path] if at is not None else ()
        one = next((made for start, end, made in places if at and start <= at.start < end), None)
        if one is None:
            raise Mistakes(mistakes)
        refused.setdefault(one, mistake.message)
    return refused


def _needing(refused: Iterable[Made], wanted: Mapping[str, Sequence[Made]]) -> dict[Made, str]:
    """What cannot be there without the refused.

    A table without what makes it a partition, or identifies its rows, would be another one.
    """
    found = dict.fromkeys(refused, "")
    gone: set[str] = set()
    while True:
        gone |= {f"{one.kind} {one.name}" for one in found}
        gone |= {one.name for one in found if one.kind in _TABLES}
        gone |= {one.needs[0] for one in found if one.kind in _OF_TABLES}
        more = {
            one: f"{without[0]} is left out"
            for made in wanted.values()
            for one in made
            if one not in found and (without := [name for name in _named(one) if name in gone])
        }
        if not more:
            return {one: why for one, why in found.items() if why}
        found |= more


def _named(one: Made) -> tuple[str, ...]:
    return (one.name, *one.needs) if one.kind in _TABLES else one.needs


def _homeless(definitions: Definitions, subscriptions: Iterable[Made]) -> dict[Made, str]:
    """The subscriptions to what another server publishes."""
    elsewhere = {
        name
        for name, each in definitions.subscriptions.items()
        if any(one not in definitions.publications for one, _ in each.publications)
        or any(one not in definitions.replication_sets for one, _ in each.replication_sets)
    }
    why = "another server publishes what it subscribes to; see --only"
    return {one: why for one in subscriptions if _plain(one.name) in elsewhere}


def _plain(name: str) -> str:
    return name[1:-1].replace('""', '"') if name[:1] == '"' else name
