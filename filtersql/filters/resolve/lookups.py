"""A filter that looks another table up: `column [NOT] IN (SELECT column FROM table)`, alone.

Example
    ================================================== ============================================
    filter (EPRS 7)                                    verdict
    ================================================== ============================================
    deptno IN (SELECT id FROM dept_filter_lookup)      a lookup
    deptno NOT IN (SELECT id FROM dept_filter_lookup)  a lookup
    deptno IN (SELECT id FROM l WHERE id > 3)          refused: nothing but column and table
    deptno IN (SELECT id FROM l) AND loc = 'X'         refused: a lookup stands alone
    ================================================== ============================================

    Which rows the table has is asked when a change is judged: those that its own target holds at
    the boundary that the run brings all targets to.

EPRS 7
    Replication Server, "Table filters": a subquery of one column as inclusion or exclusion list
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec.structs import replace

from filtersql.catalog import Table
from filtersql.errors.filters import InvalidExpression, UnknownColumn
from filtersql.errors.publications import RelationDoesNotExist
from filtersql.filters.resolve import columns
from filtersql.filters.resolve.allowed import TYPES
from filtersql.filters.resolve.operators import select
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.tree.nodes import Lookup, Relabel, Var
from filtersql.filters.tree.walking import walk
from filtersql.grammar import Node as Parsed
from filtersql.grammar import enum_name
from filtersql.names import RelationName, quote_identifier

__all__ = ["looked_up", "lookup"]

_ONLY = "A subquery stands alone: column IN (SELECT column FROM table), or NOT IN."
#: in the text of a parsed tree, which keeps no literal's line breaks
_SUBQUERY = re.compile(r"^\s*sub_link \{", re.MULTILINE)
_PLAIN = {"target_list", "from_clause", "limit_option", "op"}


def lookup(scope: Scope, written: Parsed, tables: Mapping[RelationName, Table]) -> Lookup | None:
    """The lookup that a filter is; None where it holds no subquery. Raises a Mistake."""
    negated = False
    link = written
    if written.WhichOneof("node") == "bool_expr" and len(written.bool_expr.args) == 1:
        (link,), negated = written.bool_expr.args, True
    if link.WhichOneof("node") != "sub_link":
        if _SUBQUERY.search(str(written)):
            raise InvalidExpression(_ONLY, scope.passage.span())
        return None
    return replace(_lookup(scope, link.sub_link, tables), negated=negated)


def looked_up(tree: object) -> tuple[Lookup, ...]:
    """The lookups of a resolved filter."""
    return tuple(node for node in walk(tree) if isinstance(node, Lookup))  # type: ignore[arg-type]


def _lookup(scope: Scope, link: Parsed, tables: Mapping[RelationName, Table]) -> Lookup:
    query = link.subselect.select_stmt
    fields = {field.name for field, _ in query.ListFields()}
    plain = (
        enum_name(link, "sub_link_type") == "ANY_SUBLINK"
        and not link.oper_name
        and link.testexpr.WhichOneof("node") == "column_ref"
        and fields <= _PLAIN
        and enum_name(query, "op") == "SETOP_NONE"
        and len(query.from_clause) == len(query.target_list) == 1
        and query.from_clause[0].WhichOneof("node") == "range_var"
        and not query.from_clause[0].range_var.HasField("alias")
    )
    target = query.target_list[0].res_target if plain else None
    names = _names(target.val) if target is not None and not target.name else []
    if target is None or len(names) != 1:
        raise InvalidExpression(_ONLY, scope.span(link.location))
    found = query.from_clause[0].range_var
    relation = RelationName(found.schemaname or "public", found.relname)
    table = tables.get(relation)
    if table is None:
        raise RelationDoesNotExist(relation, tables, scope.span(found.location))
    arg = columns.reference(scope, link.testexpr.column_ref)
    looked = columns.column(replace(scope, table=table), names[0], target.location)
    for one in (arg, looked):
        if isinstance(one, Relabel):
            raise InvalidExpression(TYPES, scope.span(one.location))
    if not isinstance(looked, Var) or looked.special:
        known = [column.name for column in table.columns]
        raise UnknownColumn(
            f'"{names[0]}"',
            scope.span(target.location),
            nearest=columns.nearest(names[0], known),
            table=quote_identifier(relation.name),
        )
    assert isinstance(arg, Var)
    select(scope, "=", (arg.type, looked.type), link.location)
    return Lookup("bool", location=link.location, arg=arg, relation=relation, looked=looked)


def _names(value: Parsed) -> list[str]:
    if value.WhichOneof("node") != "column_ref":
        return []
    fields = value.column_ref.fields
    return [item.string.sval for item in fields if item.WhichOneof("node") == "string"]
