"""Sequences of columns: what makes them, owns them and draws from them.

Example
    `CREATE TABLE t (a serial)` makes the sequence t_a_seq: no publication takes it, no relation is
    made under its name, and it goes with the column, the table or the table's schema. DROP
    SEQUENCE is refused: default value for column a of table t depends on sequence t_a_seq.

PostgreSQL
    parse_utilcmd.c: generateSerialExtraStmts(); indexcmds.c: ChooseRelationName(); sequence.c:
    process_owned_by(); tablecmds.c: AlterSeqNamespaces(), ATExecDropIdentity()
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from filtersql.definitions.dependents import described, remove_sequences
from filtersql.definitions.drafts import Drafts, DraftTable
from filtersql.definitions.identifiers import parts_of
from filtersql.definitions.keys import object_name
from filtersql.definitions.kinds import kind_of, taken
from filtersql.definitions.sql_names import (
    Script,
    check_free,
    created,
    known_table,
    place_of,
    referenced,
)
from filtersql.definitions.temporaries import create_temporary, is_temporary
from filtersql.definitions.types import SERIAL
from filtersql.errors.definitions import UnknownInTable
from filtersql.errors.generations import SequenceOwner
from filtersql.errors.relations import Owned
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = [
    "add_identity",
    "alter_sequence",
    "check_free_sequence",
    "check_moved",
    "create_sequence",
    "drawn_by",
    "drop_identity",
    "own_by",
    "own_copied",
    "own_sequences",
]

_Place = Callable[[], Span]
_NEXT = "nextval"


def own_copied(script: Script, table: DraftTable) -> None:
    """Those of the identity columns that LIKE brought."""
    for column in table.columns or ():
        if column in table.identities and column not in table.sequences.values():
            _own(script, table, column, _free(script, table, column))


def own_sequences(script: Script, table: DraftTable, columns: list[Node]) -> None:
    """Those of new columns."""
    for node in columns:
        type_ = [one.string.sval for one in node.type_name.names]
        if len(type_) == 1 and type_[0] in SERIAL:
            name = _free(script, table, node.colname)
            _own(script, table, node.colname, name)
            table.drawn[node.colname] = frozenset({name})
        for wrapped in node.constraints:
            if enum_name(wrapped.constraint, "contype") == "CONSTR_IDENTITY":
                _own_identity(script, table, node.colname, wrapped.constraint)


def add_identity(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    """ALTER COLUMN … ADD GENERATED AS IDENTITY."""
    _own_identity(script, table, command.name, getattr(command, "def").constraint)


def drop_identity(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    """ALTER COLUMN … DROP IDENTITY."""
    remove_sequences(script.drafts, table, command.name)


def create_sequence(script: Script, statement: Statement) -> None:
    """CREATE SEQUENCE: no publication for tables takes it."""
    sequence = statement.node.sequence
    if is_temporary(sequence):
        create_temporary(script, sequence, "sequences", replace=statement.node.if_not_exists)
        return
    name = created(script, sequence)
    if statement.node.if_not_exists and taken(script.drafts, name) is not None:
        return
    span = place_of(script, statement, name.name)
    check_free(script, name, span)
    own_by(script, statement, name, statement.node.options)
    script.drafts.others[name] = "sequences"
    script.drafts.places[name] = span


def alter_sequence(script: Script, statement: Statement) -> None:
    """ALTER SEQUENCE … OWNED BY."""
    name = referenced(script, statement.node.sequence)
    if kind_of(script.drafts, name) == "sequences":
        own_by(script, statement, name, statement.node.options)


def own_by(script: Script, statement: Statement, sequence: RelationName, options: Node) -> None:
    """OWNED BY of CREATE and ALTER SEQUENCE: a column of a table of its own schema, or NONE."""
    for option in options:
        if option.def_elem.defname != "owned_by":
            continue
        *names, column = (one.string.sval for one in option.def_elem.arg.list.items)
        at = partial(place_of, script, statement, column)
        if not names and column != "none":
            raise SequenceOwner.invalid(at())
        table = _owner(script, statement, names) if names else None
        if table is not None:
            if table.name.schema != sequence.schema:
                raise SequenceOwner.elsewhere(at())
            if not table.view and column not in (table.columns or {}):
                known = table.columns or {}
                raise UnknownInTable("column", column, table.name.name, at(), known)
        for holder in _owners(script.drafts, sequence):
            if holder.sequences[sequence] in holder.identities:
                raise SequenceOwner.of_identity(sequence.name, holder.name.name, at())
            del holder.sequences[sequence]
        if table is not None:
            table.sequences[sequence] = column


def _owner(script: Script, statement: Statement, names: list[str]) -> DraftTable:
    node = type(statement.node.sequence)(
        relname=names[-1],
        schemaname=(names[-2:-1] or [""])[0],
        location=statement.start,
    )
    name = referenced(script, node)
    kind = kind_of(script.drafts, name)
    if kind in ("sequences", "materialized views", "indexes", "partitioned indexes"):
        raise SequenceOwner.no_table(name.name, kind, place_of(script, statement, names[-1]))
    return known_table(script, node)


def check_moved(script: Script, name: RelationName, place: Span) -> None:
    """Raises where SET SCHEMA of a sequence would part it from its table."""
    for holder in _owners(script.drafts, name):
        raise SequenceOwner.moved(name.name, holder.name.name, place)


def check_free_sequence(script: Script, name: RelationName, place: Span) -> None:
    """Raises where an identity column needs a sequence that is to be dropped."""
    for holder in _owners(script.drafts, name):
        column = holder.sequences[name]
        if column in holder.identities:
            owner = f"column {column} of table {described(script, holder.name)}"
            raise Owned(f"sequence {described(script, name)}", owner, place)


def drawn_by(script: Script, node: Node) -> frozenset[RelationName]:
    """The sequences that a default takes its values from, as constants of regclass name them."""
    return frozenset(
        name
        for text in _drawn(node)
        if (name := _relation(script, parts_of(text) or [])) is not None
        and kind_of(script.drafts, name) == "sequences"
    )


def _relation(script: Script, names: list[str]) -> RelationName | None:
    for schema in names[-2:-1] or script.path:
        name = RelationName(schema, names[-1]) if names else None
        if name is not None and kind_of(script.drafts, name) is not None:
            return name
    return None


def _drawn(node: Node) -> Iterator[str]:
    """nextval('q') and nextval('q'::regclass); of a text it is found by its name each time."""
    if node.DESCRIPTOR.name == "FuncCall" and node.funcname[-1].string.sval == _NEXT:
        for argument in node.args:
            cast = argument.type_cast
            named = cast.type_name.names
            if argument.HasField("a_const"):
                yield argument.a_const.sval.sval
            elif named and named[-1].string.sval == "regclass":
                yield from (one for one in (cast.arg.a_const.sval.sval,) if one)
        return
    for field, value in node.ListFields():
        if field.message_type is not None:
            for each in value if field.is_repeated else (value,):
                yield from _drawn(each)


def _owners(drafts: Drafts, sequence: RelationName) -> list[DraftTable]:
    return [table for table in drafts.tables.values() if sequence in table.sequences]


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
