"""Keys and unique constraints of a table, and the names that PostgreSQL gives them.

Example
    `CREATE TABLE t (a int PRIMARY KEY, b int UNIQUE)` makes `t_pkey` and `t_b_key`: the names that
    `REPLICA IDENTITY USING INDEX` and `DROP CONSTRAINT` use later.

PostgreSQL
    indexcmds.c: makeObjectName(), ChooseIndexName(); parse_utilcmd.c: transformIndexConstraint()
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from filtersql.catalog import ForeignKey, Generated
from filtersql.definitions.catalog_builder import DraftIndex, DraftTable
from filtersql.definitions.kinds import SYSTEM_COLUMNS
from filtersql.errors import keys as refusals
from filtersql.errors.columns import UNKNOWN_COLUMN
from filtersql.errors.definitions import ALREADY_EXISTS
from filtersql.errors.wording import meant
from filtersql.grammar import Node, enum_name
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = [
    "add_constraint",
    "check_indexed",
    "check_names",
    "check_sorted",
    "column_labels",
    "free_key_name",
    "free_name",
    "object_name",
    "set_not_null",
]

_LONGEST = 63
#: types without a btree operator class
_UNSORTED = frozenset(
    "box circle cid json jsonpath line lseg path pg_snapshot point polygon txid_snapshot xid"
    " xml".split()
)
_UNSORTED_SYSTEM = {"xmin": "xid", "xmax": "xid", "cmin": "cid", "cmax": "cid"}
_ACTIONS = {"r": "RESTRICT", "c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"}
_KINDS = {"primary key": "primary keys", "unique": "unique constraints"}


def add_constraint(
    table: DraftTable,
    node: Node,
    span: Span,
    references: RelationName | None,
    columns: tuple[str, ...],
) -> None:
    """Adds PRIMARY KEY, UNIQUE or FOREIGN KEY; `columns` where the constraint names none itself."""
    kind = enum_name(node, "contype")
    if kind == "CONSTR_FOREIGN":
        assert references is not None
        _add_foreign_key(table, node, span, references, columns)
        return
    names = columns or tuple(key.string.sval for key in node.keys)
    word = "primary key" if kind == "CONSTR_PRIMARY" else "unique"
    check_names(table.columns, names, word, span)
    primary = kind == "CONSTR_PRIMARY"
    if primary and table.primary_key:
        raise refusals.SEVERAL_PRIMARY_KEYS(span, table=table.name.name)
    for name in names:
        check_sorted(table, name, span)
        check_indexed(table, name, _KINDS[word], span)
    included = [key.string.sval for key in node.including]
    made = ("", "pkey") if primary else ("_".join([*names, *included]), "key")
    label = node.conname or free_name(table, *made)
    if label in table.indexes:
        raise ALREADY_EXISTS(span, kind="relation", name=label, first=None)
    refusal = "non-immediate" if node.deferrable or node.initdeferred else None
    table.indexes[label] = DraftIndex(label, names, refusal, constraint=True, primary=primary)
    if primary:
        set_not_null(table, names, True)


def check_names(columns: Iterable[str] | None, names: Sequence[str], what: str, span: Span) -> None:
    """Raises where a key names what is no column of the table, or names it twice."""
    known = None if columns is None else [*columns]
    for position, name in enumerate(names):
        if known is not None and name not in (*known, *SYSTEM_COLUMNS):
            raise refusals.COLUMN_UNKNOWN(span, column=name, hint=meant(name, known))
        if name in names[:position]:
            raise refusals.COLUMN_TWICE(span, column=name, what=f"{what} constraint")


def check_sorted(table: DraftTable, column: str, span: Span) -> None:
    """Raises where a column does not exist, or has a type without an order."""
    unsorted = _UNSORTED_SYSTEM.get(column)
    if unsorted is None and table.columns is not None and column not in SYSTEM_COLUMNS:
        if column not in table.columns:
            raise UNKNOWN_COLUMN(span, column=column, hint=meant(column, table.columns))
        pg_type = table.columns[column].type
        if pg_type.schema == "pg_catalog" and pg_type.name in _UNSORTED:
            unsorted = pg_type.name
    if unsorted is not None:
        raise refusals.NO_ORDER(span, type_name=unsorted)


def check_indexed(table: DraftTable, column: str, kind: str, span: Span) -> None:
    """Raises where a column can be in no index; `kind` is `index` or constraints of a kind."""
    if column in SYSTEM_COLUMNS:
        raise refusals.SYSTEM_INDEXED(span)
    if table.columns is None:
        return
    if column not in table.columns:
        raise UNKNOWN_COLUMN(span, column=column, hint=meant(column, table.columns))
    if table.columns[column].generated is Generated.VIRTUAL:
        raise refusals.VIRTUAL_INDEXED(span, many="indexes" if kind == "index" else kind)


def set_not_null(table: DraftTable, names: Iterable[str], value: bool) -> None:
    """Sets NOT NULL on columns."""
    columns = table.columns or {}
    for name in names:
        if name in columns and columns[name].not_null is not value:
            columns[name] = replace(columns[name], not_null=value)


def object_name(table: str, columns: str, label: str) -> str:
    """`<table>_<columns>_<label>`, shortened as PostgreSQL does: the longer part gives way."""
    first, second = table.encode(), columns.encode()
    overhead = len(label) + 1 + (1 if columns else 0)
    while len(first) + len(second) + overhead > _LONGEST:
        if len(first) > len(second):
            first = first[:-1]
        else:
            second = second[:-1]
    parts = [part.decode(errors="ignore") for part in (first, second) if part]
    return "_".join([*parts, label])


def free_name(table: DraftTable, columns: str, label: str) -> str:
    """The first of `t_b_key`, `t_b_key1`, … that the table does not use yet."""
    number = 0
    while True:
        name = object_name(table.name.name, columns, f"{label}{number or ''}")
        if name not in table.indexes:
            return name
        number += 1


def column_labels(elements: Iterable[Node]) -> list[str]:
    """What an index calls its columns; DROP INDEX takes one of an expression under any name."""
    labels: list[str] = []
    for element in elements:
        name = element.name or "expr"
        free = (f"{name}{number or ''}" for number in range(len(labels) + 1))
        labels.append(next(label for label in free if label not in labels))
    return labels


def _add_foreign_key(
    table: DraftTable,
    node: Node,
    span: Span,
    references: RelationName,
    columns: tuple[str, ...],
) -> None:
    names = columns or tuple(key.string.sval for key in node.fk_attrs)
    referenced = tuple(key.string.sval for key in node.pk_attrs)
    name = node.conname or free_key_name(table, names)
    key = ForeignKey(name, names, references, referenced, _clauses(node))
    table.foreign_keys.append((key, span))


def free_key_name(table: DraftTable, columns: tuple[str, ...]) -> str:
    """The first of `t_b_fkey`, `t_b_fkey1`, … that no foreign key of the table has yet."""
    names_in_use = {key.name for key, _ in table.foreign_keys}
    numbers = (str(number or "") for number in range(len(names_in_use) + 1))
    names = (object_name(table.name.name, "_".join(columns), f"fkey{number}") for number in numbers)
    return next(name for name in names if name not in names_in_use)


def _clauses(node: Node) -> str:
    """ruleutils.c: pg_get_constraintdef_worker(), behind the referenced columns."""
    clauses = [" MATCH FULL"] if node.fk_matchtype == "f" else []
    for letter, when in ((node.fk_upd_action, "UPDATE"), (node.fk_del_action, "DELETE")):
        if letter in _ACTIONS:
            clauses.append(f" ON {when} {_ACTIONS[letter]}")
    if node.fk_del_set_cols:
        clauses.append(f" ({', '.join(key.string.sval for key in node.fk_del_set_cols)})")
    if node.deferrable or node.initdeferred:
        clauses.append(" DEFERRABLE")
    if node.initdeferred:
        clauses.append(" INITIALLY DEFERRED")
    if not node.is_enforced:
        clauses.append(" NOT ENFORCED")
    elif node.skip_validation:
        clauses.append(" NOT VALID")
    return "".join(clauses)
