"""CREATE SCHEMA and DROP SCHEMA.

Example
    `CREATE SCHEMA sales` twice: schema "sales" already exists. DROP SCHEMA without CASCADE is
    refused while a table is in it.

PostgreSQL
    schemacmds.c: CreateSchemaCommand(), RenameSchema(); dependency.c: performMultipleDeletions()
"""

from __future__ import annotations

from filtersql.definitions.kinds import SYSTEM_SCHEMAS
from filtersql.definitions.sql_names import Script, place_of
from filtersql.errors.relations import SchemaName
from filtersql.grammar import Statement

__all__ = ["check_schema_name", "create_schema"]


def create_schema(script: Script, statement: Statement) -> None:
    """CREATE SCHEMA."""
    node, drafts = statement.node, script.drafts
    # A role's name stands for a schema's, as CREATE SCHEMA AUTHORIZATION says it.
    name = node.schemaname or node.authrole.rolename
    if node.if_not_exists and drafts.has_schema(name):
        return
    check_schema_name(script, statement, name)
    drafts.schemas.add(name)
    drafts.made_schemas.add(name)


def check_schema_name(script: Script, statement: Statement, name: str) -> None:
    """Raises where a schema cannot be made under a name.

    One that only a table of another file is in may still be made: files are read one by one.
    """
    at = place_of(script, statement, name)
    if name in SYSTEM_SCHEMAS or name in script.drafts.made_schemas:
        raise SchemaName.taken(name, at)
    if name.startswith("pg_"):
        raise SchemaName.reserved(name, at)
