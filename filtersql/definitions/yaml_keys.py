"""Keys written in YAML: `primary_key`, `replica_identity`, `foreign_keys`.

Example
    `replica_identity: {index: [a]}` is `REPLICA IDENTITY USING INDEX` of the unique index over a;
    `default`, `full` and `nothing` are PostgreSQL's words.
"""

from __future__ import annotations

from filtersql.catalog import ForeignKey, Identity, ReplicaIdentity
from filtersql.definitions.catalog_builder import DraftIndex, DraftTable
from filtersql.definitions.keys import free_key_name, object_name
from filtersql.definitions.yaml_document import Document, Node
from filtersql.definitions.yaml_names import columns_of, name_of, relation_of
from filtersql.errors.definitions import InvalidValue
from filtersql.errors.keys import SEVERAL_PRIMARY_KEYS

__all__ = ["read_keys"]

_FOREIGN_KEY = frozenset("name columns references referenced_columns".split())


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
