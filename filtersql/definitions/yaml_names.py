"""Names in YAML: of what an entry defines, of tables, and lists of names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from filtersql.definitions.identifiers import plain_name, relation_name
from filtersql.definitions.yaml_document import Document, Node
from filtersql.errors import Mistake
from filtersql.errors.definitions import ALREADY_EXISTS
from filtersql.errors.keys import COLUMN_TWICE
from filtersql.names import RelationName
from filtersql.source import Passage, Span

__all__ = ["columns_of", "name_in", "name_of", "named_entry", "names_of", "relation_of"]


class _Placed(Protocol):
    @property
    def span(self) -> Span: ...


def named_entry(
    document: Document,
    node: Node,
    kind: str,
    known: Collection[str],
    there: Mapping[str, _Placed],
) -> tuple[str, dict[str, Node]] | None:
    """An entry and its name, which no other one of its kind has."""
    entry = document.mapping(node, f"a {kind}", known, ("name",))
    name = name_of(document, entry["name"], f"the name of a {kind}") if entry else None
    if name is None:
        return None
    if name in there:
        span, first = document.span(entry["name"]), there[name].span
        document.mistakes.append(ALREADY_EXISTS(span, kind=kind, name=name, first=first))
        return None
    return name, entry


def name_in(document: Document, passage: Passage) -> str | None:
    """The plain name that a text is."""
    try:
        return plain_name(passage)
    except Mistake as mistake:
        document.mistakes.append(mistake)
        return None


def name_of(document: Document, node: Node, where: str) -> str | None:
    """The plain name that a scalar holds."""
    passage = document.text(node, where)
    return None if passage is None else name_in(document, passage)


def relation_of(document: Document, node: Node, where: str) -> RelationName | None:
    """The table that a scalar names."""
    passage = document.text(node, where)
    try:
        return None if passage is None else relation_name(passage)
    except Mistake as mistake:
        document.mistakes.append(mistake)
        return None


def names_of(
    document: Document,
    node: Node | None,
    where: str,
    twice: Callable[[Span, str], Mistake] | None = None,
) -> list[tuple[str, Span]]:
    """The names of a list with their places; `twice` words the mistake of one that is repeated."""
    names, known = list[tuple[str, Span]](), set[str]()
    for passage in document.texts(node, where):
        name = name_in(document, passage)
        if name is None:
            continue
        if twice is not None and name in known:
            document.mistakes.append(twice(passage.span(), name))
        known.add(name)
        names.append((name, passage.span()))
    return names


def columns_of(document: Document, node: Node | None, where: str) -> dict[str, Span]:
    """The columns of a key, each once, with their places."""

    def twice(span: Span, name: str) -> Mistake:
        return COLUMN_TWICE(span, column=name, what=where)

    return dict(names_of(document, node, where, twice))
