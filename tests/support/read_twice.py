"""A feed that is read in columns and line by line: what both tell is the same."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rows import staged_rows

from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.feeds import column_blocks, column_dispatch, debezium_columns, dms_columns, dms_rows
from filtersql.feeds import lines as feed_lines
from filtersql.feeds.changes import read
from filtersql.feeds.formats import open_files, placed_order
from filtersql.feeds.landings import Landing, Share
from filtersql.feeds.lines import find_files

__all__ = ["Reads"]


class Reads:
    """A feed that is read in two ways, and how many blocks were taken in columns."""

    def __init__(self, root: Path, feed: Feed, catalog: Any, tables: list[Any]) -> None:
        self.root, self.feed, self.catalog, self.tables = root, feed, catalog, tables
        (root / "staged").mkdir(exist_ok=True)
        self.taken = self.changes = 0

    def outcome(self, size: int | None, position: int | None = None) -> object:
        """All that a read tells, in chunks of so many bytes; None: line by line."""
        files = find_files(str(self.feed.path), self.root, None)
        newest = dict.fromkeys((name for one in self.tables for name in one.sources), position or 0)
        landings = [
            Landing(one, position, newest={} if position is None else newest) for one in self.tables
        ]
        with ExitStack() as patches:
            self._watch(patches, size)
            try:
                share = Share(self.feed, self.catalog, landings, "duckdb", self.root / "staged")
                opened = open_files(self.feed, self.catalog, files, landings)
                found = read(
                    opened.records, share,
                    closed=opened.closed, blocks=None if size is None else opened.blocks,
                    placed=placed_order(self.feed, landings),
                )  # fmt: skip
            except Mistakes as refused:
                return [(str(one), str(one.span), one.message) for one in refused.mistakes]
        staged = [(one.read, one.skipped, staged_rows(one.path)) for one in found.staged]
        told = (found.cut, found.last, found.total, found.unpublished, found.newest)
        seqs = [] if found.last is None else range(found.last - 3, found.last + 2)
        return told, staged, [found.boundary(seq) for seq in seqs], opened.last, opened.held

    def _watch(self, patches: ExitStack, size: int | None) -> None:
        for module in (debezium_columns, dms_columns):
            patches.enter_context(patch.object(module, "_FEWEST", 1))
        patches.enter_context(patch.object(column_blocks, "_MOST_MISSES", 10**6))
        if size is not None:
            patches.enter_context(patch.object(feed_lines, "_CHUNK_BYTES", size))
            patches.enter_context(patch.object(dms_rows, "_MOST_SIZE", size))
        take = column_dispatch.take_columns

        def counted(taker: Any, block: Any) -> int | None:
            found = take(taker, block)
            if found is not None:
                self.taken += 1
                self.changes += len(block.seq)
            return found

        patches.enter_context(patch("filtersql.feeds.intake.take_columns", counted))

    def compare(self, size: int, position: int | None = None) -> None:
        """Both ways tell the same."""
        assert self.outcome(size, position) == self.outcome(None, position)
