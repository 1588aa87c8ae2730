"""A `.yml` file of the folders tables, publications, subscriptions or tests.

Example
    Any of `tables:`, `publications:`, `replication_sets:`, `subscriptions:` and `tests:` may stand
    in any of the files, as SQL statements may.
"""

from __future__ import annotations

from collections.abc import Callable

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.yaml_document import Document, Node
from filtersql.definitions.yaml_publications import read_publication, read_replication_set
from filtersql.definitions.yaml_subscriptions import read_subscription, read_unit_test
from filtersql.definitions.yaml_tables import read_table
from filtersql.source import Passage

__all__ = ["read_yaml"]

_READERS: dict[str, Callable[[Document, Node, Drafts], None]] = {
    "tables": read_table,
    "publications": read_publication,
    "replication_sets": read_replication_set,
    "subscriptions": read_subscription,
    "tests": read_unit_test,
}


def read_yaml(text: Passage, drafts: Drafts) -> Node | None:
    """Adds what a file defines to the drafts; gives its node, None of an empty file."""
    document, before = Document(text, drafts.mistakes), len(drafts.mistakes)
    root = document.root()
    if len(drafts.mistakes) > before:
        drafts.incomplete = True
        drafts.doubts.append(("relations", text.text))
    for key, value in document.pairs(root, "a definition file", _READERS):
        for item in document.items(value, key.value):
            _read(document, key.value, item, drafts)
    return root


def _read(document: Document, key: str, item: Node, drafts: Drafts) -> None:
    """One entry; what it defines is in doubt where something of it is wrong."""
    mistakes, known = len(drafts.mistakes), len(getattr(drafts, key, ()))
    _READERS[key](document, item, drafts)
    if len(drafts.mistakes) > mistakes:
        made = [getattr(name, "name", name) for name in list(getattr(drafts, key, ()))[known:]]
        whole = document.passage.text[item.start_mark.index : item.end_mark.index]
        kind = "relations" if key == "tables" else "publications"
        drafts.doubts.append((kind, " ".join(made) or whole))
