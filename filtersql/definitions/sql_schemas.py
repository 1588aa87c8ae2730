"""CREATE SCHEMA and ALTER SCHEMA … RENAME.

Example
    `CREATE SCHEMA sales` twice: schema "sales" already exists. DROP SCHEMA without CASCADE is
    refused while a table is in it.

PostgreSQL
    schemacmds.c: CreateSchemaCommand(), RenameSchema(); dependency.c: performMultipleDeletions()
"""

from __future__ import annotations

from dataclasses import replace

from filtersql.definitions.kinds import SYSTEM_SCHEMAS
from filtersql.definitions.moving import move_other, move_table, rename_in_views
from filtersql.definitions.sql_names import Script, place_of
from filtersql.definitions.sql_types import move_types
from filtersql.errors.altering import UnknownSchema
from filtersql.errors.relations import SchemaName
from filtersql.grammar import Statement
from filtersql.names import RelationName

__all__ = ["create_schema", "rename_schema"]


def create_schema(script: Script, statement: Statement) -> None:
    """CREATE SCHEMA."""
    node, drafts = statement.node, script.drafts
    # A role's name stands for a schema's, as CREATE SCHEMA AUTHORIZATION says it.
    name = node.schemaname or node.authrole.rolename
    if node.if_not_exists and drafts.has_schema(name):
        return
    _check_name(script, statement, name)
    drafts.schemas.add(name)
    drafts.made_schemas.add(name)


def _check_name(script: Script, statement: Statement, name: str) -> None:
    """Raises where a schema cannot be made under a name.

    One that only a table of another file is in may still be made: files are read one by one.
    """
    at = place_of(script, statement, name)
    if name in SYSTEM_SCHEMAS or name in script.drafts.made_schemas:
        raise SchemaName.taken(name, at)
    if name.startswith("pg_"):
        raise SchemaName.reserved(name, at)


def rename_schema(script: Script, statement: Statement) -> None:
    """ALTER SCHEMA … RENAME: everything in it, and publications of its tables."""
    node, drafts = statement.node, script.drafts
    old, new = node.subname, node.newname
    if not drafts.has_schema(old):
        raise UnknownSchema(old, place_of(script, statement, old))
    _check_name(script, statement, new)
    drafts.schemas.discard(old)
    drafts.schemas.add(new)
    drafts.made_schemas.discard(old)
    drafts.made_schemas.add(new)
    for table in list(drafts.tables.values()):
        if table.name.schema == old:
            move_table(drafts, table, RelationName(new, table.name.name))
    move_types(
        drafts, {one: RelationName(new, one.name) for one in drafts.types if one.schema == old}
    )
    for name in [name for name in drafts.others if name.schema == old]:
        move_other(drafts, name, RelationName(new, name.name))
    moved = {name: RelationName(new, name.name) for name in drafts.views if name.schema == old}
    rename_in_views(drafts, moved, lambda relation, column: column)
    for publication in list(drafts.publications.values()):
        schemas = tuple(new if schema == old else schema for schema in publication.schemas)
        drafts.publications[publication.name] = replace(publication, schemas=schemas)
