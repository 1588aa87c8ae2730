"""A table that left a live source's capture and came back: `check_rejoined(…)`.

Example
    ==== ======================================= ==============================================
    seq                                          a target of the table
    ==== ======================================= ==============================================
    41   the last change that was captured       holds it
         the table leaves the publication        what is changed now is in no file
    42   it comes back, its rows are copied      is refused until it is filled from these rows
    ==== ======================================= ==============================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.applying import CAME_BACK
from filtersql.names import RelationName
from filtersql.run.context import RunContext, TargetRun

__all__ = ["check_rejoined"]


def check_rejoined(context: RunContext) -> None:
    """Raises Mistakes where targets lack changes that were made while nobody captured them."""
    feed = context.subscription.changes
    joined = {} if feed is None else feed.joined
    mistakes = [
        _mistake(context, target, name)
        for target in context.targets if joined
        for name in _lacking(target, joined)
    ]  # fmt: skip
    if mistakes:
        raise Mistakes(mistakes)


def _lacking(target: TargetRun, joined: Mapping[str, int | None]) -> Iterator[RelationName]:
    standing = target.standing
    if standing.entry is None and not standing.copy:
        return  # it has no rows, and is to have none of before
    stands = -1 if standing.position is None else standing.position
    for name in target.compiled.sources:
        at = joined.get(name.path, -1)
        if at is None or stands < at:
            yield name


def _mistake(context: RunContext, target: TargetRun, name: RelationName) -> Mistake:
    feed, source = context.subscription.changes, context.subscription.source
    assert feed is not None
    table = target.compiled.relation
    at, rows = feed.joined[name.path], None if source is None else source.seq_of(table)
    copied = at is not None and rows is not None and rows >= at
    copying = f'"filtersql capture {feed.postgres} --rows {table}", then '
    return CAME_BACK(
        name=target.name,
        table=name,
        source=feed.postgres,
        first="" if copied else copying,
        relation=table,
    )
