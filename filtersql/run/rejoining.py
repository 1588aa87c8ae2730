"""A table that left a live source's capture and came back: `check_rejoined(…)`.

Example
    ==== ======================================= ==============================================
    seq                                          a target of the table
    ==== ======================================= ==============================================
    41   the last change that was captured       holds it
         the table leaves the publication        what is changed now is in no file
    42   it comes back, its rows are copied      is refused until it is filled from these rows
    ==== ======================================= ==============================================

    It is asked when the feed was read: `capture` says that a table comes back before it does. So
    it is with a partition that leaves its tree, whose captured changes were not all applied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.applying import CAME_BACK
from filtersql.names import RelationName
from filtersql.project.captured import changes_folder, joined_tables
from filtersql.run.context import RunContext, TargetRun

__all__ = ["check_rejoined"]


def check_rejoined(context: RunContext) -> None:
    """Raises Mistakes where targets lack changes that were made while nobody captured them."""
    feed = context.subscription.changes
    if feed is None or feed.postgres is None:
        return
    joined = joined_tables(changes_folder(context.inputs.root, feed.postgres).parent)
    mistakes = [
        _mistake(context, target, name, at)
        for target in context.targets
        for name, at in _lacking(target, joined)
    ]
    if mistakes:
        raise Mistakes(mistakes)


def _lacking(
    target: TargetRun, joined: Mapping[str, int | None]
) -> Iterator[tuple[RelationName, int | None]]:
    position = target.standing.position
    stands = -1 if position is None else position
    for name in target.compiled.sources:
        at = joined.get(name.path, -1)
        if at is None or stands < at:
            yield name, at
    # What a table brought before it left the tree is passed over once it is not defined there.
    tree, leaves = target.compiled.relation, {name.path for name in target.compiled.sources}
    for path, at in joined.items():
        above, _, leaf = path.partition("/")
        if leaf and leaf not in leaves and above == tree.path and -1 < stands < (at or 0):
            yield tree, at


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
