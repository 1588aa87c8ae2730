"""Keys and partitions written in YAML: `primary_key`, `replica_identity`, `foreign_keys`, `bounds`.

Example
    `replica_identity: {index: [a]}` is `REPLICA IDENTITY USING INDEX` of the unique index over a;
    `default`, `full` and `nothing` are PostgreSQL's words.

    `{name: child, partition_of: parent, bounds: {from: [0], to: [10]}}` has the columns and the key
    of `parent`, which may stand in any file.
"""

from __future__ import annotations

from filtersql.catalog import ForeignKey, Identity, ReplicaIdentity
from filtersql.definitions.bounds import DEFAULT, EDGES, Bounds
from filtersql.definitions.catalog_builder import DraftIndex, DraftTable
from filtersql.definitions.keys import free_key_name, object_name
from filtersql.definitions.yaml_document import Document, Node
from filtersql.definitions.yaml_names import columns_of, name_in, name_of, relation_of
from filtersql.errors.definitions import NEEDS_KEY, InvalidValue
from filtersql.errors.keys import SEVERAL_PRIMARY_KEYS

__all__ = [
    "read_keys",
    "read_partition",
]

_FOREIGN_KEY = frozenset("name columns references referenced_columns".split())
_STRATEGIES = ("range", "list", "hash")


def read_keys(document: Document, entry: dict[str, Node], table: DraftTable) -> None:
    """`primary_key`, `replica_identity` and `foreign_keys` of a table."""
    if "primary_key" in entry:
        node = entry["primary_key"]
        if table.primary_key:
            document.mistakes.append(
                SEVERAL_PRIMARY_KEYS(document.span(node), table=table.name.name)
            )
        columns = columns_of(document, node, "primary_key")
        table.key_places = columns
        if columns:
            name = object_name(table.name.name, "", "pkey")
            table.indexes[name] = DraftIndex(name, tuple(columns), constraint=True, primary=True)
    if "replica_identity" in entry:
        table.identity = _identity(document, entry["replica_identity"], table)
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
    table.key_places = columns | table.key_places
    return ReplicaIdentity(Identity.INDEX, tuple(columns))


def _read_foreign_key(document: Document, node: Node, table: DraftTable) -> None:
    where = f'a foreign key of table "{table.name}"'
    entry = document.mapping(node, where, _FOREIGN_KEY, ("columns", "references"))
    if not entry:
        return
    references = relation_of(document, entry["references"], "references")
    places = columns_of(document, entry["columns"], where)
    table.key_places = places | table.key_places
    referenced = columns_of(document, entry.get("referenced_columns"), where)
    if references is None:
        return
    columns = tuple(places)
    name: str | None = free_key_name(table, columns)
    if "name" in entry:
        name = name_of(document, entry["name"], f"name of {where}")
    if name is not None:
        foreign_key = ForeignKey(name, columns, references, tuple(referenced))
        table.foreign_keys.append((foreign_key, document.span(node)))


def read_partition(document: Document, entry: dict[str, Node], table: DraftTable) -> None:
    """`partition_by`, `partition_of` and `bounds` of a table."""
    if "partition_of" in entry:
        table.partition_of = relation_of(document, entry["partition_of"], "partition_of")
        table.parent_span = document.span(entry["partition_of"])
        table.unattached = True
        if "bounds" in entry:
            table.late_bounds = _bounds(document, entry["bounds"])
        else:
            document.missing("bounds", f'partition "{table.name}"', entry["name"])
    elif "bounds" in entry:
        document.mistakes.append(
            NEEDS_KEY(document.span(entry["bounds"]), key="bounds", other="partition_of")
        )
    if "partition_by" not in entry:
        return
    node = entry["partition_by"]
    pairs = document.pairs(node, "partition_by", _STRATEGIES)
    if len(pairs) == 1 and pairs[0][1].value != []:
        strategy, columns = pairs[0]
        texts = document.texts(columns, f"partition_by of table {table.name}")
        # an expression is kept as it is written
        keys = [text.text if "(" in text.text else name_in(document, text) for text in texts]
        table.partition_by = (strategy.value, tuple(key for key in keys if key is not None))
        table.partition_span = document.span(columns)
    else:
        expected = "{range: [...]}, {list: [...]} or {hash: [...]}"
        document.wrong_kind(node, "partition_by", expected)


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
    written = f"{{{', '.join(entry)}}}"
    expected = "default, {from, to}, {in} or {modulus, remainder}"
    document.wrong_kind(node, "bounds", expected, written)
    return None


def _values(document: Document, node: Node, where: str) -> tuple[str, ...]:
    values = []
    for item in document.items(node, f"bounds {where}"):
        if isinstance(item.value, list):
            document.wrong_kind(item, f"an item of bounds {where}", "a value")
        value = document.plain(item, str)
        text = "NULL" if value is None else str(value)
        edge = text.upper() in EDGES and not item.style
        values.append(text.upper() if edge else text)
    return tuple(values)
