"""The published tables: columns, types, keys, replica identity and partition lineage.

A record here is what PostgreSQL's catalogs would hold after all definitions were read. Everything
later asks these records; nothing later reads a definition file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from msgspec import Struct, field

from filtersql.names import RelationName
from filtersql.source import Passage, Rival, Span

__all__ = [
    "Catalog",
    "Column",
    "ForeignKey",
    "Generated",
    "Identity",
    "Made",
    "OwnCollation",
    "PgType",
    "ReplicaIdentity",
    "Table",
    "UniqueIndex",
    "numeric_parts",
]


class PgType(Struct, frozen=True):
    """A type as pg_attribute holds it: internal name (`int4`, `bpchar`, `_text`), schema, typmod.

    `typmod` is PostgreSQL's own encoding (`-1`: none; varchar(n) and char(n): n + 4;
    numeric(p, s): ((p << 16) | (s & 0x7ff)) + 4; time types: the precision). `base` is what a
    domain, or an array of one, is made of in the end.
    """

    name: str
    typmod: int = -1
    schema: str = "pg_catalog"
    base: PgType | None = None

    @property
    def is_array(self) -> bool:
        """Whether it is an array type (`_int4`)."""
        return self.schema == "pg_catalog" and self.name.startswith("_")

    @property
    def numeric_precision_scale(self) -> tuple[int, int] | None:
        """(precision, scale) of a numeric with a typmod, else None."""
        return None if self.name != "numeric" or self.typmod < 0 else numeric_parts(self.typmod)

    @property
    def length(self) -> int | None:
        """The n of varchar(n) or char(n), else None."""
        return self.typmod - 4 if self.name in ("varchar", "bpchar") and self.typmod >= 4 else None


def numeric_parts(modifier: int) -> tuple[int, int]:
    """(precision, scale) of a numeric's typmod."""
    bare = modifier - 4
    scale = bare & 0x7FF
    return bare >> 16 & 0xFFFF, scale - 0x800 if scale & 0x400 else scale


class Generated(StrEnum):
    """What GENERATED ALWAYS AS makes of a column."""

    STORED = "stored"
    VIRTUAL = "virtual"


class OwnCollation(StrEnum):
    """A collation that is not PostgreSQL's own. By a LOOSE one other texts may be equal."""

    EXACT = "deterministic"
    LOOSE = "nondeterministic"


class Column(Struct, frozen=True):
    """A column of a published table. `name` is plain: folded and unquoted."""

    name: str
    type: PgType
    span: Span
    not_null: bool = False
    generated: Generated | None = None
    generation: Passage | None = None
    #: the engine's type that YAML's `target_type` asks for, in the engine's words
    target_type: str | None = None
    #: a column's collation where it is not the database's default
    collation: str | None = None
    #: that of its domain, where it has none of its own
    domain_collation: str | None = None
    #: where somebody made the collation
    own_collation: OwnCollation | None = None
    #: by it, or by a type of somebody's own, values may be equal that are written otherwise
    several_texts: bool = False


class Identity(StrEnum):
    """ALTER TABLE … REPLICA IDENTITY."""

    DEFAULT = "default"
    FULL = "full"
    NOTHING = "nothing"
    INDEX = "index"


class ReplicaIdentity(Struct, frozen=True):
    """Which columns an old row carries. `index` names the columns of USING INDEX."""

    kind: Identity = Identity.DEFAULT
    index: tuple[str, ...] = ()
    index_name: str | None = None


class UniqueIndex(Struct, frozen=True):
    """A unique index or constraint besides the primary key."""

    name: str
    columns: tuple[str, ...]
    #: made by UNIQUE in CREATE TABLE or ALTER TABLE, not by CREATE UNIQUE INDEX
    constraint: bool = False


class ForeignKey(Struct, frozen=True):
    """FOREIGN KEY (columns) REFERENCES references (referenced_columns)."""

    name: str
    columns: tuple[str, ...]
    references: RelationName
    referenced_columns: tuple[str, ...]
    #: what pg_get_constraintdef() prints behind them: ON DELETE CASCADE, DEFERRABLE …
    clauses: str = ""


class Table(Struct, frozen=True):
    """A published table, a partition or a partitioned root."""

    name: RelationName
    columns: tuple[Column, ...]
    span: Span
    primary_key: tuple[str, ...] = ()
    primary_key_name: str | None = None
    #: checked when a statement or transaction ends: no row is found by such a key
    primary_key_deferrable: bool = False
    replica_identity: ReplicaIdentity = ReplicaIdentity()
    unique_indexes: tuple[UniqueIndex, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    #: (strategy, key columns or expressions) of PARTITION BY; None for an ordinary table
    partition_by: tuple[str, tuple[str, ...]] | None = None
    #: the partitioned parent of a partition
    partition_of: RelationName | None = None
    #: the partition's bounds as PostgreSQL prints them: `DEFAULT`, `FOR VALUES IN (1, 2)`, …
    bounds: str | None = None
    #: parents by INHERITS
    inherits: tuple[RelationName, ...] = ()
    unlogged: bool = False
    view: bool = False
    foreign: bool = False
    tags: tuple[str, ...] = ()

    def column(self, name: str) -> Column | None:
        """The column of that plain name."""
        for column in self.columns:
            if column.name == name:
                return column
        return None

    def never_null(self, name: str) -> bool:
        """Whether a column is NOT NULL, by itself or as part of the primary key."""
        return name in (*self.primary_key, *(one.name for one in self.columns if one.not_null))

    @property
    def finding_key(self) -> tuple[str, ...]:
        """The primary key where PostgreSQL finds rows, or what is in their way, by it.

        RelationGetPrimaryKeyIndex() passes over a deferrable one.
        """
        return () if self.primary_key_deferrable else self.primary_key

    @property
    def identity_columns(self) -> tuple[str, ...]:
        """The columns that an old row carries: the replica identity.

        FULL: all but virtual generated ones. NOTHING, or DEFAULT without a `finding_key`: none.
        """
        match self.replica_identity.kind:
            case Identity.FULL:
                virtual = Generated.VIRTUAL
                return tuple([each.name for each in self.columns if each.generated is not virtual])
            case Identity.INDEX:
                return self.replica_identity.index
            case Identity.DEFAULT:
                return self.finding_key
            case Identity.NOTHING:
                return ()


class Made(Struct, frozen=True):
    """What the files make that is no relation: a publication's row filter may use none of it."""

    #: by what they are: domain, composite type …
    types: Mapping[RelationName, str] = field(default_factory=dict)
    functions: frozenset[RelationName] = frozenset()
    collations: Mapping[str, OwnCollation] = field(default_factory=dict)
    #: all that are known
    schemas: frozenset[str] = frozenset()
    #: where a name without a schema is looked up, where that is known
    path: tuple[str, ...] | None = None
    #: what names mean in a text that no session reads: YAML's are looked up in public
    rivals: tuple[Rival, ...] = ()

    def finds(self, name: RelationName, schema: str) -> bool:
        """Whether a name with this schema, or with none, may be what is called `name`."""
        if schema:
            return schema == name.schema
        return self.path is None or name.schema in self.path


class Catalog(Struct, frozen=True):
    """All tables of a project by name, in the order in which they were defined."""

    tables: Mapping[RelationName, Table] = field(default_factory=dict)
    made: Made = Made()
    #: schemas that a statement makes
    schemas: frozenset[str] = frozenset()
    #: relations that are no tables, by what they are
    others: Mapping[RelationName, str] = field(default_factory=dict)
    #: the columns of those that have some: PostgreSQL reads a filter before it refuses the relation
    unpublishable: Mapping[RelationName, Table] = field(default_factory=dict)

    def ancestors(self, name: RelationName) -> Iterator[Table]:
        """The partitioned tables above a partition, nearest first."""
        while (parent := self.tables[name].partition_of) in self.tables and parent is not None:
            yield self.tables[parent]
            name = parent

    def leaves(self, name: RelationName) -> Iterator[Table]:
        """The leaf tables of a partition tree; the table itself when it is not partitioned."""
        table = self.tables[name]
        if table.partition_by is None:
            yield table
        for partition in self.tables.values():
            if partition.partition_of == name:
                yield from self.leaves(partition.name)
