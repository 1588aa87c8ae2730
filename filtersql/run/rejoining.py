"""A table that left a live source's capture and came back: `check_rejoined(…)`.

Example
    ==== ======================================= ==============================================
    seq                                          a target of the table
    ==== ======================================= ==============================================
    41   the last change that was captured       holds it
         the table leaves the publication        what is changed now is in no file
    42   it comes back, its rows are copied      is refused until it is filled from these rows
    ==== ======================================= ==============================================

    This is checked once the feed was read, as `capture` announces that a table comes back before it
    does. The same holds for a partition that leaves its tree: what it brought before that is looked
    for in the feed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.applying import CAME_BACK, PARTITION_LEFT
from filtersql.feeds.records import relation_of
from filtersql.names import RelationName
from filtersql.project.captured import captured_trees, changes_folder, joined_tables, trees_of
from filtersql.run.context import RunContext, TargetRun
from filtersql.run.feed_reading import FeedRead

__all__ = ["check_rejoined"]


def check_rejoined(context: RunContext, feed: FeedRead | None) -> None:
    """Raises Mistakes where targets lack changes that nobody captured, or that were a partition's.

    `feed` is what is pending.
    """
    changes = context.subscription.changes
    if changes is None or changes.postgres is None:
        return
    folder = changes_folder(context.inputs.root, changes.postgres).parent
    catalog, joined = context.inputs.catalog, joined_tables(folder)
    # What no capture has noticed yet: all that it has recorded was from before.
    captured = captured_trees(folder)
    gone = captured.difference(trees_of(catalog, catalog.tables) if captured else ())
    joined = {**dict.fromkeys(gone, sys.maxsize), **joined}
    mistakes = [
        _mistake(context, target, name, joined[name.path])
        for target in context.targets
        for name in _lacking(target, joined)
    ]
    mistakes += [
        PARTITION_LEFT(
            name=target.name, leaf=leaf, table=target.compiled.relation, source=changes.postgres
        )
        for target, leaf in _brought(context.targets, joined, feed)
    ]
    if mistakes:
        raise Mistakes(mistakes)


def _lacking(target: TargetRun, joined: Mapping[str, int | None]) -> Iterator[RelationName]:
    for name in target.compiled.sources:
        at = joined.get(name.path, -1)
        if at is None or target.standing.last < at:
            yield name


def _brought(
    targets: Sequence[TargetRun], joined: Mapping[str, int | None], feed: FeedRead | None
) -> Iterable[tuple[TargetRun, RelationName]]:
    """The tables with pending changes from before they left the tree of a target."""
    left = [
        (target, leaf, until)
        for target in targets
        for path, until in joined.items()
        for above, _, leaf in [path.partition("/")]
        if leaf and above == target.compiled.relation.path
        if leaf not in {name.path for name in target.compiled.sources}
        if until is not None and target.standing.last < until
    ]
    if not left or feed is None:
        return ()
    return {
        (target.name, table): (target, table)
        for _, change in feed.records([])
        if (table := relation_of(change)) is not None
        for target, leaf, until in left
        if leaf == table.path and target.standing.last < change.seq <= until
    }.values()


def _mistake(context: RunContext, target: TargetRun, name: RelationName, at: int | None) -> Mistake:
    feed, source = context.subscription.changes, context.subscription.source
    assert feed is not None
    table = target.compiled.relation
    rows = None if source is None else source.seq_of(table)
    copied = at is not None and rows is not None and rows >= at
    copying = f'"filtersql capture {feed.postgres} --until-current --rows {table}", then '
    return CAME_BACK(
        name=target.name,
        table=name,
        source=feed.postgres,
        first="" if copied else copying,
        relation=table,
    )
