"""Replication sets that exist without being made.

Example
    `pglogical.replication_set_add_table('default', 't')` needs no create_replication_set().
    Dropping one of them is refused.

pglogical
    pglogical_repset.c; pglogical_functions.c: create_local_node() makes the three sets
"""

from __future__ import annotations

from filtersql.definitions.model import Action, ReplicationSet
from filtersql.definitions.sql_names import Script
from filtersql.errors.publications import perhaps
from filtersql.errors.replication_sets import SET_NOT_FOUND
from filtersql.source import Span

__all__ = ["PREDEFINED", "find_set", "predefined_set"]

#: their names, and what they replicate
PREDEFINED = {
    "default": frozenset(Action),
    # As pglogical 2.4 makes them: its manual speaks of INSERT only, and of DDL alone.
    "default_insert_only": frozenset({Action.INSERT, Action.TRUNCATE}),
    "ddl_sql": frozenset({Action.INSERT}),
}


def predefined_set(name: str, span: Span) -> ReplicationSet | None:
    """A set that exists without being made."""
    return ReplicationSet(name, span, replicate=PREDEFINED[name]) if name in PREDEFINED else None


def find_set(script: Script, name: str, span: Span) -> ReplicationSet:
    """The set of that name, as it stands now."""
    known = script.drafts.replication_sets
    replication_set = known.get(name) or predefined_set(name, span)
    if replication_set is None:
        raise SET_NOT_FOUND(span, name=name, hint=perhaps(name, [*known, *PREDEFINED]))
    return replication_set
