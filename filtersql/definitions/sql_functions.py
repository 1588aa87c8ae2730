"""CREATE FUNCTION and DROP FUNCTION: a filter may not use one, a generated column may.

Example
    `DROP FUNCTION f(int)` is refused where a column, an index or other code may call f.

PostgreSQL
    functioncmds.c: CreateFunction(), RemoveFunctionById(); dependency.c: performMultipleDeletions()
"""

from __future__ import annotations

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.sql_code import note_body
from filtersql.definitions.sql_names import Script
from filtersql.definitions.stored_code import keep_code
from filtersql.definitions.types import read_type
from filtersql.errors import Mistake
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName
from filtersql.pgtypes import format_type

__all__ = [
    "FUNCTIONS",
    "create_function",
    "drop_functions",
    "remove_function",
]

#: the kinds of objects that CREATE FUNCTION, PROCEDURE and OPERATOR make
FUNCTIONS = ("OBJECT_FUNCTION", "OBJECT_PROCEDURE", "OBJECT_ROUTINE", "OBJECT_OPERATOR")
_RETURNED = ("FUNC_PARAM_OUT", "FUNC_PARAM_TABLE")


def create_function(script: Script, statement: Statement) -> None:
    """CREATE FUNCTION: a name with the types of its arguments, as PostgreSQL prints them."""
    node = statement.node
    parts = [one.string.sval for one in node.funcname]
    schema = parts[-2] if len(parts) > 1 else next(iter(script.path), "public")
    wrapped = (one.function_parameter for one in node.parameters)
    given = [one for one in wrapped if enum_name(one, "mode") not in _RETURNED]
    types = [_type(script, one.arg_type) for one in given]
    name, signature = RelationName(schema, parts[-1]), ", ".join(types)
    known = script.drafts.functions.setdefault(name, [])
    if signature not in known:
        known.append(signature)
    note_body(script.drafts, name, signature, node)
    keep_code(script, statement, "function", name, signature)


def drop_functions(script: Script, statement: Statement) -> None:
    """DROP FUNCTION, which nothing calls."""
    node, drafts = statement.node, script.drafts
    found = [(name, item) for item in node.objects if (name := _known(script, item)) is not None]
    for name, item in found:
        remove_function(drafts, name, _signature(script, name, item))


def remove_function(drafts: Drafts, function: RelationName, signature: str) -> None:
    """A function that nothing calls."""
    drafts.code.pop(("function", function, signature), None)
    drafts.bodies.pop((*function, signature), None)
    known = drafts.functions[function]
    known.remove(signature)
    if not known:
        del drafts.functions[function]


def _signature(script: Script, name: RelationName, item: Node) -> str:
    """The types of the arguments of the function that is meant."""
    known = script.drafts.functions[name]
    types = (_type(script, one.type_name) for one in item.object_with_args.objargs)
    signature = ", ".join(types)
    unknown = item.object_with_args.args_unspecified or signature not in known
    return known[0] if unknown else signature


def _known(script: Script, item: Node) -> RelationName | None:
    """A function that the files make."""
    parts = [one.string.sval for one in item.object_with_args.objname]
    schemas = [parts[-2]] if len(parts) > 1 else script.path
    names = (RelationName(schema, parts[-1]) for schema in schemas)
    return next((one for one in names if one in script.drafts.functions), None)


def _type(script: Script, node: Node) -> str:
    """A type as format_type() prints it; a pseudo-type under its own name."""
    try:
        return format_type(read_type(node, "", script.text, *script.drafts.typed))
    except Mistake:
        return str(node.names[-1].string.sval)
