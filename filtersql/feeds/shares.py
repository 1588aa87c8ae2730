"""What all are told who read a feed, or a portion of it: `Share`; of a source: `SourceShare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from filtersql.catalog import Catalog, Table
from filtersql.definitions.model import Feed
from filtersql.feeds.held import Counted
from filtersql.feeds.landings import Landing, lowest_position, lowest_reached
from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import Engine

__all__ = ["Share", "SourceShare"]


class Share(Struct, frozen=True):
    """A feed and its targets. `folder` takes what is staged: all who read must see it.

    `counted` are changes of files that are not opened again.
    """

    feed: Feed
    catalog: Catalog
    landings: Sequence[Landing]
    engine: Engine
    folder: Path
    counted: Counted = {}

    @property
    def start(self) -> int | None:
        """The position that all targets have passed; None where one stands before any change."""
        return lowest_position(self.landings)

    @property
    def lowest(self) -> int:
        """How far the feed was read for all targets; -1: one stands before any change."""
        return lowest_reached(self.landings)


class SourceShare(Struct, frozen=True):
    """The same for the rows of a source."""

    compiled: CompiledTable
    table: Table
    engine: Engine
    folder: Path
