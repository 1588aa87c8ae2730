"""bdr's groups and nodes: the default set of a group, and the sets that a node subscribes to.

Example
    ====================================================== ====================================
    SELECT bdr.create_node_group('g')                      set "g": every table, and those to come
    SELECT bdr.replication_set_add_table('t')              without set_name it is the group's set
    SELECT bdr.alter_node_replication_sets('n', '{a,b}')   subscription "n" to a and b
    SELECT bdr.alter_node_replication_sets('n', '{}')      subscription "n" to the group's set
    ====================================================== ====================================

BDR
    Replication sets, "Behavior with default replication set", alter_node_replication_sets()
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from filtersql.definitions.model import ReplicationSet, Subscription
from filtersql.definitions.sql_names import Script
from filtersql.definitions.yaml_subscriptions import with_settings
from filtersql.errors import Notice
from filtersql.errors.definitions import GroupDefaultSet
from filtersql.source import Span

__all__ = ["create_group", "filtered_default", "node_sets"]


def create_group(script: Script, name: str, span: Span) -> None:
    """The group's default set holds every table, also one that is made later."""
    script.drafts.group = name
    made = ReplicationSet(name, span, autoadd_tables=True)
    script.drafts.replication_sets.setdefault(name, made)


def node_sets(script: Script, node: str, sets: Sequence[str], span: Span) -> None:
    """What a node subscribes to; an empty array is the group's default set."""
    if not sets and script.drafts.group is None:
        raise GroupDefaultSet(span)
    names = tuple((name, span) for name in sets or [script.drafts.group or ""])
    found = script.drafts.subscriptions.get(node)
    if found is None:
        found = with_settings(Subscription(node, span), script.drafts.defaults, {})
    script.drafts.subscriptions[node] = replace(found, replication_sets=names)


def filtered_default(script: Script, set_name: str, span: Span) -> None:
    """Warn of a row filter in the group's default set, which is not meant for a selection."""
    if set_name == script.drafts.group:
        script.drafts.notices.append(
            Notice(
                "filter-in-default-set",
                f'the default set of group "{set_name}" is not meant for selective replication',
                span,
                hint="Make a set of its own, and let the nodes subscribe to that.",
            )
        )
