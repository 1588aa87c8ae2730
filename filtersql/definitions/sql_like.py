"""LIKE in CREATE TABLE: the columns of another table.

Example
    `CREATE TABLE u (LIKE t INCLUDING INDEXES)`: t's columns, NOT NULL and keys, under names of u's.
    LIKE of a view is refused.

PostgreSQL
    parse_utilcmd.c: transformTableLikeClause(), expandTableLikeClause()
"""

from __future__ import annotations

from dataclasses import replace

from filtersql.definitions.catalog_builder import DraftTable
from filtersql.definitions.keys import free_name
from filtersql.definitions.kinds import kind_of
from filtersql.definitions.sql_names import Script, known_table, referenced, span_of
from filtersql.errors.columns import SPECIFIED_TWICE
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.relations import INVALID_LIKE
from filtersql.grammar import Node

__all__ = ["copy_like"]

_REFUSED = ("sequences", "indexes", "partitioned indexes")
_VIEWS = ("views", "materialized views")
#: bits of TableLikeOption
_DEFAULTS, _GENERATED, _IDENTITY, _INDEXES = 8, 16, 32, 64


def copy_like(script: Script, table: DraftTable, node: Node, inherited: set[str]) -> None:
    """Columns and NOT NULL; INCLUDING adds generation and indexes. `inherited` ones are merged."""
    name, span = referenced(script, node.relation), span_of(script, node.relation)
    kind = kind_of(script.drafts, name)
    if kind in _REFUSED:
        raise INVALID_LIKE(span, name=name.name, many=kind)
    if kind == "composite types":
        raise UnsupportedStatement("LIKE of a composite type", span, _HINT)
    if kind in _VIEWS:
        raise UnsupportedStatement("LIKE of a view", span, _HINT)
    parent = known_table(script, node.relation)
    if parent.columns is None:
        raise UnsupportedStatement("LIKE of a partition that YAML defines", span)
    columns = list(parent.columns.values())
    assert table.columns is not None
    for column in columns:
        there = table.columns.get(column.name)
        kept = node.options & _GENERATED
        own = column if kept else replace(column, generated=None, generation=None)
        own = replace(own, span=span)
        if there is not None and column.name in inherited:
            raise UnsupportedStatement("LIKE of a column that is inherited, too", span, _HINT)
        if there is not None:
            raise SPECIFIED_TWICE(span, column=column.name, first=there.span)
        table.columns[column.name] = replace(own, span=column.span)
    if node.options & _DEFAULTS:
        table.defaults |= parent.defaults
    if node.options & _IDENTITY and parent.identities:
        raise UnsupportedStatement("LIKE INCLUDING IDENTITY", span, _HINT)
    table.constraints |= parent.constraints
    if node.options & _INDEXES:
        _copy_keys(table, parent)


_HINT = "Write the columns."


def _copy_keys(table: DraftTable, parent: DraftTable) -> None:
    if parent.primary_key and not table.primary_key:
        table.primary_key = parent.primary_key
        table.primary_key_name = free_name(table, "", "pkey")
        table.key_span = table.span
    for index in parent.indexes.values():
        label = free_name(table, "_".join(index.columns), "key" if index.constraint else "idx")
        table.indexes[label] = replace(index, name=label)
