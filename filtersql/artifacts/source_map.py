"""From the lines of a statement to the definitions that made them.

Example
    ============================================ ==================================
    line of merge.sql                            made by
    ============================================ ==================================
    -- Subscription s1: public.t1 -> s1.t1       subscriptions/s.yml:2:11
    -- Publications: p1                          publications/orders.yml:2:11
    --   insert   publication p1: (a > 5)        publications/orders.yml:5:26
    (old_a > 5)                                  publications/orders.yml:5:26
    ============================================ ==================================

    A filter is found by the form of its verdict (`rendering.verdicts`), and known by its place
    among the others: a project's own macro keeps its map as long as it keeps that form and order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import attrgetter

from msgspec import Struct

from filtersql.changes import Criterion
from filtersql.compile import Node
from filtersql.definitions.model import Definitions
from filtersql.rendering.layout import one_line
from filtersql.rendering.sql_fragments import comment
from filtersql.rendering.verdicts import filters_in
from filtersql.source import Passage, Span
from filtersql.storage import Engine

__all__ = ["Mapped", "SourceMaps"]

_HEAD = re.compile(r"(?:--[^\n]*\n)*")
_lines = attrgetter("line", "last_line")
_ACTION = re.compile(r"--   (?P<op>insert|update|delete|copy) +(?:as (?P<again>\w+)\Z)?")
#: what goes on below a line of the header stands further to the right than any first line
_GOES_ON = "--     "


class Mapped(Struct, frozen=True):
    """Lines of a statement, from 1, and the place of the definition that they come from."""

    line: int
    last_line: int
    kind: str
    name: str
    place: str


class SourceMaps:
    """Maps of many statements; a span's place is worked out once."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._places: dict[int, tuple[Span | Passage, str]] = {}
        #: the statements of a node have the same header
        self._header_of: tuple[tuple[Node, str], tuple[Mapped, ...]] | None = None

    def of(self, node: Node, statement: str) -> tuple[Mapped, ...]:
        """The map of one statement."""
        text: str = getattr(node.compiled, f"{statement}_sql")
        judged = node.judged
        arms = [one for arm in (*judged.old, *judged.new) for one in arm.criteria]
        judging = list(judged.copy)
        if statement.startswith("merge"):
            judging = [*(judged.copy if judged.expires else ()), *arms]
        head = _HEAD.match(text)
        key = node, "" if head is None else head[0]
        if self._header_of is None or not _same(self._header_of[0], key):
            made = self._header(node, key[1], arms, judged.copy)
            self._header_of = key, tuple(made)
        found = [*self._header_of[1], *self._judged(node, text, judging)]
        return tuple(sorted(found, key=_lines))

    def _header(
        self, node: Node, text: str, criteria: Sequence[Criterion], copy: Sequence[Criterion]
    ) -> Iterator[Mapped]:
        subscription = node.resolved.subscription
        among: Sequence[Criterion] = ()
        said: dict[str, str] = {}
        for first, last, line in _sentences(text):
            if line.startswith("-- Subscription "):
                place = self.place(subscription.span)
                yield Mapped(first, last, "subscription", subscription.name, place)
            elif line.startswith("-- Publications: "):
                for name in dict.fromkeys(each.publication for each in node.resolved.contributions):
                    span = self._publication(name)
                    if span is not None:
                        yield Mapped(first, last, "publication", name, self.place(span))
            elif action := _ACTION.match(line):
                among = copy if action["op"] == "copy" else criteria
                said[action["op"]] = said.get(action["again"] or "", line)
                yield from self._named(node, (first, last), said[action["op"]], among)
                if action["op"] == "copy":
                    return  # what follows names nothing that is written

    def _named(
        self, node: Node, lines: tuple[int, int], sentence: str, criteria: Sequence[Criterion]
    ) -> Iterator[Mapped]:
        """The filters whose label stands in a sentence of the header."""
        said = _letters(sentence)
        labels = {each.label: each for each in criteria if _in_header(each.label) in said}
        for each in labels.values():
            yield from self._criterion(node, each, *lines)

    def _judged(self, node: Node, text: str, criteria: Sequence[Criterion]) -> Iterator[Mapped]:
        """The filters of the verdicts; none where a macro prints others than the criteria."""
        engine: Engine = "duckdb" if "TimeZone" in node.compiled.settings else "spark"
        filters = filters_in(text, engine)
        if len(filters) != len(criteria):
            return
        line, behind = 1, 0
        for criterion, (begin, end) in zip(criteria, filters, strict=True):
            line += text.count("\n", behind, begin)
            behind = begin
            yield from self._criterion(node, criterion, line, line + text.count("\n", begin, end))

    def _criterion(
        self, node: Node, criterion: Criterion, line: int, last: int
    ) -> Iterator[Mapped]:
        if criterion.filter is not None:
            part = next(each for each, made in node.filters.items() if made is criterion.filter)
            place = self.place(criterion.filter.text)
            yield Mapped(line, last, "filter", part.publication, place)
            return
        for each in node.resolved.contributions:
            span = self._publication(each.publication)
            if each.where is None and criterion.matches and span is not None:
                yield Mapped(line, last, "publication", each.publication, self.place(span))

    def _publication(self, name: str) -> Span | None:
        groups = (self._definitions.publications, self._definitions.replication_sets)
        return next((group[name].span for group in groups if name in group), None)

    def place(self, where: Span | Passage) -> str:
        """`file:line:column` of a span, or of the beginning of a passage."""
        # A line is counted from the file's first character: once for each place.
        known = self._places.get(id(where))
        if known is None:
            span = where.span() if isinstance(where, Passage) else where
            known = self._places[id(where)] = (where, str(span))
        return known[1]


def _sentences(header: str) -> Iterator[tuple[int, int, str]]:
    """Each with its first and its last line."""
    first, found = 1, ""
    for number, line in enumerate(header.splitlines(), 1):
        if found and line.startswith(_GOES_ON):
            found += line[2:]
            continue
        if found:
            yield first, number - 1, found
        first, found = number, line
    if found:
        yield first, header.count("\n"), found


@lru_cache(maxsize=1024)
def _in_header(label: str) -> str:
    return _letters(comment(one_line(label)))


def _letters(text: str) -> str:
    return "".join(text.split())


def _same(one: tuple[Node, str], other: tuple[Node, str]) -> bool:
    return one[0] is other[0] and one[1] == other[1]
