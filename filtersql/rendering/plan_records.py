"""Records of what the macros print for one table: finished strings, in the macros' own words.

Example
    `plan.key_columns[0].old` is `old_id`, or quoted; `plan.old_arms[0].ops` are literals.
"""

from __future__ import annotations

from msgspec import Struct

__all__ = [
    "Counts",
    "Internals",
    "MergePlan",
    "PlannedArm",
    "PlannedColumn",
    "PlannedCriterion",
    "PlannedTransition",
]


class PlannedColumn(Struct, frozen=True):
    """A column under the names that it has on its way, each quoted where it has to be.

    `plain` never is. Expressions are in lines.
    """

    plain: str
    name: str
    before: str
    after: str
    old: str
    new: str
    is_unchanged: str
    keeps: str
    known: str
    last_known: tuple[str, ...]
    #: the last value, or that none was sent since the row came; goes before OVER (…)
    last_seen: tuple[str, ...]
    left_behind: str
    #: what stands for it in a row that the target holds, selected
    held: str
    updated: tuple[str, ...]
    inserted: tuple[str, ...]
    #: NULL of its type, where no old row holds it
    absent: str = ""


class PlannedCriterion(Struct, frozen=True):
    """One part of an OR or AND: a comment that names it, its SQL.

    `lines` are `sql` in parentheses and `label_lines` are `label`, laid out.
    """

    #: `OR ` or `AND `; nothing before the first one
    connective: str
    label: str
    sql: str
    lines: tuple[str, ...]
    label_lines: tuple[str, ...]


class PlannedArm(Struct, frozen=True):
    """`ops` are literals."""

    ops: tuple[str, ...]
    criteria: tuple[PlannedCriterion, ...]


class PlannedTransition(Struct, frozen=True):
    """A row of the UPDATE transformation table as two conditions and a literal."""

    old: str
    new: str
    effect: str


class Counts(Struct, frozen=True):
    """The columns that are staged beside a row, by their names."""

    #: what a change met, where it was a conflict that the batch itself tells, and its seq
    met_kind: str
    met_seq: str
    #: whether it is the key's last change: one of the rows that are reviewed
    met_last: str
    #: the effect and the seq of the key's first change where only the target says what it met
    met_first: str
    met_first_seq: str


class Internals(Counts, frozen=True):
    """Names of filtersql's own columns, chosen so that no column of the table has them."""

    effect: str
    change_seq: str
    side: str
    recency: str
    previous_effect: str
    row_found: str
    finding: str
    old_matches: str
    new_matches: str
    copy_step: str
    copy_level: str
    copy_total: str
    copy_lowest: str
    copies_held: str
    copies_left: str
    copy_ordinal: str
    previous_seq: str
    added_seq: str
    removed_seq: str
    next_effect: str
    old_effect: str
    old_seq: str
    new_effect: str
    new_seq: str
    linked: str
    place: str
    outcomes: str
    old_found: str
    new_found: str
    epoch: str
    previous_epoch: str
    old_place: str
    new_place: str
    stays: str
    #: beside `Counts`: what a side of a change is, and what happened to its key before
    met_effect: str
    met_before: str
    #: whether a row of the target has no time left
    is_over: str


class MergePlan(Internals, frozen=True, eq=False):
    """The values of `plan.` in macros/*.sql. Identifiers are quoted where they have to be."""

    # Targets of one shape share one: it is known by itself, and not by its names as `Internals` is.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    header: tuple[str, ...]
    target: str
    changes: str
    source_view: str
    columns: tuple[PlannedColumn, ...]
    key_columns: tuple[PlannedColumn, ...]
    payload_columns: tuple[PlannedColumn, ...]
    assignments: tuple[PlannedColumn, ...]
    #: columns of the old row that every update logs
    logged_columns: tuple[PlannedColumn, ...]
    #: columns of the old row that are the new row's where the update logs none
    inferred_columns: tuple[PlannedColumn, ...]
    #: columns of the old row that no filter sees of a DELETE
    update_columns: tuple[PlannedColumn, ...]
    #: columns that filters read of old rows and no old row holds
    absent_columns: tuple[PlannedColumn, ...]
    #: columns of the new row that are the old row's where they are sent as unchanged
    carried_columns: tuple[PlannedColumn, ...]
    #: all other columns of the new row
    sent_columns: tuple[PlannedColumn, ...]
    #: payload columns that the target's row may have to keep, and the others
    keepable_columns: tuple[PlannedColumn, ...]
    complete_columns: tuple[PlannedColumn, ...]
    #: columns that tell which row a conflict is about
    conflict_columns: tuple[PlannedColumn, ...]
    #: the primary key, where rows are found by another key
    unique_columns: tuple[PlannedColumn, ...]
    #: SELECT and all columns, in lines
    selection: tuple[str, ...]
    #: PARTITION BY the key, or all columns of a table without key, in lines
    key_partition: tuple[str, ...]
    row_partition: tuple[str, ...]
    first_key: str
    witness: str
    #: conditions in parentheses, in lines; the last says when a new row may not leave out a column
    key_change: tuple[str, ...]
    any_unchanged: tuple[str, ...]
    any_kept: tuple[str, ...]
    must_be_complete: tuple[str, ...]
    #: the effect of a change, selected, in lines; stops where it adds a row that is incomplete
    checked_effect: tuple[str, ...]
    #: how several filters are combined, and what NULL is, in lines
    matching: tuple[str, ...]
    unknown_matches: str
    #: whether the time of a row of the target is over, as far as windows tell; in lines
    over: tuple[str, ...]
    old_arms: tuple[PlannedArm, ...]
    new_arms: tuple[PlannedArm, ...]
    copy_criteria: tuple[PlannedCriterion, ...]
    earlier_criteria: tuple[PlannedCriterion, ...]
    transitions: tuple[PlannedTransition, ...]
    inserts: tuple[str, ...]
    explode: str
    old_side: str
    new_side: str
    both_sides: str
    unknown_value: tuple[str, ...]
    text_type: str
    zero_to_copies_left: str
    #: what an earlier change left under the key; goes before OVER (…); in lines
    found_before: tuple[str, ...]
    #: what all changes of a key that hang on each other find, judged in their order; in lines
    all_outcomes: tuple[str, ...]
    each_outcome: str
    #: the changes of a table without key that find no copy, judged in their order; in lines
    all_misses: tuple[str, ...]
    #: a text that only one side of one change has
    place_of_row: str
    #: how many TRUNCATEs came before a change, in lines
    epoch_of_change: tuple[str, ...]
    all_barriers: str
    #: `effect` and `copy_ordinal`, unquoted: for the runner
    plain_effect: str
    plain_ordinal: str
    #: whether a key finds rows; whether rows are only added
    keyed: bool
    adds_only: bool
    #: whether an UPDATE of a row that the target lacks is skipped, whether all that meets the wrong
    #: state is
    skips_missing: bool
    keeps_existing: bool
    #: whether a change may leave out a value that no old row holds
    lacks_values: bool
    #: whether an UPDATE may take a row to another key, whether TRUNCATEs are published
    key_changes: bool
    truncates: bool
    #: whether rows leave when their time is over
    expires: bool
    #: whether events begin with the target's rows, and each knows which TRUNCATEs came before
    held_first: bool
    #: the query that merge.sql holds
    source_sql: str = ""
    #: whether a value that a change of a key left out is followed, see rendering/merges.py
    completes: bool = False
    #: whether the query counts what the changes meet, see rendering/counting.py
    counts: bool = False
    #: whether a changed definition only lets rows go: these are found in the target alone, and with
    #: `by_delete` a DELETE takes them
    narrows: bool = False
    by_delete: bool = False
    #: whether a target holds what `earlier_criteria` take: these rows of the source do not enter
    compares: bool = False
    #: whether a changed definition needs another table: the query gives all of its rows
    rebuilds: bool = False
