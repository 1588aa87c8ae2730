"""Names in YAML: a table's, and lists of columns."""

from __future__ import annotations

from filtersql.definitions.identifiers import plain_name, relation_name
from filtersql.definitions.yaml_document import Document, Node
from filtersql.errors import Mistake, keys, publications
from filtersql.names import RelationName
from filtersql.source import Passage

__all__ = ["columns_of", "relation_of"]


def relation_of(document: Document, node: Node, where: str) -> RelationName | None:
    """The table that a scalar names."""
    passage = document.text(node, where)
    try:
        return None if passage is None else relation_name(passage)
    except Mistake as mistake:
        document.mistakes.append(mistake)
        return None


def columns_of(
    document: Document,
    node: Node,
    where: str,
    *,
    published: bool = False,
    in_set: bool = False,
) -> tuple[tuple[str, Passage], ...]:
    """The columns that a list names, each once, but in a set; `published`: a publication's."""
    columns: dict[str, Passage] = {}
    for passage in document.texts(node, where):
        try:
            name = plain_name(passage)
        except Mistake as mistake:
            document.mistakes.append(mistake)
            continue
        if name in columns and not in_set:
            document.mistakes.append(
                publications.COLUMN_TWICE(passage.span(), column=name)
                if published
                else keys.COLUMN_TWICE(passage.span(), column=name, what=where)
            )
        columns[name] = passage
    return tuple(columns.items())
