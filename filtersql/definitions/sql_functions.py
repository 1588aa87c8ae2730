"""CREATE FUNCTION and DROP FUNCTION: a filter may not use one, a generated column may.

Example
    `DROP FUNCTION f(int)` is refused where a column, an index or other code may call f.

PostgreSQL
    functioncmds.c: CreateFunction(), RemoveFunctionById(); dependency.c: performMultipleDeletions()
"""

from __future__ import annotations

from dataclasses import replace

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.sql_code import note_body
from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_operators import drop_operators, move_operator
from filtersql.definitions.stored_code import keep_code
from filtersql.definitions.types import read_type
from filtersql.definitions.user_defined_overrides import note_spread
from filtersql.errors import Mistake
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName
from filtersql.pgtypes import format_type

__all__ = [
    "FUNCTIONS",
    "create_function",
    "drop_functions",
    "move_function",
    "remove_function",
    "rename_one",
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
    note_spread(script.drafts, name.name, signature, given)
    keep_code(script, statement, "function", name, signature)


def drop_functions(script: Script, statement: Statement) -> None:
    """DROP FUNCTION, with what calls it where CASCADE is written; DROP OPERATOR."""
    node, drafts = statement.node, script.drafts
    drop_operators(script, statement)
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


def move_function(script: Script, item: Node, *, name: str = "", schema: str = "") -> None:
    """ALTER FUNCTION … RENAME TO and SET SCHEMA: what calls it goes on to do so."""
    old, drafts = _known(script, item), script.drafts
    if old is None:
        move_operator(script, item, schema)
        return
    signature, new = _signature(script, old, item), RelationName(schema or old[0], name or old[1])
    rename_one(drafts, old, new, signature)


def rename_one(drafts: Drafts, old: RelationName, new: RelationName, signature: str) -> None:
    """A function of that name and those types under another name."""
    drafts.functions[old].remove(signature)
    if not drafts.functions[old]:
        del drafts.functions[old]
    drafts.functions.setdefault(new, []).append(signature)
    spread = drafts.spreads.get((old.name, signature))
    if spread is not None:
        drafts.spreads[new.name, signature] = spread
    if (*old, signature) in drafts.bodies:
        drafts.bodies[*new, signature] = drafts.bodies.pop((*old, signature))
    found = drafts.code.pop(("function", old, signature), None)
    if found is not None:
        drafts.code["function", new, signature] = replace(found, of=new)


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
