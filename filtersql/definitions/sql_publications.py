"""CREATE, ALTER and DROP PUBLICATION.

Example
    `CREATE PUBLICATION p FOR TABLE t1 WHERE (a > 5), TABLES IN SCHEMA sales` holds one table with
    its filter's own text, and one schema. `ALTER PUBLICATION p SET TABLE t2` replaces both.

PostgreSQL
    publicationcmds.c: CreatePublication(), AlterPublicationTables(), OpenTableList();
    gram.y: preprocess_pubobj_list()
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from filtersql.catalog import Generated
from filtersql.definitions.earlier_statements import made_whole, note
from filtersql.definitions.model import Publication, PublishedTable
from filtersql.definitions.sql_names import AlreadyTold, Script
from filtersql.definitions.sql_parameters import publication_parameters
from filtersql.definitions.sql_publication_objects import (
    check_listed,
    listed_schemas,
    listed_tables,
)
from filtersql.definitions.sql_text import lexemes
from filtersql.errors import Mistake
from filtersql.errors import altering as refusals
from filtersql.errors.definitions import ALREADY_EXISTS, Unknown
from filtersql.errors.publications import (
    COLUMN_LIST_WITH_SCHEMA,
    COLUMN_TWICE,
    ROOT_WITH_FILTER,
    ROOT_WITH_LIST,
)
from filtersql.grammar import Statement, enum_name
from filtersql.source import Span

#: since when a column list may name generated columns
_GENERATED = 18

__all__ = ["alter_publication", "create_publication", "name_place"]


def create_publication(script: Script, statement: Statement) -> None:
    """CREATE PUBLICATION."""
    node, drafts = statement.node, script.drafts
    span = name_place(script, statement, "publication")
    if node.pubname in drafts.publications:
        first = drafts.publications[node.pubname].span
        raise ALREADY_EXISTS(span, kind="publication", name=node.pubname, first=first)
    with made_whole(drafts, node.pubname):
        parameters = publication_parameters(script, node.options)
        schemas = listed_schemas(script, statement, node.pubobjects)
        tables = listed_tables(script, node.pubobjects)
        publication = Publication(
            name=node.pubname,
            span=span,
            tables=tables,
            schemas=schemas,
            all_tables=node.for_all_tables,
            via_partition_root=False,
            owner=script.settings.owner,
            written_in="sql",
        )
        made = replace(publication, **parameters)
        note(drafts, made)
        _tell_duplicates(script, made)
        drafts.publications[node.pubname] = made


def alter_publication(script: Script, statement: Statement) -> None:
    """ALTER PUBLICATION … SET (…), SET, ADD and DROP of tables and schemas."""
    node, drafts = statement.node, script.drafts
    span = name_place(script, statement, "publication")
    if node.pubname in drafts.broken_publications:
        raise AlreadyTold
    publication = drafts.publications.get(node.pubname)
    if publication is None:
        raise Unknown("publication", node.pubname, span, drafts.publications)
    if node.options:
        parameters = publication_parameters(script, node.options)
        if parameters.get("via_partition_root") is False:
            _check_roots(script, publication, span)
        drafts.publications[node.pubname] = replace(publication, **parameters)
        return
    action = enum_name(node, "action")
    schemas = listed_schemas(script, statement, node.pubobjects)
    if publication.all_tables:
        word = "Schemas" if schemas else "Tables"
        raise refusals.ALL_TABLES(span, publication=publication.name, what=word)
    if action == "AP_DropObjects":
        check_listed(script, node.pubobjects)
    tables = listed_tables(script, node.pubobjects)
    adds = action == "AP_AddObjects"
    beside, there = (publication.schemas, publication.tables) if adds else ((), ())
    changed = replace(publication, tables=tables, schemas=(*beside, *schemas))
    if action != "AP_DropObjects":
        note(drafts, changed, there)
    if adds:
        try:
            changed = _added(script, publication, tables, schemas, span)
        except Mistake as mistake:
            # tables are added before schemas are
            adding = isinstance(mistake, refusals.SchemaBesideList)
            check_listed(script, node.pubobjects, adding=adding)
            raise
    elif action == "AP_DropObjects":
        changed = _dropped(publication, tables, schemas, span)
    drafts.publications[node.pubname] = changed


def _check_roots(script: Script, publication: Publication, span: Span) -> None:
    """Without publish_via_partition_root nothing would judge a root's filter or list."""
    entries = {entry.name: entry for entry in publication.tables}
    for name, table in script.drafts.tables.items():  # the oldest is told
        entry = entries.get(name)
        if entry is not None and table.partition_by and (entry.where or entry.columns):
            word = "WHERE clause" if entry.where else "column list"
            raise refusals.ROOT_NEEDED(
                span, publication=publication.name, what=word, table=entry.name.name
            )


def name_place(script: Script, statement: Statement, word: str) -> Span:
    """Where the name behind the first keyword `word` of a statement stands."""
    reached = False
    for lexeme in lexemes(script.text.text, statement.start):
        if reached:
            return script.text.span(lexeme.start, lexeme.end)
        reached = script.text.text[lexeme.start : lexeme.end].lower() == word
    return script.span(statement.start)


def _tell_duplicates(script: Script, publication: Publication) -> None:
    """A column list names each column once, unless what PostgreSQL tells first is wrong."""
    try:
        _check_clauses(script, publication, publication.tables, bool(publication.schemas))
    except Mistake:
        return  # publications.refusals tells it
    for entry in publication.tables:
        table, columns = script.drafts.tables.get(entry.name), entry.columns or ()
        for place, name in enumerate(columns):
            column = ((table and table.columns) or {}).get(name)
            if column is None or column.generated is Generated.VIRTUAL:
                return
            if column.generated and script.drafts.postgres_version < _GENERATED:
                return
            if name in columns[:place]:
                raise COLUMN_TWICE(entry.span, column=name)


def _check_clauses(
    script: Script, publication: Publication, tables: Iterable[PublishedTable], schemas: bool
) -> None:
    """What PostgreSQL says of WHERE and column lists before it looks who is there already."""
    roots = {
        table.name
        for table in script.drafts.tables.values()
        if table.partition_by is not None and not publication.via_partition_root
    }
    for table in tables:
        if table.where is not None and table.name in roots:
            raise ROOT_WITH_FILTER(table.where.span(), name=table.name)
    for table in tables:
        if table.columns is not None and schemas:
            raise COLUMN_LIST_WITH_SCHEMA(table.span, name=table.name, publication=publication.name)
        if table.columns is not None and table.name in roots:
            raise ROOT_WITH_LIST(table.span, name=table.name, publication=publication.name)


def _added(
    script: Script,
    publication: Publication,
    tables: tuple[PublishedTable, ...],
    schemas: tuple[str, ...],
    span: Span,
) -> Publication:
    there = {table.name for table in publication.tables}
    owner = f'publication "{publication.name}"'
    twice = next((table for table in tables if table.name in there), None)
    if publication.written_in == "sql":  # of YAML, a flag says whether roots are published
        _check_clauses(script, publication, tables, bool(schemas or publication.schemas))
    if twice is not None:
        _tell_duplicates(script, replace(publication, tables=tables[: tables.index(twice)]))
        raise refusals.ALREADY_MEMBER(
            twice.span, kind="relation", name=twice.name.name, owner=owner
        )
    if schemas and any(table.columns is not None for table in publication.tables):
        raise refusals.SchemaBesideList(publication.name, span)
    for schema in schemas:
        if schema in publication.schemas:
            raise refusals.ALREADY_MEMBER(span, kind="schema", name=schema, owner=owner)
    return replace(
        publication, tables=publication.tables + tables, schemas=publication.schemas + schemas
    )


def _dropped(
    publication: Publication,
    tables: tuple[PublishedTable, ...],
    schemas: tuple[str, ...],
    span: Span,
) -> Publication:
    there = {table.name for table in publication.tables}
    for table in tables:
        if table.columns:
            raise refusals.DROPPED_WITH_LIST(table.span)
        if table.name not in there:
            raise refusals.NOT_MEMBER(table.span, table=table.name.name, owner="publication")
        if table.where:
            raise refusals.DROPPED_WITH_FILTER(table.span)
    for schema in schemas:
        if schema not in publication.schemas:
            raise refusals.SCHEMA_NOT_MEMBER(span, schema=schema)
    gone = {table.name for table in tables}
    return replace(
        publication,
        tables=tuple(table for table in publication.tables if table.name not in gone),
        schemas=tuple(schema for schema in publication.schemas if schema not in schemas),
    )
