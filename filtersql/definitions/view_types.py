"""The types of a view's columns, where its query names columns of tables or casts what it gives.

Example
    `SELECT t.a, b::date AS day, u.* FROM t JOIN u ON t.a = u.a` gives a's type, date, and the types
    of u's columns. What an expression gives is not known: such a view is written in YAML.

PostgreSQL
    parse_target.c: transformTargetList(); view.c: DefineVirtualRelation()
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from filtersql.catalog import Column
from filtersql.definitions.partitions import settle
from filtersql.definitions.sql_names import Script
from filtersql.definitions.types import read_type
from filtersql.grammar import Node, enum_name
from filtersql.names import RelationName

__all__ = ["view_types"]

#: an item of FROM: its schema, the name by which the query knows it, its columns
_Item = tuple[str, str, dict[str, Column | None]]


def view_types(script: Script, node: Node) -> tuple[Column | None, ...]:
    """What gives each column of CREATE VIEW's select_stmt its type, where that is known."""
    if enum_name(node, "op") != "SETOP_NONE" or node.with_clause.ctes:
        return ()
    items: list[_Item] = []
    for wrapped in node.from_clause:
        found = _items(script, wrapped)
        if found is None:
            return ()
        items += found
    return tuple(one for target in node.target_list for one in _types(script, target, items))


def _items(script: Script, wrapped: Node) -> list[_Item] | None:
    kind = wrapped.WhichOneof("node")
    node = getattr(wrapped, kind)
    if kind == "join_expr" and not (node.using_clause or node.is_natural or node.alias.aliasname):
        left, right = _items(script, node.larg), _items(script, node.rarg)
        return None if left is None or right is None else [*left, *right]
    if kind != "range_var" or node.alias.colnames:
        return None
    for schema in [node.schemaname] if node.schemaname else script.path:
        columns = _columns(script, RelationName(schema, node.relname))
        if columns is not None:
            alias = node.alias.aliasname
            return [("" if alias else schema, alias or node.relname, columns)]
    return None


def _columns(script: Script, name: RelationName) -> dict[str, Column | None] | None:
    view = script.drafts.views.get(name)
    if view is not None:
        known = len(view.types) == len(view.query.outputs)
        return dict(zip(view.query.outputs, view.types, strict=True)) if known else None
    table = script.drafts.tables.get(name)
    if table is None:
        return None
    if table.columns is None:
        settle(script.drafts, table)
    return dict(table.columns or {})


def _types(script: Script, target: Node, items: Sequence[_Item]) -> Iterator[Column | None]:
    value = target.res_target.val
    kind = value.WhichOneof("node")
    if kind == "type_cast":
        name = target.res_target.name
        cast = value.type_cast.type_name
        found = read_type(cast, name, script.text, *script.drafts.typed)
        yield Column(name, found, script.span(cast.location))
    elif kind == "column_ref":
        *before, last = value.column_ref.fields
        named = [part.string.sval for part in before]
        of = [item for item in items if _is_named(item, named)]
        if last.WhichOneof("node") == "a_star":
            for _, _, columns in of:
                yield from columns.values()
            return
        plain = last.string.sval
        known = [columns[plain] for _, _, columns in of if plain in columns]
        yield known[0] if len(known) == 1 else None
    else:
        yield None


def _is_named(item: _Item, names: Sequence[str]) -> bool:
    schema, name, _ = item
    return not names or (name == names[-1] and (len(names) < 2 or names[-2] == schema))
