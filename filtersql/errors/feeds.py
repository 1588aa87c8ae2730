"""Mistakes in a change feed or in a file of source rows."""

from __future__ import annotations

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording
from filtersql.names import RelationName
from filtersql.source import Span

_COLUMN_IS_NEW = (
    "Where a column is new, take the rows again (filtersql capture SOURCE --rows {table}, or a new "
    "source), and copy them: filtersql run --resync {table}."
)


NO_FEED_FILES = Wording(
    'no file matches "{path}"',
    hint="A path without a URL is relative to the project. An empty file is accepted.",
)
URL_NOT_READ = Wording(
    '"{path}" is a URL, and this output reads none',
    detail="Spark reads the files of a store.",
    hint="Take an output of type: spark, or name files of this machine.",
)
# A file that came in part, or not at all.
FILE_CHANGED = Wording(
    'file "{path}" was changed or removed while it was read',
    hint="Run it again.",
    exit_code=2,
)
UNREADABLE_FEED_FILE = Wording('could not read "{path}"', detail="{reason}.")
# A line is not JSON, or not a change.
UNREADABLE_LINE = Wording(
    "line is not a change record",
    detail="{reason:sentence}",
    hint="A change is one JSON object on one line, with seq, op, relation, before, after.",
)
# A line is not what its format writes.
UNREADABLE_EVENT = Wording("line is not a change that {form} writes", detail="{reason:sentence}")
TORN_LINE = Wording(
    "last line of the file is torn",
    detail="The file ends in the middle of a record.",
    hint="Wait until the file is written completely, or remove the torn line.",
)

UNKNOWN_OPERATION = Wording('unknown op "{operation}"', hint="An op is one of {known:quoted}.")

UNKNOWN_FEED_RELATION = Wording(
    'change for unknown table "{relation}"',
    detail="No file of the project defines it.",
    hint="Define the table under tables/.",
)


# An image holds a column that its table does not have.
UNKNOWN_FEED_COLUMN = Wording(
    'column "{column}" of table "{table}" does not exist',
    hint="Add the column to the table's definition, or remove it from the feed.",
)


NO_NEW_ROW = Wording('{operation} on table "{table}" has no "after"')
NO_OLD_ROW = Wording(
    '{operation} on table "{table}" has no "before"',
    detail="Without the old row it is not known which row is gone.",
)
INCOMPLETE_OLD_ROW = Wording(
    '"before" of {operation} on table "{table}" lacks {columns:quoted}',
    detail="An old row holds at least the columns of the replica identity.",
)
INCOMPLETE_NEW_ROW = Wording(
    '"after" of {operation} on table "{table}" lacks {columns:quoted}',
    detail='A new row holds every column that is not listed in "unchanged".',
    hint=_COLUMN_IS_NEW,
)
# `unchanged` names a column that cannot be unchanged here.
UNCHANGED_MISPLACED = Wording(
    'column "{column}" cannot be listed in "unchanged"', detail="{reason}"
)
NULL_IN_NOT_NULL = Wording(
    'null value in column "{column}" of table "{table}" violates not-null constraint',
    detail='The null stands in "{image}".',
)
# A value does not fit its PostgreSQL type, or the type in which the target stores it.
NOT_OF_ITS_TYPE = Wording('column "{column}" of table "{table}": {reason}')
UNSTORABLE_VALUE = Wording(
    'column "{column}" of table "{table}": {reason}',
    hint="With `target_type: string` a column keeps PostgreSQL's text.",
)


class UnstorableType(Mistake):
    """`target_type` asks for a type in which values of the column cannot be stored."""

    def __init__(self, pg_type: str, sql_type: str, of: str = "", span: Span | None = None) -> None:
        super().__init__(
            f"{of}values of type {pg_type} cannot be stored as {sql_type}",
            span=span,
            hint="Remove target_type, or name a type that holds the same values.",
        )
        self.types = pg_type, sql_type

    def of(self, column: str, table: RelationName, span: Span) -> UnstorableType:
        """The same, with the column that asks for it."""
        return UnstorableType(*self.types, f'column "{column}" of table "{table}": ', span)


# A value for which the feed writes the same as for another one.
AMBIGUOUS_VALUE = Wording(
    'column "{column}" of table "{table}": the value is not known',
    detail="{form} writes the same for {means}.",
    hint="{remedy}",
)
REPEATED_ROW = Wording(
    'change of table "{table}" is there twice, or two rows are alike',
    detail="The table has no key, and both changes have the same log position.",
    hint="Set provide.transaction.metadata to true in Debezium.",
)
# The end of a transaction tells more changes than were found.
INCOMPLETE_TRANSACTION = Wording(
    "transaction {tx} is incomplete",
    detail='It changed {told} rows of table "{table}"; {found} changes are in the feed.',
    hint="Run when the files of all tables are written.",
)
# A transaction up to the position of a target goes on.
LOST_BEGINNING = Wording(
    "the transaction at seq {seq} goes on, but its beginning is no longer in the feed",
    detail="Changes in it are numbered from its first one.",
)
LATE_LOAD = Wording(
    "{shown} is a full load, and changes were applied already",
    detail="Its rows belong before all changes.",
    hint="Run with --full-refresh.",
)
# A file of DMS was renamed or packed, or is another one of the same hundredth of a second.
READ_UNDER_ANOTHER_NAME = Wording(
    '{shown} may hold rows of table "{table}" that were read from "{path}"',
    detail="That file is gone, or holds less; DMS gives rows of one hundredth of a second no"
    " numbers. Nothing was written.",
    hint="Put it back under its name, or run with --full-refresh.",
)
READ_UNFINISHED = Wording(
    '"{path}" was read while its last line was still being written',
    detail="CSV does not tell: what stood of it was taken for a whole row.",
    hint="Run with --full-refresh, and put files there when they are whole.",
)
# A file of DMS grew behind a run, and others hold later changes of the same hundredth of a second.
ROW_BETWEEN = Wording(
    '{shown} has a change of table "{table}" that came late: a later one of "{path}" was read',
    detail="Changes of one hundredth of a second are numbered in their order. Nothing was written.",
    hint="Run with --full-refresh.",
)
# A partition's topic, for a root that was brought further by the topics of others.
LATE_CHANGE = Wording(
    'change of "{table}" came late: target {name} is beyond it already',
    detail="Changes of other tables of this target that came behind it were applied before its"
    " file was there.",
    hint="Where their changes come in one stream, such as one topic of one partition, none is"
    " late; to take it in now, run --full-refresh --select {name}.",
)
# Debezium sends a key's change as a delete and an insert, and one of these was in a later file.
PARTED_KEY_CHANGE = Wording(
    'a change of a key of "{table}" was read by halves',
    detail="An earlier run took its first half for a change of its own.",
    hint="Run with --full-refresh.",
)
SECOND_SNAPSHOT = Wording(
    'Debezium took another snapshot of table "{table}"',
    detail="What left the table since the one before is in no message. Nothing was written.",
    hint="Take away what was written before it, and run with --full-refresh.",
)
DISORDERED_FILES = Wording(
    'changes of table "{table}" are not in the order of the sequence column',
    detail="DMS writes a table's changes in the order of commits.",
)
# A feed in which updates and deletes of a table are not there at all.
FEED_HIDES_CHANGES = Wording(
    '{form} writes no update and no delete of table "{table}"',
    detail="The table has no replica identity.",
    hint="Set one with ALTER TABLE, or publish inserts only.",
)
UNTOLD_TYPE = Wording(
    'column "{column}" of table "{table}": {form} does not write values of type {pg_type} exactly',
    hint="Leave the column out with a column list, or use another feed.",
)
# A key of `changes` that its format does not have.
NOT_OF_THIS_FORMAT = Wording('"{key}" is no key of feed format "{form}"')
# A target whose rows depend on what the feed does not tell.
FEED_HIDES_OPERATIONS = Wording(
    'the {form} feed does not tell what table "{table}" needs', detail="{needs}"
)
# A row change of a partitioned table, which holds no rows.
PARTITIONED_RELATION = Wording(
    'change of a row of partitioned table "{table}"',
    detail="Rows are written to its partitions; a change names the partition.",
)
# A leaf's TRUNCATE under via_partition_root, which looks the same as the root's.
LEAF_TRUNCATE = Wording(
    'truncate of partition "{leaf}" does not say whether "{published}" was truncated',
    detail='Its changes are published as "{published}", whose TRUNCATE is recorded alike.',
    hint='Record "relations": all tables that the statement truncated, parents included. Of a '
    'captured source copy the table again: "filtersql capture SOURCE --rows {published}", then '
    '"filtersql run --resync {published}".',
)
CONTRADICTING_REPLAY = Wording(
    "seq {seq} was used before for another change",
    hint="A seq is never reused; a replayed change repeats its record.",
)
# The changes of a transaction are not contiguous in seq.
INTERLEAVED_TRANSACTION = Wording(
    'transaction "{tx}" interleaves with another one at seq {seq}',
    detail="The changes of one transaction are contiguous in seq.",
)
# `prev_seq` names a change that was never seen.
FEED_GAP = Wording(
    "changes are missing before seq {seq}",
    detail="The change follows seq {prev_seq}; the last one known is {last}.",
    hint="Put the files back, or take the source's rows again, at a later seq (of a live source: "
    "filtersql capture SOURCE --rows '*'), and copy them: filtersql run --full-refresh.",
)
TOO_MANY_FEED_MISTAKES = Wording("reading stopped after {count} mistakes")

# A line of a source is not JSON, or not a row.
UNREADABLE_ROW = Wording(
    "line is not a row",
    detail="{reason:sentence}",
    hint="A row is one JSON object on one line, with the columns of its table.",
)
INCOMPLETE_ROW = Wording(
    'row of table "{table}" lacks {columns:quoted}',
    detail="A row holds every column that the target keeps or a filter reads.",
    hint=_COLUMN_IS_NEW,
)
