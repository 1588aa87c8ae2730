"""The switches in which the source systems differ, and the four systems as named values.

Example
    =========================== ========== ================ =========== ===========
    switch                      postgres   xdb              pglogical   bdr
    =========================== ========== ================ =========== ===========
    null_policy                 drop       drop             drop        keep
    update_decision             old_new    target_existence new_only    new_only
    delete_policy               old_filter target_existence key_only_…  key_only_…
    combine                     or_per_…   single           and         or_per_…
    unfiltered_cancels          true       false            false       true
    missing_target              insert     insert           skip        insert
    existing_target_on_insert   upsert     upsert           upsert      upsert
    partition_routing           via_root_… root_wins        root_wins   root_wins
    allowed_expressions         publica…   publication      check_con…  current_row
    =========================== ========== ================ =========== ===========

Rules read switches, never a system's name. A project names a profile and may turn any switch:
``semantics: {profile: pglogical, update_decision: old_new}``.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

__all__ = ["BDR", "PGLOGICAL", "POSTGRES", "XDB", "Semantics"]


class Semantics(Struct, frozen=True):
    """One profile: what a source system does where the others do something else."""

    name: str
    #: whether a row for which the filter is NULL is sent
    null_policy: Literal["drop", "keep"]
    #: what decides an UPDATE: both rows, the new one, or the new one and the target
    update_decision: Literal["old_new", "new_only", "target_existence"]
    #: what judges a DELETE: the old row as logged, its identity columns alone, or nothing
    delete_policy: Literal["old_filter", "key_only_filter", "target_existence"]
    #: several filters on one table: any of those that publish the action, all, or only one allowed
    combine: Literal["or_per_action", "and", "single"]
    unfiltered_cancels: bool
    #: what an UPDATE of a row does that the target lacks; `on_conflict: apply` inserts
    missing_target: Literal["skip", "insert"]
    #: what a row does that the target has already; `on_conflict` of a subscription goes before
    existing_target_on_insert: Literal["error", "upsert"]
    #: whose memberships count for a partition: those of the topmost root that is published via
    #: root, its own and its roots', those of its topmost root in a set, its own alone
    partition_routing: Literal["via_root_topmost", "leaf", "root_wins", "as_added"]
    #: which publications' filters judge the initial copy: all, those that publish inserts, or none
    copy_predicate: Literal["or_all", "per_action", "none"]
    #: several column lists of one table must be equal, or are united, or there is none
    column_lists: Literal["agree", "union", "none"] = "agree"
    #: whether the target keeps its value of an unchanged out-of-line column, or the run stops
    toast_unchanged: Literal["keep", "error"] = "keep"
    #: what subscriptions name
    publishes: Literal["publications", "replication_sets"] = "publications"
    #: whether a filtered table that sends updates or deletes must have replica identity FULL
    full_identity: bool = False
    #: whether a unique constraint finds the rows of a table that has no primary key
    unique_keys: bool = False
    #: whether a set that replicates updates or deletes takes only tables with a key
    sets_need_key: bool = True
    #: whether a filter may read a binary column
    binary_filters: bool = True
    #: whether a filter may have other conditions beside a modulus
    modulus_beside: bool = True
    #: whether a filter may be `column [NOT] IN (SELECT column FROM table)`
    lookups: bool = False
    #: whether a view can be published, to be copied and no more
    snapshot_views: bool = False
    #: what a filter may hold: what a publication's WHERE may, or what a CHECK constraint may, with
    #: tableoid or with the columns of the current row alone
    allowed_expressions: Literal["publication", "check_constraint", "current_row"] = "publication"
    #: switches that the system's manual leaves open: a project that needs one is told
    unstated: frozenset[str] = frozenset()


POSTGRES = Semantics(
    name="postgres",
    null_policy="drop",
    update_decision="old_new",
    delete_policy="old_filter",
    combine="or_per_action",
    unfiltered_cancels=True,
    missing_target="insert",
    existing_target_on_insert="upsert",
    partition_routing="via_root_topmost",
    copy_predicate="or_all",
)

#: EDB xDB 6.2 and EPRS 7: the target decides; named rules, at most one for each table
XDB = Semantics(
    name="xdb",
    null_policy="drop",
    update_decision="target_existence",
    delete_policy="target_existence",
    combine="single",
    unfiltered_cancels=False,
    missing_target="insert",
    existing_target_on_insert="upsert",
    partition_routing="root_wins",
    copy_predicate="or_all",
    full_identity=True,
    unique_keys=True,
    binary_filters=False,
    modulus_beside=False,
    lookups=True,
    snapshot_views=True,
)

#: pglogical 2.4 as it runs; 3.7's manual can be read as a union: `combine: or_per_action`.
#: Partitions are 3.7's, which 2.4 does not know: `partition_routing: as_added`
PGLOGICAL = Semantics(
    name="pglogical",
    null_policy="drop",
    update_decision="new_only",
    delete_policy="key_only_filter",
    combine="and",
    unfiltered_cancels=False,
    missing_target="skip",
    existing_target_on_insert="upsert",
    partition_routing="root_wins",
    copy_predicate="or_all",
    column_lists="union",
    publishes="replication_sets",
    allowed_expressions="check_constraint",
    unstated=frozenset({"partition_routing"}),
)

#: BDR 3.7 to PGD 6: "True or Unknown" is sent, memberships and options are united
BDR = Semantics(
    name="bdr",
    null_policy="keep",
    update_decision="new_only",
    delete_policy="key_only_filter",
    combine="or_per_action",
    unfiltered_cancels=True,
    missing_target="insert",
    existing_target_on_insert="upsert",
    partition_routing="root_wins",
    copy_predicate="or_all",
    column_lists="none",
    publishes="replication_sets",
    sets_need_key=False,
    allowed_expressions="current_row",
    unstated=frozenset({"combine"}),
)
