"""What is published to one subscription, table by table: the answer of this layer's rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct, field

from filtersql.catalog import Column, Identity, Table
from filtersql.definitions.model import Action, Subscription
from filtersql.errors import Mistake, Notice
from filtersql.names import RelationName
from filtersql.semantics import POSTGRES, Semantics
from filtersql.source import Passage

__all__ = ["Contribution", "ResolvedTable", "Settings"]


class Settings(Struct, frozen=True):
    """What a project and the command line say to all rules of this layer."""

    semantics: Semantics
    postgres_version: int = 18
    default_via_partition_root: bool = False
    #: the compile flag; None where it is not given
    via_partition_root_flag: bool | None = None


class Contribution(NamedTuple):
    """One publication's part in a table's filters. There is one for each table and publication.

    `where` is None when it sends every row. `written_on` is the relation whose entry it is (a
    root's entry judges its leaves' rows under via_partition_root). `reason` says in a few words
    how it got here: `for table`, `for all tables`, `for tables in schema sales`.
    """

    publication: str
    actions: frozenset[Action]
    where: Passage | None
    written_on: RelationName
    reason: str
    #: a WHERE without effect (its schema is published too): PostgreSQL still checks what it reads
    ignored: Passage | None = None


class ResolvedTable(Struct, frozen=True):
    """One target of a subscription and everything that decides its rows.

    `table` is the relation under whose name the rows are published (root or leaf). `sources` are
    the relations whose changes land here (the leaves of its tree; itself when not partitioned), and
    `truncated_by` the relations whose TRUNCATE empties it.

    For each row action, `filters[action]` are the contributions whose filters are ORed; an empty
    tuple means that the action is published for every row. An action that is not in `filters` is
    not published at all. `absorbed[action]` are those that an unfiltered one made redundant.
    `copy_filters` is the same for the initial copy: ORed whatever `publish` says; empty: all rows.
    """

    subscription: Subscription
    table: Table
    columns: tuple[Column, ...]
    sources: tuple[RelationName, ...]
    truncated_by: tuple[RelationName, ...]
    filters: Mapping[Action, tuple[Contribution, ...]]
    copy_filters: tuple[Contribution, ...]
    truncates: bool
    contributions: tuple[Contribution, ...]
    #: why an action or the copy is unfiltered or displaced, as sentences for `show` and the header
    why: tuple[str, ...] = ()
    absorbed: Mapping[Action, tuple[Contribution, ...]] = field(default_factory=dict)
    alias: str | None = None
    notices: tuple[Notice, ...] = ()
    #: where an action is published for some of the sources only (it leaks from a publication of
    #: these leaves): those sources; changes of that kind from the others are not sent
    only_from: Mapping[Action, tuple[RelationName, ...]] = field(default_factory=dict)
    #: publications of a lower level of the tree: their filters do not count, their actions do
    displaced: tuple[Contribution, ...] = ()
    #: whether the rows of a partition are published under an ancestor's name here
    via_partition_root: bool = False
    #: False: only the initial copy takes it (PostgreSQL 15 copies a leaf besides its root)
    streamed: bool = True
    #: what stops the first UPDATE or DELETE of a leaf; `filters.check.replica_identity` raises it
    #: or warns
    unjudged: tuple[Mistake, ...] = ()
    #: the columns that old rows of every source carry; None: those of `table`'s own identity
    logged: tuple[str, ...] | None = None
    #: whether every source logs its whole old rows
    fully_logged: bool | None = None
    #: the switches by which its rows are judged
    semantics: Semantics = POSTGRES

    @property
    def old_columns(self) -> tuple[str, ...]:
        """The columns that an old row carries, whichever leaf it comes from.

        Where none does, and only rows that are inserted count, the key: such a row may be there.
        """
        logged = self.table.identity_columns if self.logged is None else self.logged
        return logged or (self.table.primary_key if self.inserts_only else ())

    @property
    def inserts_only(self) -> bool:
        """Whether no change of a row that is there is published."""
        return not {Action.UPDATE, Action.DELETE} & self.filters.keys()

    @property
    def old_rows_are_full(self) -> bool:
        """Whether every old row is there, and whole."""
        if self.fully_logged is None:
            return self.table.replica_identity.kind is Identity.FULL
        return self.fully_logged
