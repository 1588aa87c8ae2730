"""CREATE FUNCTION: a filter may not use one, a generated column may.

Example
    A function stays known after `DROP FUNCTION f(int)`: another one of its name may be left.

PostgreSQL
    functioncmds.c: CreateFunction()
"""

from __future__ import annotations

from filtersql.definitions.sql_names import Script, created_name
from filtersql.definitions.stored_code import keep_code
from filtersql.definitions.types import read_type
from filtersql.errors import Mistake
from filtersql.grammar import Node, Statement, enum_name
from filtersql.pgtypes import format_type

__all__ = ["FUNCTIONS", "create_function"]

#: the kinds of objects that CREATE FUNCTION, PROCEDURE and OPERATOR make
FUNCTIONS = ("OBJECT_FUNCTION", "OBJECT_PROCEDURE", "OBJECT_ROUTINE", "OBJECT_OPERATOR")
_RETURNED = ("FUNC_PARAM_OUT", "FUNC_PARAM_TABLE")


def create_function(script: Script, statement: Statement) -> None:
    """CREATE FUNCTION: a name with the types of its arguments, as PostgreSQL prints them."""
    node = statement.node
    wrapped = (wrapped_parameter.function_parameter for wrapped_parameter in node.parameters)
    parameters = [
        parameter for parameter in wrapped if enum_name(parameter, "mode") not in _RETURNED
    ]
    types = [_type(script, parameter.arg_type) for parameter in parameters]
    name, signature = created_name(script, node.funcname), ", ".join(types)
    script.drafts.functions.add(name)
    for option in node.options:
        if option.def_elem.defname == "as":
            texts = option.def_elem.arg.list.items
            if len(texts) == 1:  # of one in C it is a file and a symbol
                script.drafts.bodies[*name, signature] = texts[0].string.sval
    keep_code(script, statement, "function", name, signature)


def _type(script: Script, node: Node) -> str:
    """A type as format_type() prints it; a pseudo-type under its own name."""
    try:
        return format_type(read_type(node, "", script.text, script.drafts))
    except Mistake:
        return str(node.names[-1].string.sval)
