"""Mistakes of `capture`: tables, publication and slot of a live source, and what was captured."""

from __future__ import annotations

from functools import partial

from filtersql.errors.wording import Wording

_outside = partial(Wording, exit_code=2)

#: the way on where the chain of files cannot go on
_ANEW = (
    'What was captured stays valid up to there. "filtersql capture {source} --drop", then '
    '"filtersql capture {source} --create --until-current" begin anew, and "filtersql run '
    '--full-refresh" fills the targets from there.'
)

#: the way on where the server's tables are others
_TAKEN_OVER = (
    '"filtersql run" applies what was captured before; "filtersql import {source} --force" takes '
    'the table over; "filtersql capture {source}" goes on.'
)

#: what ends it where the log tells of a table as the server has it no more
_OUTLIVED = (
    ' Where that is refused again, a table was otherwise only for a while: "filtersql capture '
    '{source} --drop", then "filtersql capture {source} --create --until-current" begin anew, and '
    '"filtersql run --full-refresh" fills the targets from there.'
)

NOTHING_TO_CAPTURE = Wording(
    'no subscription reads changes of source "{source}"',
    hint="A subscription says so: source: {{postgres: {source}}}, changes: {{postgres: {source}}}.",
)
NO_SUCH_ROWS = Wording(
    'no target is copied from a table "{table}" of source "{source}"',
    hint="--rows takes names of tables, with * for any letters; those are {known:listed}.",
)
NOT_FILLED = Wording(
    'target "{name}" is not filled yet, and needs what was captured',
    hint='"filtersql run" fills it; so for each output whose targets read these files.',
)
NOT_CREATED = Wording(
    'source "{source}" has no slot of this project yet',
    hint='"filtersql capture {source} --create" makes publication and slot, and copies the rows.',
)
ALREADY_CAPTURING = Wording(
    'another process captures source "{source}" at this moment',
    detail="It holds a lock on {folder}.",
)
SLOT_EXISTS = Wording(
    'replication slot "{slot}" of source "{source}" exists, but not by what this project knows',
    detail="Another checkout of the project may be capturing with it.",
    hint="If nobody needs it: SELECT pg_drop_replication_slot('{slot}');",
)
PUBLICATION_UNFIT = Wording(
    'publication "{publication}" of source "{source}" {reason}',
    hint="Who owns it: {statement}",
)
PUBLICATION_REFUSED = _outside(
    'source "{source}" refused to make or change publication "{publication}"',
    detail="{reason:sentence}",
    hint="The tables' owner may make it once: {statement}",
)
SLOT_REFUSED = _outside(
    'source "{source}" refused to make replication slot "{slot}"',
    detail="{reason:sentence}",
    hint="The role needs REPLICATION; the server wal_level = logical and a free slot "
    "(max_replication_slots).",
)
SLOT_GONE = Wording(
    'replication slot "{slot}" of source "{source}" is gone',
    detail="Changes since {position} cannot be read any more.",
    hint=_ANEW,
)
SLOT_LOST = Wording(
    'replication slot "{slot}" of source "{source}" is gone, or was invalidated',
    detail="The log that it needs was removed: max_slot_wal_keep_size, or another limit.",
    hint=_ANEW,
)
OTHER_SERVER = Wording(
    'source "{source}" is another server than the one that was captured',
    detail="Its system identifier is {found}, and was {known}.",
    hint="Let the dsn name the server that was captured. If that one is gone for good: " + _ANEW,
)
OTHER_TIMELINE = Wording(
    'source "{source}" went over to timeline {found}; {known} was captured',
    detail="A standby was promoted, or a backup restored: what was captured last may not have "
    "happened on this timeline.",
    hint=_ANEW,
)
RESTORED = Wording(
    'source "{source}" was restored to an earlier time',
    detail="{reason}",
    hint=_ANEW,
)
GAP = Wording(
    'changes of source "{source}" are missing: its slot went on to {slot_at}, the files to {ours}',
    detail="Files were removed, or another process read the slot.",
    hint=_ANEW,
)
TABLE_GONE = Wording(
    'table "{table}" does not exist on source "{source}"',
    hint='Compare the names, or take them over: "filtersql import {source} --force".',
)
TABLE_UNKNOWN = Wording(
    'source "{source}" sends changes of table "{table}", which the project does not define',
    detail="A table was renamed, or a partition added. Nothing is lost: the slot waits.",
    hint=_TAKEN_OVER + _OUTLIVED,
)
TABLE_ELSEWHERE = Wording(
    'table "{table}" of source "{source}" stands elsewhere in a partition tree than in the project',
    detail="It was attached or detached, or joined the publication by hand. Nothing is lost: the "
    "slot waits.",
    hint='"filtersql import {source} --force" takes the table over, and "filtersql capture '
    '{source}" goes on; "filtersql run" says which targets are to be copied again.',
)
TABLE_CHANGED = Wording(
    'table "{table}" of source "{source}" is not what the project says',
    detail="{difference} Nothing is lost: the slot waits.",
    hint='"filtersql run" applies what was captured before; "filtersql import {source} --force" '
    'takes the table over; "filtersql capture {source} --until-current --rows {table}" takes its '
    'rows again and goes on, "filtersql run --resync {table}" copies them.' + _OUTLIVED,
)
OLD_ROWS_TOO_SMALL = Wording(
    'old rows of table "{table}" of source "{source}" lack {columns:quoted}',
    detail="The project counts on them: its filters read them, or its replica identity has them.",
    hint="Who owns it: ALTER TABLE {table} REPLICA IDENTITY FULL; what was logged "
    "before lacks them still." + _OUTLIVED,
)
TABLE_LACKING = Wording(
    'publication "{publication}" of source "{source}" lacks table "{table}"',
    detail="The project reads its changes.",
    hint='If it is new here, or was taken out for a while: "filtersql capture {source} '
    '--until-current --rows {rows}" adds it and copies its rows; a target that has older ones is '
    "filled anew: run --resync. If it was detached or renamed: filtersql run, then filtersql "
    "import {source} --force. If it is gone from the server, take it out of the project.",
)
# The same, of a table that the server does not have any more.
TABLE_LEFT = Wording(
    'publication "{publication}" of source "{source}" lacks table "{table}"',
    detail="The project reads its changes, and the server has no such table: it was dropped or "
    "renamed.",
    hint='"filtersql run" applies what was captured before; "filtersql import {source} --force" '
    'takes that over; "filtersql capture {source}" goes on.',
)
NO_IDENTITY = Wording(
    'table "{table}" of source "{source}" has no replica identity',
    detail="Once it is published, the server would refuse its updates and deletes.",
    hint="Who owns it: ALTER TABLE {table} REPLICA IDENTITY FULL; or give it a primary key.",
)
NOT_PGOUTPUT = _outside(
    'source "{source}" sent what is no message of pgoutput', detail="{reason:sentence}"
)
CANNOT_WRITE = Wording(
    'could not write "{path}"',
    detail="{reason:sentence} Nothing is lost: the slot keeps what was not written.",
    hint='Make room, or have it repaired; "filtersql capture {source}" goes on.',
)
