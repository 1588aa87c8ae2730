"""Definitions while files are read: statements change these records, `finish` freezes them.

A draft is what the catalogs of a PostgreSQL server would hold between two statements. Nothing
outside this package sees one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from filtersql.catalog import Column, ForeignKey, PgType, ReplicaIdentity
from filtersql.definitions.bounds import Bounds
from filtersql.definitions.model import Earlier, Publication, ReplicationSet, Subscription, UnitTest
from filtersql.errors import Mistake, Notice
from filtersql.names import RelationName
from filtersql.source import Rival, Span

__all__ = ["Code", "DraftIndex", "DraftTable", "Drafts", "Refuse"]

#: what the source system says of a statement
Refuse = Callable[[Earlier], list[Mistake]]


class Code(Struct, frozen=True):
    """A view, trigger, rule, policy or function: the words of its statement."""

    kind: str
    #: the table that it belongs to, the view or the function
    of: RelationName
    #: its own name, or the types of a function's arguments
    name: str
    words: frozenset[str]
    #: whether it holds columns
    columns: bool

    @property
    def label(self) -> str:
        """What a message calls it."""
        return self.name if self.kind in ("trigger", "rule", "policy") else self.of.name


class DraftIndex(Struct, frozen=True):
    """An index, or that of a constraint. `refusal` is why it cannot be a replica identity."""

    name: str
    columns: tuple[str, ...]
    refusal: str | None = None
    constraint: bool = False
    primary: bool = False
    #: the names that its columns had when it was made, where they were renamed: its own stay
    named: tuple[str, ...] = ()


class DraftTable(Struct):
    """A table as it stands now. `columns` is None while they are the unread parent's."""

    name: RelationName
    span: Span
    columns: dict[str, Column] | None
    #: names that columns had until they were renamed or dropped
    gone: set[str] = field(default_factory=set)
    #: where the columns of the key and the identity are named, where YAML does
    key_places: dict[str, Span] = field(default_factory=dict)
    identity: ReplicaIdentity = field(default_factory=ReplicaIdentity)
    #: by name, the primary key's too
    indexes: dict[str, DraftIndex] = field(default_factory=dict)
    foreign_keys: list[tuple[ForeignKey, Span]] = field(default_factory=list)
    #: the sequences of its serial and identity columns, with the column
    sequences: dict[RelationName, str] = field(default_factory=dict)
    #: what its columns' defaults say, without the places where it stands
    defaults: dict[str, str] = field(default_factory=dict)
    #: its identity columns
    identities: set[str] = field(default_factory=set)
    #: names of constraints that are no keys; of NOT NULL, with the column
    constraints: dict[str, str | None] = field(default_factory=dict)
    #: whether every constraint has its name here: YAML gives them none
    all_named: bool = False
    partition_by: tuple[str, tuple[str, ...]] | None = None
    #: the place of the partition key, where YAML says it: its columns may be a later file's
    partition_span: Span | None = None
    partition_of: RelationName | None = None
    #: whether the parent is still to be looked up: YAML may define it in a later file
    unattached: bool = False
    #: the place of the parent's name
    parent_span: Span | None = None
    bounds: str | None = None
    #: the same as written, also those of a partition whose parent is still to be looked up
    late_bounds: Bounds | None = None
    inherits: list[tuple[RelationName, Span]] = field(default_factory=list)
    unlogged: bool = False
    view: bool = False
    foreign: bool = False
    tags: tuple[str, ...] = ()

    @property
    def primary(self) -> DraftIndex | None:
        """The index of the primary key."""
        return next((index for index in self.indexes.values() if index.primary), None)

    @property
    def primary_key(self) -> tuple[str, ...]:
        """The columns of the primary key; none without one."""
        primary = self.primary
        return () if primary is None else primary.columns


class Drafts(Struct):
    """Everything read so far, and every mistake met on the way."""

    tables: dict[RelationName, DraftTable] = field(default_factory=dict)
    #: the .sql files that were read, in order
    files: list[str] = field(default_factory=list)
    #: the database that they are about, where one of them names it
    database: str | None = None
    publications: dict[str, Publication] = field(default_factory=dict)
    #: what statements said of publications and sets, also one that was refused
    said: list[Earlier] = field(default_factory=list)
    #: what the source system says of that at once; asked where files are read again
    refuse: Refuse | None = None
    #: search_path at the statement that is carried out; YAML has none
    path: tuple[str, ...] | None = None
    replication_sets: dict[str, ReplicationSet] = field(default_factory=dict)
    #: bdr's node group: the name of its default set
    group: str | None = None
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    unit_tests: list[UnitTest] = field(default_factory=list)
    #: `defaults:` of the project file: settings of every subscription
    defaults: dict[str, object] = field(default_factory=dict)
    #: which PostgreSQL carries the statements out
    postgres_version: int = 18
    #: the locale of its database, as the project says it
    database_locale: str = "default"
    #: names that the source system has for types beside PostgreSQL's
    type_aliases: Mapping[str, str] = field(default_factory=dict)
    #: user types, by what they are: `domain`, `composite type`, …; an enumeration is a `type`
    types: dict[RelationName, str] = field(default_factory=dict)
    #: what domains are made of
    bases: dict[RelationName, PgType] = field(default_factory=dict)
    #: own collations, and whether by them only the same texts are equal; those of domains
    collations: dict[RelationName, bool] = field(default_factory=dict)
    domain_collations: dict[RelationName, str] = field(default_factory=dict)
    #: own operators, each with its schema
    operators: list[tuple[str, Rival]] = field(default_factory=list)
    #: extensions, and the schema of each
    extensions: dict[str, str] = field(default_factory=dict)
    #: where types and sequences were made
    places: dict[RelationName, Span] = field(default_factory=dict)
    #: type texts of YAML that were read already
    plain_columns: dict[str, Column] = field(default_factory=dict)
    #: user functions, also dropped ones
    functions: set[RelationName] = field(default_factory=set)
    #: the texts of user functions, by schema, name and types of arguments
    bodies: dict[tuple[str, str, str], str] = field(default_factory=dict)
    #: by kind, table or function, and name
    code: dict[tuple[str, RelationName, str], Code] = field(default_factory=dict)
    #: functions of the files that tables, indexes and domains may call
    called: set[str] = field(default_factory=set)
    #: the function that each calls, and where it stands
    event_triggers: dict[str, tuple[str, Span]] = field(default_factory=dict)
    #: relations that no publication takes, by what they are: `sequences`, `indexes`, …
    others: dict[RelationName, str] = field(default_factory=dict)
    schemas: set[str] = field(default_factory=lambda: {"public"})
    #: those that a statement made, or that every database has: no second one is made
    made_schemas: set[str] = field(default_factory=lambda: {"public"})
    #: tables whose definition was refused: naming them elsewhere is no second mistake
    broken: set[RelationName] = field(default_factory=set)
    #: the same for publications and replication sets
    broken_publications: set[str] = field(default_factory=set)
    #: what foreign keys reference and nothing had defined: what PostgreSQL says then
    references: list[tuple[RelationName, Mistake]] = field(default_factory=list)
    #: tables whose parents were looked at
    completed: set[RelationName] = field(default_factory=set)
    #: the subscriptions that unit tests name
    test_subscriptions: list[tuple[str, Span]] = field(default_factory=list)
    #: what failed or could not be read: what it may have said of, and its text
    doubts: list[tuple[str, str]] = field(default_factory=list)
    #: a file could not be read: what nothing defines may stand there
    incomplete: bool = False
    mistakes: list[Mistake] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def has_schema(self, schema: str) -> bool:
        """Whether a statement made it, a table is in it, or every database has it."""
        return (
            schema in self.schemas
            or schema in ("pg_catalog", "information_schema", "pg_toast")
            or any(name.schema == schema for name in (*self.tables, *self.broken, *self.others))
        )

    def below(self, parent: RelationName) -> list[DraftTable]:
        """All partitions and heirs, those above first, each once."""
        found: dict[RelationName, DraftTable] = {}
        level, under = [parent], dict[RelationName | None, list[DraftTable]]()
        for table in self.tables.values():
            for above in {table.partition_of, *(name for name, _ in table.inherits)}:
                under.setdefault(above, []).append(table)
        while level:
            children = {one.name: one for name in level for one in under.get(name, ())}
            level = [name for name in children if name not in found]
            found |= {name: children[name] for name in level}
        return list(found.values())

    def heirs(self, parent: RelationName) -> list[RelationName]:
        """The descendants by INHERITS; none of a project where nothing inherits is looked for."""
        if not any(table.inherits for table in self.tables.values()):
            return []
        return [one.name for one in self.below(parent) if one.partition_of is None]

    def children(self, parent: RelationName) -> list[DraftTable]:
        """The partitions and heirs directly below a table."""
        return [
            table
            for table in self.tables.values()
            if table.partition_of == parent or any(name == parent for name, _ in table.inherits)
        ]
