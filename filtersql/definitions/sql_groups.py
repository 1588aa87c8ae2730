"""bdr's groups and nodes: the default set of a group, and the sets that a node subscribes to.

Example
    ====================================================== ====================================
    SELECT bdr.create_node_group('g')                      set "g": every table, and those to come
    SELECT bdr.replication_set_add_table('t')              without set_name it is the group's set
    SELECT bdr.alter_node_replication_sets('n', '{a,b}')   subscription "n" to a and b
    SELECT bdr.alter_node_replication_sets('n', '{}')      subscription "n" to the group's set
    SELECT bdr.replication_set_add_ddl_filter('g', 'f', …) listed by `show set g`: no DDL is sent
    ====================================================== ====================================

BDR
    Replication sets, "Behavior with default replication set", alter_node_replication_sets()
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from filtersql.definitions.model import DdlFilter, ReplicationSet, Subscription
from filtersql.definitions.sql_names import Script
from filtersql.definitions.yaml_subscriptions import with_settings
from filtersql.errors import Notice
from filtersql.errors.definitions import ALREADY_EXISTS, Unknown
from filtersql.errors.replication_sets import GROUP_DEFAULT_SET
from filtersql.source import Span

__all__ = [
    "add_ddl_filter",
    "changed_default",
    "create_group",
    "filtered_default",
    "node_sets",
    "remove_ddl_filter",
]

#: ^(?!(CREATE INDEX|DROP INDEX)).* and ^((?!INDEX).)*$ : what they do not match
_LEFT_OUT = re.compile(r"\^\(\?!\(?([^()]+)\)?\)|\(\(\?!\(?([^()]+)\)?\)\.\)\*")


def create_group(script: Script, name: str, span: Span) -> None:
    """The group's default set holds every table, also one that is made later."""
    script.drafts.group = name
    made = ReplicationSet(name, span, autoadd_tables=True, ddl_filters=(DdlFilter(name, span),))
    script.drafts.replication_sets.setdefault(name, made)


def add_ddl_filter(script: Script, replication_set: ReplicationSet, added: DdlFilter) -> None:
    """A filter of commands: it is listed, and it is told when it says what it leaves out."""
    for one in script.drafts.replication_sets.values():
        for each in one.ddl_filters:
            if each.name == added.name:
                raise ALREADY_EXISTS(
                    added.span, kind="DDL filter", name=added.name, first=each.span
                )
    left_out = _LEFT_OUT.search(added.command_tag or "")
    if left_out:
        words = left_out[1] or left_out[2]
        script.drafts.notices.append(
            Notice(
                "ddl-filter-negated",
                f'DDL filter "{added.name}" replicates every command but those of {words}',
                added.span,
                "A DDL filter says what is replicated, and (?!…) matches everything else.",
                f"Say '{words}' where these alone are meant; several filters add up.",
            )
        )
    filters = (*replication_set.ddl_filters, added)
    script.drafts.replication_sets[replication_set.name] = replace(
        replication_set, ddl_filters=filters
    )


def remove_ddl_filter(
    script: Script, replication_set: ReplicationSet, name: str, span: Span
) -> None:
    """It is gone from its set."""
    kept = tuple(each for each in replication_set.ddl_filters if each.name != name)
    if len(kept) == len(replication_set.ddl_filters):
        raise Unknown("DDL filter", name, span, [each.name for each in replication_set.ddl_filters])
    script.drafts.replication_sets[replication_set.name] = replace(
        replication_set, ddl_filters=kept
    )


def node_sets(script: Script, node: str, sets: Sequence[str], span: Span) -> None:
    """What a node subscribes to; an empty array is the group's default set."""
    if not sets and script.drafts.group is None:
        raise GROUP_DEFAULT_SET(span)
    names = tuple((name, span) for name in sets or [script.drafts.group or ""])
    subscription = script.drafts.subscriptions.get(node)
    if subscription is None:
        subscription = with_settings(Subscription(node, span), script.drafts.defaults, {})
    script.drafts.subscriptions[node] = replace(subscription, replication_sets=names)


def changed_default(script: Script, set_name: str, span: Span) -> None:
    """Warn of a change of the group's default set, which commands and calls travel by as well."""
    warning = "should not be dropped or modified"
    detail = "It is used for the replication of commands and of calls of BDR, too."
    _warn_of_default(script, set_name, "default-set-changed", warning, span, detail)


def filtered_default(script: Script, set_name: str, span: Span) -> None:
    """Warn of a row filter in the group's default set, which is not meant for a selection."""
    warning = "is not meant for selective replication"
    _warn_of_default(script, set_name, "filter-in-default-set", warning, span)


def _warn_of_default(
    script: Script, set_name: str, lint: str, warning: str, span: Span, detail: str | None = None
) -> None:
    if set_name == script.drafts.group:
        message = f'the default set of group "{set_name}" {warning}'
        hint = "Make a set of its own, and let the nodes subscribe to that."
        script.drafts.notices.append(Notice(lint, message, span, detail, hint))
