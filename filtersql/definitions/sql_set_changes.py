"""What calls of pglogical's and bdr's functions change: sets, their members, who subscribes.

Example
    `SELECT pglogical.replication_set_add_table('emea', 'public.t1', row_filter := 'id > 0')` adds
    t1 to the set emea with the filter `id > 0`, whose place is inside the literal.

pglogical, bdr
    pglogical_repset.c, pglogical_functions.c; BDR 3.7's manual (replication sets)
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from filtersql.definitions.model import Action, ReplicationSet, Subscription
from filtersql.definitions.predefined_sets import PREDEFINED, find_set
from filtersql.definitions.set_members import judges
from filtersql.definitions.sql_arguments import Call
from filtersql.definitions.sql_groups import (
    add_ddl_filter,
    changed_default,
    create_group,
    node_sets,
    remove_ddl_filter,
)
from filtersql.definitions.sql_set_members import (
    add_all_tables,
    add_table,
    add_tables,
    has_key,
    remove_table,
)
from filtersql.definitions.yaml_subscriptions import with_settings
from filtersql.errors import Notice
from filtersql.errors.definitions import ALREADY_EXISTS, UnsupportedStatement
from filtersql.errors.replication_sets import EMPTY_SET_NAME, SET_EXISTS, SET_HOLDS_KEYLESS

__all__ = ["CHANGES", "skip_sequences"]

_AUTOADD = "Say it where the set is made."


def _replicated(call: Call, now: frozenset[Action]) -> frozenset[Action]:
    flags = {action: call.flag(f"replicate_{action}") for action in Action}
    return frozenset(
        action for action in Action if flags[action] or (flags[action] is None and action in now)
    )


def _create_set(call: Call) -> None:
    name, place, drafts = call.text("set_name"), call.place("set_name"), call.script.drafts
    if not name:
        raise EMPTY_SET_NAME(place)
    if name in drafts.replication_sets or name in PREDEFINED:
        first = drafts.replication_sets.get(name)
        raise SET_EXISTS(place, name=name, first=first.span if first else None)
    autoadd = bool(call.flag("autoadd_tables"))
    made = ReplicationSet(
        name,
        place,
        replicate=_replicated(call, frozenset(Action)),
        autoadd_tables=autoadd,
        not_added=frozenset(drafts.tables) if autoadd else frozenset(),
    )
    drafts.replication_sets[name] = made
    existing = call.flag("autoadd_existing")
    if existing is None:
        existing = call.takes_keyless
    if autoadd and existing:
        add_tables(call, made, None, place)


def _alter_set(call: Call) -> None:
    name, place, script = call.text("set_name"), call.place("set_name"), call.script
    replication_set = find_set(script, name, place)
    changed_default(script, name, place)
    autoadd = call.flag("autoadd_tables")
    replicate = _replicated(call, replication_set.replicate)
    tables = [script.drafts.tables.get(table.name) for table in replication_set.tables]
    keyless = any(table is not None and not has_key(table) for table in tables)
    if judges(replicate) and keyless and not call.takes_keyless:
        raise SET_HOLDS_KEYLESS(place, name=name)
    if autoadd not in (None, bool(replication_set.autoadd_tables)):
        construct = f"another autoadd_tables by {call.function}()"
        raise UnsupportedStatement(construct, call.span, _AUTOADD)
    script.drafts.replication_sets[name] = replace(replication_set, replicate=replicate)


def _drop_set(call: Call) -> None:
    name, script = call.text("set_name"), call.script
    if not call.flag("ifexists"):
        find_set(script, name, call.place("set_name"))
    changed_default(script, name, call.span)
    if name in PREDEFINED:
        raise UnsupportedStatement(f'{call.function}() of the predefined set "{name}"', call.span)
    script.drafts.replication_sets.pop(name, None)


def _create_subscription(call: Call) -> None:
    """pglogical.create_subscription(): to the predefined sets where none is named."""
    name, place = call.text("subscription_name"), call.place("subscription_name")
    drafts = call.script.drafts
    if name in drafts.subscriptions:
        first = drafts.subscriptions[name].span
        raise ALREADY_EXISTS(place, kind="subscription", name=name, first=first)
    said_sets = call.listed("replication_sets")
    sets, at = list(PREDEFINED), place
    if said_sets is not None:
        sets, at = said_sets, call.place("replication_sets")
    copied = call.flag("synchronize_data")
    subscription = Subscription(
        name, place, replication_sets=tuple((set_name, at) for set_name in sets)
    )
    settings: dict[str, object] = {} if copied is None else {"copy_data": copied}
    settings["local_changes_only"] = call.listed("forward_origins") == []
    drafts.subscriptions[name] = with_settings(subscription, drafts.defaults, settings)


def skip_sequences(call: Call) -> None:
    """A call that is of no concern; that it changes nothing is told."""
    message = f"{call.function}() is ignored: sequences are not replicated"
    call.script.drafts.notices.append(Notice("sequences", message, call.span))


#: by the name without its schema
CHANGES: dict[str, Callable[[Call], None]] = {
    "create_replication_set": _create_set,
    "alter_replication_set": _alter_set,
    "drop_replication_set": _drop_set,
    "replication_set_add_table": add_table,
    "replication_set_remove_table": remove_table,
    "replication_set_add_all_tables": add_all_tables,
    "create_subscription": _create_subscription,
    "replication_set_add_ddl_filter": add_ddl_filter,
    "replication_set_remove_ddl_filter": remove_ddl_filter,
    "create_node_group": create_group,
    "alter_node_replication_sets": node_sets,
    "replication_set_add_sequence": skip_sequences,
    "replication_set_remove_sequence": skip_sequences,
    "replication_set_add_all_sequences": skip_sequences,
    "synchronize_sequence": skip_sequences,
}
