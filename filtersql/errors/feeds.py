"""Mistakes in a change feed or in a file of source rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from filtersql.errors import Mistake, nearest
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = [
    "AmbiguousValue",
    "ContradictingReplay",
    "DisorderedFiles",
    "FeedGap",
    "FeedHidesChanges",
    "FeedHidesOperations",
    "FeedOfOneTable",
    "IncompleteImage",
    "IncompleteTransaction",
    "InterleavedTransaction",
    "LateLoad",
    "LeafTruncate",
    "LostBeginning",
    "MissingImage",
    "NoFeedFiles",
    "NotOfThisFormat",
    "NullInNotNull",
    "PartitionedRelation",
    "RepeatedRow",
    "TooManyFeedMistakes",
    "TornLine",
    "UnchangedMisplaced",
    "UnknownFeedColumn",
    "UnknownFeedRelation",
    "UnknownOperation",
    "UnreadableCommit",
    "UnreadableEvent",
    "UnreadableFeedFile",
    "UnreadableLine",
    "UnstorableType",
    "UnstorableValue",
    "UntoldType",
]


def _names(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


class NoFeedFiles(Mistake):
    """The path of a feed or source matches no file."""

    def __init__(self, path: str, span: Span | None) -> None:
        super().__init__(
            f'no file matches "{path}"',
            span=span,
            hint="The path is relative to the project. An empty file is accepted.",
        )


class UnreadableFeedFile(Mistake):
    """A file cannot be opened or decompressed."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f'could not read "{path}"', detail=f"{reason}.")


class UnreadableLine(Mistake):
    """A line is not JSON, or not a change."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(
            "line is not a change record",
            span=span,
            detail=f"{reason[:1].upper()}{reason[1:]}.",
            hint="A change is one JSON object on one line, with seq, op, relation, before, after.",
        )


class UnreadableEvent(Mistake):
    """A line is not what its format writes."""

    def __init__(self, form: str, reason: str, span: Span, hint: str | None = None) -> None:
        super().__init__(
            f"line is not a change that {form} writes",
            span=span,
            detail=f"{reason[:1].upper()}{reason[1:]}.",
            hint=hint,
        )


class TornLine(Mistake):
    """The last line of a file ends in the middle of a record."""

    def __init__(self, span: Span) -> None:
        super().__init__(
            "last line of the file is torn",
            span=span,
            detail="The file ends in the middle of a record.",
            hint="Wait until the file is written completely, or remove the torn line.",
        )


class UnknownOperation(Mistake):
    """`op` is none of those that exist."""

    def __init__(self, operation: str, known: Sequence[str], span: Span) -> None:
        close = nearest(operation, known)
        super().__init__(
            f'unknown op "{operation}"',
            span=span,
            hint=f'Perhaps "{close}" is meant.' if close else f"An op is one of {_names(known)}.",
        )


class UnknownFeedRelation(Mistake):
    """A change names a table that the project does not define."""

    def __init__(self, relation: str, known: Iterable[str], span: Span) -> None:
        close = nearest(relation, known)
        super().__init__(
            f'change for unknown table "{relation}"',
            span=span,
            detail="No file of the project defines it.",
            hint=f'Perhaps "{close}" is meant.' if close else "Define the table under tables/.",
        )


class UnknownFeedColumn(Mistake):
    """An image holds a column that its table does not have."""

    def __init__(self, column: str, table: RelationName, known: Iterable[str], span: Span) -> None:
        close = nearest(column, known)
        super().__init__(
            f'column "{column}" of table "{table}" does not exist',
            span=span,
            hint=f'Perhaps "{close}" is meant.'
            if close
            else "Add the column to the table's definition, or remove it from the feed.",
        )


class MissingImage(Mistake):
    """The operation needs a row image that the change does not have."""

    def __init__(self, operation: str, image: str, table: RelationName, span: Span) -> None:
        super().__init__(
            f'{operation} on table "{table}" has no "{image}"',
            span=span,
            detail=None
            if image == "after"
            else "Without the old row it is not known which row is gone.",
        )


class IncompleteImage(Mistake):
    """A row image lacks columns that it must hold."""

    def __init__(
        self, operation: str, image: str, columns: Sequence[str], table: RelationName, span: Span
    ) -> None:
        if image == "before":
            detail = "An old row holds at least the columns of the replica identity."
        else:
            detail = 'A new row holds every column that is not listed in "unchanged".'
        super().__init__(
            f'"{image}" of {operation} on table "{table}" lacks {_names(columns)}',
            span=span,
            detail=detail,
        )


class UnchangedMisplaced(Mistake):
    """`unchanged` names a column that cannot be unchanged here."""

    def __init__(self, column: str, reason: str, span: Span) -> None:
        super().__init__(
            f'column "{column}" cannot be listed in "unchanged"', span=span, detail=reason
        )


class NullInNotNull(Mistake):
    """NULL for a column that is NOT NULL."""

    def __init__(self, column: str, image: str, table: RelationName, span: Span) -> None:
        super().__init__(
            f'null value in column "{column}" of table "{table}" violates not-null constraint',
            span=span,
            detail=f'The null stands in "{image}".',
        )


class UnstorableValue(Mistake):
    """A value does not fit its PostgreSQL type, or the type in which the target stores it."""

    def __init__(
        self, column: str, table: RelationName, reason: str, span: Span, *, is_held: bool
    ) -> None:
        hint = "" if is_held else "With `target_type: string` a column keeps PostgreSQL's text."
        super().__init__(f'column "{column}" of table "{table}": {reason}', span=span, hint=hint)


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


class AmbiguousValue(Mistake):
    """A value for which the feed writes the same as for another one."""

    def __init__(
        self, column: str, table: RelationName, form: str, means: str, remedy: str, span: Span
    ) -> None:
        super().__init__(
            f'column "{column}" of table "{table}": the value is not known',
            span=span,
            detail=f"{form} writes the same for {means}.",
            hint=remedy,
        )


class RepeatedRow(Mistake):
    """A change that may be one that was sent twice, or another one of an equal row."""

    def __init__(self, table: RelationName, span: Span) -> None:
        super().__init__(
            f'change of table "{table}" is there twice, or two rows are alike',
            span=span,
            detail="The table has no key, and both changes have the same log position.",
            hint="Set provide.transaction.metadata to true in Debezium.",
        )


class IncompleteTransaction(Mistake):
    """The end of a transaction tells more changes than were found."""

    def __init__(self, tx: str, table: str, found: int, told: int, span: Span) -> None:
        super().__init__(
            f"transaction {tx} is incomplete",
            span=span,
            detail=f'It changed {told} rows of table "{table}"; {found} changes are in the feed.',
            hint="Run when the files of all tables are written.",
        )


class LostBeginning(Mistake):
    """A transaction up to the position of a target goes on; its beginning is not there any more."""

    def __init__(self, seq: int, hint: str) -> None:
        super().__init__(
            f"the transaction at seq {seq} goes on, but its beginning is no longer in the feed",
            detail="Changes in it are numbered from its first one.",
            hint=hint,
        )


class LateLoad(Mistake):
    """A file of a full load that comes when changes were applied already."""

    def __init__(self, shown: str) -> None:
        super().__init__(
            f"{shown} is a full load, and changes were applied already",
            detail="Its rows belong before all changes.",
            hint="Run with --full-refresh.",
        )


class DisorderedFiles(Mistake):
    """The sequence column goes back from one change of a table to the next."""

    def __init__(self, table: RelationName, span: Span) -> None:
        super().__init__(
            f'changes of table "{table}" are not in the order of the sequence column',
            span=span,
            detail="DMS writes a table's changes in the order of commits.",
        )


class FeedHidesChanges(Mistake):
    """A feed in which updates and deletes of a table are not there at all."""

    def __init__(self, form: str, table: RelationName, span: Span) -> None:
        super().__init__(
            f'{form} writes no update and no delete of table "{table}"',
            span=span,
            detail="The table has no replica identity.",
            hint="Set one with ALTER TABLE, or publish inserts only.",
        )


class UntoldType(Mistake):
    """A feed in which values of a type are not written exactly."""

    def __init__(
        self, form: str, table: RelationName, column: str, pg_type: str, span: Span
    ) -> None:
        super().__init__(
            f'column "{column}" of table "{table}": {form} does not write values of type'
            f" {pg_type.removeprefix('_')}{'[]' if pg_type.startswith('_') else ''} exactly",
            span=span,
            hint="Leave the column out with a column list, or use another feed.",
        )


class NotOfThisFormat(Mistake):
    """A key of `changes` that its format does not have."""

    def __init__(self, key: str, form: str, span: Span) -> None:
        super().__init__(f'"{key}" is no key of feed format "{form}"', span=span)


class UnreadableCommit(Mistake):
    """A commit of a lakehouse table that cannot be read as changes of rows."""

    def __init__(self, shown: str, reason: str) -> None:
        super().__init__(
            f"{shown} cannot be read as changes",
            detail=f"{reason[:1].upper()}{reason[1:]}.",
        )


class FeedOfOneTable(Mistake):
    """A feed whose seq counts the commits of one table, for several."""

    def __init__(self, form: str, subscription: str, count: int, span: Span) -> None:
        super().__init__(
            f'a {form} feed serves one table; subscription "{subscription}" has {count}',
            span=span,
            detail="Its seq counts the commits of one table and says nothing of another's.",
            hint="Make one subscription of each table.",
        )


class FeedHidesOperations(Mistake):
    """A target whose rows depend on what the feed does not tell."""

    def __init__(
        self, form: str, table: RelationName, needs: str, span: Span, remedy: str | None = None
    ) -> None:
        super().__init__(
            f'the {form} feed does not tell what table "{table}" needs',
            span=span,
            detail=needs,
            hint=remedy,
        )


class PartitionedRelation(Mistake):
    """A row change of a partitioned table, which holds no rows."""

    def __init__(self, table: RelationName, span: Span) -> None:
        super().__init__(
            f'change of a row of partitioned table "{table}"',
            span=span,
            detail="Rows are written to its partitions; a change names the partition.",
        )


class LeafTruncate(Mistake):
    """A leaf's TRUNCATE under via_partition_root, which looks the same as the root's."""

    def __init__(self, leaf: RelationName, published: RelationName, span: Span) -> None:
        super().__init__(
            f'truncate of partition "{leaf}" does not say whether "{published}" was truncated',
            span=span,
            detail=f'Its changes are published as "{published}", whose TRUNCATE is recorded alike.',
            hint='Record "relations": all tables that the statement truncated, parents included.',
        )


class ContradictingReplay(Mistake):
    """One seq stands for two different changes."""

    def __init__(self, seq: int, span: Span) -> None:
        super().__init__(
            f"seq {seq} was used before for another change",
            span=span,
            hint="A seq is never reused; a replayed change repeats its record.",
        )


class InterleavedTransaction(Mistake):
    """The changes of a transaction are not contiguous in seq."""

    def __init__(self, tx: str, seq: int, span: Span | None) -> None:
        super().__init__(
            f'transaction "{tx}" interleaves with another one at seq {seq}',
            span=span,
            detail="The changes of one transaction are contiguous in seq.",
        )


class FeedGap(Mistake):
    """`prev_seq` names a change that was never seen."""

    def __init__(self, seq: int, prev_seq: int, last: int, span: Span | None) -> None:
        super().__init__(
            f"changes are missing before seq {seq}",
            span=span,
            detail=f"The change follows seq {prev_seq}; the last one known is {last}.",
        )


class TooManyFeedMistakes(Mistake):
    """Reading stopped because the list of mistakes got long."""

    def __init__(self, count: int) -> None:
        super().__init__(f"reading stopped after {count} mistakes")
