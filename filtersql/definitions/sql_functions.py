"""CREATE FUNCTION: a filter may not use one, a generated column may.

Example
    A function stays known after `DROP FUNCTION f(int)`: another one of its name may be left.

PostgreSQL
    functioncmds.c: CreateFunction()
"""

from __future__ import annotations

from filtersql.definitions.sql_code import note_body
from filtersql.definitions.sql_names import Script
from filtersql.definitions.stored_code import keep_code
from filtersql.definitions.types import read_type
from filtersql.errors import Mistake
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName
from filtersql.pgtypes import format_type

__all__ = ["FUNCTIONS", "create_function"]

#: the kinds of objects that CREATE FUNCTION, PROCEDURE and OPERATOR make
FUNCTIONS = ("OBJECT_FUNCTION", "OBJECT_PROCEDURE", "OBJECT_ROUTINE", "OBJECT_OPERATOR")
_RETURNED = ("FUNC_PARAM_OUT", "FUNC_PARAM_TABLE")


def create_function(script: Script, statement: Statement) -> None:
    """CREATE FUNCTION: a name with the types of its arguments, as PostgreSQL prints them."""
    node = statement.node
    parts = [part.string.sval for part in node.funcname]
    schema = parts[-2] if len(parts) > 1 else next(iter(script.path), "public")
    wrapped = (wrapped_parameter.function_parameter for wrapped_parameter in node.parameters)
    parameters = [
        parameter for parameter in wrapped if enum_name(parameter, "mode") not in _RETURNED
    ]
    types = [_type(script, parameter.arg_type) for parameter in parameters]
    name, signature = RelationName(schema, parts[-1]), ", ".join(types)
    script.drafts.functions.add(name)
    note_body(script.drafts, name, signature, node)
    keep_code(script, statement, "function", name, signature)


def _type(script: Script, node: Node) -> str:
    """A type as format_type() prints it; a pseudo-type under its own name."""
    try:
        return format_type(read_type(node, "", script.text, script.drafts))
    except Mistake:
        return str(node.names[-1].string.sval)
