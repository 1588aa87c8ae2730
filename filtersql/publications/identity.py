"""Whether the old rows of a table carry what updates and deletes need.

An error where a subscription would get them; a warning where none does, or where the project says
``identity_check: run``. What a filter may read is judged in `filters.check.replica_identity`, by
the same leaf.

Example
    ========================================== =============================================
    t without a key, publishes updates         cannot update table "t" because it does not …
    t (a, b) key a, column list (b)            Column list used by the publication does not …
    t replica identity full, any column list   the same
    full, generated column not published       Replica identity must not contain … (18)
    ========================================== =============================================

PostgreSQL
    execReplication.c, CheckCmdReplicaIdentity(); publicationcmds.c, pub_contains_invalid_column()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from filtersql.catalog import Generated, Identity, Table
from filtersql.definitions.model import Action
from filtersql.errors import Mistake
from filtersql.errors.publications import (
    ColumnListMissesIdentity,
    NoReplicaIdentity,
    UnpublishedGeneratedIdentity,
)
from filtersql.names import RelationName
from filtersql.publications.columns import column_list
from filtersql.publications.lineage import Lineage
from filtersql.publications.membership import Membership

__all__ = ["JUDGED", "has_identity", "identity_mistakes"]

_CHECKS_GENERATED = 18
#: the actions that judge old rows
JUDGED = (Action.UPDATE, Action.DELETE)


def identity_mistakes(
    leaf: Table,
    members: Iterable[tuple[Membership, RelationName]],
    lineage: Lineage,
    *,
    postgres_version: int,
) -> Iterator[Mistake]:
    """What stops the first UPDATE or DELETE of a leaf; `members` with the relation they list."""
    members, judged = list(members), set[Action]()
    generated = postgres_version >= _CHECKS_GENERATED and any(
        column.generated for column in leaf.columns
    )
    for member, listed in members:
        asked = generated or member.lists_columns
        if not asked or member.actions.isdisjoint(JUDGED):
            continue
        actions = tuple(action for action in JUDGED if action in member.actions)
        target = lineage.tables[listed] if member.via_root else leaf
        yield from _column_list(leaf, target, member, actions)
        if generated:
            yield from _generated(leaf, target, member, actions)
    if not has_identity(leaf):
        judged.update(*(member.actions for member, _ in members))
        actions = tuple(action for action in JUDGED if action in judged)
        if actions:
            yield NoReplicaIdentity(leaf.name, actions, leaf.span)


def has_identity(table: Table) -> bool:
    """Whether old rows carry anything: FULL does even for a table without a key."""
    return table.replica_identity.kind is Identity.FULL or bool(table.identity_columns)


def _column_list(
    leaf: Table, target: Table, member: Membership, actions: Sequence[Action]
) -> Iterator[Mistake]:
    listed = column_list(target, member)
    if listed is None:
        return
    full = leaf.replica_identity.kind is Identity.FULL
    if full or not listed.issuperset(leaf.identity_columns):
        identity = None if full else leaf.identity_columns
        entry = member.entries[target.name]
        yield ColumnListMissesIdentity(leaf.name, actions, identity, entry.span)


def _generated(
    leaf: Table, target: Table, member: Membership, actions: Sequence[Action]
) -> Iterator[Mistake]:
    full = leaf.replica_identity.kind is Identity.FULL
    if not full and column_list(target, member) is not None:
        return
    published = {Generated.STORED} if member.generated_columns == "stored" else set()
    for column in leaf.columns:
        if column.generated is None or column.generated in published:
            continue
        if full or column.name in leaf.identity_columns:
            yield UnpublishedGeneratedIdentity(leaf.name, actions, column.name, leaf.span)
            return
