"""A column definition of CREATE TABLE (or a type text of YAML), and the constraints inside it.

Example
    `total numeric(10,2) NOT NULL GENERATED ALWAYS AS (b * 2) STORED` gives a column of that type,
    not null, generated, whose expression is the passage `b * 2`. PRIMARY KEY, UNIQUE and
    REFERENCES are handed to the table; DEFAULT and CHECK say nothing about replication.

PostgreSQL
    parse_utilcmd.c, transformColumnDefinition()
"""

from __future__ import annotations

from dataclasses import dataclass

from filtersql.catalog import Column, Generated
from filtersql.definitions.drafts import Drafts
from filtersql.definitions.sql_text import inside_parentheses
from filtersql.definitions.types import SERIAL, read_type
from filtersql.errors.definitions import ColumnConflict
from filtersql.grammar import Node, enum_name
from filtersql.names import RelationName
from filtersql.source import Passage

__all__ = ["ColumnConstraint", "read_column"]

_KEYS = {"CONSTR_PRIMARY", "CONSTR_UNIQUE", "CONSTR_FOREIGN"}
_CONFLICTS = (
    ({"CONSTR_NOTNULL", "CONSTR_NULL"}, "null"),
    ({"CONSTR_GENERATED", "CONSTR_DEFAULT"}, "default"),
    ({"CONSTR_GENERATED", "CONSTR_IDENTITY"}, "identity"),
)
_ATTRIBUTES = {"CONSTR_ATTR_DEFERRABLE", "CONSTR_ATTR_NOT_DEFERRABLE"}


@dataclass(frozen=True, slots=True)
class ColumnConstraint:
    """A key that stands behind a column's type: the table's business. `node` is a constraint."""

    kind: str
    node: Node
    deferrable: bool


def read_column(
    node: Node, table: RelationName, text: Passage, drafts: Drafts, name_at: Passage | None = None
) -> tuple[Column, list[ColumnConstraint]]:
    """The column of a column_def in `text`; `name_at` where its name stands, if elsewhere."""
    name = node.colname if name_at is None else name_at.text
    pg_type = read_type(node.type_name, name, text, *drafts.typed)
    not_null = _is_serial(node.type_name)
    if name_at is None and not node.constraints and not node.HasField("coll_clause"):
        place = text.span(node.location, node.location + len(name))
        return Column(name, pg_type, place, not_null=not_null), []
    generated: tuple[Generated, Passage] | None = None
    keys: list[ColumnConstraint] = []
    said: set[str] = set()
    for wrapped in node.constraints:
        constraint = wrapped.constraint
        kind = enum_name(constraint, "contype")
        said.add(kind)
        for pair, word in _CONFLICTS:
            if pair <= said:
                span = text.span(constraint.location, constraint.location + 1)
                raise ColumnConflict(word, name, table.name, span)
        if kind in ("CONSTR_NOTNULL", "CONSTR_IDENTITY"):
            not_null = True
        elif kind == "CONSTR_GENERATED":
            stored = constraint.generated_kind == "s"
            generated = (
                Generated.STORED if stored else Generated.VIRTUAL,
                inside_parentheses(text, constraint.location),
            )
        elif kind in _KEYS:
            keys.append(ColumnConstraint(kind, constraint, False))
        elif kind in _ATTRIBUTES and keys:
            keys[-1] = ColumnConstraint(
                keys[-1].kind, keys[-1].node, kind == "CONSTR_ATTR_DEFERRABLE"
            )
    column = Column(
        name=name,
        type=pg_type,
        span=(
            text.span(node.location, node.location + len(name))
            if name_at is None
            else name_at.span()
        ),
        not_null=not_null or any(key.kind == "CONSTR_PRIMARY" for key in keys),
        generated=generated[0] if generated else None,
        generation=generated[1] if generated else None,
        collation=_collation(node),
    )
    return column, keys


def _is_serial(type_name: Node) -> bool:
    return len(type_name.names) == 1 and type_name.names[0].string.sval in SERIAL


def _collation(node: Node) -> str | None:
    if not node.HasField("coll_clause"):
        return None
    name: str = node.coll_clause.collname[-1].string.sval
    return None if name == "default" else name
