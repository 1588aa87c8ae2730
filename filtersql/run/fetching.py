"""The files of a feed or a source, of this machine or of a store that the engine reads by a URL.

Example
    found = found_files(engine, "s3a://lake/changes/*.jsonl", root, span)
    files = fetched(engine, found, folder)      only those that are to be opened
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec.structs import replace

from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.errors.feeds import NO_FEED_FILES, URL_NOT_READ
from filtersql.feeds.formats import is_consumed, place_bits
from filtersql.feeds.landings import Landing
from filtersql.feeds.lines import FeedFile, find_files
from filtersql.names import is_url
from filtersql.source import Span
from filtersql.targets.model import Engine

__all__ = ["fetched", "found_files", "pending_files"]

#: a store answers several questions in the time of one
_AT_ONCE = 8


def found_files(
    engine: Engine, pattern: str, root: Path, span: Span | None
) -> tuple[FeedFile, ...]:
    """The files that a glob or a URL with wildcards matches, in the order of their names.

    None at all is a mistake. Raises Mistakes.
    """
    if not is_url(pattern):
        return find_files(pattern, root, span)
    if engine.cluster is None:
        raise Mistakes([URL_NOT_READ(span, path=pattern)])
    found = sorted(engine.cluster.files(pattern))
    if not found:
        raise Mistakes([NO_FEED_FILES(span, path=pattern)])
    return tuple(FeedFile(Path(), *each) for each in found)


def fetched(engine: Engine, files: Sequence[FeedFile], folder: Path) -> tuple[FeedFile, ...]:
    """The same files on this machine: those of a store are copied into the folder."""
    far = [file for file in files if file.path == Path()]
    if not far or engine.cluster is None:
        return tuple(files)
    inside = Path(tempfile.mkdtemp(prefix="fetched-", dir=folder))
    copies = {
        file.shown: inside / f"{number}{Path(file.shown).suffix}" for number, file in enumerate(far)
    }
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in pool.map(engine.cluster.fetch, copies, copies.values()):
            pass
    return tuple(replace(file, path=copies.get(file.shown, file.path)) for file in files)


def pending_files(
    feed: Feed,
    files: Sequence[FeedFile],
    seen: Mapping[str, tuple[int, int, int]],
    landings: Sequence[Landing],
) -> list[FeedFile]:
    """The files that have to be opened, of a feed of which some were `seen`."""

    def consumed(file: FeedFile) -> bool:
        known = seen.get(file.shown)
        same = known is not None and known[:2] == (file.size, file.modified)
        return same and known is not None and is_consumed(feed, known[2], landings)

    pending = [file for file in files if not consumed(file)]
    if place_bits(feed) is not None:
        # What comes later gets later numbers, whatever its file is called.
        order = {path: number for number, path in enumerate(seen)}
        pending.sort(key=lambda file: order.get(file.shown, len(order)))
    return pending
