"""SET EXPRESSION and DROP EXPRESSION, and what a generation expression may read.

Example
    `GENERATED ALWAYS AS (g + 1)` where g is generated too: cannot use generated column "g" in
    column generation expression. A virtual column of a published table keeps its expression,
    since filters hold what it stood for.

PostgreSQL
    tablecmds.c: ATExecSetExpression(), ATExecDropExpression(); parse_relation.c:
    scanRTEForColumn()
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from filtersql.catalog import Column, Generated
from filtersql.definitions.drafts import DraftTable
from filtersql.definitions.expressions import columns_named, subqueries
from filtersql.definitions.generations import column_of
from filtersql.definitions.kinds import SYSTEM_COLUMNS
from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_text import inside_parentheses
from filtersql.errors.altering import VirtualColumn
from filtersql.errors.definitions import UnknownColumn
from filtersql.errors.generations import ColumnValue
from filtersql.errors.relations import NoGeneratedColumn
from filtersql.grammar import Node
from filtersql.source import Passage, Span

__all__ = ["check_generation", "drop_expression", "set_expression"]

_Place = Callable[[], Span]
#: since when DROP EXPRESSION and SET EXPRESSION say the same of an ordinary column
_EXPRESSIONS_ALIKE = 18


def check_generation(table: DraftTable, generation: Passage) -> None:
    """Raises where an expression names a column that the table does not have."""
    columns = table.columns or {}
    for place in subqueries(generation):
        raise ColumnValue.subquery(generation.span(place, place + 1))
    named = columns_named(generation) - {table.name.name}
    for name in sorted(named - columns.keys() - SYSTEM_COLUMNS):
        raise UnknownColumn(name, generation.span(), columns)
    for name in columns_named(generation) & columns.keys():
        if columns[name].generated is not None:
            raise ColumnValue.nested(name, generation.span())


def set_expression(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    """ALTER COLUMN … SET EXPRESSION."""
    column = column_of(table, command.name, place)
    assert table.columns is not None
    if column.generated is None:
        raise NoGeneratedColumn(column.name, table.name.name, place())
    _check_change(script, table, column, place)
    # SET EXPRESSION AS (…): the parentheses behind the column's name.
    start = place().end
    generation = inside_parentheses(script.text, _back(script, start))
    check_generation(table, generation)
    table.columns[column.name] = replace(column, generation=generation)


def _back(script: Script, offset: int) -> int:
    """The position in the text of a source offset: the text's places only ever grow."""
    low, high = 0, len(script.text.text)
    while low < high:
        middle = (low + high) // 2
        if script.text.span(middle, middle).start < offset:
            low = middle + 1
        else:
            high = middle
    return low


def drop_expression(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    """ALTER COLUMN … DROP EXPRESSION."""
    column = column_of(table, command.name, place)
    assert table.columns is not None
    if column.generated is None:
        if command.missing_ok:
            return
        stored = script.drafts.postgres_version < _EXPRESSIONS_ALIKE
        raise NoGeneratedColumn(column.name, table.name.name, place(), stored=stored)
    if column.generated is Generated.VIRTUAL:
        raise VirtualColumn("DROP EXPRESSION", column.name, table.name.name, place())
    table.columns[column.name] = replace(column, generated=None, generation=None)


def _check_change(script: Script, table: DraftTable, column: Column, place: _Place) -> None:
    """SET EXPRESSION: filters hold what a virtual column stood for, so it may not change."""
    publications = script.drafts.publications.values()
    # FOR ALL TABLES and TABLES IN SCHEMA hold no filter, so they do not count.
    listed = any(entry.name == table.name for one in publications for entry in one.tables)
    if column.generated is Generated.VIRTUAL and listed:
        raise VirtualColumn("SET EXPRESSION", column.name, table.name.name, place())
