"""What a filter's plain names may mean beside PostgreSQL's own: functions, operators, types.

Example
    After `CREATE FUNCTION length(varchar)` or `CREATE OPERATOR = (…)` a filter that says
    `length(v)` or `a = 1` is refused: which of the two PostgreSQL takes is not asked. After `SET
    search_path = public, pg_catalog` that holds of types as well.

PostgreSQL
    namespace.c: FuncnameGetCandidates(), OpernameGetCandidates(), TypenameGetTypid(): pg_catalog
    is looked in first where search_path does not name it. functioncmds.c: CreateCast()
"""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.sql_names import Script, created_in_schema, place_of
from filtersql.definitions.types import BUILT_IN
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Statement
from filtersql.source import Rival

__all__ = ["create_cast", "create_operator", "rivals"]

_CATALOG = "pg_catalog"


def create_operator(script: Script, statement: Statement) -> None:
    """Its name, whatever it takes; DROP OPERATOR may leave one of that name, so it is kept."""
    name, _ = created_in_schema(script, statement)
    script.drafts.operators.append((name.schema, Rival("operator", name.name)))


def create_cast(script: Script, statement: Statement) -> None:
    """CREATE CAST: one between PostgreSQL's own types is refused, no filter holds another."""
    node = statement.node
    if {one.names[-1].string.sval for one in (node.sourcetype, node.targettype)} <= BUILT_IN:
        at = place_of(script, statement, "")
        raise UnsupportedStatement("CREATE CAST between types of PostgreSQL", at)


def rivals(drafts: Drafts, path: Sequence[str]) -> tuple[Rival, ...]:
    """What is made by now and found with that search_path."""
    before = path[: path.index(_CATALOG)] if _CATALOG in path else ()
    found = [Rival("function", one.name) for one in drafts.functions if one.schema in path]
    found += (one for schema, one in drafts.operators if schema in path)
    if before:
        types = (*drafts.types, *drafts.tables)
        found += (Rival("type", one.name) for one in types if one.schema in before)
    return tuple(dict.fromkeys(found))
