"""Calls of pglogical's and bdr's functions: replication sets, their tables and row filters.

Example
    `SELECT pglogical.replication_set_add_table('emea', 'public.t1', row_filter := 'id > 0')` adds
    t1 to the set emea with the filter `id > 0`, whose place is inside the literal.

pglogical, bdr
    pglogical--2.4.sql and BDR 3.7's manual (replication sets) give the order of the arguments
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from filtersql.definitions.model import Action, DdlFilter, PublishedTable, ReplicationSet
from filtersql.definitions.predefined_sets import PREDEFINED, find_set
from filtersql.definitions.session_code import check_writes
from filtersql.definitions.set_calls import calls_of, check_calls_of, check_hidden
from filtersql.definitions.set_members import judges
from filtersql.definitions.sql_arguments import Arguments, arguments_of, constant
from filtersql.definitions.sql_groups import (
    add_ddl_filter,
    changed_default,
    create_group,
    filtered_default,
    node_sets,
    remove_ddl_filter,
)
from filtersql.definitions.sql_names import Script, span_of
from filtersql.definitions.sql_set_arguments import (
    flag,
    listed,
    named,
    relation_named,
    set_place,
    trimmed,
)
from filtersql.definitions.sql_set_members import check_system_schemas, has_key, joined
from filtersql.definitions.sql_set_subscriptions import (
    change_subscription,
    create_subscription,
    drop_subscription,
)
from filtersql.definitions.sql_settings import set_config
from filtersql.errors import Notice
from filtersql.errors.altering import NOT_CONSTANT, NOT_MEMBER
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.relations import UNKNOWN_SCHEMA
from filtersql.errors.replication_sets import (
    EMPTY_SET_NAME,
    SET_EXISTS,
    SET_HOLDS_KEYLESS,
    TABLE_IN_SET,
)
from filtersql.grammar import Node, Statement
from filtersql.source import Passage, Span

__all__ = ["call", "check_skipped", "commands"]

_FLAGS = "replicate_insert replicate_update replicate_delete replicate_truncate"
#: function -> its parameters in order, those that must be said before `|`
_SEQUENCES = {
    "pglogical.replication_set_add_sequence": "set_name relation | synchronize_data",
    "pglogical.replication_set_remove_sequence": "set_name relation",
    "pglogical.replication_set_add_all_sequences": "set_name schema_names | synchronize_data",
    "pglogical.synchronize_sequence": "relation",
}
#: the same of all functions
_PARAMETERS = {
    "pglogical.create_replication_set": f"set_name | {_FLAGS} autoadd_tables autoadd_sequences"
    " autoadd_existing",
    "pglogical.alter_replication_set": f"set_name | {_FLAGS} autoadd_tables autoadd_sequences",
    "pglogical.drop_replication_set": "set_name | ifexists",
    "pglogical.replication_set_add_table": "set_name relation |"
    " synchronize_data columns row_filter",
    "pglogical.replication_set_remove_table": "set_name relation",
    "pglogical.replication_set_add_all_tables": "set_name schema_names | synchronize_data",
    "pglogical.create_subscription": "subscription_name provider_dsn | replication_sets"
    " synchronize_structure synchronize_data forward_origins apply_delay force_text_transfer",
    "pglogical.alter_subscription_add_replication_set": "subscription_name replication_set",
    "pglogical.alter_subscription_remove_replication_set": "subscription_name replication_set",
    "pglogical.drop_subscription": "subscription_name | ifexists",
    "bdr.create_replication_set": f"set_name | {_FLAGS} autoadd_tables autoadd_existing",
    "bdr.alter_replication_set": f"set_name | {_FLAGS} autoadd_tables",
    "bdr.drop_replication_set": "set_name",
    "bdr.replication_set_add_table": "relation | set_name columns row_filter",
    "bdr.replication_set_remove_table": "relation | set_name",
    "bdr.replication_set_add_ddl_filter": "set_name ddl_filter_name | command_tag role_name",
    "bdr.replication_set_remove_ddl_filter": "set_name ddl_filter_name",
    "bdr.create_node_group": "node_group_name | parent_group_name join_node_group node_group_type",
    "bdr.alter_node_replication_sets": "node_name set_names",
    **_SEQUENCES,
}
_COMMAND = "replicate_ddl_command"
_AUTOADD = "Say it where the set is made."
#: functions of both that change nothing a target would hold; those of bdr's sequences are said so
_IGNORED = ("node", "wait_", "replicate_ddl", "synchroni", "show_")


def call(script: Script, statement: Statement) -> None:
    """SELECT function(…): calls of pglogical, bdr and set_config; any other SELECT is skipped."""
    into = statement.node.into_clause.rel
    if statement.node.HasField("into_clause"):
        hint = "Write CREATE TABLE with its columns."
        raise UnsupportedStatement("SELECT INTO", span_of(script, into), hint)
    check_calls_of(script, statement, _PARAMETERS)
    if statement.node.HasField("with_clause"):
        check_writes(script, statement.node)
    for each in calls_of(statement):
        names = [name.string.sval for name in each.funcname]
        if names[-1] == "set_config" and names[:-1] in ([], ["pg_catalog"]):
            set_config(script, each)
        elif len(names) == 2 and names[0] in ("pglogical", "bdr"):
            _call(script, ".".join(names), each)


def check_skipped(script: Script, statement: Statement) -> None:
    """A statement that is of no concern by itself, where it may call such a function."""
    check_hidden(script, statement, _PARAMETERS)
    check_writes(script, statement.node)


def commands(script: Script, statement: Statement) -> Iterator[Passage]:
    """The statements of replicate_ddl_command(), which are carried out where it is called."""
    for node in calls_of(statement):
        names = [name.string.sval for name in node.funcname]
        if names in (["pglogical", _COMMAND], ["bdr", _COMMAND]) and node.args:
            function = ".".join(names)
            span = script.span(node.location, len(function))
            first = node.args[0]
            if first.WhichOneof("node") == "named_arg_expr":
                first = first.named_arg_expr.arg
            said = constant(script, first, span)
            if said is None or (said.text is None and said.value is not None):
                raise NOT_CONSTANT(span, function=function, name="command")
            if said.text is not None:
                yield said.text


def _call(script: Script, function: str, node: Node) -> None:
    span = script.span(node.location, len(function))
    parameters = _PARAMETERS.get(function)
    if parameters is not None:
        arguments = arguments_of(script, function, parameters, node)
        _CALLS[function.split(".")[1]](script, function, arguments, span)
    elif function.startswith("bdr.") and "sequence" in function:
        _skip_sequences(script, function, {}, span)
    elif not any(word in function for word in _IGNORED):
        raise UnsupportedStatement(f"function {function}()", span)


def _replicated(arguments: Arguments, now: frozenset[Action]) -> frozenset[Action]:
    said = {action: flag(arguments, f"replicate_{action}") for action in Action}
    return frozenset(
        action for action in Action if said[action] or (said[action] is None and action in now)
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
        _add_tables(script, made, None, place, keyless=_takes_keyless(function))


def _alter_set(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    name = named(script, function, "set_name", arguments, span)
    found = find_set(script, name, set_place(arguments, span))
    changed_default(script, name, set_place(arguments, span))
    autoadd = flag(arguments, "autoadd_tables")
    replicate = _replicated(arguments, found.replicate)
    tables = [script.drafts.tables.get(one.name) for one in found.tables]
    keyless = any(table is not None and not has_key(table) for table in tables)
    if judges(replicate) and keyless and not _takes_keyless(function):
        raise SET_HOLDS_KEYLESS(set_place(arguments, span), name=name)
    if autoadd not in (None, bool(found.autoadd_tables)):
        raise UnsupportedStatement(f"another autoadd_tables by {function}()", span, _AUTOADD)
    script.drafts.replication_sets[name] = replace(found, replicate=replicate)


def _drop_set(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    name = named(script, function, "set_name", arguments, span)
    if not flag(arguments, "ifexists"):
        find_set(script, name, set_place(arguments, span))
    changed_default(script, name, span)
    if name in PREDEFINED:
        raise UnsupportedStatement(f'{function}() of the predefined set "{name}"', span)
    script.drafts.replication_sets.pop(name, None)


def _takes_keyless(function: str) -> bool:
    """Whether a set takes tables without a key: BDR blocks their updates and deletes instead."""
    return function.startswith("bdr.")


def _add_table(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    if "relation" in arguments:
        relation_named(script, function, arguments, span)  # a regclass is read before the call
    name = named(script, function, "set_name", arguments, span)
    relation = relation_named(script, function, arguments, span)
    found = find_set(script, name, set_place(arguments, span))
    place = arguments["relation"].span
    if any(table.name == relation for table in found.tables):
        raise TABLE_IN_SET(place, table=relation.name, replication_set=name)
    columns = listed(arguments, "columns")
    where = None
    if "row_filter" in arguments:
        text = arguments["row_filter"].text
        if text is None:
            at = arguments["row_filter"].span
            raise NOT_CONSTANT(at, function=function, name="row_filter")
        where = trimmed(text)
        filtered_default(script, name, place)
    kept = None if columns is None else tuple(dict.fromkeys(columns))
    entry = PublishedTable(relation, place, where, kept)
    table = joined(script.drafts, found, entry, keyless=_takes_keyless(function))
    if table is not None:
        script.drafts.replication_sets[name] = replace(found, tables=(*found.tables, table))


def _remove_table(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    relation = relation_named(script, function, arguments, span)
    name = named(script, function, "set_name", arguments, span)
    found = find_set(script, name, set_place(arguments, span))
    kept = tuple(table for table in found.tables if table.name != relation)
    by_itself = bool(found.autoadd_tables) and relation not in found.not_added
    if len(kept) == len(found.tables) and not by_itself:
        raise NOT_MEMBER(arguments["relation"].span, table=relation.name, owner="replication set")
    script.drafts.replication_sets[name] = replace(
        found, tables=kept, not_added=found.not_added | {relation}
    )


def _add_all_tables(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    name = named(script, function, "set_name", arguments, span)
    found = find_set(script, name, set_place(arguments, span))
    schemas = listed(arguments, "schema_names") or []
    for schema in schemas:
        if not script.drafts.has_schema(schema) and not script.drafts.incomplete:
            raise UNKNOWN_SCHEMA(arguments["schema_names"].span, schema=schema)
    check_system_schemas(found, schemas, arguments["schema_names"].span)
    _add_tables(script, found, schemas, arguments["schema_names"].span)


def _add_tables(
    script: Script,
    found: ReplicationSet,
    schemas: list[str] | None,
    span: Span,
    *,
    keyless: bool = False,
) -> None:
    """Adds the tables that exist now, in some schemas or all.

    `keyless`: also those without a key.
    """
    there = {table.name for table in found.tables}
    added = [
        joined(script.drafts, found, PublishedTable(table.name, span), keyless=keyless)
        for table in script.drafts.tables.values()
        if (schemas is None or table.name.schema in schemas)
        and table.name not in there
        and not (table.view or table.foreign or table.unlogged)
        # pglogical 2.4 asks pg_class for ordinary tables: a partition stands for itself.
        and not (table.partition_by is not None and schemas is not None)
        # What autoadd would leave out later is left out now.
        and (schemas is not None or keyless or has_key(table) or not judges(found.replicate))
    ]
    if None not in added:  # the call adds all of them, or fails
        tables = (*found.tables, *filter(None, added))
        script.drafts.replication_sets[found.name] = replace(found, tables=tables)


def _add_ddl_filter(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    found = find_set(script, named(script, function, "set_name", arguments, span), span)
    name = named(script, function, "ddl_filter_name", arguments, span)
    said = [arguments.get(key) for key in ("command_tag", "role_name")]
    tag, role = (None if one is None else str(one.value) for one in said)
    place = arguments["ddl_filter_name"].span
    add_ddl_filter(script, found, DdlFilter(name, place, tag, role))


def _remove_ddl_filter(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    found = find_set(script, named(script, function, "set_name", arguments, span), span)
    name = named(script, function, "ddl_filter_name", arguments, span)
    remove_ddl_filter(script, found, name, arguments["ddl_filter_name"].span)


def _create_group(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    create_group(script, named(script, function, "node_group_name", arguments, span), span)


def _node_sets(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    node = named(script, function, "node_name", arguments, span)
    node_sets(script, node, listed(arguments, "set_names") or [], span)


def _skip_sequences(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    """A call that is of no concern; that it changes nothing is told."""
    script.drafts.sequences_in_sets = True
    message = f"{function}() is ignored: sequences are not replicated"
    script.drafts.notices.append(Notice("sequences", message, span))


_CALLS: dict[str, Callable[[Script, str, Arguments, Span], None]] = {
    "create_replication_set": _create_set,
    "alter_replication_set": _alter_set,
    "drop_replication_set": _drop_set,
    "replication_set_add_table": _add_table,
    "replication_set_remove_table": _remove_table,
    "replication_set_add_all_tables": _add_all_tables,
    "create_subscription": create_subscription,
    "alter_subscription_add_replication_set": change_subscription,
    "alter_subscription_remove_replication_set": change_subscription,
    "drop_subscription": drop_subscription,
    "replication_set_add_ddl_filter": _add_ddl_filter,
    "replication_set_remove_ddl_filter": _remove_ddl_filter,
    "create_node_group": _create_group,
    "alter_node_replication_sets": _node_sets,
    **{name.partition(".")[2]: _skip_sequences for name in _SEQUENCES},
}
