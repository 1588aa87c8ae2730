"""Sequences, and those of serial and identity columns, which go with the column.

Example
    `CREATE TABLE t (a serial)` makes the sequence t_a_seq: no publication takes it, and no relation
    is made under its name. DROP SEQUENCE is refused: default value for column a of table t depends
    on sequence t_a_seq.

PostgreSQL
    parse_utilcmd.c: generateSerialExtraStmts(); indexcmds.c: ChooseRelationName(); sequence.c:
    process_owned_by()
"""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.definitions.catalog_builder import DraftTable
from filtersql.definitions.keys import object_name
from filtersql.definitions.kinds import kind_of
from filtersql.definitions.sql_names import (
    Script,
    check_free,
    created,
    known_table,
    place_of,
    referenced,
)
from filtersql.definitions.types import is_serial
from filtersql.errors.columns import UNKNOWN_IN_TABLE
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.wording import meant
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName

__all__ = [
    "alter_sequence",
    "create_sequence",
    "own_identity",
    "own_sequences",
]


def own_sequences(script: Script, table: DraftTable, columns: Iterable[Node]) -> None:
    """Those of new columns."""
    for node in columns:
        if is_serial(node.type_name):
            name = _free(script, table, node.colname)
            _own(script, table, node.colname, name)
            table.defaults[node.colname] = name.name
        for wrapped in node.constraints:
            if enum_name(wrapped.constraint, "contype") == "CONSTR_IDENTITY":
                own_identity(script, table, node.colname, wrapped.constraint)


def own_identity(script: Script, table: DraftTable, column: str, identity: Node) -> None:
    """The sequence of an identity column, which a dump names."""
    for option in identity.options:
        if option.def_elem.defname == "sequence_name":
            *schema, name = (part.string.sval for part in option.def_elem.arg.list.items)
            _own(script, table, column, RelationName((schema or [table.name.schema])[-1], name))
            return
    _own(script, table, column, _free(script, table, column))


def create_sequence(script: Script, statement: Statement) -> None:
    """CREATE SEQUENCE: no publication for tables takes it."""
    sequence = statement.node.sequence
    name = created(script, sequence)
    if statement.node.if_not_exists and kind_of(script.drafts, name) is not None:
        return
    span = place_of(script, statement, name.name)
    check_free(script, name, span)
    _own_by(script, statement, name)
    script.drafts.others[name] = "sequences"
    script.drafts.places[name] = span


def alter_sequence(script: Script, statement: Statement) -> None:
    """ALTER SEQUENCE … OWNED BY."""
    name = referenced(script, statement.node.sequence)
    if kind_of(script.drafts, name) == "sequences":
        _own_by(script, statement, name)


def _own_by(script: Script, statement: Statement, sequence: RelationName) -> None:
    """OWNED BY a column of a table of the sequence's schema, or NONE."""
    for option in statement.node.options:
        if option.def_elem.defname != "owned_by":
            continue
        *names, column = (part.string.sval for part in option.def_elem.arg.list.items)
        at = place_of(script, statement, column)
        if not names or any(sequence in table.sequences for table in script.drafts.tables.values()):
            construct = "OWNED BY without a table, or of a sequence that a column owns,"
            raise UnsupportedStatement.dumped(construct, at)
        node = type(statement.node.sequence)(
            relname=names[-1], schemaname=(names[-2:-1] or [""])[0], location=statement.start
        )
        table = known_table(script, node)
        if table.name.schema != sequence.schema:
            raise UnsupportedStatement.dumped("OWNED BY a table of another schema", at)
        if not table.view and column not in (table.columns or {}):
            raise UNKNOWN_IN_TABLE(
                at,
                table=table.name.name,
                column=column,
                hint=meant(column, table.columns or {}),
            )
        table.sequences[sequence] = column


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
