"""CREATE OPERATOR: what a publication's row filter may not use, though PostgreSQL finds it.

Example
    After `CREATE OPERATOR === (leftarg = int, rightarg = int, function = int4eq)` the filter
    `a === 1` is refused: User-defined operators are not allowed.

PostgreSQL
    operatorcmds.c: DefineOperator(), RemoveOperatorById()
"""

from __future__ import annotations

from filtersql.catalog import OwnOperator
from filtersql.definitions.sql_names import Script
from filtersql.definitions.types import read_type
from filtersql.errors import Mistake
from filtersql.grammar import Node, Statement
from filtersql.names import RelationName

__all__ = ["create_operator", "drop_operators", "move_operator"]

_ARGUMENTS = ("leftarg", "rightarg")


def create_operator(script: Script, node: Node) -> None:
    """Its name, with the types of its arguments."""
    parts = [one.string.sval for one in node.defnames]
    schema = parts[-2] if len(parts) > 1 else next(iter(script.path), "public")
    types = {
        option.defname: _type(script, option.arg.type_name)
        for option in (wrapped.def_elem for wrapped in node.definition)
        if option.defname in _ARGUMENTS
    }
    made = OwnOperator(RelationName(schema, parts[-1]), *(types.get(one, "") for one in _ARGUMENTS))
    if made not in script.drafts.operators:
        script.drafts.operators.append(made)


def drop_operators(script: Script, statement: Statement) -> None:
    """DROP OPERATOR === (int, int); NONE stands for an argument that there is not."""
    for item in statement.node.objects:
        found = _found(script, item)
        if found is not None:
            script.drafts.operators.remove(found)


def move_operator(script: Script, item: Node, schema: str) -> None:
    """ALTER OPERATOR … SET SCHEMA."""
    found, operators = _found(script, item), script.drafts.operators
    if found is not None:
        name = RelationName(schema, found.name.name)
        operators[operators.index(found)] = found._replace(name=name)


def _found(script: Script, item: Node) -> OwnOperator | None:
    node = item.object_with_args
    parts = [one.string.sval for one in node.objname]
    schemas = [parts[-2]] if len(parts) > 1 else script.path
    types = [_type(script, one.type_name) if one.WhichOneof("node") else "" for one in node.objargs]
    wanted = [(RelationName(schema, parts[-1]), *types) for schema in schemas]
    return next((one for one in script.drafts.operators if one in wanted), None)


def _type(script: Script, node: Node) -> str:
    """By the name under which filters know a type; a pseudo-type by its own."""
    try:
        found = read_type(node, "", script.text, *script.drafts.typed)
    except Mistake:
        return str(node.names[-1].string.sval)
    return found.name if found.schema == "pg_catalog" else f"{found.schema}.{found.name}"
