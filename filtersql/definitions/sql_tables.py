"""CREATE TABLE: columns, keys, PARTITION BY, PARTITION OF, INHERITS.

Example
    `CREATE TABLE child PARTITION OF parent FOR VALUES FROM (0) TO (10)` is a partition with the
    columns and the key of `parent`. Storage, CHECK constraints and defaults are not replicated.

PostgreSQL
    tablecmds.c: DefineRelation(), MergeAttributes(); parse_utilcmd.c: transformCreateStmt()
"""

from __future__ import annotations

import re

from filtersql.definitions.catalog_builder import DraftIndex, DraftTable
from filtersql.definitions.columns import read_column
from filtersql.definitions.constraints import note_all, note_constraint
from filtersql.definitions.foreign_keys import add_key
from filtersql.definitions.generations import check_generation, note_value, value_of
from filtersql.definitions.inheriting import check_own, inherit, read_root
from filtersql.definitions.keys import check_names, set_not_null
from filtersql.definitions.kinds import SHARED_IDENTITIES, SYSTEM_COLUMNS, kind_of
from filtersql.definitions.owned import own_sequences
from filtersql.definitions.partitions import attach, check_partitioned
from filtersql.definitions.sql_names import Script, check_free, created, referenced, span_of
from filtersql.definitions.sql_partitions import partition_key, read_bounds
from filtersql.errors.columns import SPECIFIED_TWICE, SYSTEM_NAME
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, Statement, enum_name
from filtersql.source import Passage, Span

__all__ = ["add_table_constraint", "create_table"]

_WORD = re.compile(r"\w+")
_FOREIGN = "CONSTR_FOREIGN"
_PRIMARY = "CONSTR_PRIMARY"
_KEYS = {_PRIMARY, "CONSTR_UNIQUE", _FOREIGN}
_STRATEGIES = {
    "PARTITION_STRATEGY_LIST": "list",
    "PARTITION_STRATEGY_RANGE": "range",
    "PARTITION_STRATEGY_HASH": "hash",
}


def create_table(script: Script, statement: Statement, *, foreign: bool = False) -> None:
    """CREATE TABLE, also a foreign one."""
    node = statement.node
    name = created(script, node.relation)
    script.at = max(node.relation.location, 0)  # as old as the table is what it has
    span = span_of(script, node.relation)
    if node.if_not_exists and kind_of(script.drafts, name) is not None:
        return
    _check_keys(script, node)
    inherits = bool(node.inh_relations) and not node.HasField("partbound")
    check_free(script, name, span)
    if node.HasField("of_typename"):
        raise UnsupportedStatement("CREATE TABLE … OF a type", span)
    table = DraftTable(
        name, span, columns={}, unlogged=node.relation.relpersistence == "u", foreign=foreign
    )
    table.all_named = True
    script.drafts.broken.add(name)
    if inherits:
        inherit(script, table, [wrapped.range_var for wrapped in node.inh_relations])
    if node.HasField("partbound"):
        table.columns = None
        parent = node.inh_relations[0].range_var
        above, at = read_root(script, parent), span_of(script, parent)
        if any(not one.HasField("constraint") for one in node.table_elts):
            raise UnsupportedStatement.dumped("PARTITION OF with columns", at)
        attach(script.drafts, table, above, read_bounds(node.partbound, script.text), at)
        table.defaults |= above.defaults
        if script.drafts.postgres_version >= SHARED_IDENTITIES:
            table.identities |= above.identities
        for element in node.table_elts:
            add_table_constraint(script, table, element.constraint)
    else:
        _read_elements(script, node, table)
    for column in (table.columns or {}).values():
        if column.generation is not None:
            check_generation(table, column.generation)
    if node.HasField("partspec"):
        strategy = _STRATEGIES[enum_name(node.partspec, "strategy")]
        table.partition_by = (strategy, partition_key(node.partspec, script.text))
        check_partitioned(table, span, script.drafts.postgres_version)
    script.drafts.broken.discard(name)
    script.drafts.schemas.add(name.schema)
    script.drafts.tables[name] = table
    columns = [one.column_def for one in node.table_elts if one.HasField("column_def")]
    own_sequences(script, table, [one for one in columns if one.HasField("type_name")])


def add_table_constraint(
    script: Script, table: DraftTable, node: Node, columns: tuple[str, ...] = ()
) -> None:
    """A table constraint of CREATE TABLE or ALTER TABLE … ADD, or a key behind a column."""
    kind = enum_name(node, "contype")
    span = script.span(node.location, _word(script.text, node.location))
    if kind == "CONSTR_NOTNULL":
        set_not_null(table, (key.string.sval for key in node.keys), True)
    if kind not in _KEYS:
        note_constraint(script, table, node)
        return
    if node.indexname:
        _promote_index(script, table, node, span)
        return
    add_key(script, table, node, span, columns)


def _read_elements(script: Script, node: Node, table: DraftTable) -> None:
    assert table.columns is not None
    inherited = set(table.columns)
    keys: list[tuple[Node, tuple[str, ...]]] = []
    constraints: list[tuple[Node, tuple[str, ...]]] = []
    for element in node.table_elts:
        kind = element.WhichOneof("node")
        if kind == "column_def":
            column, own_keys = read_column(
                element.column_def, table.name, script.text, script.drafts
            )
            if column.name in SYSTEM_COLUMNS:
                raise SYSTEM_NAME(column.span, column=column.name)
            if column.name in inherited:  # merged with the parent's
                inherited.discard(column.name)
                default = value_of(element.column_def)
                column = check_own(table.columns[column.name], column, default)
            elif column.name in table.columns:
                first = table.columns[column.name].span
                raise SPECIFIED_TWICE(column.span, column=column.name, first=first)
            table.columns[column.name] = column
            note_all(script, table, element.column_def)
            note_value(table, element.column_def)
            keys += ((key, (column.name,)) for key in own_keys)
        elif kind == "constraint":
            constraints.append((element.constraint, ()))
        elif kind == "table_like_clause":
            at = span_of(script, element.table_like_clause.relation)
            raise UnsupportedStatement("LIKE in CREATE TABLE", at, "Write the columns.")
    # PostgreSQL makes the index of the primary key first, and foreign keys when the table is there.
    for turn in (_PRIMARY, "", _FOREIGN):
        for constraint, names in (*keys, *constraints):
            if _turn(enum_name(constraint, "contype")) == turn:
                add_table_constraint(script, table, constraint, names)


def _turn(kind: str) -> str:
    """When a constraint is made: the primary key and foreign keys have turns of their own."""
    return kind if kind in (_PRIMARY, _FOREIGN) else ""


def _check_keys(script: Script, node: Node) -> None:
    """That the columns of keys exist is asked first, of the elements and the parents."""
    parents = [referenced(script, wrapped.range_var) for wrapped in node.inh_relations]
    above = [script.drafts.tables.get(name) for name in parents]
    if any(parent is None or parent.columns is None for parent in above):
        return
    elements = [one for one in node.table_elts if one.WhichOneof("node") == "column_def"]
    columns = [one.column_def.colname for one in elements]
    columns += (name for parent in above if parent is not None for name in parent.columns or ())
    for element in node.table_elts:
        kind = enum_name(element.constraint, "contype")
        if element.WhichOneof("node") == "constraint" and kind in _KEYS - {_FOREIGN}:
            start = element.constraint.location
            span = script.span(start, _word(script.text, start))
            word = "primary key" if kind == "CONSTR_PRIMARY" else "unique"
            names = [key.string.sval for key in element.constraint.keys]
            check_names(columns, names, word, span)


def _promote_index(script: Script, table: DraftTable, node: Node, span: Span) -> None:
    """ADD CONSTRAINT … PRIMARY KEY | UNIQUE USING INDEX: the index takes the constraint's name."""
    index, primary = table.indexes.get(node.indexname), enum_name(node, "contype") == _PRIMARY
    if index is None and (script.drafts.incomplete or not table.all_named):
        return
    if index is None or index.constraint or index.refusal or (primary and table.primary_key):
        what = "a constraint of what is no free unique index, or a second primary key,"
        raise UnsupportedStatement.dumped(what, span)
    name = node.conname or index.name
    del table.indexes[index.name]
    refusal = "non-immediate" if node.deferrable else None
    table.indexes[name] = DraftIndex(name, index.columns, refusal, constraint=True, primary=primary)
    if primary:
        set_not_null(table, index.columns, True)


def _word(text: Passage, start: int) -> int:
    """The length of the word at `start`."""
    match = _WORD.match(text.text, max(start, 0))
    return len(match[0]) if match else 1
