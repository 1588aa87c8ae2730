"""What replication sets and named rules refuse: pglogical, BDR and xDB."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from filtersql.errors import Mistake
from filtersql.errors.publications import perhaps, shown
from filtersql.names import RelationName, quote_identifier
from filtersql.source import Span

__all__ = [
    "AlreadyInSet",
    "BinaryFilter",
    "ColumnNotInTable",
    "ColumnsReserved",
    "FilterRuleDoesNotExist",
    "ListMissesKey",
    "ModulusBeside",
    "NamedFiltersNeedProfile",
    "NeedsFullIdentity",
    "SameRuleTwice",
    "SetExists",
    "SetHoldsKeyless",
    "SetNeedsPrimaryKey",
    "SetNotFound",
    "SetTakesNone",
    "SetsNeedProfile",
    "SeveralFilters",
    "TableNotPublished",
    "UnloggedInSet",
    "UnusableMember",
    "ViewIsCopiedOnly",
    "ViewWithoutColumns",
    "WrongCall",
]


class SetsNeedProfile(Mistake):
    """A subscription to replication sets where the source has publications, or the reverse."""

    def __init__(self, subscription: str, kind: str, semantics: str, span: Span) -> None:
        super().__init__(
            f'subscription "{subscription}" subscribes to {kind}s, '
            f"which semantics: {semantics} does not have",
            span=span,
            hint="Publications belong to semantics: postgres, replication sets to pglogical "
            "and bdr.",
        )


class NamedFiltersNeedProfile(Mistake):
    """Named rules, or a subscription that enables some, where the source has none."""

    def __init__(self, span: Span) -> None:
        super().__init__(
            "named filter rules exist under semantics: xdb only",
            span=span,
            hint="Write the filter as `where` of the published table.",
        )


class FilterRuleDoesNotExist(Mistake):
    """A subscription enables a rule that the publication does not define on the table."""

    def __init__(self, rule: str, name: RelationName, known: Iterable[str], span: Span) -> None:
        super().__init__(
            f'filter rule "{rule}" of table "{shown(name)}" does not exist',
            span=span,
            hint=perhaps(rule, known),
        )


class SeveralFilters(Mistake):
    """Two filters on one table where a subscription enables at most one."""

    def __init__(self, name: RelationName, publications: Iterable[str], span: Span) -> None:
        listed = " and ".join(f'"{each}"' for each in publications)
        super().__init__(
            f'more than one row filter is enabled on table "{shown(name)}"',
            span=span,
            detail=f"They come from {listed}; a subscription enables at most one for each table.",
        )


class TableNotPublished(Mistake):
    """A subscription enables a rule on a table that its publications do not hold."""

    def __init__(self, table: str, subscription: str, span: Span) -> None:
        super().__init__(
            f'table "{table}" is in no publication of subscription "{subscription}"', span=span
        )


class ColumnsReserved(Mistake):
    """bdr: replication_set_add_table() has a parameter `columns` that nobody may use."""

    def __init__(self, name: RelationName, span: Span) -> None:
        super().__init__(
            f'column list of table "{shown(name)}" is not possible: columns must be NULL',
            span=span,
            detail="The parameter is reserved for future use.",
        )


class ColumnNotInTable(Mistake):
    """pglogical: `columns` names what the table does not have, system columns too."""

    def __init__(self, name: RelationName, column: str, span: Span) -> None:
        super().__init__(f"table {name} does not have column {column}", span=span)


class BinaryFilter(Mistake):
    """xdb: a filter reads a column of a binary type."""

    def __init__(self, name: RelationName, column: str, span: Span) -> None:
        super().__init__(
            f'row filter for table "{shown(name)}" reads binary column "{column}"',
            span=span,
            detail="Filters are not supported on binary columns.",
        )


class ModulusBeside(Mistake):
    """xdb: a modulus in a filter of several conditions."""

    def __init__(self, name: RelationName, span: Span) -> None:
        super().__init__(
            f'row filter for table "{shown(name)}" has other conditions beside its modulus',
            span=span,
            detail="A condition with % stands alone: no AND, OR, NOT or second % beside it.",
        )


class NeedsFullIdentity(Mistake):
    """xdb: a filtered table whose changes are published, without replica identity FULL."""

    def __init__(self, name: RelationName, span: Span) -> None:
        super().__init__(
            f'filtered table "{shown(name)}" does not have replica identity full',
            span=span,
            detail="The old row of an update or delete must be complete.",
            hint=f"ALTER TABLE {name} REPLICA IDENTITY FULL, or publish no update and no delete.",
        )


class SameRuleTwice(Mistake):
    """xdb: two named rules of one table have the same clause."""

    def __init__(self, first: str, second: str, name: RelationName, span: Span) -> None:
        super().__init__(
            f'filter rules "{first}" and "{second}" of table "{shown(name)}" are the same',
            span=span,
        )


class ListMissesKey(Mistake):
    """pglogical: a column list without a column of the replica identity."""

    def __init__(self, identity: Sequence[str], span: Span) -> None:
        listed = ", ".join(map(quote_identifier, identity))
        super().__init__(
            "REPLICA IDENTITY columns must be replicated",
            span=span,
            hint=f"The replica identity is ({listed}).",
        )


class SetExists(Mistake):
    """create_replication_set() of a name that is taken, also a predefined one."""

    def __init__(self, name: str, span: Span, first: Span | None) -> None:
        super().__init__(
            f"replication set {name} already exists",
            span=span,
            detail=f"It is defined at {first}." if first else None,
        )


class SetNotFound(Mistake):
    """A replication set that nothing makes."""

    def __init__(self, name: str, known: Iterable[str], span: Span) -> None:
        super().__init__(f"replication set {name} not found", span=span, hint=perhaps(name, known))


class AlreadyInSet(Mistake):
    """pglogical: a table is added twice; the numbers of its detail nobody knows."""

    def __init__(self, table: str, replication_set: str, span: Span) -> None:
        super().__init__(
            'duplicate key value violates unique constraint "replication_set_table_pkey"',
            span=span,
            detail=f'Table "{table}" is in replication set "{replication_set}" already.',
        )


class UnloggedInSet(Mistake):
    """pglogical: a table whose rows are not logged."""

    def __init__(self, span: Span) -> None:
        super().__init__("UNLOGGED and TEMP tables cannot be replicated", span=span)


class SetTakesNone(Mistake):
    """pglogical: it makes a trigger for TRUNCATE on what it replicates.

    `one`: how one of the `many` is called, where they have triggers at all.
    """

    def __init__(self, name: str, many: str, one: str | None, span: Span) -> None:
        super().__init__(
            f'"{name}" is {one}' if one else f'relation "{name}" cannot have triggers',
            span=span,
            detail=f"{many.capitalize()} cannot have TRUNCATE triggers."
            if one
            else f"This operation is not supported for {many}.",
        )

    @classmethod
    def catalog(cls, name: str, span: Span) -> Mistake:
        """One of PostgreSQL's own tables."""
        return Mistake(f'permission denied: "{name}" is a system catalog', span=span)

    @classmethod
    def unopened(cls, name: str, one: str, span: Span) -> Mistake:
        """An index, a composite type."""
        return Mistake(f'"{name}" is {one}', span=span)


class SetHoldsKeyless(Mistake):
    """pglogical: alter_replication_set() to updates or deletes, with tables without key in it."""

    def __init__(self, name: str, span: Span) -> None:
        super().__init__(
            f"replication set {name} cannot be altered to replicate UPDATEs or DELETEs because it "
            "contains tables without PRIMARY KEY",
            span=span,
        )


class WrongCall(Mistake):
    """A call that no function takes; `signature` is PostgreSQL's: `f(unknown, x => boolean)`."""

    def __init__(self, signature: str, span: Span) -> None:
        super().__init__(
            f"function {signature} does not exist",
            span=span,
            hint="No function matches the given name and argument types. "
            "You might need to add explicit type casts.",
        )

    @classmethod
    def null(cls, name: str, span: Span) -> Mistake:
        """NULL for an argument that must be said."""
        return Mistake(f"{name} cannot be NULL", span=span)

    @classmethod
    def unnamed(cls, span: Span) -> Mistake:
        """A set whose name is empty."""
        return Mistake("replication set name cannot be empty", span=span)

    @classmethod
    def positional(cls, span: Span) -> Mistake:
        """A value without a name behind one with a name."""
        return Mistake("positional argument cannot follow named argument", span=span)

    @classmethod
    def syntax(cls, type_name: str, text: str, span: Span) -> Mistake:
        """A text that the parameter's type does not take."""
        return Mistake(f'invalid input syntax for type {type_name}: "{text}"', span=span)

    @classmethod
    def array(cls, span: Span, message: str, detail: str | None = None) -> Mistake:
        """A text that is no array of names."""
        return Mistake(message, span=span, detail=detail)


class SetNeedsPrimaryKey(Mistake):
    """pglogical: a table without a key in a set that replicates updates or deletes."""

    def __init__(self, name: RelationName, replication_set: str, span: Span) -> None:
        super().__init__(
            f"table {name.name} cannot be added to replication set {replication_set}",
            span=span,
            detail="table does not have PRIMARY KEY and given replication set is configured to "
            "replicate UPDATEs and/or DELETEs",
            hint="Add a PRIMARY KEY to the table",
        )


class UnusableMember(Mistake):
    """pglogical: what became of a member, in a set that is subscribed."""

    _AGAIN = "Take it out of the set, or add it again when it is mended."

    def __init__(
        self, name: RelationName, replication_set: str, why: str, sent: str, span: Span
    ) -> None:
        super().__init__(
            f'table "{shown(name)}" in replication set "{replication_set}" {why}',
            span=span,
            detail=f"It was changed after it was added. {sent}",
            hint=self._AGAIN,
        )

    @classmethod
    def unlogged(cls, name: RelationName, replication_set: str, span: Span) -> UnusableMember:
        """SET UNLOGGED."""
        sent = "pglogical copies it and sends none of its changes."
        return cls(name, replication_set, "is unlogged", sent, span)

    @classmethod
    def keyless(cls, name: RelationName, replication_set: str, span: Span) -> UnusableMember:
        """DROP CONSTRAINT of the primary key, REPLICA IDENTITY FULL or NOTHING."""
        sent = "Without a key in the old row pglogical sends updates, and loses deletes."
        return cls(name, replication_set, "has no key any more", sent, span)

    @classmethod
    def stale_filter(
        cls, name: RelationName, replication_set: str, column: str, known: str, span: Span
    ) -> UnusableMember:
        """ALTER COLUMN TYPE under a row filter."""
        why = f'has a row filter made for column "{column}" of type {known}'
        sent = "pglogical fails at the first change that the filter judges."
        return cls(name, replication_set, why, sent, span)


class ViewIsCopiedOnly(Mistake):
    """xdb: a view in a publication that publishes changes."""

    def __init__(self, name: RelationName, publication: str, span: Span) -> None:
        super().__init__(
            f'view "{name.name}" can be in snapshot-only publications alone',
            span=span,
            detail=f'Publication "{publication}" publishes changes, and a view has none.',
            hint="Publish it in a publication of its own, with publish: [].",
        )


class ViewWithoutColumns(Mistake):
    """xdb: a view of which only the query is known."""

    def __init__(self, name: RelationName, span: Span) -> None:
        super().__init__(
            f'the types of the columns of view "{name.name}" are not known',
            span=span,
            detail="They are where its query gives columns of tables, or casts.",
            hint="Write it in YAML in place of CREATE VIEW: view: true, with its columns.",
        )
