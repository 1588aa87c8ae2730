"""CREATE SCHEMA and DROP SCHEMA.

Example
    `CREATE SCHEMA sales` twice: schema "sales" already exists. DROP SCHEMA without CASCADE is
    refused while a table is in it.

PostgreSQL
    schemacmds.c: CreateSchemaCommand(); dependency.c: performMultipleDeletions()
"""

from __future__ import annotations

from msgspec.structs import replace

from filtersql.definitions.kinds import SYSTEM_SCHEMAS
from filtersql.definitions.sql_names import Script, place_of
from filtersql.errors import relations as refusals
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, Statement

__all__ = ["check_schemas", "create_schema", "drop_schema"]


def create_schema(script: Script, statement: Statement) -> None:
    """CREATE SCHEMA."""
    node, drafts = statement.node, script.drafts
    # A role's name stands for a schema's, as CREATE SCHEMA AUTHORIZATION says it.
    name = node.schemaname or node.authrole.rolename
    if node.schema_elts:
        construct = "CREATE SCHEMA with what it holds"
        raise UnsupportedStatement.dumped(construct, place_of(script, statement, name))
    if node.if_not_exists and drafts.has_schema(name):
        return
    at = place_of(script, statement, name)
    # One that only a table of another file is in may still be made: files are read one by one.
    if name in SYSTEM_SCHEMAS or name in drafts.made_schemas:
        raise refusals.SCHEMA_EXISTS(at, name=name)
    if name.startswith("pg_"):
        raise refusals.SCHEMA_RESERVED(at, name=name)
    drafts.schemas.add(name)
    drafts.made_schemas.add(name)


def drop_schema(script: Script, item: Node) -> None:
    """One of the schemas of DROP, which hold nothing: check_schemas() has let it go."""
    schema, drafts = item.string.sval, script.drafts
    drafts.schemas.discard(schema)
    drafts.made_schemas.discard(schema)
    drafts.operators[:] = [operator for operator in drafts.operators if operator[0] != schema]
    for publication in list(drafts.publications.values()):
        kept = tuple(one for one in publication.schemas if one != schema)
        drafts.publications[publication.name] = replace(publication, schemas=kept)


def check_schemas(script: Script, statement: Statement) -> None:
    """Raises where not all of the schemas of DROP are there, or some are needed."""
    named = [item.string.sval for item in statement.node.objects]
    for schema in named:
        if schema in SYSTEM_SCHEMAS:
            raise refusals.SCHEMA_REQUIRED(place_of(script, statement, schema), name=schema)
        if not script.drafts.has_schema(schema) and not statement.node.missing_ok:
            raise refusals.UNKNOWN_SCHEMA(place_of(script, statement, schema), schema=schema)
        drafts = script.drafts
        names = (*drafts.tables, *drafts.others, *drafts.types, *drafts.functions, *drafts.broken)
        if any(name.schema == schema for name in names):
            place = place_of(script, statement, schema)
            raise UnsupportedStatement.dumped("DROP of a schema that holds something", place)
