"""The constraints of a table that are no keys, and DROP CONSTRAINT of any.

Example
    `CREATE TABLE t (a int CHECK (a > 0))` makes `t_a_check`. DROP CONSTRAINT takes that name; one
    that nothing made is refused, and that of a NOT NULL.

PostgreSQL
    tablecmds.c: ATExecDropConstraint(), dropconstraint_internal(); heap.c:
    AddRelationNewConstraints(); pg_constraint.c: ChooseConstraintName()
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from filtersql.definitions.catalog_builder import DraftIndex, Drafts, DraftTable
from filtersql.definitions.foreign_keys import release_index
from filtersql.definitions.sql_names import Place, Script
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.keys import INHERITED_CONSTRAINT
from filtersql.grammar import Node, enum_name

__all__ = ["drop_constraint", "note_all", "note_constraint"]

_NAMED_NULLS = 18
#: a CHECK or EXCLUDE that PostgreSQL gives a name, and how that ends
_UNNAMED = ""
_CHECKS = re.compile(r"_(check|excl)\d*\Z")
#: names that PostgreSQL makes unique by what else is in the schema, or that renamed tables keep
_MADE = re.compile(r"_(not_null|check|excl|fkey|p?key)\d*\Z")


def note_all(script: Script, table: DraftTable, node: Node) -> None:
    """Those of a column's definition, and its default."""
    for wrapped in node.constraints:
        note_constraint(script, table, wrapped.constraint, node.colname)


def note_constraint(
    script: Script, table: DraftTable, node: Node, column: str | None = None
) -> None:
    """Keeps the name of a CHECK, EXCLUDE or NOT NULL; `column` is the one that holds it."""
    kind = enum_name(node, "contype")
    if kind == "CONSTR_NOTNULL":
        keys = [key.string.sval for key in node.keys] or [column]
        if node.conname and script.drafts.postgres_version >= _NAMED_NULLS:
            table.constraints[node.conname] = keys[0]
        if node.is_no_inherit:
            raise UnsupportedStatement.dumped("NOT NULL NO INHERIT", script.span(node.location))
    elif kind in ("CONSTR_CHECK", "CONSTR_EXCLUSION"):
        table.constraints[node.conname or _UNNAMED] = None


def drop_constraint(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    """DROP CONSTRAINT: of a key, a foreign key, or of what says nothing of rows' keys."""
    name = command.name
    index = table.indexes.get(name)
    foreign = [key for key in table.foreign_keys if key[0].name == name]
    parents = _parents(script, table)
    if any(name in parent.constraints or _has_key(parent, name) for parent in parents):
        raise INHERITED_CONSTRAINT(place(), name=name, table=table.name.name)
    key = index is not None and index.constraint
    if index is not None and index.constraint and table.partition_of is None:
        release_index(script, table, name, place)
        _drop_key(script.drafts, table, index)
    elif foreign:
        table.foreign_keys = [key for key in table.foreign_keys if key not in foreign]
    elif table.constraints.get(name, "") is None:
        del table.constraints[name]
    elif _UNNAMED in table.constraints and name not in table.constraints and _CHECKS.search(name):
        return
    elif table.all_named and not script.drafts.incomplete:
        named_null = name in table.constraints or _MADE.search(name)
        if not (command.missing_ok and not named_null and not key and not parents):
            construct = "DROP CONSTRAINT of NOT NULL, or of what nothing names,"
            raise UnsupportedStatement.dumped(construct, place())


def _parents(script: Script, table: DraftTable) -> list[DraftTable]:
    names = [*([table.partition_of] if table.partition_of else ())]
    names += (name for name, _ in table.inherits)
    return [script.drafts.tables[name] for name in names if name in script.drafts.tables]


def _has_key(table: DraftTable, name: str) -> bool:
    return any(key.name == name for key, _ in table.foreign_keys)


def _drop_key(drafts: Drafts, table: DraftTable, index: DraftIndex) -> None:
    """The key of a table, and those of its partitions that are parts of it."""
    del table.indexes[index.name]
    if table.identity.index_name == index.name:
        table.identity = replace(table.identity, index=())
    for child in drafts.children(table.name):
        own = (one for one in child.indexes.values() if one.columns == index.columns)
        keys = (one for one in own if one.constraint and one.primary is index.primary)
        part = next(keys, None)
        if child.partition_of == table.name and part is not None:
            _drop_key(drafts, child, part)
