"""Whether a feed's format tells what a target needs: `untold(resolved, read)`.

Example
    ======================================== =========== ================================
    the target                               format      verdict
    ======================================== =========== ================================
    publishes updates, has no identity       wal2json    refused: they leave no trace
    publishes a column of type money         debezium    refused: its text is not sent
    ======================================== =========== ================================

A format is a value (`definitions.formats`); what is refused here is refused by `compile`, before a
change is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from filtersql.catalog import Catalog
from filtersql.definitions.formats import FORMATS
from filtersql.definitions.model import Action
from filtersql.errors import Mistake
from filtersql.errors.feeds import FeedHidesChanges, UntoldType
from filtersql.publications.identity import has_identity
from filtersql.publications.model import ResolvedTable

__all__ = ["untold"]


def untold(resolved: ResolvedTable, read: Collection[str], catalog: Catalog) -> Iterator[Mistake]:
    """What the format of a target's feed cannot tell; `read` are the columns of its filters."""
    feed = resolved.subscription.changes
    if feed is None:
        return
    form = FORMATS[feed.format]
    changing = {Action.UPDATE, Action.DELETE} & set(resolved.filters)
    if form.hides_unidentified and changing:
        for name in resolved.sources:
            if not has_identity(catalog.tables[name]):
                yield FeedHidesChanges(form.name, name, feed.span)
    needed = {column.name for column in resolved.columns} | set(read)
    for column in resolved.table.columns:
        kind = column.type
        if column.name in needed and form.tells is not None and kind.schema == "pg_catalog":
            known = form.elements if kind.is_array else form.tells
            if kind.name.removeprefix("_") not in known:
                yield UntoldType(form.name, resolved.table.name, column.name, kind.name, feed.span)
