"""SELECT: which calls of pglogical's and bdr's functions are carried out, with which arguments.

Example
    `SELECT pglogical.create_replication_set('emea')` is carried out (`sql_set_changes`), `SELECT
    pglogical.wait_slot_confirm_lsn(NULL, NULL)` is skipped, and what is not known is refused.

pglogical, bdr
    pglogical--2.4.sql and BDR 3.7's manual (replication sets) give the order of the arguments
"""

from __future__ import annotations

from collections.abc import Iterator

from filtersql.definitions.session_code import check_writes
from filtersql.definitions.set_calls import calls_of, check_calls_of, check_hidden
from filtersql.definitions.sql_arguments import Call, call_of, constant
from filtersql.definitions.sql_names import Script, span_of
from filtersql.definitions.sql_set_changes import CHANGES, skip_sequences
from filtersql.definitions.sql_settings import set_config
from filtersql.errors.altering import NOT_CONSTANT
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, Statement
from filtersql.source import Passage

__all__ = ["call", "check_skipped", "commands"]

_FLAGS = "replicate_insert replicate_update replicate_delete replicate_truncate"
#: function -> its parameters in order, those that must be said before `|`
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
    "bdr.create_replication_set": f"set_name | {_FLAGS} autoadd_tables autoadd_existing",
    "bdr.alter_replication_set": f"set_name | {_FLAGS} autoadd_tables",
    "bdr.drop_replication_set": "set_name",
    "bdr.replication_set_add_table": "relation | set_name columns row_filter",
    "bdr.replication_set_remove_table": "relation | set_name",
    "bdr.replication_set_add_ddl_filter": "set_name ddl_filter_name | command_tag role_name",
    "bdr.replication_set_remove_ddl_filter": "set_name ddl_filter_name",
    "bdr.create_node_group": "node_group_name | parent_group_name join_node_group node_group_type",
    "bdr.alter_node_replication_sets": "node_name set_names",
    "pglogical.replication_set_add_sequence": "set_name relation | synchronize_data",
    "pglogical.replication_set_remove_sequence": "set_name relation",
    "pglogical.replication_set_add_all_sequences": "set_name schema_names | synchronize_data",
    "pglogical.synchronize_sequence": "relation",
}
_COMMAND = "replicate_ddl_command"
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
            command = constant(script, first, span)
            if command is None or (command.text is None and command.value is not None):
                raise NOT_CONSTANT(span, function=function, name="command")
            if command.text is not None:
                yield command.text


def _call(script: Script, function: str, node: Node) -> None:
    span = script.span(node.location, len(function))
    if function in _PARAMETERS:
        CHANGES[function.split(".")[1]](call_of(script, function, _PARAMETERS[function], node))
    elif function.startswith("bdr.") and "sequence" in function:
        skip_sequences(Call(script, function, span, {}))
    elif not any(word in function for word in _IGNORED):
        raise UnsupportedStatement(f"function {function}()", span)
