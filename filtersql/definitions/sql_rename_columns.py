"""ALTER TABLE … RENAME COLUMN, where nothing reads the column.

Example
    A column that a filter, a column list or a generated column names keeps its name: that is
    refused.

PostgreSQL
    tablecmds.c: renameatt()
"""

from __future__ import annotations

from msgspec.structs import replace

from filtersql.definitions.catalog_builder import DraftTable
from filtersql.definitions.dependents import memberships
from filtersql.definitions.depending import Thing, described, users_of
from filtersql.definitions.kinds import SYSTEM_COLUMNS, kind_of
from filtersql.definitions.sql_alter_kinds import TABLES
from filtersql.definitions.sql_names import Script, known_table, place_of, referenced
from filtersql.errors.columns import COLUMN_EXISTS, SYSTEM_COLUMN, SYSTEM_NAME, UNKNOWN_COLUMN
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.wording import meant
from filtersql.grammar import Statement
from filtersql.source import Span

__all__ = ["rename_columns"]


def rename_columns(script: Script, statement: Statement) -> None:
    """RENAME COLUMN of a table and of its partitions, where nothing reads the column."""
    node, drafts = statement.node, script.drafts
    name = referenced(script, node.relation)
    at = place_of(script, statement, old := node.subname)
    kind = kind_of(drafts, name)
    if kind is not None and kind not in TABLES:
        raise UnsupportedStatement.dumped(f"RENAME COLUMN of one of the {kind}", at)
    table = known_table(script, node.relation, missing_ok=node.missing_ok)
    below = drafts.below(table.name)
    if old in SYSTEM_COLUMNS:
        raise SYSTEM_COLUMN(at, verb="rename", column=old)
    if old not in (table.columns or {}):
        raise UNKNOWN_COLUMN(at, column=old, hint=meant(old, table.columns or {}))
    if table.partition_of or table.inherits or (below and not node.relation.inh):
        raise UnsupportedStatement.dumped("RENAME COLUMN of a part of a tree of tables", at)
    _check_new_name(table, node.newname, at)
    for each in [table, *below]:
        if each.partition_of is None and each is not table:
            raise UnsupportedStatement.dumped("RENAME COLUMN of a table with heirs", at)
        _check_unread(script, each, old, at)
    for each in [table, *below]:
        _rename_column(each, old, node.newname)


def _check_unread(script: Script, table: DraftTable, column: str, at: Span) -> None:
    """Raises where a filter, a list, a generated column, a key or code names the column."""
    drafts = script.drafts
    found = users_of(drafts, Thing("column", table.name, column))
    users = [described(script, user) for user in found]
    listing = (one.name for one, entry in memberships(drafts, table.name) if entry.columns)
    users += (f"replication set {replication_set}" for replication_set in listing)
    keys = table.partition_by[1] if table.partition_by is not None else ()
    if any(key not in (table.columns or {}) for key in keys):
        users.append("the expression of a partition key")
    if any(table.name.name in code.words for code in drafts.code.values()):
        users.append("code of the table")
    if users:
        raise UnsupportedStatement.dumped(f"RENAME COLUMN where {users[0]} may name it", at)


def _check_new_name(table: DraftTable, name: str, span: Span) -> None:
    if name in SYSTEM_COLUMNS:
        raise SYSTEM_NAME(span, column=name)
    if name in (table.columns or {}):
        first = (table.columns or {})[name].span
        raise COLUMN_EXISTS(span, column=name, table=table.name.name, first=first)


def _rename_column(table: DraftTable, old: str, new: str) -> None:
    def swapped(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new if name == old else name for name in names)

    table.constraints = {
        name: new if one == old else one for name, one in table.constraints.items()
    }
    table.columns = {
        (new if name == old else name): replace(one, name=new) if name == old else one
        for name, one in (table.columns or {}).items()
    }
    table.sequences = {name: new if one == old else one for name, one in table.sequences.items()}
    if old in table.defaults:
        table.defaults[new] = table.defaults.pop(old)
    table.gone.add(old)
    if old in table.identities:
        table.identities ^= {old, new}
    table.identity = replace(table.identity, index=swapped(table.identity.index))
    table.indexes = {
        name: replace(index, named=index.named or index.columns, columns=swapped(index.columns))
        for name, index in table.indexes.items()
    }
    table.foreign_keys = [
        (replace(key, columns=swapped(key.columns)), span) for key, span in table.foreign_keys
    ]
    if table.partition_by is not None:
        table.partition_by = (table.partition_by[0], swapped(table.partition_by[1]))
