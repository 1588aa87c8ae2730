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

from msgspec.structs import replace

from filtersql.definitions.model import DdlFilter, ReplicationSet, Subscription
from filtersql.definitions.predefined_sets import find_set
from filtersql.definitions.sql_arguments import Call
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


def create_group(call: Call) -> None:
    """The group's default set holds every table, also one that is made later."""
    drafts, name, span = call.script.drafts, call.text("node_group_name"), call.span
    drafts.group = name
    made = ReplicationSet(name, span, autoadd_tables=True, ddl_filters=(DdlFilter(name, span),))
    drafts.replication_sets.setdefault(name, made)


def add_ddl_filter(call: Call) -> None:
    """A filter of commands: it is listed, and it is told when it says what it leaves out."""
    drafts, name = call.script.drafts, call.text("ddl_filter_name")
    place = call.place("ddl_filter_name")
    replication_set = find_set(call.script, call.text("set_name"), call.span)
    for one in drafts.replication_sets.values():
        for each in one.ddl_filters:
            if each.name == name:
                raise ALREADY_EXISTS(place, kind="DDL filter", name=name, first=each.span)
    tag, role = (
        call.text(key) if key in call.arguments else None for key in ("command_tag", "role_name")
    )
    left_out = _LEFT_OUT.search(tag or "")
    if left_out:
        words = left_out[1] or left_out[2]
        drafts.notices.append(
            Notice(
                "ddl-filter-negated",
                f'DDL filter "{name}" replicates every command but those of {words}',
                place,
                "A DDL filter says what is replicated, and (?!…) matches everything else.",
                f"Say '{words}' where these alone are meant; several filters add up.",
            )
        )
    filters = (*replication_set.ddl_filters, DdlFilter(name, place, tag, role))
    drafts.replication_sets[replication_set.name] = replace(replication_set, ddl_filters=filters)


def remove_ddl_filter(call: Call) -> None:
    """It is gone from its set."""
    replication_set = find_set(call.script, call.text("set_name"), call.span)
    name, filters = call.text("ddl_filter_name"), replication_set.ddl_filters
    kept = tuple(each for each in filters if each.name != name)
    if len(kept) == len(filters):
        place = call.place("ddl_filter_name")
        raise Unknown("DDL filter", name, place, [each.name for each in filters])
    call.script.drafts.replication_sets[replication_set.name] = replace(
        replication_set, ddl_filters=kept
    )


def node_sets(call: Call) -> None:
    """What a node subscribes to; an empty array is the group's default set."""
    drafts, node, span = call.script.drafts, call.text("node_name"), call.span
    sets = call.listed("set_names") or []
    if not sets and drafts.group is None:
        raise GROUP_DEFAULT_SET(span)
    names = tuple((name, span) for name in sets or [drafts.group or ""])
    subscription = drafts.subscriptions.get(node)
    if subscription is None:
        subscription = with_settings(Subscription(node, span), drafts.defaults)
    drafts.subscriptions[node] = replace(subscription, replication_sets=names)


def changed_default(script: Script, set_name: str, span: Span) -> None:
    """Warn of a change of the group's default set, which commands and calls travel by as well."""
    detail = "It is used for the replication of commands and of calls of BDR, too."
    _warn(
        script, set_name, "default-set-changed", "should not be dropped or modified", span, detail
    )


def filtered_default(script: Script, set_name: str, span: Span) -> None:
    """Warn of a row filter in the group's default set, which is not meant for a selection."""
    warning = "is not meant for selective replication"
    _warn(script, set_name, "filter-in-default-set", warning, span)


def _warn(
    script: Script, set_name: str, lint: str, warning: str, span: Span, detail: str | None = None
) -> None:
    if set_name == script.drafts.group:
        message = f'the default set of group "{set_name}" {warning}'
        hint = "Make a set of its own, and let the nodes subscribe to that."
        script.drafts.notices.append(Notice(lint, message, span, detail, hint))
