"""NOT NULL … NOT VALID: rows that are there may hold NULL until the constraint is validated.

Example
    After `ALTER TABLE t ADD CONSTRAINT nn NOT NULL a NOT VALID` column a counts as nullable, and a
    primary key on it is refused. VALIDATE CONSTRAINT nn, or SET NOT NULL, makes it NOT NULL.

PostgreSQL
    tablecmds.c: ATPrepAddPrimaryKey(), verifyNotNullPKCompatible(), QueueNNConstraintValidation();
    pg_constraint.c: AdjustNotNullInheritance()
"""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.definitions.catalog_builder import DraftTable
from filtersql.definitions.constraints import note_constraint
from filtersql.definitions.keys import object_name, set_not_null
from filtersql.definitions.sql_names import Place, Script
from filtersql.errors import keys as refusals
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node

__all__ = ["add_unvalidated", "check_key", "check_not_null", "validate"]


def add_unvalidated(script: Script, table: DraftTable, node: Node, place: Place) -> None:
    """ADD … NOT NULL … NOT VALID. Its column stays as it is: NOT NULL already, or nullable.

    Raises where partitions, heirs or parents would have the constraint as well.
    """
    if script.drafts.below(table.name) or table.partition_of or table.inherits:
        what = "NOT NULL … NOT VALID of a table with parents, partitions or heirs"
        raise UnsupportedStatement(what, place(), "Validate the constraint.")
    note_constraint(script, table, node)
    if not node.conname:
        column = node.keys[0].string.sval
        name = object_name(table.name.name, column, "not_null")
        if _constraint_of(table, column) is None:
            table.constraints[name] = column


def validate(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    """VALIDATE CONSTRAINT; only of a NOT NULL it says anything about rows."""
    column = table.constraints.get(command.name)
    if column is not None:
        set_not_null(table, (column,), True)


def check_key(table: DraftTable, node: Node, place: Place) -> None:
    """Raises where a new primary key has a column whose NOT NULL is not validated."""
    index = table.indexes.get(node.indexname)
    names: Iterable[str] = [key.string.sval for key in node.keys]
    for column in index.columns if index is not None else names:
        constraint = _constraint_of(table, column)
        if constraint is not None and index is not None:
            raise refusals.NOT_VALID(place(), name=constraint, table=table.name.name)
        if constraint is not None:
            raise refusals.NOT_VALID_IN_KEY(
                place(), column=column, name=constraint, table=table.name.name
            )


def check_not_null(table: DraftTable, node: Node, place: Place) -> None:
    """Raises where a NOT NULL is added to a column that has one which is not validated."""
    for key in node.keys:
        constraint = _constraint_of(table, key.string.sval)
        if constraint is not None and not node.skip_validation:
            raise refusals.NOT_VALID(place(), name=constraint, table=table.name.name)
        if constraint is not None and node.conname:
            raise refusals.SECOND_NOT_NULL(
                place(),
                name=node.conname,
                column=key.string.sval,
                table=table.name.name,
                first=constraint,
            )


def _constraint_of(table: DraftTable, column: str) -> str | None:
    """The NOT NULL of a column that may hold NULL all the same."""
    known = (table.columns or {}).get(column)
    if known is None or known.not_null:
        return None
    return next((name for name, of in table.constraints.items() if of == column), None)
