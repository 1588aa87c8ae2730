"""What was written: publications, replication sets and subscriptions, nothing looked up.

`None` means "not said"; the rules that default it come later. Every name and filter knows its
place. Tables are `catalog.Table`, because a DDL file changes them statement by statement.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from msgspec import Struct, field

from filtersql.catalog import Catalog, Made, Table
from filtersql.errors import Notice
from filtersql.names import RelationName
from filtersql.source import Passage, Span

__all__ = [
    "Action",
    "DdlFilter",
    "Definitions",
    "Earlier",
    "Feed",
    "Publication",
    "PublishedTable",
    "ReplicationSet",
    "SourceOfTables",
    "Subscription",
    "UnitTest",
]


class Action(StrEnum):
    """What a publication's `publish` parameter lists."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    TRUNCATE = "truncate"


class PublishedTable(Struct, frozen=True):
    """A table under a publication or replication set."""

    name: RelationName
    span: Span
    where: Passage | None = None
    columns: tuple[str, ...] | None = None
    #: FOR TABLE ONLY name: descendants by INHERITS stay out
    only: bool = False
    #: names one target for this table, in place of the subscription's pattern
    alias: str | None = None
    #: xdb: named rules; a subscription enables at most one
    filters: Mapping[str, Passage] = field(default_factory=dict)
    #: a set's member that a call added: its table was judged then, and may have changed since
    joined: bool = False


class Publication(Struct, frozen=True):
    """CREATE PUBLICATION, or an entry of YAML's `publications`."""

    name: str
    span: Span
    tables: tuple[PublishedTable, ...] = ()
    schemas: tuple[str, ...] = ()
    #: where YAML names them; those of SQL exist, or the statement is refused
    schema_places: Mapping[str, Span] = field(default_factory=dict)
    all_tables: bool = False
    except_tables: tuple[RelationName, ...] = ()
    publish: frozenset[Action] = frozenset(Action)
    #: as the definition says it; None where YAML does not (then the project's default holds)
    via_partition_root: bool | None = None
    #: `none` or `stored`
    generated_columns: str = "none"
    created: datetime | None = None
    #: as ALTER PUBLICATION … OWNER TO names it; None is who carries the definitions out
    owner: str | None = None
    description: str | None = None
    tags: tuple[str, ...] = ()
    #: `yaml` or `sql`: which rules of decision 2 hold
    written_in: str = "yaml"


class DdlFilter(Struct, frozen=True):
    """replication_set_add_ddl_filter(): which commands bdr replicates; None matches all."""

    name: str
    span: Span
    command_tag: str | None = None
    role_name: str | None = None


class ReplicationSet(Struct, frozen=True):
    """create_replication_set() of pglogical or bdr, or an entry of YAML's `replication_sets`."""

    name: str
    span: Span
    tables: tuple[PublishedTable, ...] = ()
    replicate: frozenset[Action] = frozenset(Action)
    #: autoadd_tables: True, False, or the schemas named in YAML
    autoadd_tables: bool | tuple[str, ...] = False
    #: tables that autoadd does not take: they were there before it, or were removed again
    not_added: frozenset[RelationName] = frozenset()
    #: bdr: kept to be shown; no DDL is replicated here
    ddl_filters: tuple[DdlFilter, ...] = ()
    description: str | None = None
    tags: tuple[str, ...] = ()


class SourceOfTables(Struct, frozen=True):
    """Where the published tables can be read: a pattern of engine tables, or of JSON-lines files.

    Exactly one of `table` and `path` is set. `seq`: it holds the changes up to there already.
    `postgres` names a live source whose captured rows they are: `project.captured` finds them.
    """

    span: Span
    table: str | None = None
    path: str | None = None
    format: str = "filtersql"
    seq: int | None = None
    postgres: str | None = None
    #: the seq of each table's captured rows, by `RelationName.path`
    captured: Mapping[str, int] = field(default_factory=dict)

    def seq_of(self, relation: RelationName) -> int | None:
        """The changes that the rows of a table hold already."""
        return self.seq if self.postgres is None else self.captured.get(relation.path)


class Feed(Struct, frozen=True):
    """`changes:` of a subscription. Exactly one of `path` (a glob) and `table` is set.

    `postgres` names a live source that was captured into the files of `path`.
    """

    span: Span
    format: str = "filtersql"
    path: str | None = None
    table: str | None = None
    #: the column of the table that holds messages, and those that order them
    column: str | None = None
    order: tuple[str, ...] = ()
    postgres: str | None = None
    #: `complete`: `before` always holds the whole old row, so filters may read any column
    before_complete: bool = False
    #: settings of the format (`formats.FORMATS`) as they were written
    options: Mapping[str, str] = field(default_factory=dict)
    #: what the feed cannot tell and the user knows (`assumptions` of its format)
    assume: frozenset[str] = frozenset()


class Subscription(Struct, frozen=True):
    """CREATE SUBSCRIPTION, or an entry of YAML's `subscriptions`."""

    name: str
    span: Span
    #: names with their places, publications or replication sets
    publications: tuple[tuple[str, Span], ...] = ()
    replication_sets: tuple[tuple[str, Span], ...] = ()
    filters: Mapping[str, str] = field(default_factory=dict)
    #: subscriptions all of whose rows this one should hold, as xDB's definition node does
    superset_of: tuple[tuple[str, Span], ...] = ()
    copy_data: bool = True
    #: as a server is told, which a run does not follow: it is warned of
    enabled: bool = True
    local_changes_only: bool = False
    source: SourceOfTables | None = None
    changes: Feed | None = None
    #: a pattern with {subscription} {schema} {table} {catalog}
    target: str = "{subscription}.{table}"
    target_config: Mapping[str, object] = field(default_factory=dict)
    on_conflict: str | None = None
    on_filter_error: str = "stop"
    tags: tuple[str, ...] = ()
    description: str | None = None


class UnitTest(Struct, frozen=True):
    """An entry of tests/*.yml: rows and changes in, rows out. Values are JSON values as written."""

    name: str
    span: Span
    subscription: str
    given: Mapping[RelationName, tuple[Mapping[str, object], ...]] = field(default_factory=dict)
    changes: tuple[Mapping[str, object], ...] = ()
    expect: Mapping[RelationName, tuple[Mapping[str, object], ...]] | None = None
    expect_error: str | None = None


class Earlier(Struct, frozen=True):
    """What a statement said and later ones changed: PostgreSQL judges it when it is said.

    `said` has the members that the statement names.
    """

    said: Publication | ReplicationSet
    #: its tables as they stood then
    tables: Mapping[RelationName, Table] = field(default_factory=dict)
    #: what is no table, by what it was
    others: Mapping[RelationName, str] = field(default_factory=dict)
    #: types, functions and the like, where it is judged at once
    made: Made | None = None


class Definitions(Struct, frozen=True, dict=True):
    """Everything that the files of a project say, as plain records."""

    catalog: Catalog = field(default_factory=Catalog)
    publications: Mapping[str, Publication] = field(default_factory=dict)
    replication_sets: Mapping[str, ReplicationSet] = field(default_factory=dict)
    subscriptions: Mapping[str, Subscription] = field(default_factory=dict)
    unit_tests: tuple[UnitTest, ...] = ()
    notices: tuple[Notice, ...] = ()
    earlier: tuple[Earlier, ...] = ()

    @cached_property
    def judging_old_rows(self) -> Mapping[RelationName, frozenset[str]]:
        """The publications that have a filter for updates or deletes of a table."""
        found: dict[RelationName, frozenset[str]] = {}
        for name, one in self.publications.items():
            if one.publish & {Action.UPDATE, Action.DELETE}:
                for table in one.tables:
                    if table.where is not None:
                        found[table.name] = found.get(table.name, frozenset()) | {name}
        return found
