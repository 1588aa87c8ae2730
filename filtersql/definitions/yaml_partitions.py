"""Partitions written in YAML: `partition_by`, `partition_of`, `bounds`.

Example
    `{name: child, partition_of: parent, bounds: {from: [0], to: [10]}}` has the columns and the key
    of `parent`, which may stand in any file.
"""

from __future__ import annotations

from filtersql.definitions.bounds import DEFAULT, EDGES, Bounds
from filtersql.definitions.catalog_builder import DraftTable
from filtersql.definitions.yaml_document import Document, Node
from filtersql.definitions.yaml_names import name_in, relation_of
from filtersql.errors.definitions import NEEDS_KEY

__all__ = ["read_partition"]

_STRATEGIES = ("range", "list", "hash")


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
