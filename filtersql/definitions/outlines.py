"""What a YAML file says of each name, as one hash, and which names it binds together.

Example
    =========================================== ======================= =====================
    written                                     outline                 names
    =========================================== ======================= =====================
    `- {name: t1, columns: …}`                  table public.t1         –
    `- {name: t2, partition_of: t1, …}`         table public.t2         public.t1
    `- {name: p1, tables: [{name: t1, …}, t3]}` publication p1, with    public.t1, public.t3
                                                a hash for each entry
    `- {name: s1, publications: [p1]}`          subscription s1         p1
    =========================================== ======================= =====================

A hash covers the whole lines on which something is written, and their place: everything that a
statement, the manifest or a message may say of it. Where a line may mean what others say (YAML's
aliases, Jinja), it covers the whole file. What may read anything of other files `binds_all`: SQL,
whose statements follow each other, publications of all tables or of schemas, filters that look
other tables up, and columns of types that are none of PostgreSQL's own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from hashlib import blake2b
from itertools import islice

from msgspec import Struct

from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.definitions.formats import FORMATS
from filtersql.definitions.model import Publication, PublishedTable, ReplicationSet, Subscription
from filtersql.definitions.yaml_document import Node
from filtersql.source import Passage

__all__ = ["FileOutline", "Name", "Outline", "checksum", "counted", "outlined"]

#: a kind (`tables`, `publications`, …) and a plain name, a table's with its schema
Name = tuple[str, ...]

_KINDS = ("tables", "publications", "replication_sets", "subscriptions")
#: what becomes an outline
_Record = DraftTable | Publication | ReplicationSet | Subscription


class Outline(Struct, frozen=True):
    """Something that a file defines.

    `names` are the tables of a publication or set, else what it names; `entries` are hashes, one
    for each table of a publication or set.
    """

    name: Name
    digest: bytes
    names: tuple[Name, ...] = ()
    entries: tuple[bytes, ...] = ()
    #: of a subscription: its tables are judged together
    binds_own: bool = False


class FileOutline(Struct, frozen=True):
    """What a file defines, in its order. `checksum` is of its text, as written and as rendered."""

    checksum: bytes
    outlines: tuple[Outline, ...] = ()
    binds_all: bool = False


def checksum(text: Passage) -> bytes:
    """The hash of a file: its path, its text on disk, and what Jinja made of it."""
    return _digest((text.source.path, text.source.text, text.text))


def counted(drafts: Drafts) -> dict[str, int]:
    """How many of each kind there are, before a file is read."""
    return {kind: len(getattr(drafts, kind)) for kind in (*_KINDS, "unit_tests", "notices")}


def outlined(text: Passage, root: Node, drafts: Drafts, before: dict[str, int]) -> FileOutline:
    """The outline of a YAML file that was just read without a mistake; `root` is its node."""
    lines, found = _Lines(text), list[Outline]()
    binds_all = len(drafts.notices) > before["notices"]
    for key, value in root.value if root is not None else ():
        if key.value == "tests":
            found += (
                Outline(("unit_tests", test.name), lines.whole, (("subscriptions", name),))
                for test in drafts.unit_tests[before["unit_tests"] :]
                if (name := test.subscription)
            )
            continue
        made = [*islice(getattr(drafts, key.value).values(), before[key.value], None)]
        items = value.value if isinstance(value.value, list) else []
        binds_all = binds_all or len(made) != len(items) or any(map(_binds_all, made))
        found += (_outline(record, item, lines) for record, item in zip(made, items, strict=False))
    return FileOutline(checksum(text), tuple(found), binds_all)


class _Lines:
    """The lines of a file, hashed with their place; the whole file's hash where that is safer."""

    def __init__(self, text: Passage) -> None:
        self.whole = checksum(text)
        self._path, self._text = text.source.path, text.text
        plain = text.text == text.source.text and ("*" not in text.text or "&" not in text.text)
        self._ends = [found.start() for found in re.finditer("\n", text.text)] if plain else None

    def digest(self, start: int, end: int, *others: tuple[int, int]) -> bytes:
        """The hash of the lines of some characters, their place, and other texts without theirs."""
        if self._ends is None:
            return self.whole
        end = start + len(self._text[start:end].rstrip())
        first, last = (bisect_right(self._ends, max(each, 0)) for each in (start - 1, end - 1))
        begin = self._ends[first - 1] + 1 if first else 0
        stop = self._ends[last] if last < len(self._ends) else len(self._text)
        place = f"{first} {start - begin}"
        pieces = (self._text[each[0] : each[1]].rstrip() for each in others)
        return _digest((self._path, place, self._text[begin:stop], *pieces))


def _outline(record: _Record, item: Node, lines: _Lines) -> Outline:
    start, end = item.start_mark.index, item.end_mark.index
    if isinstance(record, DraftTable):
        parents = [record.partition_of] if record.partition_of else []
        parents += [name for name, _ in record.inherits]
        parents += [key.references for key, _ in record.foreign_keys]
        above = tuple(("tables", *name) for name in parents)
        return Outline(("tables", *record.name), lines.digest(start, end), above)
    if isinstance(record, Subscription):
        sets = (("replication_sets", name) for name, _ in record.replication_sets)
        names = (*(("publications", name) for name, _ in record.publications), *sets)
        feed = record.changes
        own = bool(record.filters) or (feed is not None and FORMATS[feed.format].orders_one_table)
        return Outline(
            ("subscriptions", record.name), lines.digest(start, end), names, binds_own=own
        )
    kind = "publications" if isinstance(record, Publication) else "replication_sets"
    listed = next((value for key, value in item.value if key.value == "tables"), None)
    tables = tuple(("tables", *entry.name) for entry in record.tables)
    if listed is None or not isinstance(listed.value, list) or len(listed.value) != len(tables):
        digest = lines.digest(start, end)
        return Outline((kind, record.name), digest, tables, (digest,) * len(tables))
    around = (start, listed.start_mark.index), (listed.end_mark.index, end)
    entries = tuple(
        lines.digest(each.start_mark.index, each.end_mark.index) for each in listed.value
    )
    # Of the rest of it only the name's place is kept: a file without Jinja has the text's offsets.
    digest = lines.digest(record.span.start, record.span.end, *around)
    return Outline((kind, record.name), digest, tables, entries)


def _binds_all(record: _Record) -> bool:
    """Whether what it gives may hang on what it does not name."""
    if isinstance(record, DraftTable):
        columns = (record.columns or {}).values()
        return any(column.type.schema != "pg_catalog" for column in columns)
    if isinstance(record, Subscription):
        return bool(record.superset_of)
    if any(map(_looks_up, record.tables)):
        return True
    if isinstance(record, ReplicationSet):
        return bool(record.autoadd_tables)
    return record.all_tables or bool(record.schemas or record.except_tables)


def _looks_up(entry: PublishedTable) -> bool:
    """Whether a filter of it may hold a query: the word cannot be written otherwise."""
    texts = [each.text for each in (entry.where, *entry.filters.values()) if each is not None]
    return any("select" in text.casefold() for text in texts)


def _digest(parts: Iterable[str]) -> bytes:
    digest = blake2b(digest_size=16)
    for part in parts:
        content = part.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "big"))
        digest.update(content)
    return digest.digest()
