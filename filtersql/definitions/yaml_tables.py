"""Tables written in YAML: `tables:`.

Example
    `- {name: t1, columns: {a: int not null, c: text}, primary_key: [a]}` is the same table as
    `CREATE TABLE public.t1 (a int NOT NULL, c text, PRIMARY KEY (a))`.
"""

from __future__ import annotations

from dataclasses import replace

from filtersql.catalog import Column, ForeignKey, Generated, Identity, ReplicaIdentity
from filtersql.definitions.bounds import DEFAULT, EDGES, Bounds
from filtersql.definitions.columns import ColumnConstraint, read_column
from filtersql.definitions.drafts import Drafts, DraftTable, PlainColumn
from filtersql.definitions.identifiers import plain_name, relation_name
from filtersql.definitions.keys import add_constraint, object_name
from filtersql.definitions.yaml_document import Document, Node, kind
from filtersql.errors import Mistake
from filtersql.errors.definitions import (
    Duplicate,
    DuplicateColumn,
    DuplicateInKey,
    InvalidValue,
    NeedsKey,
    SeveralPrimaryKeys,
    WrongKind,
)
from filtersql.grammar import parse_column
from filtersql.names import RelationName
from filtersql.source import Passage

__all__ = ["columns_of", "read_table", "relation_of"]

_TABLE = frozenset(
    "name columns primary_key replica_identity foreign_keys partition_by partition_of bounds tags"
    " description unlogged view".split()
)
_COLUMN = frozenset("type generated kind target_type not_null description".split())
_FOREIGN_KEY = frozenset("name columns references referenced_columns".split())
_STRATEGIES = ("range", "list", "hash")


def read_table(document: Document, node: Node, drafts: Drafts) -> None:
    """Adds the table of one entry of `tables:` to the drafts."""
    entry = document.mapping(node, "a table", _TABLE)
    if "name" not in entry:
        if entry:
            document.missing("name", "a table", node)
        return
    name = relation_of(document, entry["name"], "the table's name")
    if name is None:
        return
    span = document.span(entry["name"])
    if name in drafts.tables:
        drafts.mistakes.append(Duplicate("relation", str(name), span, drafts.tables[name].span))
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
    _read_partition(document, entry, table)
    _read_keys(document, entry, table)
    drafts.schemas.add(name.schema)
    drafts.tables[name] = table


def relation_of(document: Document, node: Node, where: str) -> RelationName | None:
    """The table that a scalar names."""
    passage = document.text(node, where)
    try:
        return None if passage is None else relation_name(passage)
    except Mistake as mistake:
        document.mistakes.append(mistake)
        return None


def columns_of(document: Document, node: Node, where: str) -> tuple[tuple[str, Passage], ...]:
    """The columns that a list names, each once."""
    found: dict[str, Passage] = {}
    for passage in document.texts(node, where):
        try:
            name = plain_name(passage)
        except Mistake as mistake:
            document.mistakes.append(mistake)
            continue
        if name in found:
            document.mistakes.append(DuplicateInKey(name, where, passage.span()))
        found[name] = passage
    return tuple(found.items())


def _read_columns(document: Document, node: Node, table: DraftTable, drafts: Drafts) -> None:
    table.columns = {}
    keys: list[tuple[Column, ColumnConstraint]] = []
    for key, value in document.pairs(node, f'columns of table "{table.name}"'):
        try:
            named = _column_name(document.scalar(key))
            column, constraints = _read_column(document, named, value, table, drafts)
        except Mistake as mistake:
            document.mistakes.append(mistake)
            # A column that is wrong in itself is not missing as well.
            drafts.broken.add(table.name)
            continue
        if column is None:
            drafts.broken.add(table.name)
            continue
        if column.name in table.columns:
            first = table.columns[column.name].span
            document.mistakes.append(DuplicateColumn(column.name, None, column.span, first))
        table.columns[column.name] = column
        keys += ((column, constraint) for constraint in constraints)
    for column, constraint in keys:
        target = constraint.node.pktable
        references = RelationName(target.schemaname or "public", target.relname)
        try:
            add_constraint(
                table,
                constraint.node,
                column.span,
                references,
                columns=(column.name,),
                deferrable=constraint.deferrable,
            )
        except Mistake as mistake:
            document.mistakes.append(mistake)


def _column_name(at: Passage) -> Passage:
    """A column's plain name, at the place where it is written."""
    name = plain_name(at)
    return at if name == at.text else at.pick(name, ((0, 0, len(at.text)),))


def _read_column(
    document: Document, name: Passage, node: Node, table: DraftTable, drafts: Drafts
) -> tuple[Column | None, list[ColumnConstraint]]:
    if not isinstance(node.value, list):
        known = drafts.plain_columns.get(node.value)
        if known is not None:
            return known.named(name), []
        text = document.text(node, f'the type of column "{name.text}"')
        if text is None:
            return None, []
        column, keys = read_column(parse_column(text), table.name, text, drafts, name)
        if not keys and column.generated is None and column.type.schema == "pg_catalog":
            drafts.plain_columns[text.text] = PlainColumn(
                column.type, column.not_null, column.collation
            )
        return column, keys
    where = f'column "{name.text}"'
    entry = document.mapping(node, where, _COLUMN)
    if "type" not in entry:
        document.missing("type", where, node)
        return None, []
    text = document.text(entry["type"], f"the type of {where}")
    if text is None:
        return None, []
    column, keys = read_column(parse_column(text), table.name, text, drafts, name)
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
        document.mistakes.append(NeedsKey("kind", "generated", document.span(entry["kind"])))
    return column, keys


def _read_partition(document: Document, entry: dict[str, Node], table: DraftTable) -> None:
    if "partition_of" in entry:
        table.partition_of = relation_of(document, entry["partition_of"], "partition_of")
        table.parent_span = document.span(entry["partition_of"])
        table.unattached = True
        if "bounds" in entry:
            table.late_bounds = _bounds(document, entry["bounds"])
        else:
            document.missing("bounds", f'partition "{table.name}"', entry["name"])
    elif "bounds" in entry:
        document.mistakes.append(NeedsKey("bounds", "partition_of", document.span(entry["bounds"])))
    if "partition_by" not in entry:
        return
    node = entry["partition_by"]
    pairs = document.pairs(node, "partition_by", _STRATEGIES)
    if len(pairs) == 1:
        strategy, columns = pairs[0]
        texts = document.texts(columns, f"partition_by of table {table.name}")
        table.partition_by = (strategy.value, tuple(text.text for text in texts))
    else:
        document.mistakes.append(
            WrongKind(
                "partition_by",
                "{range: [...]}, {list: [...]} or {hash: [...]}",
                kind(node),
                document.span(node),
            )
        )


def _bounds(document: Document, node: Node) -> Bounds | None:
    if not isinstance(node.value, list):
        word = document.choice(node, "bounds", ("default",))
        return None if word is None else DEFAULT
    entry = document.mapping(node, "bounds", ("from", "to", "in", "modulus", "remainder"))
    if set(entry) == {"from", "to"}:
        lower, upper = (_values(document, entry[side], side) for side in ("from", "to"))
        return Bounds("range", lower, upper)
    if set(entry) == {"in"}:
        return Bounds("list", _values(document, entry["in"], "in"))
    if set(entry) == {"modulus", "remainder"}:
        modulus = document.integer(entry["modulus"], "modulus")
        remainder = document.integer(entry["remainder"], "remainder")
        return Bounds("hash", (str(modulus),), (str(remainder),))
    found = f"{{{', '.join(entry)}}}"
    expected = "default, {from, to}, {in} or {modulus, remainder}"
    document.mistakes.append(WrongKind("bounds", expected, found, document.span(node)))
    return None


def _values(document: Document, node: Node, where: str) -> tuple[str, ...]:
    values = []
    for item in document.items(node, f"bounds {where}"):
        value = document.plain(item, str)
        text = "NULL" if value is None else str(value)
        edge = not item.style and text.upper() in EDGES
        values.append(text.upper() if edge else text)
    return tuple(values)


def _read_keys(document: Document, entry: dict[str, Node], table: DraftTable) -> None:
    if "primary_key" in entry:
        node = entry["primary_key"]
        if table.primary_key:
            document.mistakes.append(SeveralPrimaryKeys(table.name.name, document.span(node)))
        columns = columns_of(document, node, "primary_key")
        table.primary_key = tuple(name for name, _ in columns)
        table.primary_key_name = object_name(table.name.name, "", "pkey")
        table.key_span = document.span(node)
        table.key_places = {name: passage.span() for name, passage in columns}
    if "replica_identity" in entry:
        table.identity = _identity(document, entry["replica_identity"], table)
        table.identity_span = document.span(entry["replica_identity"])
    for node in document.items(entry.get("foreign_keys"), "foreign_keys"):
        _read_foreign_key(document, node, table)


def _identity(document: Document, node: Node, table: DraftTable) -> ReplicaIdentity:
    if not isinstance(node.value, list):
        words = [word.value for word in Identity if word is not Identity.INDEX]
        word = document.string(node, "replica_identity")
        if word is not None and word.lower() in words:
            return ReplicaIdentity(Identity(word.lower()))
        if word is not None:
            allowed = [*words, "{index: [columns]}"]
            document.mistakes.append(
                InvalidValue("replica_identity", word, allowed, document.span(node))
            )
        return ReplicaIdentity()
    entry = document.mapping(node, "replica_identity", ("index",))
    if "index" not in entry:
        return ReplicaIdentity()
    columns = columns_of(document, entry["index"], "replica_identity")
    table.key_places = {
        **{name: passage.span() for name, passage in columns},
        **table.key_places,
    }
    return ReplicaIdentity(Identity.INDEX, tuple(name for name, _ in columns))


def _read_foreign_key(document: Document, node: Node, table: DraftTable) -> None:
    where = f'a foreign key of table "{table.name}"'
    entry = document.mapping(node, where, _FOREIGN_KEY)
    for key in ("columns", "references"):
        if entry and key not in entry:
            document.missing(key, where, node)
            return
    if not entry:
        return
    references = relation_of(document, entry["references"], "references")
    named = dict(columns_of(document, entry["columns"], where))
    columns = tuple(named)
    for one, place in named.items():
        table.key_places.setdefault(one, place.span())
    referenced = tuple(
        name for name, _ in columns_of(document, entry.get("referenced_columns"), where)
    )
    if references is None:
        return
    default = object_name(table.name.name, "_".join(columns), "fkey")
    try:
        name = plain_name(document.scalar(entry["name"])) if "name" in entry else default
    except Mistake as mistake:
        document.mistakes.append(mistake)
        return
    foreign_key = ForeignKey(name, columns, references, referenced)
    table.foreign_keys.append((foreign_key, document.span(node)))
