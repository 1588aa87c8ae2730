"""Mistakes of a run: the target does not allow it, or the changes cannot be applied."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording


class AnotherRun(Mistake):
    """Another run writes the same targets, or did so while this one was reading."""

    exit_code = 2

    def __init__(
        self, name: str, owner: Mapping[str, object], until: int | None, *, wrote: bool = False
    ) -> None:
        who = f'Process {owner.get("pid", "?")} on "{owner.get("host", "?")}"'
        if until is None:
            what = "Whatever this run wrote stays" if wrote else "This run wrote nothing"
            detail, hint = f"{who} was faster. {what}.", "Run again."
        else:
            ends = datetime.fromtimestamp(until, UTC).isoformat(timespec="seconds")
            detail = f"{who} is at work. This run wrote nothing."
            hint = f"Wait until it ends. If it has died, its lease ends at {ends} without it."
        super().__init__(
            f'another run has the targets of subscription "{name}"', detail=detail, hint=hint
        )


# A table joins a subscription, and what would be copied is not what its system would copy.
OLDER_ROWS = Wording(
    '"{name}" joins its subscription, and the rows to copy are older than the {op} at seq '
    "{unsent}, which may not be published",
    detail="The rows stand at seq {holds}, the subscription was read to seq {last}; the source "
    "system copies the rows as they are when a table joins.",
    hint="Take the rows again: filtersql capture SOURCE --rows {table}, or a source with a later "
    "seq.",
)
# A statement makes a subscription, and no `defaults` say what it reads: nothing would ever come.
NOTHING_TO_READ = Wording(
    'subscription "{name}" names neither changes nor a source to copy',
    hint="Say them under defaults: in filtersql_project.yml: "
    '{{changes: {{path: "changes/*.jsonl"}}}}.',
)
# A target lacks changes of files that were read for others, and are gone.
LOST_FILES = Wording(
    'feed of "{name}" no longer holds all changes of its table',
    detail='"{path}" was read for others and is gone; its changes are not in this target. Nothing '
    "was written.",
    hint="Put it back, or name a source that holds the changes up to seq {needed} or a later one: "
    "source: {{…, seq: {needed}}}. A table that began later has nothing to copy: copy_data: false.",
)
# The table of a lakehouse feed has no commit that was read last, or another identity.
OTHER_TABLE = Wording(
    "{shown} is not the table that was read last",
    detail="It was rolled back, or dropped and made again, or another one is named. Nothing was "
    "written.",
)
# A table of a live source was not captured for a while.
CAME_BACK = Wording(
    'changes of table "{table}" are missing for "{name}"',
    detail='It left the capture of source "{source}" and came back, or moved in a partition tree; '
    "what changed in between is in no file. Nothing was written.",
    hint='Copy its rows: {first}"filtersql run --resync {relation}".',
)
# Changes of a partition come as those of another table, once it is defined as one.
PARTITION_LEFT = Wording(
    'changes of table "{leaf}" are pending for "{name}", which were those of its partition',
    detail="It is defined as none of its partitions any more. Nothing was written.",
    hint='Copy its rows: "filtersql capture {source} --until-current --rows {table}", then '
    '"filtersql run --resync {table}".',
)
# The compiled filter is not the one under which the target was filled.
CHANGED_FILTER = Wording(
    '{what} of "{name}" changed since the last run',
    detail="The target holds the rows of the earlier definition.",
    hint="Look at what it moves with filtersql plan, and move it with filtersql apply; "
    "with --accept-filter-change the run goes on as PostgreSQL does: "
    "nothing is sent again, and rows that no longer match stay. run --resync copies them again.",
)
# A plan deletes more rows than was allowed.
TOO_MANY_DELETES = Wording(
    "the plan deletes {count:row|rows}{where}, and {allowed} are allowed",
    hint="Look at it with filtersql plan; --max-deletes allows more.",
)
# A target exists that filtersql did not make.
FOREIGN_TARGET = Wording(
    'target "{target}" of "{name}" exists and was not made by filtersql',
    hint="Take it over with run --adopt --at SEQ, name another target, or drop it.",
)
# A table or its schema was renamed, or its subscription: the target is known by the earlier name.
OTHERS_TARGET = Wording(
    'target "{target}" of "{name}" exists and was made for "{other}"',
    hint='Where that is its earlier name: {drop}, and "filtersql run" copies it anew; '
    "run --adopt --at SEQ keeps it. Else name another target.",
)
# The state knows a target that does not exist any more.
TARGET_GONE = Wording(
    'target "{target}" of "{name}" does not exist any more',
    detail="An earlier run filled it.",
    hint="Fill it again with run --full-refresh.",
)
# A change of definition was committed by a server behind what was written since.
LATE_CHANGE = Wording(
    'target {target} of "{name}" was changed late, by an apply that was given up',
    detail="The server went on with its statement when its client was gone.",
    hint="Copy the table again: filtersql run --resync {table}.",
)
# `differing` tells each column that a target or source lacks, or has of another type.
TARGET_COLUMNS = Wording(
    'target {target} of "{name}" has other columns than its definition',
    detail="{differing}",
    hint="Alter the target as the published table was altered, or copy it again with run --resync.",
)
# The same where the definition is not the one under which the target was filled.
CHANGED_COLUMNS = Wording(
    'target {target} of "{name}" has other columns than its definition',
    detail="{differing} The definition changed since the last run.",
    hint="Look at what it moves with filtersql plan, and move it with filtersql apply. Or alter "
    "the target as the published table was altered, or copy it again with run --resync.",
)
SOURCE_COLUMNS = Wording(
    'source {source} of "{name}" has other columns than its definition',
    detail="{differing}",
    hint="Name a view that casts them: a cast by the engine could change a value unseen.",
)
# A table of the engine holds a value in another form than feeds tell it; `printed` is None where
# it is no value at all.
SOURCE_TEXT = Wording(
    'source {source} of "{name}" holds "{text}" in column "{column}", '
    "which is not how PostgreSQL prints {kind}",
    detail='PostgreSQL prints "{printed}".',
    hint="Name a view that writes it so: filters and keys compare these texts.",
)
# The definition names another target than the one that was filled.
TARGET_MOVED = Wording(
    'target of "{name}" changed from {before} to {now}',
    hint="Fill the new target with run --full-refresh.",
)
# A run was asked for a table, but not for one that its row filter looks up.
LOOKUP_LEFT_OUT = Wording(
    'the row filter of "{name}" looks up table "{looked_up}", which this run leaves out',
    detail="Its rows are asked for as they stand at the boundary that the run reaches.",
    hint='Select "{looked_up}" too.',
)
NULL_FOR_NOT_NULL = Wording(
    'null value in column "{column}" of "{name}" violates not-null constraint',
    detail="{count:row has|rows have} it. Nothing was written.",
)
DUPLICATE_KEYS = Wording(
    'several rows of "{name}" have the same key ({key:listed})',
    detail="{count:key is|keys are} not unique. Nothing was written.",
)
# A compiled file does not hold its own source query exactly once.
UNREADABLE_STATEMENT = Wording('merge.sql of "{name}" does not hold its source query exactly once')
