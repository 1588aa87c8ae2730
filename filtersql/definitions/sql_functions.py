"""CREATE FUNCTION and DROP FUNCTION: a filter may not use one, a generated column may.

Example
    `DROP FUNCTION f(int) CASCADE` drops the columns that f generates; without CASCADE it is
    refused: column g of table t depends on function f(integer).

PostgreSQL
    functioncmds.c: CreateFunction(), RemoveFunctionById(); dependency.c: performMultipleDeletions()
"""

from __future__ import annotations

from filtersql.definitions.dependents import described, drop_column
from filtersql.definitions.depending import Thing, function_users, lines_of
from filtersql.definitions.drafts import Drafts
from filtersql.definitions.sql_names import Script, place_of
from filtersql.definitions.types import read_type
from filtersql.errors import Mistake
from filtersql.errors.altering import DependedOn
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName
from filtersql.pgtypes import format_type

__all__ = ["create_function", "drop_functions", "remove_users"]

_RETURNED = ("FUNC_PARAM_OUT", "FUNC_PARAM_TABLE")


def create_function(script: Script, statement: Statement) -> None:
    """CREATE FUNCTION: a name with the types of its arguments, as PostgreSQL prints them."""
    node = statement.node
    parts = [one.string.sval for one in node.funcname]
    schema = parts[-2] if len(parts) > 1 else next(iter(script.path), "public")
    wrapped = (one.function_parameter for one in node.parameters)
    types = [
        _type(script, one.arg_type) for one in wrapped if enum_name(one, "mode") not in _RETURNED
    ]
    known = script.drafts.functions.setdefault(RelationName(schema, parts[-1]), [])
    if ", ".join(types) not in known:
        known.append(", ".join(types))


def drop_functions(script: Script, statement: Statement) -> None:
    """DROP FUNCTION, with what it generates where CASCADE is written."""
    node, drafts = statement.node, script.drafts
    cascade = enum_name(node, "behavior") == "DROP_CASCADE"
    for item in node.objects:
        parts = [one.string.sval for one in item.object_with_args.objname]
        schemas = [parts[-2]] if len(parts) > 1 else script.path
        names = (RelationName(schema, parts[-1]) for schema in schemas)
        name = next((one for one in names if one in drafts.functions), None)
        if name is None:
            continue
        known = drafts.functions[name]
        types = (_type(script, one.type_name) for one in item.object_with_args.objargs)
        signature = ", ".join(types)
        if item.object_with_args.args_unspecified or signature not in known:
            signature = known[0]
        span = place_of(script, statement, name.name)
        users = function_users(drafts, name)
        if users and len(known) > 1:
            hint = "Drop the columns that use the function first."
            raise UnsupportedStatement(f"DROP FUNCTION of one of several {name.name}()", span, hint)
        thing = Thing("function", name, signature)
        if users and not cascade:
            what = f"function {described(script, name)}({signature})"
            raise DependedOn(
                what if len(node.objects) == 1 else None, lines_of(script, [thing]), span
            )
        remove_users(drafts, name)
        known.remove(signature)
        if not known:
            del drafts.functions[name]


def remove_users(drafts: Drafts, function: RelationName) -> None:
    """The columns that a function generates go."""
    for user in function_users(drafts, function):
        table = drafts.tables[user.name]
        if user.part in (table.columns or {}):
            drop_column(drafts, table, user.part)


def _type(script: Script, node: Node) -> str:
    """A type as format_type() prints it; a pseudo-type under its own name."""
    try:
        return format_type(read_type(node, "", script.text, *script.drafts.typed))
    except Mistake:
        return str(node.names[-1].string.sval)
