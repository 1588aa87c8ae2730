"""CREATE VIEW, CREATE MATERIALIZED VIEW and CREATE TABLE AS: relations that a query makes.

Example
    `CREATE VIEW v AS SELECT b FROM t`: v cannot be published. Its columns are not known.

PostgreSQL
    view.c: DefineView(); createas.c: ExecCreateTableAs()
"""

from __future__ import annotations

from msgspec.structs import replace

from filtersql.definitions.catalog_builder import DraftTable
from filtersql.definitions.code import DraftView
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

__all__ = ["create_policy", "create_rule", "create_table_as", "create_trigger", "create_view"]

_VIEW_RULE = "_RETURN"


def create_table_as(script: Script, statement: Statement) -> None:
    """CREATE TABLE AS and CREATE MATERIALIZED VIEW: the columns are a query's, which is not run."""
    node, into = statement.node, statement.node.into.rel
    if enum_name(node, "objtype") == "OBJECT_MATVIEW":
        name, span = created(script, into), span_of(script, into)
        if node.if_not_exists and kind_of(script.drafts, name) is not None:
            return
        check_free(script, name, span)
        script.drafts.others[name] = "materialized views"
        script.drafts.views[name] = DraftView("materialized view", span)
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
    made = script.drafts.views.get(name)
    script.drafts.views[name] = DraftView("view", made.span if made else span)
    if there is None:
        script.drafts.tables[name] = DraftTable(name, span, columns={}, view=True)
    keep_code(script, statement, "view", name, "")


def create_trigger(script: Script, statement: Statement) -> None:
    """CREATE TRIGGER."""
    node = statement.node
    keep_code(script, statement, "trigger", referenced(script, node.relation), node.trigname)


def create_rule(script: Script, statement: Statement) -> None:
    """CREATE RULE."""
    node = statement.node
    if node.rulename != _VIEW_RULE:
        keep_code(script, statement, "rule", referenced(script, node.relation), node.rulename)


def create_policy(script: Script, statement: Statement) -> None:
    """CREATE POLICY; what ALTER POLICY says is added."""
    node = statement.node
    name, drafts = referenced(script, node.table), script.drafts
    before = drafts.code.get(("policy", name, node.policy_name))
    keep_code(script, statement, "policy", name, node.policy_name)
    if before is not None:
        now = drafts.code["policy", name, node.policy_name]
        drafts.code["policy", name, node.policy_name] = replace(now, words=now.words | before.words)
