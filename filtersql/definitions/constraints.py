"""The constraints of a table that are no keys, and DROP CONSTRAINT of any.

Example
    `CREATE TABLE t (a int CHECK (a > 0))` makes `t_a_check`. DROP CONSTRAINT takes that name, and
    refuses one that nothing made: constraint "t_check" of relation "t" does not exist.

PostgreSQL
    tablecmds.c: ATExecDropConstraint(), dropconstraint_internal(); heap.c:
    AddRelationNewConstraints(); pg_constraint.c: ChooseConstraintName()
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from filtersql.definitions.drafts import DraftIndex, Drafts, DraftTable
from filtersql.definitions.expressions import column_refs
from filtersql.definitions.foreign_keys import check_key_drop
from filtersql.definitions.keys import column_labels, object_name, set_not_null
from filtersql.definitions.not_nulls import keep_own, lose_not_null, parents_of, saying
from filtersql.definitions.sql_names import Script
from filtersql.errors.altering import ColumnInUse, InheritedConstraint
from filtersql.errors.definitions import UnknownInTable
from filtersql.grammar import Node, enum_name
from filtersql.source import Span

__all__ = [
    "NAMED_NULLS",
    "alter_constraint",
    "drop_constraint",
    "keep_below",
    "keep_names",
    "name_inherited",
    "not_null_name",
    "note_all",
    "note_constraint",
]

NAMED_NULLS = 18
#: names that PostgreSQL makes unique by what else is in the schema, or that renamed tables keep
_MADE = re.compile(r"_(not_null|((check|excl|fkey|p?key)\d+))\Z")


def note_all(script: Script, table: DraftTable, node: Node) -> None:
    """Those of a column's definition, and its default."""
    for one in node.constraints:
        note_constraint(script, table, one.constraint, node.colname)


def note_constraint(
    script: Script, table: DraftTable, node: Node, column: str | None = None
) -> None:
    """Keeps the name of a CHECK, EXCLUDE or NOT NULL; `column` is the one that holds it."""
    kind = enum_name(node, "contype")
    if kind == "CONSTR_NOTNULL":
        keys = [key.string.sval for key in node.keys] or [column]
        if node.conname and script.drafts.postgres_version >= NAMED_NULLS:
            table.constraints[node.conname] = keys[0]
        if node.is_no_inherit:
            table.kept_nulls.add(keys[0] or "")
    elif kind in ("CONSTR_CHECK", "CONSTR_EXCLUSION"):
        name = node.conname or _free(table, node, "check" if kind == "CONSTR_CHECK" else "excl")
        table.constraints[name] = None


def _free(table: DraftTable, node: Node, label: str) -> str:
    if label == "check":
        named = {ref.fields[-1].string.sval for ref in column_refs(node.raw_expr)}
        middle = named.pop() if len(named) == 1 else ""
    else:
        elements = [pair.list.items[0].index_elem for pair in node.exclusions]
        middle = "_".join(column_labels(elements))
    number = 0
    while (name := object_name(table.name.name, middle, f"{label}{number or ''}")) in (
        table.constraints
    ):
        number += 1
    return name


def drop_constraint(
    script: Script, table: DraftTable, command: Node, place: Callable[[], Span]
) -> None:
    """DROP CONSTRAINT: of a key, a foreign key, NOT NULL, or of what says nothing of rows' keys."""
    name = command.name
    index = table.indexes.get(name)
    foreign = [one for one in table.foreign_keys if one[0].name == name]
    column = _not_null(script, table, name)
    if _parent_has(script, table, name, column):
        raise InheritedConstraint(name, table.name.name, place())
    if name == table.primary_key_name:
        check_key_drop(script, table, command, place)
        _drop_primary_key(script.drafts, table)
    elif index is not None and index.constraint:
        check_key_drop(script, table, command, place)
        _drop_unique(script.drafts, table, index)
    elif foreign:
        table.foreign_keys = [one for one in table.foreign_keys if one not in foreign]
    elif column is not None:
        if column in table.primary_key:
            raise ColumnInUse.primary_key(column, place())
        if column in table.identity.index:
            raise ColumnInUse.identity(column, place())
        lose_not_null(script.drafts, table, column)
    elif name in table.constraints:
        del table.constraints[name]
    elif not command.missing_ok and not _may_exist(script.drafts, table, name):
        known = [*_known(table), *([table.primary_key_name] if table.primary_key_name else [])]
        raise UnknownInTable("constraint", name, table.name.name, place(), known)


def alter_constraint(
    script: Script, table: DraftTable, command: Node, place: Callable[[], Span]
) -> None:
    """ALTER CONSTRAINT … [NO] INHERIT: whether heirs have the NOT NULL, too."""
    node = getattr(command, "def").atalter_constraint
    column = _not_null(script, table, node.conname) if node.alter_inheritability else None
    if column is None:
        return
    if node.noinherit:
        table.kept_nulls.add(column)
        for child in script.drafts.children(table.name):
            keep_own(child, (column,))
        return
    table.kept_nulls.discard(column)
    for child in script.drafts.below(table.name):
        name_inherited(script.drafts, child, (column,))
        set_not_null(child, (column,), True)


def _not_null(script: Script, table: DraftTable, name: str) -> str | None:
    """The column of a NOT NULL of that name, which has one since PostgreSQL 18."""
    if script.drafts.postgres_version < NAMED_NULLS:
        return None
    made = (
        column
        for column in table.columns or {}
        if (table.columns or {})[column].not_null and name == not_null_name(table, column)
    )
    return next(made, None)


def not_null_name(table: DraftTable, column: str) -> str:
    """The name of a column's NOT NULL: as it was given or kept, else what PostgreSQL makes."""
    given = (name for name, one in table.constraints.items() if one == column)
    return next(given, None) or object_name(table.name.name, column, "not_null")


def name_inherited(drafts: Drafts, table: DraftTable, columns: Iterable[str]) -> None:
    """NOT NULL that comes from a parent later has the parent's name, if none was there."""
    known = table.columns or {}
    for column in columns:
        for parent in parents_of(drafts, table):
            if column in known and column in (parent.columns or {}) and not known[column].not_null:
                table.constraints.setdefault(not_null_name(parent, column), column)
                break


def keep_names(table: DraftTable) -> None:
    """Constraints keep their names when their table or column gets another one."""
    for column in (table.columns or {}).values():
        if column.not_null:
            table.constraints[not_null_name(table, column.name)] = column.name


def _known(table: DraftTable) -> Iterator[str]:
    yield from table.constraints
    yield from (key.name for key, _ in table.foreign_keys)
    yield from (index.name for index in table.indexes.values() if index.constraint)


def _drop_primary_key(drafts: Drafts, table: DraftTable) -> None:
    """The key of a table, and those of its partitions that are parts of it."""
    if table.identity.index_name == table.primary_key_name:
        table.identity = replace(table.identity, index=())
    columns = table.primary_key
    table.primary_key, table.primary_key_name = (), None
    table.primary_key_deferrable = False
    for child in drafts.children(table.name):
        if child.partition_of == table.name and child.primary_key == columns:
            _drop_primary_key(drafts, child)


def _drop_unique(drafts: Drafts, table: DraftTable, index: DraftIndex) -> None:
    """The same of a unique constraint."""
    del table.indexes[index.name]
    if table.identity.index_name == index.name:
        table.identity = replace(table.identity, index=())
    for child in drafts.children(table.name):
        own = (one for one in child.indexes.values() if one.columns == index.columns)
        part = next((one for one in own if one.constraint), None)
        if child.partition_of == table.name and part is not None:
            _drop_unique(drafts, child, part)


def keep_below(script: Script, table: DraftTable, command: Node) -> None:
    """ALTER TABLE ONLY: the children say themselves that a column is NOT NULL from now on."""
    kind = enum_name(command, "subtype")
    column = command.name if kind == "AT_DropNotNull" else None
    if kind == "AT_DropConstraint":
        column = _not_null(script, table, command.name)
    for child in script.drafts.children(table.name):
        keep_own(child, (column or "",))


def _parent_has(script: Script, table: DraftTable, name: str, column: str | None) -> bool:
    """A partition's constraints of the parent's names are the parent's, and so are its keys.

    `column` is the one whose NOT NULL has the name; an heir has those of its parents, too.
    """
    if column is not None and saying(script.drafts, table, column):
        return True
    if table.partition_of is None:
        checks = (one.constraints for one in parents_of(script.drafts, table))
        return any(name in one and one[name] is None for one in checks)
    parent = script.drafts.tables[table.partition_of]
    index = table.indexes.get(name)
    return (
        (name == table.primary_key_name and bool(parent.primary_key))
        or (
            index is not None
            and any(
                one.constraint and {*one.columns} == {*index.columns}
                for one in parent.indexes.values()
            )
        )
        or name in parent.constraints
        or any(key.name == name for key, _ in parent.foreign_keys)
        or _not_null(script, parent, name) is not None
    )


def _may_exist(drafts: Drafts, table: DraftTable, name: str) -> bool:
    """Where not every name is known: YAML names none, heirs have their parents'."""
    above = [drafts.tables[one] for one, _ in table.inherits if one in drafts.tables]
    return (
        not table.all_named
        or drafts.incomplete
        or _MADE.search(name) is not None
        or any(name in one.constraints or _may_exist(drafts, one, name) for one in above)
    )
