"""What gives a column its value: an expression, a default or an identity, beside its parents'.

Example
    `CREATE TABLE u (g int DEFAULT 3) INHERITS (t)`, where t generates g: column "g" inherits from
    generated column but specifies default. A partition may have an expression of its own, which
    filters of the partition read; that of its root is read by the root's.

PostgreSQL
    tablecmds.c: MergeAttributes(), MergeChildAttribute(), ATExecColumnDefault(),
    ATExecAddIdentity(), ATExecDropIdentity(); parse_utilcmd.c: transformColumnDefinition()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from filtersql.catalog import Column, Generated
from filtersql.definitions import owned
from filtersql.definitions.columns import check_said, read_generation
from filtersql.definitions.drafts import DraftTable
from filtersql.definitions.expressions import without_places
from filtersql.definitions.kinds import SHARED_IDENTITIES, SYSTEM_COLUMNS
from filtersql.definitions.sql_names import Script
from filtersql.definitions.types import SERIAL
from filtersql.errors.definitions import DuplicateColumn, UnknownColumn, UnknownInTable
from filtersql.errors.generations import ColumnValue, IdentityOfPartition, ValueConflict
from filtersql.errors.inheriting import InheritedConflict
from filtersql.errors.relations import SystemColumn
from filtersql.grammar import Node, enum_name
from filtersql.source import Span

__all__ = [
    "LIKE_IDENTITY",
    "add_identity",
    "check_agreed",
    "check_like",
    "check_merged",
    "check_overrides",
    "column_of",
    "copy_values",
    "drop_identity",
    "like_values",
    "note_value",
    "override",
    "set_default",
    "set_identity",
    "value_of",
]

_Place = Callable[[], Span]
#: since when children may have expressions of their own
_OWN_EXPRESSIONS = 16
#: since when SET EXPRESSION is a statement
_SET_EXPRESSION = 17
_HINT = "A child table column cannot be generated unless its parent column is."
_HINT_BEFORE = (
    "Omit the generation expression in the definition of the child table column to inherit the "
    "generation expression from the parent table."
)
#: CREATE_TABLE_LIKE_DEFAULTS, CREATE_TABLE_LIKE_IDENTITY
_DEFAULTS, LIKE_IDENTITY = 8, 32


def value_of(node: Node) -> str | None:
    """Which of `default` and `identity` a column's definition says."""
    kinds = {enum_name(one.constraint, "contype") for one in node.constraints}
    if "CONSTR_IDENTITY" in kinds:
        return "identity"
    names = [one.string.sval for one in node.type_name.names]
    serial = len(names) == 1 and names[0] in SERIAL
    return "default" if serial or "CONSTR_DEFAULT" in kinds else None


def note_value(script: Script, table: DraftTable, node: Node) -> None:
    """The default or the identity of a column's definition."""
    said = value_of(node)
    if said == "identity":
        table.identities.add(node.colname)
    elif said == "default":
        given = (
            one.constraint.raw_expr
            for one in node.constraints
            if enum_name(one.constraint, "contype") == "CONSTR_DEFAULT"
        )
        expression = next(given, None)
        table.defaults[node.colname] = without_places(expression) if expression else "serial"
        if expression is not None:
            table.drawn[node.colname] = owned.drawn_by(script, expression)


def copy_values(table: DraftTable, parent: DraftTable, version: int) -> None:
    """The defaults of a parent; of a root the identities too."""
    for column, text in parent.defaults.items():
        if table.defaults.setdefault(column, text) == text and column in parent.drawn:
            table.drawn[column] = parent.drawn[column]
    if table.partition_of == parent.name and version >= SHARED_IDENTITIES:
        table.identities |= parent.identities


def check_merged(inherited: Column, own: Column, said: str | None, version: int) -> None:
    """Raises where a column and its parent's are not given their values in ways that agree."""
    name, span = own.name, own.span
    if version < _OWN_EXPRESSIONS and inherited.generated is not None and own.generated is not None:
        raise ValueConflict.generates(name, _HINT_BEFORE, span)
    if inherited.generated is not None and said is not None and own.generated is None:
        raise ValueConflict.over_generated(name, said, span)
    if version < _OWN_EXPRESSIONS:
        return
    if inherited.generated is None and own.generated is not None:
        raise ValueConflict.generates(name, _HINT, span)
    if own.generated is not None and own.generated is not inherited.generated:
        raise InheritedConflict.kinds(name, str(inherited.generated), str(own.generated), span)


def check_agreed(table: DraftTable, own: Iterable[Node], version: int) -> None:
    """Raises where parents differ about a column that the table itself gives no value."""
    for node in own:
        if value_of(node) == "default" or any(
            enum_name(one.constraint, "contype") == "CONSTR_GENERATED" for one in node.constraints
        ):
            table.disputed.discard(node.colname)
    for name, column in (table.columns or {}).items():
        if name in table.disputed:
            raise ValueConflict.of_parents(
                name,
                generated=column.generated is not None,
                hinted=column.generated is None or version >= _OWN_EXPRESSIONS,
                span=table.span,
            )


def check_like(source: DraftTable, column: Column, shown: str, options: int) -> None:
    """Raises where LIKE would give another value to a column that a parent generates."""
    if options & _DEFAULTS and column.name in source.defaults:
        raise ValueConflict.required(column.name, shown, column.span)
    if column.generated is not None:
        raise ValueConflict.required(column.name, shown, column.span)


def like_values(table: DraftTable, source: DraftTable, options: int) -> None:
    """LIKE … INCLUDING DEFAULTS and IDENTITY."""
    if options & _DEFAULTS:
        table.defaults |= source.defaults
        table.drawn |= source.drawn
    if options & LIKE_IDENTITY:
        table.identities |= source.identities


def check_overrides(
    script: Script, table: DraftTable, parent: DraftTable, nodes: Iterable[Node]
) -> None:
    """PARTITION OF t (…): raises what a partition may not say of its root's columns."""
    version, known = script.drafts.postgres_version, parent.columns or {}
    nodes = [*nodes]
    for node in nodes:
        span = script.span(node.location, len(node.colname))
        generated = read_generation(node, script.text)
        if value_of(node) == "identity":
            raise IdentityOfPartition.unsupported("identity", span)
        if generated is not None and version < _OWN_EXPRESSIONS:
            raise IdentityOfPartition.unsupported("generated", span)
        check_said(node, table.name, script.text, version)
    seen: dict[str, Span] = {}
    for node in nodes:
        span = script.span(node.location, len(node.colname))
        if node.colname in seen:
            raise DuplicateColumn(node.colname, None, span, seen[node.colname])
        seen[node.colname] = span
    for node in nodes:
        name, span = node.colname, seen[node.colname]
        if name not in known:
            raise UnknownColumn(name, span, known)
        generated = read_generation(node, script.text)
        own = replace(known[name], span=span, generated=generated[0] if generated else None)
        if version >= _OWN_EXPRESSIONS:
            check_merged(known[name], own, value_of(node), version)


def override(script: Script, table: DraftTable, nodes: Iterable[Node]) -> None:
    """The partition's own expressions and defaults."""
    assert table.columns is not None
    for node in nodes:
        note_value(script, table, node)
        generated = read_generation(node, script.text)
        if generated is not None:
            column = table.columns[node.colname]
            table.columns[node.colname] = replace(column, generation=generated[1])


def set_default(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    """ALTER COLUMN … SET DEFAULT and DROP DEFAULT."""
    if table.view or table.columns is None:
        return
    if command.name in SYSTEM_COLUMNS:
        raise SystemColumn("alter", command.name, place())
    if command.name not in table.columns:
        raise UnknownInTable("column", command.name, table.name.name, place(), table.columns)
    column = table.columns[command.name]
    definition, version = getattr(command, "def"), script.drafts.postgres_version
    sets = bool(definition.WhichOneof("node"))
    if column.name in table.identities:
        use = None if sets else "DROP IDENTITY"
        raise ColumnValue.is_identity(column.name, table.name.name, use, place())
    if column.generated is not None:
        stored = "DROP EXPRESSION" if column.generated is Generated.STORED else None
        setting = "SET EXPRESSION" if version >= _SET_EXPRESSION else None
        raise ColumnValue.is_generated(
            column.name, table.name.name, setting if sets else stored, place()
        )
    table.defaults.pop(column.name, None)
    table.drawn.pop(column.name, None)
    if sets:
        table.defaults[column.name] = without_places(definition)
        table.drawn[column.name] = owned.drawn_by(script, definition)


def add_identity(
    script: Script, table: DraftTable, command: Node, place: _Place, *, shared: bool = False
) -> None:
    """ALTER COLUMN … ADD GENERATED AS IDENTITY; `shared` of a partition, whose root has it."""
    column = column_of(table, command.name, place)
    shown = table.name.name
    if not column.not_null:
        why = "must be declared NOT NULL before identity can be added"
        raise ColumnValue.not_addable(column.name, shown, why, place())
    if column.name in table.identities:
        why = "is already an identity column"
        raise ColumnValue.not_addable(column.name, shown, why, place())
    if column.name in table.defaults or column.generated is not None:
        why = "already has a default value"
        raise ColumnValue.not_addable(column.name, shown, why, place())
    for child in _sharing(script, table):
        add_identity(script, child, command, place, shared=True)
    table.identities.add(column.name)
    if not shared:
        owned.add_identity(script, table, command, place)


def drop_identity(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    """ALTER COLUMN … DROP IDENTITY."""
    column = column_of(table, command.name, place)
    if column.name not in table.identities:
        if not command.missing_ok:
            raise ColumnValue.no_identity(column.name, table.name.name, place())
        return
    for child in _sharing(script, table):
        drop_identity(script, child, command, place)
    table.identities.discard(column.name)
    owned.drop_identity(script, table, command, place)


def set_identity(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    """ALTER COLUMN … SET GENERATED: of an identity column only."""
    column = column_of(table, command.name, place)
    if column.name not in table.identities:
        raise ColumnValue.no_identity(column.name, table.name.name, place())


def column_of(table: DraftTable, name: str, place: _Place) -> Column:
    """The column that ALTER COLUMN names."""
    columns = table.columns or {}
    if name in SYSTEM_COLUMNS:
        raise SystemColumn("alter", name, place())
    if name not in columns:
        raise UnknownInTable("column", name, table.name.name, place(), columns)
    return columns[name]


def _sharing(script: Script, table: DraftTable) -> list[DraftTable]:
    """The partitions that have a root's identity columns."""
    if script.drafts.postgres_version < SHARED_IDENTITIES:
        return []
    return [one for one in script.drafts.children(table.name) if one.partition_of == table.name]
