"""CREATE OPERATOR: what a publication's row filter may not use, though PostgreSQL finds it.

Example
    After `CREATE OPERATOR === (leftarg = int, rightarg = int, function = int4eq)` the filter
    `a === 1` is refused: User-defined operators are not allowed.

PostgreSQL
    operatorcmds.c: DefineOperator(), RemoveOperatorById()
"""

from __future__ import annotations

from filtersql.catalog import OwnOperator
from filtersql.definitions.sql_names import Script, created_in_schema
from filtersql.definitions.types import PSEUDO, read_type
from filtersql.errors.definitions import Unknown
from filtersql.errors.making import BadOperator
from filtersql.grammar import Node, Statement
from filtersql.names import RelationName

__all__ = ["create_operator", "drop_operators", "move_operator"]

_ARGUMENTS = ("leftarg", "rightarg")
_FUNCTIONS = {"function", "procedure"}


def create_operator(script: Script, statement: Statement) -> None:
    """Its name, with the types of its arguments."""
    node, drafts = statement.node, script.drafts
    name, span = created_in_schema(script, statement)
    said = {one.def_elem.defname: one.def_elem.arg for one in node.definition}
    for one in _ARGUMENTS:
        if one in said and said[one].type_name.setof:
            raise BadOperator("SETOF type not allowed for operator argument", span)
    if not said.keys() & _FUNCTIONS:
        raise BadOperator("operator function must be specified", span)
    if not said.keys() & {*_ARGUMENTS}:
        raise BadOperator("operator argument types must be specified", span)
    if "rightarg" not in said:
        message = "operator right argument type must be specified"
        raise BadOperator(message, span, "Postfix operators are not supported.")
    for one in said.keys() & {*_ARGUMENTS}:
        if not said[one].type_name.names:
            raise BadOperator('type "none" does not exist', span)
    types = (_type(script, said[one].type_name) if one in said else "" for one in _ARGUMENTS)
    made = OwnOperator(name, *types)
    if made in drafts.operators:
        raise BadOperator(f"operator {name.name} already exists", span)
    drafts.operators.append(made)


def drop_operators(script: Script, statement: Statement) -> None:
    """DROP OPERATOR === (int, int); NONE stands for an argument that there is not."""
    for item in statement.node.objects:
        try:
            found = _found(script, item)
        except Unknown:  # a type, which IF EXISTS passes over as it does the operator
            if not statement.node.missing_ok:
                raise
            continue
        if found is not None:
            script.drafts.operators.remove(found)


def move_operator(script: Script, item: Node, schema: str) -> None:
    """ALTER OPERATOR … SET SCHEMA."""
    found, operators = _found(script, item), script.drafts.operators
    if found is not None:
        name = RelationName(schema, found.name.name)
        operators[operators.index(found)] = found._replace(name=name)


def _parts(names: Node) -> list[str]:
    return [one.string.sval for one in names]


def _found(script: Script, item: Node) -> OwnOperator | None:
    node = item.object_with_args
    parts = _parts(node.objname)
    schemas = [parts[-2]] if len(parts) > 1 else script.path
    types = [_type(script, one.type_name) if one.WhichOneof("node") else "" for one in node.objargs]
    wanted = [(RelationName(schema, parts[-1]), *types) for schema in schemas]
    return next((one for one in script.drafts.operators if one in wanted), None)


def _type(script: Script, node: Node) -> str:
    """By the name under which filters know a type; a pseudo-type by its own."""
    if node.names[-1].string.sval in PSEUDO:
        return str(node.names[-1].string.sval)
    found = read_type(node, "", script.text, *script.drafts.typed)
    return found.name if found.schema == "pg_catalog" else f"{found.schema}.{found.name}"
