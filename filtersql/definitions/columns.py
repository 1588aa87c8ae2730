"""A column definition of CREATE TABLE (or a type text of YAML), and the constraints inside it.

Example
    `total numeric(10,2) NOT NULL GENERATED ALWAYS AS (b * 2) STORED` gives a column of that type,
    not null, generated, whose expression is the passage `b * 2`. PRIMARY KEY, UNIQUE and
    REFERENCES are handed to the table; DEFAULT and CHECK say nothing about replication.

PostgreSQL
    parse_utilcmd.c, transformColumnDefinition()
"""

from __future__ import annotations

from filtersql.catalog import Column, Generated, PgType
from filtersql.definitions.attributes import ATTRIBUTES, check_attributes
from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.sql_text import inside_parentheses
from filtersql.definitions.types import is_serial, read_type
from filtersql.errors.columns import CLAUSES, CONFLICTING_CLAUSES, IDENTITY_TYPE, NO_COLLATION
from filtersql.grammar import Node, enum_name
from filtersql.names import RelationName
from filtersql.pgtypes import type_in_message
from filtersql.source import Passage, Span

__all__ = ["check_collated", "check_counted", "read_column"]

_KEYS = {"CONSTR_PRIMARY", "CONSTR_UNIQUE", "CONSTR_FOREIGN"}
_NULL = "CONSTR_NULL"
_CONFLICTS = (
    ({"CONSTR_NOTNULL", _NULL}, "null"),
    ({"CONSTR_IDENTITY", _NULL}, "null"),
    ({"CONSTR_DEFAULT", "CONSTR_IDENTITY"}, "default and identity"),
    ({"CONSTR_GENERATED", "CONSTR_DEFAULT"}, "default"),
    ({"CONSTR_GENERATED", "CONSTR_IDENTITY"}, "identity"),
)
_ONCE = ("CONSTR_DEFAULT", "CONSTR_IDENTITY", "CONSTR_GENERATED")
#: since when PRIMARY KEY of a column makes it NOT NULL where it stands
_KEYS_NOT_NULL = 18
#: types that have collations, and kinds of one's own that have none: enums, rows, ranges
_COLLATED = frozenset({"text", "varchar", "bpchar", "name"})
_UNCOLLATED = ("type", "composite type", "range type", "multirange type")
#: the types of identity columns
_COUNTED = {("pg_catalog", name) for name in ("int2", "int4", "int8")}


def read_column(
    node: Node, table: RelationName, text: Passage, drafts: Drafts, name_at: Passage | None = None
) -> tuple[Column, list[Node]]:
    """The column of a column_def in `text`, and its keys, which are the table's business.

    `name_at`: where its name stands, if elsewhere.
    """
    name = node.colname if name_at is None else name_at.text
    pg_type = read_type(node.type_name, name, text, drafts)
    not_null = is_serial(node.type_name)
    place = (
        text.span(node.location, node.location + len(name)) if name_at is None else name_at.span()
    )
    if name_at is None and not node.constraints and not node.HasField("coll_clause"):
        return Column(name, pg_type, place, not_null=not_null), []
    check_collated(node, pg_type, text, drafts)
    check_attributes(node.constraints, text)
    _check_said(node, table, text, drafts.postgres_version)
    generated, generation, keys = None, None, list[Node]()
    for wrapped in node.constraints:
        constraint = wrapped.constraint
        kind = enum_name(constraint, "contype")
        if kind in ("CONSTR_NOTNULL", "CONSTR_IDENTITY", "CONSTR_PRIMARY"):
            not_null = True
        if kind == "CONSTR_IDENTITY":
            at = constraint.location
            check_counted(pg_type, text.span(at, at + 1))
        elif kind == "CONSTR_GENERATED":
            stored = constraint.generated_kind == "s"
            generated = Generated.STORED if stored else Generated.VIRTUAL
            generation = inside_parentheses(text, constraint.location)
        elif kind in _KEYS:
            keys.append(constraint)
        elif kind in ATTRIBUTES and keys:
            setattr(keys[-1], *ATTRIBUTES[kind])
    column = Column(
        name, pg_type, place, not_null, generated, generation, collation=_collation(node)
    )
    return column, keys


def check_collated(node: Node, pg_type: PgType, text: Passage, drafts: Drafts) -> None:
    """Raises where COLLATE stands behind a type whose values nothing collates."""
    if not node.HasField("coll_clause"):
        return
    made_of = pg_type.base or pg_type
    element = made_of.name.removeprefix("_")
    own = drafts.types.get(RelationName(made_of.schema, element)) in _UNCOLLATED
    if own or (made_of.schema == "pg_catalog" and element not in _COLLATED):
        of_domain = node.DESCRIPTOR.name == "CreateDomainStmt"
        at = (node.type_name if of_domain else node.coll_clause).location
        span = text.span(at, at + 1)
        raise NO_COLLATION(span, pg_type=type_in_message(pg_type))


def check_counted(pg_type: PgType, span: Span) -> None:
    """Raises where an identity column would have another type than an integer."""
    if (pg_type.schema, pg_type.name) not in _COUNTED:
        raise IDENTITY_TYPE(span)


def _check_said(node: Node, table: RelationName, text: Passage, version: int) -> None:
    """Raises where constraints of a column exclude each other; serial says two of them, last."""
    written = [(enum_name(one.constraint, "contype"), one.constraint) for one in node.constraints]
    if is_serial(node.type_name):
        written += (
            (kind, written[-1][1]) for kind in ("CONSTR_DEFAULT", "CONSTR_NOTNULL") if written
        )
    before: set[str] = set()
    for kind, constraint in written:
        if kind == "CONSTR_PRIMARY" and version >= _KEYS_NOT_NULL:
            kind = "CONSTR_NOTNULL"
        words = [kind] if kind in _ONCE and kind in before else []
        before.add(kind)
        words += (word for pair, word in _CONFLICTS if pair <= before)
        if words:
            span = text.span(constraint.location, constraint.location + 1)
            raise CONFLICTING_CLAUSES(
                span, column=node.colname, table=table.name, clauses=CLAUSES[words[0]]
            )


def _collation(node: Node) -> str | None:
    if not node.HasField("coll_clause"):
        return None
    name: str = node.coll_clause.collname[-1].string.sval
    return None if name == "default" else name
