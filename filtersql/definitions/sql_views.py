"""CREATE VIEW, CREATE MATERIALIZED VIEW and CREATE TABLE AS: relations that a query makes.

Example
    `CREATE VIEW v AS SELECT b FROM t`: v cannot be published, and b cannot be dropped under it.

PostgreSQL
    view.c: DefineView(); createas.c: ExecCreateTableAs()
"""

from __future__ import annotations

from dataclasses import replace

from filtersql.definitions.drafts import DraftTable, DraftView
from filtersql.definitions.kinds import TEMPORARY, taken
from filtersql.definitions.partitions import settle
from filtersql.definitions.sql_names import Script, check_free, created, span_of
from filtersql.definitions.temporaries import create_temporary, is_temporary
from filtersql.definitions.view_queries import ViewQuery, read_query
from filtersql.definitions.view_types import view_types
from filtersql.errors.altering import NotForKind
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName

__all__ = ["create_table_as", "create_view", "found_functions", "relation_read"]


def create_table_as(script: Script, statement: Statement) -> None:
    """CREATE TABLE AS and CREATE MATERIALIZED VIEW: the columns are a query's, which is not run."""
    node, into = statement.node, statement.node.into.rel
    if enum_name(node, "objtype") == "OBJECT_MATVIEW":
        name, span = created(script, into), span_of(script, into)
        if node.if_not_exists and taken(script.drafts, name) is not None:
            return
        check_free(script, name, span)
        query = _query(script, node.query, [one.string.sval for one in node.into.col_names])
        select = node.query.WhichOneof("node") == "select_stmt"
        types = view_types(script, node.query.select_stmt) if select else ()
        script.drafts.others[name] = "materialized views"
        script.drafts.views[name] = DraftView("materialized view", query, span, types)
    if enum_name(node, "objtype") != "OBJECT_TABLE":
        return
    if is_temporary(into):
        gone, again = enum_name(node.into, "on_commit"), node.if_not_exists
        create_temporary(script, into, "temporary tables", on_commit=gone, replace=again)
        return
    raise UnsupportedStatement(
        "CREATE TABLE AS", span_of(script, into), "Write CREATE TABLE with its columns."
    )


def create_view(script: Script, statement: Statement) -> None:
    """CREATE VIEW: its name is kept, so that publishing it is PostgreSQL's mistake."""
    node = statement.node
    view = node.view
    if is_temporary(view):
        create_temporary(script, view, "views", replace=node.replace)
        return
    name, span = created(script, view), span_of(script, view)
    there = script.drafts.tables.get(name)
    if node.replace and taken(script.drafts, name) not in (None, "views"):
        raise NotForKind.not_one(name.name, "a view", span)
    if there is None or not node.replace:
        check_free(script, name, span)
    query = _query(script, node.query, [one.string.sval for one in node.aliases])
    made = script.drafts.views.get(name)
    types = view_types(script, node.query.select_stmt)
    script.drafts.views[name] = DraftView("view", query, made.span if made else span, types)
    if there is None:
        script.drafts.tables[name] = DraftTable(name, span, columns={}, view=True)


def _query(script: Script, node: Node, names: list[str]) -> ViewQuery:
    """What a query reads, and its columns under the names that the statement gives them."""
    if node.WhichOneof("node") != "select_stmt":
        return ViewQuery((), frozenset(), frozenset())
    query = read_query(node.select_stmt, lambda relation: relation_read(script, relation))
    found = found_functions(script, query)
    return replace(found, outputs=(*names, *query.outputs[len(names) :]))


def found_functions(script: Script, query: ViewQuery) -> ViewQuery:
    """The query with the functions that search_path finds."""
    known = script.drafts.functions

    def found(name: tuple[str, ...]) -> tuple[str, ...]:
        schemas = script.path if len(name) == 1 else ()
        there = (one for one in schemas if RelationName(one, name[0]) in known)
        return next(((one, name[0]) for one in there), name)

    return replace(query, functions=frozenset(map(found, query.functions)))


def relation_read(script: Script, node: Node) -> tuple[RelationName, tuple[str, ...]] | None:
    """A table or view that the files define, and its columns."""
    drafts = script.drafts
    for schema in [node.schemaname] if node.schemaname else script.schemas(node.relname):
        name = RelationName(schema, node.relname)
        if name.schema == TEMPORARY:
            return None
        if name in drafts.views:
            return name, drafts.views[name].query.outputs
        table = drafts.tables.get(name)
        if table is not None:
            if table.columns is None:
                settle(drafts, table)
            return name, tuple(table.columns or ())
    return None
