"""What `compile` gives for one table of one subscription: texts, and what a runner must know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from filtersql.catalog import PgType
from filtersql.changes import Form
from filtersql.errors import Notice
from filtersql.filters.values.cuts import ClockColumn
from filtersql.names import RelationName
from filtersql.rendering.counting import without_counting
from filtersql.rendering.definition import Definition
from filtersql.rendering.macros import MOVING_PARTS
from filtersql.rendering.next_leaving import NextLeaving

if TYPE_CHECKING:
    from filtersql.rendering.plan_records import PlannedCriterion
    from filtersql.rendering.statements_on_demand import StatementsOnDemand

__all__ = ["CompiledTable", "Delay", "FeedColumn", "LookedUp", "TargetColumn"]


class FeedColumn(Struct, frozen=True):
    """A column that a change may carry: `sql_type` is the engine's type of `before_…`/`after_…`."""

    name: str
    pg_type: PgType
    sql_type: str
    not_null: bool


class TargetColumn(Struct, frozen=True):
    """A column of the target table, in its order."""

    name: str
    sql_type: str
    not_null: bool


class LookedUp(Struct, frozen=True):
    """A table whose rows a filter asks for: the view of them, and the columns that it needs."""

    relation: RelationName
    view: str
    columns: tuple[str, ...]


class Delay(Struct, frozen=True):
    """A window's column, and the moment from which on its rows are too young."""

    column: str
    cut: ClockColumn


class CompiledTable(Struct, frozen=True):
    """One target: `<subscription>/<schema>.<table>`.

    The statements are in the dialect of the target's engine. `merge_sql` holds `merge_source_sql`
    exactly once, as the query between `USING (` and `)`: a runner may stage that query and put
    `SELECT * FROM <stage>` in its place. It reads the view `changes_view`; `initial_copy_sql` reads
    the view `source_view`.

    The view `changes_view` has the columns seq, tx, op, `before_<c>` and `after_<c>` for each of
    `feed_columns`, and unchanged; its ops are insert, update, delete, truncate, read. A column that
    the source did not log is NULL.

    The staged rows of `merge_source_sql` are: the target's columns, `effect_column` ('insert',
    'update' or 'delete') and more of filtersql's own; one row for each key. Without a key (`form`
    is `keyless…` or `append`) they are the target's columns and `ordinal_column`: 0 deletes all
    copies of a row, each number above it inserts one.
    """

    subscription: str
    relation: RelationName
    sources: tuple[RelationName, ...]
    truncated_by: tuple[RelationName, ...]
    truncates: bool
    #: the target's name in parts, without the catalog: (schema, table)
    target: tuple[str, ...]
    #: the target's name, quoted for the engine
    target_sql: str
    columns: tuple[TargetColumn, ...]
    feed_columns: tuple[FeedColumn, ...]
    #: columns by which a target row is found
    key: tuple[str, ...]
    #: columns that an old row must hold when an update or delete is judged
    identity: tuple[str, ...]
    #: one of changes.Form
    form: str
    #: the staged rows' column that says insert, update or delete (not one of the table's names)
    effect_column: str
    ordinal_column: str
    #: columns that a feed may name in `unchanged`; any other one there is a mistake of the feed
    may_be_unchanged: tuple[str, ...]
    on_conflict: str
    #: whether a run stops before a change that brings a row which is there
    stops_at_existing: bool
    copy_data: bool
    changes_view: str
    source_view: str
    merge_sql: str
    merge_source_sql: str
    initial_copy_sql: str
    audit_sql: str
    #: in place of merge_sql where a change of a key left out a value that did not change: takes it
    #: from the row under the old key; None where that cannot be. It holds its source as merge_sql
    #: does, and is the same MERGE
    merge_completing_sql: str | None
    completing_source_sql: str | None
    #: the primary key
    unique: tuple[str, ...]
    #: queries that a run asks for and no compile, by name; see the properties
    on_demand: StatementsOnDemand
    #: CREATE TABLE with the placeholder-free column list; the runner adds USING and properties
    column_definitions_sql: str
    #: engine settings that the meaning of the statements depends on
    settings: Mapping[str, str]
    filter_hash: str
    #: what decides the target's rows: the state keeps it
    definition: Definition
    via_partition_root: bool
    notices: tuple[Notice, ...] = ()
    #: ops that are published for some of the sources only: those; the others' are not sent
    only_from: Mapping[str, tuple[RelationName, ...]] = field(default_factory=dict)
    #: columns by which filters judge old rows, where no update lacks its old row
    judged_old: tuple[str, ...] = ()
    #: other tables that the filters look up, each a target of the same subscription
    lookups: tuple[LookedUp, ...] = ()
    #: parts (WITH) that several statements name and that the engine would run each time, in order
    costly_parts: tuple[str, ...] = ()
    #: whether filtersql's own macros alone print the statements
    packaged: bool = False
    #: the moments of a run's clock that the statements read: columns of the view filtersql_clock
    clock: tuple[ClockColumn, ...] = ()
    #: for each window the query of the oldest row that it holds
    next_leaving: tuple[NextLeaving, ...] = ()
    #: of windows that hold rows back: such rows enter from the source when their time begins
    delays: tuple[Delay, ...] = ()
    #: whether rows may stay in the target that its filters do not take any more
    rows_stay: bool = False

    @property
    def description(self) -> str:
        """Which rows the target holds, as a sentence."""
        condition = self.definition.condition
        return f"Rows of {self.relation}{'' if condition is None else f' where {condition}'}."

    @property
    def unique_id(self) -> str:
        """Its name wherever a command names it: `<subscription>/<schema>.<table>`."""
        return f"{self.subscription}/{self.relation}"

    @property
    def finding_column(self) -> str:
        """What audit_sql finds of a row: the effect's column and it end alike."""
        return f"finding{self.effect_column.removeprefix('effect')}"

    @property
    def copies_column(self) -> str:
        """How many copies of a row audit_sql finds, of a table without key."""
        return f"copies_held{self.effect_column.removeprefix('effect')}"

    @property
    def moving_part(self) -> tuple[str, str] | None:
        """The part that is empty unless the other one shows a change of a key.

        None where there is none, and where a project's own macro may print either.
        """
        return MOVING_PARTS.get(Form(self.form)) if self.packaged else None

    @property
    def counting_sql(self) -> str | None:
        """`merge_source_sql` with columns more that count conflicts; None where it is not that.

        A macro of a project may print it otherwise, or not at all.
        """
        text, plain = self.on_demand.get("counting"), self.merge_source_sql
        counts = text is not None and text != plain and without_counting(text) == plain
        return text if counts else None

    @property
    def untruncated_counting_sql(self) -> str | None:
        """`counting_sql` for changes without a TRUNCATE: it does not look for one.

        It is that of a publication that publishes none; only filtersql's own macros print it.
        """
        plain = self.counting_sql
        return self.on_demand.get("untruncated", plain) if plain and self.packaged else plain

    @property
    def judges_alone(self) -> bool:
        """Whether its filters, as filtersql's own macros print them, read nothing but a row."""
        return self.packaged and not (self.clock or self.lookups)

    def changing_sql(
        self, *, narrows: bool = False, earlier: tuple[PlannedCriterion, ...] | None = None
    ) -> tuple[str, str]:
        """change.sql and the query of the rows that it moves: for a changed definition.

        `narrows`: rows only leave, which the target alone tells; it has every column of the filter.
        `earlier`: the target, which has a key, holds what these filters take of the source.
        A MERGE holds the query as merge.sql does; a DELETE, where it can be one, has its condition.
        """
        if earlier is not None:
            merge = self.on_demand.comparing(earlier)
            return merge.text, merge.source
        narrowing = "deleting" if self.judges_alone else "narrowing"
        name = narrowing if narrows else "moving"
        return self.on_demand[name], self.on_demand[f"{name}_source"]

    @property
    def rebuilding_sql(self) -> str:
        """All rows of the target over source_view: for a changed definition's other table."""
        return self.on_demand["rebuilding"]

    @property
    def conflicts_sql(self) -> str:
        """Counts what `on_conflict` had to decide; reads changes_view and the target.

        One row: insert_exists, update_exists, update_missing, delete_missing, the first seq of the
        former two, and the skipped changes.
        """
        return self.on_demand["conflicts"]

    @property
    def conflict_sample_sql(self) -> str:
        """The first conflicts of each kind: the key (or the row), seq and kind."""
        return self.on_demand["conflict_sample"]

    @property
    def judged_sql(self) -> str:
        """Asks the row filters of all changes: fails where one raises an error."""
        return self.on_demand["judged"]

    @property
    def unsent_sql(self) -> str | None:
        """The first change that lacks an unchanged value, where that stops: its key, and seq."""
        return self.on_demand.get("unsent")

    @property
    def contested_sql(self) -> str | None:
        """Changes that bring a row under a primary key that another row has.

        That key, seq and kind; None where rows are found by the primary key itself.
        """
        return self.on_demand.get("contested")
