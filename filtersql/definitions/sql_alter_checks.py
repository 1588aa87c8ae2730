"""What ALTER TABLE may not do to a table that publications, keys, parents or partitions hold.

Example
    `ALTER TABLE t ALTER COLUMN b TYPE bigint`, where a publication has t WHERE (b > 1): cannot
    alter type of a column used by a publication WHERE clause.

PostgreSQL
    tablecmds.c: ATSimplePermissions(), ATExecDropColumn(), RememberAllDependentForRebuilding(),
    ATExecDropNotNull(), ATExecSetExpression(), ATPrepChangePersistence()
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

from filtersql.catalog import Identity
from filtersql.definitions.dependents import (
    described,
    drop_column,
    references_to,
)
from filtersql.definitions.depending import Thing, described_thing, lines_of, users_of
from filtersql.definitions.drafts import DraftTable
from filtersql.definitions.expressions import columns_named
from filtersql.definitions.keys import object_name
from filtersql.definitions.kinds import SHARED_IDENTITIES, SYSTEM_COLUMNS
from filtersql.definitions.not_nulls import hands_down, parents_of, saying
from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_set_members import check_members
from filtersql.errors import Mistake
from filtersql.errors.altering import (
    ColumnInUse,
    DependedOn,
    InheritedColumn,
    InheritedConstraint,
    PublishedUnlogged,
    ReferencedPersistence,
    TypeInUse,
    UnusableIdentityIndex,
)
from filtersql.errors.generations import ColumnValue, IdentityOfPartition
from filtersql.errors.relations import InParent, SystemColumn
from filtersql.grammar import Node, enum_name
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = [
    "check_change",
    "check_heir",
    "check_heirs",
    "check_only",
    "check_type_change",
    "drop_columns",
    "is_inherited",
    "no_index",
]

_Place = Callable[[], Span]
_NAMED_NULLS = 18
#: since when DROP EXPRESSION reaches more than one level of children
_WHOLE_TREES = 16
_IDENTITY_VERBS = {
    "AT_AddIdentity": "add identity to a column of",
    "AT_SetIdentity": "change identity column of",
    "AT_DropIdentity": "drop identity from a column of",
}


def check_change(
    script: Script, table: DraftTable, command: Node, place: _Place, *, only: bool
) -> None:
    """Raises what the kind of table, its parents and its keys do not allow."""
    if only and enum_name(command, "subtype") == "AT_DropNotNull":
        check_only(script, table, command, place)  # told before what its parents say
    check = _CHECKS.get(enum_name(command, "subtype"))
    mistake = check(script, table, command, place) if check else None
    nulls = check is _drop_not_null and script.drafts.postgres_version < _NAMED_NULLS
    if nulls and not only and mistake is None:  # before 18 it reaches what is below
        keys = (_held_by_key(one, command.name, place) for one in script.drafts.below(table.name))
        mistake = next(filter(None, keys), None)
    if check is _drop_expression and script.drafts.postgres_version < _WHOLE_TREES and not only:
        below = script.drafts.children(table.name)
        if any(script.drafts.children(one.name) for one in below):
            raise InParent.expression(place())
    verbs = {_drop_column: "drop", _alter_type: "alter"}
    if check in verbs and not only and mistake is None and command.name in (table.columns or {}):
        lower = (one for one in script.drafts.below(table.name) if one.partition_by is not None)
        keys = (_in_partition_key(one, verbs[check], command.name, place) for one in lower)
        mistake = next(filter(None, keys), None)
    if mistake is not None:
        raise mistake


def check_only(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    """ALTER TABLE ONLY: what the partitions and heirs have to have as well."""
    below = script.drafts.children(table.name)
    version, kind = script.drafts.postgres_version, enum_name(command, "subtype")
    if kind in _IDENTITY_VERBS and table.partition_by and version >= SHARED_IDENTITIES:
        raise IdentityOfPartition.only(_IDENTITY_VERBS[kind], place())
    if not below:
        return
    definition = getattr(command, "def").column_def
    if kind == "AT_AddColumn" and definition.colname in SYSTEM_COLUMNS:
        raise SystemColumn.named(definition.colname, place())
    if kind == "AT_AddColumn" and definition.colname not in (table.columns or {}):
        raise InParent.added(place())
    if kind == "AT_AlterColumnType" and command.name in (table.columns or {}):
        raise InParent.retyped(command.name, place())
    column = (table.columns or {}).get(command.name)
    if kind == "AT_DropExpression":
        raise InParent.expression(place())
    if table.partition_by is None:
        return
    if kind == "AT_DropColumn" and column is not None:
        raise InParent.dropped(place())
    if kind == "AT_DropNotNull" and version < _NAMED_NULLS:
        raise InParent.unconstrained(place())
    if kind == "AT_SetNotNull" and column is not None and not column.not_null:
        nullable = (one for one in below if not (one.columns or {})[command.name].not_null)
        found = next(nullable, None)
        if version >= _NAMED_NULLS or found is not None:
            told = found.name.name if found is not None and version < _NAMED_NULLS else None
            raise InParent.constrained(command.name, told, place())


def check_type_change(script: Script, table: DraftTable, column: str, place: _Place) -> None:
    """ALTER COLUMN TYPE, even to the same type."""
    for user in users_of(script.drafts, table, column):
        shown = described(script, user.name)
        match user.kind:
            case "column":
                raise TypeInUse.by_generated(column, user.part, place())
            case "publication":
                raise TypeInUse.by_publication(shown, user.part, column, place())
            case "view" | "materialized view":
                raise TypeInUse.by_view(f"{user.kind} {shown}", column, place())
            case "trigger" | "rule" | "policy" | "function":
                shown = described_thing(script, user)
                raise TypeInUse.by_code(user.kind, shown, column, place())


def check_heirs(script: Script, table: DraftTable, column: str, verb: str, place: _Place) -> None:
    """Raises where something below has the column of a parent that does not change with it."""
    below = script.drafts.below(table.name)
    changing = {table.name, *(one.name for one in below)}
    for heir in below:
        check_heir(script, heir, changing, column, verb, place)


def check_heir(
    script: Script,
    heir: DraftTable,
    changing: Container[RelationName],
    column: str,
    verb: str,
    place: _Place,
) -> None:
    """The same of one of them."""
    for parent in parents_of(script.drafts, heir):
        if parent.name not in changing and column in (parent.columns or {}):
            raise InheritedColumn.of_others(verb, column, heir.name.name, place())


def no_index(script: Script, table: DraftTable, name: str, span: Span) -> UnusableIdentityIndex:
    """The name is another table's index, no index at all, or nothing's."""
    drafts, schema = script.drafts, table.name.schema
    if any(
        one.name.schema == schema and (name in one.indexes or name == one.primary_key_name)
        for one in drafts.tables.values()
    ):
        return UnusableIdentityIndex.other_table(name, table.name.name, span)
    if RelationName(schema, name) in drafts.tables:
        return UnusableIdentityIndex.no_index(name, span)
    return UnusableIdentityIndex.unknown(name, table.name.name, span)


def drop_columns(
    script: Script, tables: Sequence[DraftTable], command: Node, place: _Place
) -> None:
    """DROP COLUMN of a table and of those below it, with or without what depends on it."""
    first, *below = tables
    kept = _keeping(script, first, below, command.name)
    holding = [
        table
        for table in (first, *below)
        if command.name in (table.columns or {}) and table.name not in kept
    ]
    names = [*_children_first(script, tables)]
    held = {table.name for table in holding}
    roots = [Thing("column", name, command.name) for name in names if name in held]
    cascading = enum_name(command, "behavior") == "DROP_CASCADE"
    dependents = [] if cascading else lines_of(script, roots, lambda one: one.kind != "set")
    if not dependents:
        check_members(script, roots, place)
    if dependents:
        shown = described(script, holding[0].name)
        what = f"column {command.name} of table {shown}" if len(holding) == 1 else None
        raise DependedOn(what, dependents, place())
    for table in holding:
        drop_column(script.drafts, table, command.name)


def _keeping(
    script: Script, first: DraftTable, below: Sequence[DraftTable], column: str
) -> set[RelationName]:
    """The heirs that keep a column: it is their own too, or of a parent that keeps it."""
    losing, kept = {first.name, *(one.name for one in below)}, set()
    for one in below:
        parents = parents_of(script.drafts, one)
        others = (each for each in parents if each.name in kept or each.name not in losing)
        if column in one.local or any(column in (each.columns or {}) for each in others):
            kept.add(one.name)
    return kept


def _children_first(script: Script, tables: Sequence[DraftTable]) -> Iterator[RelationName]:
    """In the order in which PostgreSQL reaches a table and those below it."""
    if len(tables) > 1:
        for child in script.drafts.children(tables[0].name):
            yield from _children_first(script, [child, *script.drafts.children(child.name)])
    yield tables[0].name


def _unlogged(script: Script, table: DraftTable, command: Node, place: _Place) -> Mistake | None:
    for publication in script.drafts.publications.values():
        if any(entry.name == table.name for entry in publication.tables):
            return PublishedUnlogged(table.name.name, place())
    for other, _, _ in references_to(script.drafts, table.name):
        if not other.unlogged:
            return ReferencedPersistence("unlogged", table.name.name, other.name.name, place())
    return None


def _logged(script: Script, table: DraftTable, command: Node, place: _Place) -> Mistake | None:
    for key, _ in table.foreign_keys:
        other = script.drafts.tables.get(key.references)
        if other is not None and other is not table and other.unlogged and table.unlogged:
            return ReferencedPersistence("logged", table.name.name, other.name.name, place())
    return None


def _add_column(script: Script, table: DraftTable, command: Node, place: _Place) -> Mistake | None:
    if table.partition_of is not None:
        return InheritedColumn.added(place())
    shared = table.partition_by is not None and script.drafts.postgres_version >= SHARED_IDENTITIES
    node = getattr(command, "def").column_def
    kinds = (enum_name(one.constraint, "contype") for one in node.constraints)
    if not shared and "CONSTR_IDENTITY" in kinds and script.drafts.children(table.name):
        return IdentityOfPartition.recursing(place())
    return None


def _drop_column(script: Script, table: DraftTable, command: Node, place: _Place) -> Mistake | None:
    if command.name not in (table.columns or {}):
        return None
    if is_inherited(script, table, command.name):
        return InheritedColumn.changed("drop", command.name, place())
    return _in_partition_key(table, "drop", command.name, place)


def _alter_type(script: Script, table: DraftTable, command: Node, place: _Place) -> Mistake | None:
    if is_inherited(script, table, command.name):
        return InheritedColumn.changed("alter", command.name, place())
    if command.name in (table.columns or {}):
        check_heirs(script, table, command.name, "alter", place)
    return _in_partition_key(table, "alter", command.name, place)


def _in_partition_key(table: DraftTable, verb: str, column: str, place: _Place) -> Mistake | None:
    for key in table.partition_by[1] if table.partition_by is not None else ():
        if column == key or (key not in (table.columns or {}) and column in columns_named(key)):
            return ColumnInUse.partition_key(verb, column, table.name.name, place())
    return None


def _drop_expression(
    script: Script, table: DraftTable, command: Node, place: _Place
) -> Mistake | None:
    column = (table.columns or {}).get(command.name)
    if column is None or not is_inherited(script, table, column.name):
        return None
    return InParent.inherited_expression(place())


def _identity(script: Script, table: DraftTable, command: Node, place: _Place) -> Mistake | None:
    """A partition has the identity columns of its root."""
    shared = table.partition_of is not None and script.drafts.postgres_version >= SHARED_IDENTITIES
    verb = _IDENTITY_VERBS[enum_name(command, "subtype")]
    return IdentityOfPartition.changed(verb, place()) if shared else None


def _drop_not_null(
    script: Script, table: DraftTable, command: Node, place: _Place
) -> Mistake | None:
    column = (table.columns or {}).get(command.name)
    if column is None or not column.not_null:
        return None
    if column.name in table.identities:
        return ColumnValue.is_identity(column.name, table.name.name, None, place())
    own = _held_by_key(table, column.name, place)
    above = _held_by_parent(script, table, column.name, place)
    return above or own if script.drafts.postgres_version >= _NAMED_NULLS else own or above


def _held_by_key(table: DraftTable, column: str, place: _Place) -> Mistake | None:
    if column in table.primary_key:
        return ColumnInUse.primary_key(column, place())
    if table.identity.kind is Identity.INDEX and column in table.identity.index:
        return ColumnInUse.identity(column, place())
    return None


def _held_by_parent(
    script: Script, table: DraftTable, column: str, place: _Place
) -> Mistake | None:
    """A partition has its parent's NOT NULL, an heir has its constraint since PostgreSQL 18."""
    tables, version = script.drafts.tables, script.drafts.postgres_version
    root = tables.get(table.partition_of) if table.partition_of else None
    if root is not None and hands_down(root, column):
        return InParent.not_null(column, place())
    if version >= _NAMED_NULLS and saying(script.drafts, table, column):
        given = (name for name, one in table.constraints.items() if one == column)
        made = object_name(table.name.name, column, "not_null")
        return InheritedConstraint(next(given, made), table.name.name, place())
    return None


def is_inherited(script: Script, table: DraftTable, column: str) -> bool:
    """Whether a parent has the column too."""
    parents = [name for name, _ in table.inherits]
    if table.partition_of is not None:
        parents.append(table.partition_of)
    tables = script.drafts.tables
    return any(column in (tables[name].columns or {}) for name in parents if name in tables)


_CHECKS: dict[str, Callable[[Script, DraftTable, Node, _Place], Mistake | None]] = {
    "AT_SetUnLogged": _unlogged,
    "AT_SetLogged": _logged,
    "AT_AddColumn": _add_column,
    "AT_DropColumn": _drop_column,
    "AT_AlterColumnType": _alter_type,
    "AT_DropNotNull": _drop_not_null,
    "AT_DropExpression": _drop_expression,
    **dict.fromkeys(_IDENTITY_VERBS, _identity),
}
