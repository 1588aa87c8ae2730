"""A published table's `window:`, which becomes part of its row filter.

Example
    `{name: orders, where: "region = 'eu'", window: {column: created_at, keep: 30 days}}`

    The intervals are read where the filter is: `filters.resolve.windows`.
"""

from __future__ import annotations

from filtersql.definitions.windows import Window, WindowedFilter
from filtersql.definitions.yaml_document import Document, Node
from filtersql.definitions.yaml_names import name_in
from filtersql.source import Passage

__all__ = ["windowed"]

_KEYS = ("column", "keep", "grain", "delay")


def windowed(
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
    entry = document.mapping(node, where, _KEYS)
    for key in ("column", "keep"):
        if entry and key not in entry:
            document.missing(key, where, node)
    texts = {key: document.text(entry[key], f"{key} of {where}") for key in _KEYS if key in entry}
    column, keep = texts.get("column"), texts.get("keep")
    if column is None or keep is None:
        return None
    name = name_in(document, column)
    if name is None:
        return None
    return Window(name, column.span(), keep, texts.get("grain"), texts.get("delay"))
