"""Entries of `tables:` of a publication or replication set in YAML, with their filters and windows.

Example
    `[{name: t1, where: a > 5, columns: [a]}, t2]` is what `FOR TABLE t1 (a) WHERE (a > 5), t2` is.

    `{name: orders, where: "region = 'eu'", window: {column: created_at, keep: 30 days}}`: a window
    becomes part of the row filter. Its intervals are read where that is: `filters.resolve.windows`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from filtersql.definitions.model import PublishedTable
from filtersql.definitions.sql_text import trimmed
from filtersql.definitions.windows import Window, WindowedFilter
from filtersql.definitions.yaml_document import Document, Node, is_null
from filtersql.definitions.yaml_names import name_in, names_of, relation_of
from filtersql.errors import Mistake
from filtersql.errors.definitions import EMPTY_WHERE, LISTED_TWICE
from filtersql.errors.publications import COLUMN_TWICE
from filtersql.names import RelationName
from filtersql.source import Passage, Span

__all__ = [
    "IN_SET",
    "PUBLISHED",
    "published_tables",
]

#: the keys of an entry: of a publication, of a replication set
PUBLISHED = frozenset("name where columns only alias filters window".split())
IN_SET = frozenset("name row_filter columns alias window".split())
_WINDOW = ("column", "keep", "grain", "delay")


def published_tables(
    document: Document, node: Node | None, where: str, known: frozenset[str]
) -> tuple[PublishedTable, ...]:
    """The entries; of a publication a table may stand there twice, which `opening` judges."""
    found: list[PublishedTable] = []
    first: dict[RelationName, PublishedTable] = {}
    for item in document.items(node, f"tables of {where}"):
        table = _table(document, item, where, known)
        if table is None:
            continue
        if first.setdefault(table.name, table) is not table and known is IN_SET:
            place = first[table.name].span
            document.mistakes.append(
                LISTED_TWICE(table.span, name=str(table.name), owner=where, first=place)
            )
        found.append(table)
    return tuple(found)


def _table(
    document: Document, node: Node, where: str, known: frozenset[str]
) -> PublishedTable | None:
    if not isinstance(node.value, list):
        name = relation_of(document, node, f"a table of {where}")
        return None if name is None else PublishedTable(name, document.span(node))
    entry = document.mapping(node, f"a table of {where}", known, ("name",))
    name = relation_of(document, entry["name"], f"a table of {where}") if entry else None
    if name is None:
        return None
    columns = None
    if "columns" in entry and not is_null(entry["columns"]):
        twice = _listed_twice if known is PUBLISHED else None
        named = names_of(document, entry["columns"], f"columns of {name}", twice)
        columns = tuple(dict(named))
    within = partial(_windowed, document, entry.get("window"), f"window of {name}")
    return PublishedTable(
        name=name,
        span=document.span(entry["name"]),
        where=within(_filter(document, entry, "where" if "where" in known else "row_filter")),
        columns=columns,
        only=bool(document.boolean(entry.get("only"), f"only of {name}")),
        alias=document.string(entry.get("alias"), f"alias of {name}"),
        filters={
            rule: within(text) or text
            for rule, text in _rules(document, entry.get("filters"), name).items()
        },
    )


def _listed_twice(span: Span, column: str) -> Mistake:
    return COLUMN_TWICE(span, column=column)


def _filter(document: Document, entry: Mapping[str, Node], key: str) -> Passage | None:
    """The filter's text. A key with nothing behind it is a mistake: it would publish every row."""
    if key not in entry:
        return None
    passage = document.text(entry[key], key)
    if passage is not None and not passage.text.strip():
        if key == "where":
            document.mistakes.append(EMPTY_WHERE(document.span(entry[key])))
        else:
            document.wrong_kind(entry[key], key, "a filter", "nothing")
        return None
    return None if passage is None else trimmed(passage)


def _rules(document: Document, node: Node | None, table: RelationName) -> dict[str, Passage]:
    rules = {}
    for key, value in document.pairs(node, f"filters of {table}"):
        rule = _filter(document, {key.value: value}, key.value)
        if rule is not None:
            rules[key.value] = rule
    return rules


def _windowed(
    document: Document, node: Node | None, where: str, row_filter: Passage | None
) -> Passage | None:
    """The filter within the window of a node; the filter itself where there is no window."""
    window = None if node is None else _window(document, node, where)
    if node is None or window is None:
        return row_filter
    if row_filter is None:
        span = document.span(node)
        row_filter = Passage("true", span.source, (0,), (span.start,), (span.end - span.start,))
    places = row_filter.starts, row_filter.offsets, row_filter.widths
    return WindowedFilter(
        row_filter.text, row_filter.source, *places, row_filter.session, window=window
    )


def _window(document: Document, node: Node, where: str) -> Window | None:
    if not isinstance(node.value, list):
        document.wrong_kind(node, where, "a mapping")
        return None
    entry = document.mapping(node, where, _WINDOW)
    for key in ("column", "keep"):
        if entry and key not in entry:
            document.missing(key, where, node)
    texts = {key: document.text(entry[key], f"{key} of {where}") for key in _WINDOW if key in entry}
    column, keep = texts.get("column"), texts.get("keep")
    if column is None or keep is None:
        return None
    name = name_in(document, column)
    if name is None:
        return None
    return Window(name, column.span(), keep, texts.get("grain"), texts.get("delay"))
