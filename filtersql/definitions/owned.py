"""The sequences of serial and identity columns: they have names of their own, and go along.

Example
    `CREATE TABLE t (a serial)` makes the sequence t_a_seq: no publication takes it, no relation is
    made under its name, and it goes with the column, the table or the table's schema.

PostgreSQL
    parse_utilcmd.c: generateSerialExtraStmts(); indexcmds.c: ChooseRelationName(); tablecmds.c:
    AlterSeqNamespaces(), ATExecDropIdentity()
"""

from __future__ import annotations

from collections.abc import Callable

from filtersql.definitions.dependents import remove_sequences
from filtersql.definitions.drafts import DraftTable
from filtersql.definitions.keys import object_name
from filtersql.definitions.kinds import kind_of
from filtersql.definitions.sql_names import Script
from filtersql.definitions.types import SERIAL
from filtersql.grammar import Node, enum_name
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["add_identity", "drop_identity", "own_sequences"]

_Place = Callable[[], Span]


def own_sequences(script: Script, table: DraftTable, columns: list[Node]) -> None:
    """Those of new columns."""
    for node in columns:
        type_ = [one.string.sval for one in node.type_name.names]
        if len(type_) == 1 and type_[0] in SERIAL:
            _own(script, table, node.colname, _free(script, table, node.colname))
        for wrapped in node.constraints:
            if enum_name(wrapped.constraint, "contype") == "CONSTR_IDENTITY":
                _own_identity(script, table, node.colname, wrapped.constraint)


def add_identity(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    """ALTER COLUMN … ADD GENERATED AS IDENTITY."""
    _own_identity(script, table, command.name, getattr(command, "def").constraint)


def drop_identity(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    """ALTER COLUMN … DROP IDENTITY."""
    remove_sequences(script.drafts, table, command.name)


def _own_identity(script: Script, table: DraftTable, column: str, identity: Node) -> None:
    """The sequence of an identity column, which a dump names."""
    for option in identity.options:
        if option.def_elem.defname == "sequence_name":
            *schema, name = (one.string.sval for one in option.def_elem.arg.list.items)
            _own(script, table, column, RelationName((schema or [table.name.schema])[-1], name))
            return
    _own(script, table, column, _free(script, table, column))


def _own(script: Script, table: DraftTable, column: str, name: RelationName) -> None:
    script.drafts.others[name] = "sequences"
    script.drafts.places[name] = table.span
    table.sequences[name] = column


def _free(script: Script, table: DraftTable, column: str) -> RelationName:
    number = 0
    while True:
        label = object_name(table.name.name, column, f"seq{number or ''}")
        name = RelationName(table.name.schema, label)
        if kind_of(script.drafts, name) is None:
            return name
        number += 1
