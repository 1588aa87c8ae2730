"""Mistakes of an audit: what cannot be compared, and why."""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording, meant

INTERRUPTED = Wording(
    'target of "{name}" was left by an interrupted run', hint="Finish it with filtersql run."
)
NOTHING_TO_COMPARE = Wording(
    'there is nothing to compare the target of "{name}" with',
    detail="The subscription names neither a source nor changes.",
    hint='Say where the published tables are: source: "{{catalog}}.{{schema}}.{{table}}".',
)
NOT_COMPARABLE = Wording(
    'target of "{name}" cannot be compared with its source',
    detail="Actions are filtered differently, so whether a row is held hangs on the changes that "
    "came, not on the row alone.",
    hint="Publish insert, update and delete under the same filters. What runs is proved by "
    "filtersql check.",
)
# Which rows stayed, or were not there to be updated, nothing tells any more.
ROWS_STAY = Wording(
    'target of "{name}" cannot be compared with its source: they differ in {count:row|rows}',
    detail="An UPDATE is judged by its new row alone and a DELETE by its key, as the source system "
    "does: a row that leaves the filter stays, and one that enters may be missing.",
    hint="What runs is proved by filtersql check. Where another hand wrote to the target, copy it "
    "again: filtersql run --resync {table}.",
)
# A target was filled from a source that its subscription does not name any more.
SOURCE_LEFT_OUT = Wording(
    'target of "{name}" was copied from a source, and its subscription copies none any more',
    detail="The feed does not hold the rows that were there before its first change.",
    hint="Name the source again, without copy_data: false, or copy the table from another one: "
    "filtersql run --resync {table}.",
)
# The source holds more changes than the target. How that gets them depends on who asks: a run
# refuses a definition that changed, and rows that would enter by a later clock.
SOURCE_AHEAD = Wording(
    'source of "{name}" holds the changes up to seq {holds}, its target stands {stands}',
    hint="Bring the target to seq {holds} with {way}, copy the table again with filtersql run "
    "--resync {table}, or name an older source.",
)
# A plan or an audit asks a table of which a run has not made the target.
LOOKED_UP_MISSING = Wording(
    'the row filter of "{name}" looks up table "{looked_up}", which has no target yet',
    hint="Fill it first with filtersql run --select {selector}.",
)
FEED_TOO_SHORT = Wording(
    'feed of "{name}" no longer holds all changes that were applied to its target',
    detail="Changes up to seq {needed} are missing, and the source does not hold them.",
    hint="Name a source that holds the changes up to seq {needed} or a later one: source: {{…, "
    "seq: {needed}}}.",
)
# A changed definition is planned for a target whose last run was killed.
UNFINISHED_CHANGE = Wording(
    'target of "{name}" was left by an interrupted run, and its definition changed since',
    hint="Finish it with filtersql run under the earlier definition, or copy the table again: "
    "filtersql run --resync {table}.",
)
# A target holds rows that its definition in force does not explain.
CHANGED_BY_HAND = Wording(
    'target {target} of "{name}" is not as its definition in force left it',
    detail="{count:row was|rows were} changed by another hand, or by a conflict that a run met, or "
    "would be by a change that stands in quarantine.",
    hint="Look with filtersql audit under the earlier definition and mend it with --repair, or "
    "copy the table again: filtersql run --resync {table}. What stands in quarantine is judged by "
    "the new filter with filtersql run --accept-filter-change --release.",
)
# The same where the source system leaves rows itself: a repair is refused there, too.
ROWS_STAYED = Wording(
    'target {target} of "{name}" holds what its definition in force does not explain: '
    "{count:row|rows}",
    detail="An UPDATE is judged by its new row alone and a DELETE by its key, as the source system "
    "does: a row that leaves the filter stays, and one that enters may be missing.",
    hint="Copy the table again under the new filter: filtersql run --resync {table}. Only new "
    "changes are judged by it with filtersql run --accept-filter-change.",
)
# A repair did not mend everything.
STILL_DIFFERS = Wording(
    '{count} rows of the target of "{name}" differ after the repair',
    detail="Another process may have written to the target.",
)
REPEATED_KEYS = Wording(
    'target {target} of "{name}" holds several rows with the same key ({key:listed})',
    detail="{count:key is|keys are} not unique.",
    hint="Something else has written to it. Fill it anew: filtersql run --resync {table}.",
)
# No selected target exists that filtersql does not know.
NOT_ADOPTED = Wording('nothing was adopted: target of "{name}" is not what its source gives')
NOTHING_TO_ADOPT = Wording(
    "there is no target to adopt", detail="No selected target exists that filtersql did not make."
)
# `held` and `wanted` are lists of columns with their types.
OTHER_COLUMNS = Wording(
    'target {target} of "{name}" has other columns than its definition',
    detail="It has {held}; defined are {wanted}.",
    hint="The target holds exactly the published columns, in the table's order.",
)


class UnknownTable(Mistake):
    """A table that is to be copied again is not among the selected targets."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        targets = list(known)
        names = [*targets, *(target.removeprefix("public.") for target in targets)]
        super().__init__(
            f'no selected target holds table "{name}"',
            detail=f"They hold {', '.join(targets)}." if targets else None,
            hint=meant(name, names),
        )
