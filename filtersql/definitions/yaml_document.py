"""A YAML file as nodes with places, and the few questions that the readers ask of a node.

PyYAML's C parser builds the nodes; what a scalar means is decided by the reader that asks for it
(`text`, `boolean`, `plain`), so a column called `no` or a state called `NO` stays a name.

Example
    >>> from filtersql.source import Source
    >>> document = Document(Source("t.yml", "{a: 1, b: 'it''s'}").passage(), [])
    >>> entries = document.mapping(document.root(), "the file", {"a", "b"})
    >>> str(document.text(entries["b"], "b").span(3, 4))
    't.yml:1:16'

YAML
    1.2's core schema for values (true, false, null, decimal numbers); anything else is text
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from decimal import Decimal

import yaml
from msgspec import Struct
from yaml.nodes import MappingNode, ScalarNode, SequenceNode

from filtersql.definitions.alignment import within
from filtersql.definitions.yaml_loader import Node, composed, merged, problem_of, within_itself
from filtersql.errors import Mistake
from filtersql.errors import definitions as refusals
from filtersql.errors.definitions import YamlMistake
from filtersql.errors.wording import meant
from filtersql.source import Passage, Span

__all__ = ["Document", "Node", "is_null", "kind", "number"]

_NULL = {"", "~", "null", "Null", "NULL"}
_TRUE = {"true", "True", "TRUE"}
_FALSE = {"false", "False", "FALSE"}
_YES, _NO = {"yes", "on"}, {"no", "off"}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z")
_STYLES = {None: "plain", "'": "single", '"': "double", "|": "block", ">": "block"}


class Document(Struct, frozen=True):
    """A rendered YAML file. Questions about its nodes add what is wrong to `mistakes`."""

    passage: Passage
    mistakes: list[Mistake]

    def root(self) -> Node | None:
        """The file's one node; None when it is empty or no YAML."""
        try:
            node = composed(self.passage.text)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            at = min(mark.index if mark else 0, len(self.passage.text))
            self.mistakes.append(YamlMistake(problem_of(error), self.passage.span(at, at + 1)))
            return None
        except yaml.reader.ReaderError as error:
            at = min(max(error.position, 0), len(self.passage.text))
            problem = f"character #x{ord(self.passage.text[at : at + 1] or ' '):04x} is not allowed"
            self.mistakes.append(YamlMistake(problem, self.passage.span(at, at + 1)))
            return None
        if node is None or is_null(node):
            return None
        if "*" in self.passage.text and (inside := within_itself(node, ())):
            self.mistakes.append(YamlMistake("an alias inside its own anchor", self.span(inside)))
            return None
        return node

    def span(self, node: Node) -> Span:
        """Where a node stands; for a mapping or list, its first line."""
        start, end = node.start_mark.index, node.end_mark.index
        if isinstance(node, ScalarNode):
            return self.passage.span(start, max(end, start))
        stop = self.passage.text.find("\n", start, end)
        return self.passage.span(start, stop if stop >= 0 else end)

    def mapping(
        self,
        node: Node | None,
        where: str,
        known: Collection[str] | None,
        needed: Collection[str] = (),
    ) -> dict[str, Node]:
        """The entries of a mapping by key; unknown and repeated keys are mistakes.

        There are none where it says something, but not all that is needed: that is noted.
        """
        entry = {key.value: value for key, value in self.pairs(node, where, known)}
        for key in needed:
            if entry and key not in entry:
                self.missing(key, where, node)
                return {}
        return entry

    def pairs(
        self, node: Node | None, where: str, known: Collection[str] | None = None
    ) -> list[tuple[Node, Node]]:
        """The entries of a mapping as (key, value) nodes, in their order."""
        if node is None or is_null(node):
            return []
        if not isinstance(node, MappingNode):
            self.wrong_kind(node, where, "a mapping")
            return []
        entries: dict[str, tuple[Node, Node]] = {}
        for key, value in merged(node):
            if not isinstance(key, ScalarNode):
                self.wrong_kind(key, f"a key in {where}", "text")
            elif key.value in entries:
                first = self.span(entries[key.value][0])
                self.mistakes.append(
                    refusals.LISTED_TWICE(self.span(key), name=key.value, owner=where, first=first)
                )
            elif known is not None and key.value not in known:
                names, hint = sorted(known), meant(key.value, sorted(known))
                self.mistakes.append(
                    refusals.UNKNOWN_KEY(
                        self.span(key), key=key.value, where=where, known=names or None, hint=hint
                    )
                )
            else:
                entries[key.value] = key, value
        return list(entries.values())

    def items(self, node: Node | None, where: str) -> list[Node]:
        """The items of a list."""
        if node is None or is_null(node):
            return []
        if not isinstance(node, SequenceNode):
            self.wrong_kind(node, where, "a list")
            return []
        return list(node.value)

    def text(self, node: Node, where: str) -> Passage | None:
        """A scalar's text; None (and a mistake) for anything else and for nothing."""
        if not isinstance(node, ScalarNode) or is_null(node):
            self.wrong_kind(node, where, "text")
            return None
        return self.scalar(node)

    def scalar(self, node: Node) -> Passage:
        """The value of a scalar node, every character at its place."""
        start, end = node.start_mark.index, node.end_mark.index
        value: str = node.value
        if not node.style and end - start == len(value):
            return self.passage.part(start, end)
        if node.style in ("'", '"'):
            start, end = start + 1, end - 1
        elif node.style in ("|", ">"):
            start = self.passage.text.find("\n", start, end) + 1 or end
        return within(self.passage, start, end, value, _STYLES[node.style or None])

    def string(self, node: Node | None, where: str) -> str | None:
        """Like `text`, without places; None where nothing is written."""
        if node is None:
            return None
        passage = self.text(node, where)
        return None if passage is None else passage.text

    def choice(self, node: Node | None, where: str, allowed: Collection[str]) -> str | None:
        """One of the allowed words."""
        value = self.string(node, where)
        if value is None or value in allowed:
            return value
        self.mistakes.append(refusals.InvalidValue(where, value, allowed, self.span(node)))
        return None

    def wrong_kind(self, node: Node, what: str, expected: str, found: str = "") -> None:
        """Notes that a value is not what is expected."""
        found = found or kind(node)
        self.mistakes.append(
            refusals.WRONG_KIND(self.span(node), what=what, expected=expected, found=found)
        )

    def boolean(self, node: Node | None, where: str) -> bool | None:
        """True or false, as a word (also yes, no, on, off)."""
        if node is None:
            return None
        word = node.value.lower() if isinstance(node, ScalarNode) else ""
        if word in _YES or word == "true":
            return True
        if word in _NO or word == "false":
            return False
        self.wrong_kind(node, where, "true or false")
        return None

    def integer(self, node: Node | None, where: str) -> int | None:
        """A whole number."""
        if node is None:
            return None
        if isinstance(node, ScalarNode) and _INTEGER.match(node.value):
            return int(node.value)
        self.wrong_kind(node, where, "a whole number")
        return None

    def texts(self, node: Node | None, where: str) -> list[Passage]:
        """A list of texts."""
        passages = [self.text(item, f"an item of {where}") for item in self.items(node, where)]
        return [passage for passage in passages if passage is not None]

    def missing(self, key: str, where: str, node: Node) -> None:
        """Notes that a key is not written."""
        self.mistakes.append(refusals.MISSING_KEY(self.span(node), key=key, where=where))

    def plain(self, node: Node, decimal: Callable[[str], object] = float) -> object:
        """The value as Python has it: dict, list, str, int, bool, None, and `decimal(text)`."""
        if isinstance(node, MappingNode):
            pairs = self.pairs(node, "a mapping")
            return {key.value: self.plain(value, decimal) for key, value in pairs}
        if isinstance(node, SequenceNode):
            return [self.plain(item, decimal) for item in node.value]
        return _plain_scalar(node, decimal)


def number(text: str) -> Decimal:
    """A number with a point or exponent, exactly as it is written."""
    return Decimal(text)


def is_null(node: Node) -> bool:
    """Whether nothing, `~` or `null` is written."""
    return isinstance(node, ScalarNode) and not node.style and node.value in _NULL


def kind(node: Node) -> str:
    """What a node is, for a message."""
    if isinstance(node, MappingNode):
        return "a mapping"
    if isinstance(node, SequenceNode):
        return "a list"
    return "nothing" if is_null(node) else f'"{node.value}"'


def _plain_scalar(node: Node, decimal: Callable[[str], object]) -> object:
    value: str = node.value
    if node.style or node.tag == "tag:yaml.org,2002:str":
        return value
    if value in _NULL:
        return None
    if value in _TRUE or value in _FALSE:
        return value in _TRUE
    if _INTEGER.match(value):
        return int(value)
    return decimal(value) if _DECIMAL.match(value) else value
