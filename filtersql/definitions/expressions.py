"""The columns that an expression names, and the same expression after one of them was renamed.

Example
    `columns_named` of `t.b > 1 AND a = 2` is {b, a}. After RENAME COLUMN b TO c the filter reads
    `c > 1 AND a = 2`: PostgreSQL stores numbers in place of names, so its filters follow.

PostgreSQL
    dependency.c, find_expr_references_walker(); ruleutils.c, pg_get_expr()
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator

from filtersql.errors import Mistake
from filtersql.grammar import Node, parse_expression
from filtersql.names import quote_identifier
from filtersql.source import Passage

__all__ = [
    "column_refs",
    "columns_named",
    "functions_named",
    "moved",
    "same_expression",
    "subqueries",
    "without_places",
]

_PART = r'(?:"(?:[^"]|"")*"|[\w$]+)'
_NAME = re.compile(rf"{_PART}(?:\s*\.\s*{_PART})*")
_PART_OF_NAME = re.compile(_PART)
_PLACE = re.compile(r"\w*location: -?\d+\s*")


def columns_named(text: Passage | str) -> frozenset[str]:
    """The last parts of all column references; none of a text that does not parse."""
    return frozenset(name for name, _, _ in _references(text))


def subqueries(text: Passage) -> list[int]:
    """Where subqueries stand; none in a text that does not parse."""
    try:
        tree = parse_expression(text)
    except Mistake:
        return []
    return [max(node.location, 0) for node in _nodes(tree, "SubLink")]


def functions_named(text: Passage | str) -> frozenset[tuple[str, ...]]:
    """The names of all function calls, with their schemas where they are written."""
    try:
        tree = parse_expression(text)
    except Mistake:
        return frozenset()
    return frozenset(
        tuple(part.string.sval for part in node.funcname) for node in _nodes(tree, "FuncCall")
    )


def same_expression(first: Passage | None, second: Passage | None) -> bool:
    """Whether two texts are written alike but for blanks and comments."""
    if first is None or second is None:
        return first is second
    try:
        return without_places(parse_expression(first)) == without_places(parse_expression(second))
    except Mistake:
        return first.text == second.text


def without_places(node: Node) -> str:
    """An expression without the places where its parts stand."""
    return _PLACE.sub("", str(node))


def moved(text: Passage, old: str, new: str, columns: Collection[str]) -> Passage:
    """The expression of a renamed table: without `t.` before columns, its row as `new`."""
    text = _replaced(text, quote_identifier, only_qualified=True)
    try:
        tree = parse_expression(text)
    except Mistake:
        return text
    places = []
    for node in column_refs(tree):
        first, *more = node.fields
        starred = len(more) == 1 and more[0].HasField("a_star")
        name = first.string.sval
        if name == old and (starred or (not more and name not in columns)):
            found = _PART_OF_NAME.match(str(text), max(node.location, 0))
            places += [found.span()] if found else []
    return _put(text, [(start, end, quote_identifier(new)) for start, end in sorted(places)])


def _replaced(
    text: Passage, word: Callable[[str], str | None], *, only_qualified: bool = False
) -> Passage:
    found = sorted(_references(text), key=lambda one: one[1])
    words = ((start, end, word(name)) for name, start, end in found)
    return _put(
        text,
        [
            (start, end, put)
            for start, end, put in words
            if put is not None and not (only_qualified and "." not in text.text[start:end])
        ],
    )


def _put(text: Passage, words: Iterable[tuple[int, int, str]]) -> Passage:
    """The text with other words at some places, in their order."""
    pieces: list[tuple[int, int, int]] = []
    written, done = "", 0
    for start, end, put in words:
        if start > done:
            pieces.append((len(written), done, 0))
            written += text.text[done:start]
        pieces.append((len(written), start, end - start))
        written, done = written + put, end
    if not done:
        return text
    if done < len(text.text):
        pieces.append((len(written), done, 0))
    return text.pick(written + text.text[done:], pieces)


def _references(text: Passage | str) -> list[tuple[str, int, int]]:
    """Name, start and end of each column reference; the name is the column's."""
    try:
        tree = parse_expression(text)
    except Mistake:
        return []
    found = []
    for node in column_refs(tree):
        last = node.fields[-1]
        place = _NAME.match(str(text), max(node.location, 0))
        if last.WhichOneof("node") == "string" and place:
            found.append((last.string.sval, place.start(), place.end()))
    return found


def column_refs(node: Node) -> Iterator[Node]:
    """Every column reference below a node of the parse tree."""
    yield from _nodes(node, "ColumnRef")


def _nodes(node: Node, kind: str) -> Iterator[Node]:
    for field, value in node.ListFields():
        if field.message_type is None:
            continue
        for child in value if field.is_repeated else (value,):
            if child.DESCRIPTOR.name == kind:
                yield child
            if child.DESCRIPTOR.name != "ColumnRef":
                yield from _nodes(child, kind)
