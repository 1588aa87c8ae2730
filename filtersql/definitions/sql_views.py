"""CREATE VIEW, CREATE MATERIALIZED VIEW and CREATE TABLE AS: relations that a query makes.

Example
    `CREATE VIEW v AS SELECT b FROM t`: v cannot be published. Its columns are not known.

PostgreSQL
    view.c: DefineView(); createas.c: ExecCreateTableAs()
"""

from __future__ import annotations

from msgspec.structs import replace

from filtersql.definitions.catalog_builder import DraftTable
from filtersql.definitions.kinds import kind_of
from filtersql.definitions.sql_names import (
    Script,
    check_free,
    check_lasting,
    created,
    referenced,
    span_of,
)
from filtersql.definitions.stored_code import keep_code
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.relations import NOT_ONE
from filtersql.grammar import Statement, enum_name

__all__ = ["PARTS", "create_part", "create_table_as", "create_view"]

_VIEW_RULE = "_RETURN"
#: by statement: what of a table it makes, and the fields with the table and the name
PARTS = {
    "create_trig_stmt": ("trigger", "relation", "trigname"),
    "rule_stmt": ("rule", "relation", "rulename"),
    "create_policy_stmt": ("policy", "table", "policy_name"),
    "alter_policy_stmt": ("policy", "table", "policy_name"),
}


def create_table_as(script: Script, statement: Statement) -> None:
    """CREATE TABLE AS and CREATE MATERIALIZED VIEW: the columns are a query's, which is not run."""
    node, into = statement.node, statement.node.into.rel
    if enum_name(node, "objtype") == "OBJECT_MATVIEW":
        name, span = created(script, into), span_of(script, into)
        if node.if_not_exists and kind_of(script.drafts, name) is not None:
            return
        check_free(script, name, span)
        script.drafts.others[name] = "materialized views"
        keep_code(script, statement, "materialized view", name, "")
    if enum_name(node, "objtype") != "OBJECT_TABLE":
        return
    check_lasting(script, into)
    raise UnsupportedStatement(
        "CREATE TABLE AS", span_of(script, into), "Write CREATE TABLE with its columns."
    )


def create_view(script: Script, statement: Statement) -> None:
    """CREATE VIEW: its name is kept, so that publishing it is PostgreSQL's mistake."""
    node, view = statement.node, statement.node.view
    name, span = created(script, view), span_of(script, view)
    there = script.drafts.tables.get(name)
    if node.replace and kind_of(script.drafts, name) not in (None, "views"):
        raise NOT_ONE(span, name=name.name, one="a view")
    if there is None or not node.replace:
        check_free(script, name, span)
    if there is None:
        script.drafts.tables[name] = DraftTable(name, span, columns={}, view=True)
    keep_code(script, statement, "view", name, "")


def create_part(script: Script, statement: Statement) -> None:
    """CREATE TRIGGER, RULE and POLICY; what ALTER POLICY says is added."""
    kind, table, named = PARTS[statement.kind]
    of, name = referenced(script, getattr(statement.node, table)), getattr(statement.node, named)
    if (kind, name) == ("rule", _VIEW_RULE):
        return
    code, key = script.drafts.code, (kind, of, name)
    before = code.get(key)
    keep_code(script, statement, *key)
    if before is not None and kind == "policy":
        code[key] = replace(code[key], words=code[key].words | before.words)
