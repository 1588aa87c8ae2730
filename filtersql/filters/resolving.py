"""A filter's text on a table, under PostgreSQL's rules: the record `Filter`, or its refusal.

PostgreSQL
    publicationcmds.c, TransformPubWhereClauses(): parse analysis, virtual generated columns
    expanded, then the check of what a filter may hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec.structs import replace

from filtersql.catalog import Generated, Made, Table
from filtersql.filters.model import Filter
from filtersql.filters.resolve.allowed import check
from filtersql.filters.resolve.coercion import boolean, coerce
from filtersql.filters.resolve.lookups import lookup
from filtersql.filters.resolve.planner_folding import planned
from filtersql.filters.resolve.resolution_cache import Alike, Typed
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.resolve.transform import transform
from filtersql.filters.resolve.versions import check_casts
from filtersql.filters.tree.deparse import deparse
from filtersql.filters.tree.locales import UNKNOWN, of_the_database, of_the_files
from filtersql.filters.tree.nodes import Node, Var
from filtersql.filters.tree.rebuilding import rebuilt
from filtersql.filters.tree.walking import walk
from filtersql.filters.values.clock import Clock
from filtersql.filters.write.raising_notices import mutable, notices
from filtersql.grammar import parse_expression, parse_row_filter
from filtersql.names import RelationName
from filtersql.semantics import POSTGRES, Semantics
from filtersql.source import Passage

__all__ = ["resolve"]

_NOTHING = Made()


def resolve(
    where: Passage,
    table: Table,
    *,
    created: datetime | None = None,
    postgres_version: int = 18,
    made: Made = _NOTHING,
    semantics: Semantics = POSTGRES,
    database_locale: str = UNKNOWN,
    tables: Mapping[RelationName, Table] | None = None,
    alike: Alike | None = None,
) -> Filter:
    """The filter after PostgreSQL's rules; raises a Mistake where CREATE PUBLICATION would.

    `alike` holds what was resolved before, under the same settings.
    """
    clock = Clock(created, postgres_version, where.session)
    allowed = semantics.allowed_expressions
    checked = allowed != "publication"
    scope = Scope(where, table, clock, made, checked, tableoid=allowed != "current_row")
    looked_in = (tables or {}) if semantics.lookups else None

    def typed() -> Typed:
        return _typed(scope, looked_in, database_locale)

    if alike is None or looked_in is not None:
        found = typed()
    else:
        found = alike.resolved(where, table, created, typed)
    told = tuple(replace(notice, span=scope.span(place)) for notice, place in found.told)
    read = {name: scope.span(place) for name, place in found.read.items()}
    return Filter(where, found.tree, found.deparsed, read, told, postgres_version)


def _typed(
    scope: Scope, tables: Mapping[RelationName, Table] | None, database_locale: str
) -> Typed:
    """Raises what PostgreSQL refuses; `tables` where a filter may look them up."""
    where = scope.passage
    written = parse_row_filter(where) if scope.checked else parse_expression(where)
    place = "row_filter" if scope.checked else "PUBLICATION WHERE"
    looked_up = None if tables is None else lookup(scope, written, tables)
    tree = boolean(scope, looked_up or transform(scope, written), place)
    tree = _expanded(scope, tree)
    check_casts(scope, tree)
    check(scope, tree)
    printed, read = deparse(tree), _columns(tree)
    if scope.own_collations:
        tree = of_the_files(tree, scope.own_collations)
    tree = planned(scope, tree)
    if database_locale != UNKNOWN:
        tree = of_the_database(tree, database_locale)
    told = (*notices(where, tree), *(mutable(tree) if scope.checked else ()))
    return Typed(tree, printed, read, told)


def _expanded(scope: Scope, tree: Node) -> Node:
    """Virtual generated columns replaced by their expressions (PostgreSQL 18)."""
    if not any(column.generated is Generated.VIRTUAL for column in scope.table.columns):
        return tree

    def expand(node: Node) -> Node:
        column = scope.columns.get(node.name) if isinstance(node, Var) else None
        if column is None or column.generated is not Generated.VIRTUAL:
            return node
        assert column.generation is not None
        clock = replace(scope.clock, session=column.generation.session)
        inner = replace(scope, passage=column.generation, clock=clock)
        expression = transform(inner, parse_expression(column.generation))
        expression = coerce(inner, expression, node.type, "a")
        return rebuilt(expression, lambda item: _placed(item, node.location))

    return rebuilt(tree, expand)


def _placed(node: Node, location: int) -> Node:
    """An expanded expression stands where the column stood: carets point into the filter."""
    return replace(node, location=location)


def _columns(tree: Node) -> dict[str, int]:
    """Every column that is read, with its first place."""
    found: dict[str, int] = {}
    for node in walk(tree):
        if isinstance(node, Var) and not node.special:
            found[node.name] = min(node.location, found.get(node.name, node.location))
    return dict(sorted(found.items(), key=lambda it: it[1]))
