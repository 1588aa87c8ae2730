"""The files of a feed or a source, of this machine or of a store that the engine reads by a URL.

Example
    found = found_files(engine, "s3a://lake/changes/*.jsonl", root, span)
    files = fetched(engine, found, folder)      only those that are to be opened
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.errors.feeds import LATE_LOAD, NO_FEED_FILES, URL_NOT_READ
from filtersql.feeds.dms_rows import RANK_BITS, is_load_file, table_of
from filtersql.feeds.formats import Consumption, place_bits
from filtersql.feeds.held import Counted, Held, Seen
from filtersql.feeds.landings import Landing, lasts_of, places_of
from filtersql.feeds.lines import FeedFile, find_files
from filtersql.names import RelationName, is_url
from filtersql.run.spread_parts import new_folder
from filtersql.source import Span
from filtersql.targets.model import Engine

__all__ = ["Pending", "fetched", "found_files", "pending_files"]


def found_files(
    engine: Engine, pattern: str, root: Path, span: Span | None
) -> tuple[FeedFile, ...]:
    """The files that a glob or a URL with wildcards matches, in the order of their names.

    None at all is a mistake. Raises Mistakes.
    """
    if not is_url(pattern):
        return find_files(pattern, root, span)
    if engine.store is None:
        raise Mistakes([URL_NOT_READ(span, path=pattern)])
    found = sorted(engine.store.files(pattern))
    if not found:
        raise Mistakes([NO_FEED_FILES(span, path=pattern)])
    return tuple(FeedFile(Path(), *each) for each in found)


def fetched(engine: Engine, files: Sequence[FeedFile], folder: Path) -> tuple[FeedFile, ...]:
    """The same files on this machine: those of a store are copied into the folder."""
    far = [file for file in files if file.path == Path()]
    if not far or engine.store is None:
        return tuple(files)
    inside = new_folder(folder)
    copies = {
        file.shown: inside / f"{number}{Path(file.shown).suffix}" for number, file in enumerate(far)
    }
    engine.store.fetch(copies)
    return tuple(replace(file, path=copies.get(file.shown, file.path)) for file in files)


class Pending(Struct, frozen=True):
    """The files that have to be opened, and the changes of others that give numbers."""

    files: Sequence[FeedFile]
    counted: Counted


def pending_files(
    feed: Feed,
    files: Sequence[FeedFile],
    seen: Seen,
    landings: Sequence[Landing],
    going_on: Collection[tuple[RelationName, int]] = (),
) -> Pending:
    """Which files of a feed have to be opened. Raises Mistakes.

    `going_on` are tables and places of which an opened file has more rows, perhaps the same ones.
    """
    bits = place_bits(feed)
    known = {file.shown: seen[file.shown] for file in files if file.shown in seen}
    same = {
        file.shown for file in files
        if file.shown in known and known[file.shown][:2] == (file.size, file.modified)
    }  # fmt: skip
    passed = Consumption.of(feed, landings)
    consumed = {name for name in same if passed.covers(*known[name][2:])}
    if bits is None:
        places = [number for number, file in enumerate(files) if file.shown not in consumed]
        if feed.format == "wal2json" and places:
            # A transaction goes on in the files behind it.
            return Pending(files[places[0] :], {})
        return Pending([files[number] for number in places], {})
    if feed.format == "dms" and (late := [*_late_loads(files, known, same, landings)]):
        raise Mistakes(LATE_LOAD(shown=name) for name in late)
    if len(same) == len(files) and all(known[name][2] <= passed.lowest for name in same):
        return Pending([], {})  # nothing comes that needs a number
    # The numbers of a place are given by all of its files, or go on from those that were counted.
    opened = {(each.table, each.place) for name, each in _held(known) if name not in consumed}
    opened.update(going_on)
    reopened = {name for name, each in _held(known) if (each.table, each.place) in opened}
    consumed -= reopened
    counted: Counter[tuple[int, RelationName]] = Counter()
    gone = {name: one for name, one in seen.items() if name not in known}
    for name, each in (*_held(known), *_held(gone)):
        if (name in consumed or name in gone) and each.rows is not None:
            counted[each.place, each.table] += each.rows
    # What comes later gets later numbers, whatever its file is called.
    order = {path: number for number, path in enumerate(seen)}
    furthest = max(map(max, lasts_of(landings).values()), default=-1)
    if feed.format == "dms" and gone and furthest < 0:
        order = {}  # a file that was renamed does not come later
    pending = [file for file in files if file.shown not in consumed]
    return Pending(sorted(pending, key=lambda file: order.get(file.shown, len(order))), counted)


def _late_loads(
    files: Sequence[FeedFile], known: Seen, same: Collection[str], landings: Sequence[Landing]
) -> Iterator[str]:
    """Files of the full load of tables of which changes were applied; or that were loaded again."""
    read = places_of(landings, RANK_BITS)
    for name in (file.shown for file in files if is_load_file(file.shown)):
        at = read.get(table_of(name), -1)
        if name not in same and at >= (0 if name in known else 1):
            yield name


def _held(known: Seen) -> Iterator[tuple[str, Held]]:
    return ((name, each) for name, (*_, held) in known.items() for each in held or ())
