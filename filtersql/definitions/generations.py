"""What gives a column its value: a generation expression, a default or an identity.

Example
    `GENERATED ALWAYS AS (g + 1)` where g is generated too: cannot use generated column "g" in
    column generation expression. What a default says is kept only to know the sequences in it.

PostgreSQL
    tablecmds.c: ATExecColumnDefault(), ATExecAddIdentity(); parse_relation.c: scanRTEForColumn()
"""

from __future__ import annotations

from filtersql.catalog import Column
from filtersql.definitions import owned
from filtersql.definitions.catalog_builder import DraftTable
from filtersql.definitions.expressions import columns_named, subqueries, without_places
from filtersql.definitions.kinds import SYSTEM_COLUMNS
from filtersql.definitions.sql_names import Place, Script
from filtersql.definitions.types import is_serial
from filtersql.errors import columns as refusals
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.wording import meant
from filtersql.grammar import Node, enum_name
from filtersql.source import Passage

__all__ = [
    "add_identity",
    "check_generation",
    "column_of",
    "note_value",
    "set_default",
    "set_identity",
    "value_of",
]


def check_generation(table: DraftTable, generation: Passage) -> None:
    """Raises where an expression names a column that the table does not have."""
    columns = table.columns or {}
    for place in subqueries(generation):
        raise refusals.GENERATED_SUBQUERY(generation.span(place, place + 1))
    named = columns_named(generation) - {table.name.name}
    for name in sorted(named - columns.keys() - SYSTEM_COLUMNS):
        raise refusals.UNKNOWN_COLUMN(generation.span(), column=name, hint=meant(name, columns))
    for name in columns_named(generation) & columns.keys():
        if columns[name].generated is not None:
            raise refusals.GENERATED_NESTED(generation.span(), column=name)


def value_of(node: Node) -> str | None:
    """Which of `default`, `generated` and `identity` a column's definition says."""
    kinds = {enum_name(wrapped.constraint, "contype") for wrapped in node.constraints}
    if "CONSTR_IDENTITY" in kinds:
        return "identity"
    if "CONSTR_GENERATED" in kinds:
        return "generated"
    default = is_serial(node.type_name) or "CONSTR_DEFAULT" in kinds
    return "default" if default else None


def note_value(table: DraftTable, node: Node) -> None:
    """The default or the identity of a column's definition."""
    if value_of(node) == "identity":
        table.identities.add(node.colname)
    for wrapped in node.constraints:
        if enum_name(wrapped.constraint, "contype") == "CONSTR_DEFAULT":
            table.defaults[node.colname] = without_places(wrapped.constraint.raw_expr)


def set_default(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    """ALTER COLUMN … SET DEFAULT and DROP DEFAULT."""
    if table.view or table.columns is None:
        return
    column = column_of(table, command.name, place)
    if column.name in table.identities or column.generated is not None:
        raise UnsupportedStatement("a default of a column that is generated", place())
    definition = getattr(command, "def")
    table.defaults.pop(column.name, None)
    if definition.WhichOneof("node"):
        table.defaults[column.name] = without_places(definition)


def add_identity(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    """ALTER COLUMN … ADD GENERATED AS IDENTITY."""
    column = column_of(table, command.name, place)
    why = None
    if not column.not_null:
        why = "must be declared NOT NULL before identity can be added"
    elif column.name in table.identities:
        why = "is already an identity column"
    elif column.name in table.defaults or column.generated is not None:
        why = "already has a default value"
    if why is not None:
        raise refusals.NO_IDENTITY(place(), column=column.name, table=table.name.name, why=why)
    table.identities.add(column.name)
    owned.own_identity(script, table, column.name, getattr(command, "def").constraint)


def set_identity(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    """ALTER COLUMN … SET GENERATED and RESTART change no row that is there."""
    column = column_of(table, command.name, place)
    if column.name not in table.identities or table.partition_of is not None:
        raise UnsupportedStatement("a change of a column that is no identity here", place())


def column_of(table: DraftTable, name: str, place: Place) -> Column:
    """The column that ALTER COLUMN names."""
    columns = table.columns or {}
    if name in SYSTEM_COLUMNS:
        raise refusals.SYSTEM_COLUMN(place(), verb="alter", column=name)
    if name not in columns:
        raise refusals.UNKNOWN_IN_TABLE(
            place(), table=table.name.name, column=name, hint=meant(name, columns)
        )
    return columns[name]
