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

from filtersql.definitions.model import Action, DdlFilter, ReplicationSet, Subscription
from filtersql.definitions.predefined_sets import PREDEFINED, find_set
from filtersql.definitions.set_members import judges
from filtersql.definitions.sql_arguments import Arguments
from filtersql.definitions.sql_groups import (
    add_ddl_filter,
    changed_default,
    create_group,
    node_sets,
    remove_ddl_filter,
)
from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_set_arguments import flag, listed, named, set_place
from filtersql.definitions.sql_set_members import has_key
from filtersql.definitions.sql_set_tables import (
    add_all_tables,
    add_table,
    add_tables,
    remove_table,
    takes_keyless,
)
from filtersql.definitions.yaml_subscriptions import with_settings
from filtersql.errors import Notice
from filtersql.errors.definitions import ALREADY_EXISTS, UnsupportedStatement
from filtersql.errors.replication_sets import EMPTY_SET_NAME, SET_EXISTS, SET_HOLDS_KEYLESS
from filtersql.source import Span

__all__ = ["CHANGES", "skip_sequences"]

_AUTOADD = "Say it where the set is made."


def _replicated(arguments: Arguments, now: frozenset[Action]) -> frozenset[Action]:
    flags = {action: flag(arguments, f"replicate_{action}") for action in Action}
    return frozenset(
        action for action in Action if flags[action] or (flags[action] is None and action in now)
    )


def _create_set(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    name = named(script, function, "set_name", arguments, span)
    place = set_place(arguments, span)
    if not name:
        raise EMPTY_SET_NAME(place)
    if name in script.drafts.replication_sets or name in PREDEFINED:
        first = script.drafts.replication_sets.get(name)
        raise SET_EXISTS(place, name=name, first=first.span if first else None)
    autoadd = bool(flag(arguments, "autoadd_tables"))
    made = ReplicationSet(
        name,
        place,
        replicate=_replicated(arguments, frozenset(Action)),
        autoadd_tables=autoadd,
        not_added=frozenset(script.drafts.tables) if autoadd else frozenset(),
    )
    script.drafts.replication_sets[name] = made
    existing = flag(arguments, "autoadd_existing")
    if existing is None:
        existing = function.startswith("bdr.")
    if autoadd and existing:
        add_tables(script, made, None, place, keyless=takes_keyless(function))


def _alter_set(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    name = named(script, function, "set_name", arguments, span)
    replication_set = find_set(script, name, set_place(arguments, span))
    changed_default(script, name, set_place(arguments, span))
    autoadd = flag(arguments, "autoadd_tables")
    replicate = _replicated(arguments, replication_set.replicate)
    tables = [script.drafts.tables.get(table.name) for table in replication_set.tables]
    keyless = any(table is not None and not has_key(table) for table in tables)
    if judges(replicate) and keyless and not takes_keyless(function):
        raise SET_HOLDS_KEYLESS(set_place(arguments, span), name=name)
    if autoadd not in (None, bool(replication_set.autoadd_tables)):
        raise UnsupportedStatement(f"another autoadd_tables by {function}()", span, _AUTOADD)
    script.drafts.replication_sets[name] = replace(replication_set, replicate=replicate)


def _drop_set(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    name = named(script, function, "set_name", arguments, span)
    if not flag(arguments, "ifexists"):
        find_set(script, name, set_place(arguments, span))
    changed_default(script, name, span)
    if name in PREDEFINED:
        raise UnsupportedStatement(f'{function}() of the predefined set "{name}"', span)
    script.drafts.replication_sets.pop(name, None)


def _add_ddl_filter(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    replication_set = find_set(script, named(script, function, "set_name", arguments, span), span)
    name = named(script, function, "ddl_filter_name", arguments, span)
    said = [arguments.get(key) for key in ("command_tag", "role_name")]
    tag, role = (None if argument is None else str(argument.value) for argument in said)
    place = arguments["ddl_filter_name"].span
    add_ddl_filter(script, replication_set, DdlFilter(name, place, tag, role))


def _remove_ddl_filter(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    replication_set = find_set(script, named(script, function, "set_name", arguments, span), span)
    name = named(script, function, "ddl_filter_name", arguments, span)
    remove_ddl_filter(script, replication_set, name, arguments["ddl_filter_name"].span)


def _create_group(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    create_group(script, named(script, function, "node_group_name", arguments, span), span)


def _node_sets(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    node = named(script, function, "node_name", arguments, span)
    node_sets(script, node, listed(arguments, "set_names") or [], span)


def _create_subscription(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    """pglogical.create_subscription(): to the predefined sets where none is named."""
    name = named(script, function, "subscription_name", arguments, span)
    place = arguments["subscription_name"].span
    if name in script.drafts.subscriptions:
        first = script.drafts.subscriptions[name].span
        raise ALREADY_EXISTS(place, kind="subscription", name=name, first=first)
    said_sets = listed(arguments, "replication_sets")
    sets, at = list(PREDEFINED), place
    if said_sets is not None:
        sets, at = said_sets, arguments["replication_sets"].span
    copied = flag(arguments, "synchronize_data")
    subscription = Subscription(
        name, place, replication_sets=tuple((set_name, at) for set_name in sets)
    )
    settings: dict[str, object] = {} if copied is None else {"copy_data": copied}
    settings["local_changes_only"] = listed(arguments, "forward_origins") == []
    script.drafts.subscriptions[name] = with_settings(
        subscription, script.drafts.defaults, settings
    )


def skip_sequences(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    """A call that is of no concern; that it changes nothing is told."""
    message = f"{function}() is ignored: sequences are not replicated"
    script.drafts.notices.append(Notice("sequences", message, span))


#: by the name without its schema
CHANGES: dict[str, Callable[[Script, str, Arguments, Span], None]] = {
    "create_replication_set": _create_set,
    "alter_replication_set": _alter_set,
    "drop_replication_set": _drop_set,
    "replication_set_add_table": add_table,
    "replication_set_remove_table": remove_table,
    "replication_set_add_all_tables": add_all_tables,
    "create_subscription": _create_subscription,
    "replication_set_add_ddl_filter": _add_ddl_filter,
    "replication_set_remove_ddl_filter": _remove_ddl_filter,
    "create_node_group": _create_group,
    "alter_node_replication_sets": _node_sets,
    "replication_set_add_sequence": skip_sequences,
    "replication_set_remove_sequence": skip_sequences,
    "replication_set_add_all_sequences": skip_sequences,
    "synchronize_sequence": skip_sequences,
}
