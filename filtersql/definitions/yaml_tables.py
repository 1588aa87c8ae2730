"""Tables written in YAML: `tables:`.

Example
    `- {name: t1, columns: {a: int not null, c: text}, primary_key: [a]}` is the same table as
    `CREATE TABLE public.t1 (a int NOT NULL, c text, PRIMARY KEY (a))`.
"""

from __future__ import annotations

from msgspec.structs import replace

from filtersql.catalog import Column, Generated
from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.definitions.columns import read_column
from filtersql.definitions.identifiers import plain_name
from filtersql.definitions.keys import add_constraint
from filtersql.definitions.yaml_document import Document, Node
from filtersql.definitions.yaml_keys import read_keys, read_partition
from filtersql.definitions.yaml_names import relation_of
from filtersql.errors import Mistake
from filtersql.errors.columns import SPECIFIED_TWICE
from filtersql.errors.definitions import ALREADY_EXISTS, NEEDS_KEY
from filtersql.grammar import parse_column
from filtersql.names import RelationName
from filtersql.source import Passage

__all__ = ["read_table"]

_TABLE = frozenset(
    "name columns primary_key replica_identity foreign_keys partition_by partition_of bounds tags"
    " description unlogged view".split()
)
_COLUMN = frozenset("type generated kind target_type not_null description".split())


def read_table(document: Document, node: Node, drafts: Drafts) -> None:
    """Adds the table of one entry of `tables:` to the drafts."""
    entry = document.mapping(node, "a table", _TABLE, ("name",))
    name = relation_of(document, entry["name"], "the table's name") if entry else None
    if name is None:
        return
    span = document.span(entry["name"])
    if name in drafts.tables:
        drafts.mistakes.append(
            ALREADY_EXISTS(span, kind="relation", name=str(name), first=drafts.tables[name].span)
        )
        return
    table = DraftTable(name, span, columns=None)
    table.unlogged = bool(document.boolean(entry.get("unlogged"), "unlogged"))
    table.view = bool(document.boolean(entry.get("view"), "view"))
    table.tags = tuple(tag.text for tag in document.texts(entry.get("tags"), "tags"))
    document.string(entry.get("description"), "description")
    if "columns" in entry:
        _read_columns(document, entry["columns"], table, drafts)
    elif "partition_of" not in entry:
        document.missing("columns", f'table "{name}"', entry["name"])
    read_partition(document, entry, table)
    read_keys(document, entry, table)
    drafts.schemas.add(name.schema)
    drafts.tables[name] = table


def _read_columns(document: Document, node: Node, table: DraftTable, drafts: Drafts) -> None:
    table.columns = {}
    keys: list[tuple[Column, Node]] = []
    for key, value in document.pairs(node, f'columns of table "{table.name}"'):
        column = None
        try:
            named = _column_name(document.scalar(key))
            column, constraints = _read_column(document, named, value, table, drafts)
        except Mistake as mistake:
            document.mistakes.append(mistake)
        if column is None:
            # A column that is wrong in itself is not missing as well.
            drafts.broken.add(table.name)
            continue
        if column.name in table.columns:
            first = table.columns[column.name].span
            document.mistakes.append(SPECIFIED_TWICE(column.span, column=column.name, first=first))
        table.columns[column.name] = column
        keys += ((column, constraint) for constraint in constraints)
    for column, constraint in keys:
        target = constraint.pktable
        references = RelationName(target.schemaname or "public", target.relname)
        try:
            add_constraint(table, constraint, column.span, references, (column.name,))
        except Mistake as mistake:
            document.mistakes.append(mistake)


def _column_name(at: Passage) -> Passage:
    """A column's plain name, at the place where it is written."""
    name = plain_name(at)
    return at if name == at.text else at.pick(name, ((0, 0, len(at.text)),))


def _read_column(
    document: Document, name: Passage, node: Node, table: DraftTable, drafts: Drafts
) -> tuple[Column | None, list[Node]]:
    where, alone = f'column "{name.text}"', not isinstance(node.value, list)
    known = drafts.plain_columns.get(node.value) if alone else None
    if known is not None:
        return replace(known, name=name.text, span=name.span()), []
    entry = {"type": node} if alone else document.mapping(node, where, _COLUMN)
    if "type" not in entry:
        document.missing("type", where, node)
        return None, []
    text = document.text(entry["type"], f"the type of {where}")
    if text is None:
        return None, []
    document.string(entry.get("description"), f"description of {where}")
    column, keys = read_column(parse_column(text), table.name, text, drafts, name)
    if alone and not keys and column.generated is None and column.type.schema == "pg_catalog":
        drafts.plain_columns[text.text] = column
    if document.boolean(entry.get("not_null"), f"not_null of {where}"):
        column = replace(column, not_null=True)
    if "target_type" in entry:
        target_type = document.string(entry["target_type"], f"target_type of {where}")
        column = replace(column, target_type=target_type)
    if "generated" in entry:
        generation = document.text(entry["generated"], f"generated of {where}")
        stored = document.choice(entry.get("kind"), f"kind of {where}", tuple(Generated))
        if "kind" not in entry:
            # PostgreSQL 18 makes it virtual, 15 to 17 had stored only: so it must be said.
            document.missing("kind", f"generated {where}", entry["generated"])
        if generation is not None and stored is not None:
            column = replace(column, generation=generation, generated=Generated(stored))
    elif "kind" in entry:
        document.mistakes.append(
            NEEDS_KEY(document.span(entry["kind"]), key="kind", other="generated")
        )
    return column, keys
