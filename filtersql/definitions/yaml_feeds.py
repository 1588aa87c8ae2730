"""Where changes are recorded, written in YAML: `changes:` of a subscription.

Example
    `changes: {format: wal2json, path: "changes/*.json", assume: [finite_numbers]}`: each format has
    keys of its own and its own list of what a user may assume (`formats.FORMATS`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from yaml import MappingNode, ScalarNode, SequenceNode

from filtersql.definitions.formats import FORMATS, FeedFormat
from filtersql.definitions.model import Feed
from filtersql.definitions.yaml_document import Document, Node, is_null
from filtersql.errors.definitions import TOGETHER
from filtersql.errors.feeds import NOT_OF_THIS_FORMAT

__all__ = ["one_of", "read_feed"]

_BEFORE = ("complete", "logged")


def read_feed(document: Document, node: Node | None, where: str) -> Feed | None:
    """What `changes:` of a subscription says."""
    if node is None or is_null(node):
        return None
    form = FORMATS.get(_format_of(node), FORMATS["filtersql"])
    assume = ("assume",) if form.assumptions else ()
    messages = ("column", "order") if form.ordered_by else ()
    known = ("before", "format", "path", "postgres", "table", *messages, *assume, *form.options)
    entry = document.mapping(node, f"changes of {where}", known)
    if not isinstance(node.value, list):
        return None
    one_of(document, entry, node, f"changes of {where}")
    document.choice(entry.get("format"), "format", tuple(FORMATS))
    for place in ("path", "table"):
        if place in entry and place not in form.places:
            at = document.span(entry[place])
            document.mistakes.append(NOT_OF_THIS_FORMAT(at, key=place, form=form.name))
    order = _order(document, entry, node, form, f"changes of {where}")
    before = document.choice(entry.get("before"), "before", _BEFORE)
    return Feed(
        document.span(node),
        format=form.name,
        path=document.string(entry.get("path"), "path"),
        table=document.string(entry.get("table"), "table"),
        column=document.string(entry.get("column"), "column"),
        order=order,
        postgres=document.string(entry.get("postgres"), "postgres"),
        before_complete="complete" in (form.old_rows, before),
        options=_options(document, entry, form),
        assume=frozenset(_assumed(document, entry.get("assume"), form, where)),
    )


def _format_of(node: Node) -> str:
    """What `format` says: the other keys depend on it."""
    pairs = node.value if isinstance(node, MappingNode) else []
    for key, value in pairs:
        if key.value == "format" and isinstance(value, ScalarNode):
            return str(value.value)
    return "filtersql"


def _order(
    document: Document, entry: Mapping[str, Node], node: Node, form: FeedFormat, where: str
) -> tuple[str, ...]:
    """The columns that order the messages of a table; a mistake where a feed is not one."""
    for key in ("column", "order"):
        said_nothing = key not in entry or entry[key].value == []
        if said_nothing and "table" in entry and form.ordered_by:
            document.missing(key, where, node)
        if key in entry and "path" in entry:
            at = document.span(entry[key])
            document.mistakes.append(TOGETHER(at, first="path", second=key, where=where))
    said = entry.get("order")
    if form.ordered_by == "columns" and isinstance(said, SequenceNode):
        return tuple(column.text for column in document.texts(said, "order"))
    column = document.string(said, "order")
    return () if column is None else (column,)


def _options(document: Document, entry: Mapping[str, Node], form: FeedFormat) -> dict[str, str]:
    values: dict[str, str | None] = {}
    for key, kind in form.options.items():
        if kind == "boolean":
            truth = document.boolean(entry.get(key), key)
            values[key] = None if truth is None else str(truth).lower()
        elif kind == "text":
            values[key] = document.string(entry.get(key), key)
        else:
            values[key] = document.choice(entry.get(key), key, kind)
    return {key: value for key, value in values.items() if value is not None}


def _assumed(document: Document, node: Node | None, form: FeedFormat, where: str) -> Iterator[str]:
    for item in document.items(node, f"assume of {where}"):
        name = document.choice(item, "assume", form.assumptions)
        if name is not None:
            yield name


def one_of(document: Document, entry: Mapping[str, Node], node: Node, where: str) -> None:
    """A mistake unless exactly one of `path`, `table` and `postgres` is there.

    What is captured from a live source has one format, and knows its own seq.
    """
    said = [key for key in ("path", "table", "postgres") if key in entry]
    said += [key for key in ("format", "seq") if key in entry and "postgres" in said]
    if not said:
        document.missing("path", where, node)
    for first, second in pairwise(said):
        at = document.span(entry[second])
        document.mistakes.append(TOGETHER(at, first=first, second=second, where=where))
