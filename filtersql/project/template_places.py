"""Places in templates: which source character each rendered one came from, and where Jinja failed.

Jinja's syntax trees know lines only. Its lexer knows every token's text, so the tokens are found
again in the file one after the other, and paired with the tree's nodes, in the same order.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import TemplateSyntaxError, nodes

from filtersql.source import Passage, Source

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Marks", "carriages_kept"]

#: stands for \r while Jinja reads, which has one line end only: Unicode keeps it for such uses
_CARRIAGE = "\ufdd0"
_MARK = re.compile("\0([0-9]+)\0")


class _Token(NamedTuple):
    line: int
    kind: str
    text: str
    start: int


class Marks:
    """The marks of one template. `normal` and `removed` are of `carriages_kept`."""

    def __init__(
        self, environment: Environment, normal: str, removed: Sequence[int], source: Source
    ) -> None:
        self._source = source
        self._normal = normal
        tokens = list(_tokens(environment, normal))
        self._data = [token.start for token in tokens if token.kind == "data" and token.text]
        self._expressions = list(_expressions(tokens))
        self._places: list[tuple[int, int]] = []
        self._removed = removed
        self._ends = [found.start() for found in re.finditer("\n", normal)]

    def put(self, tree: nodes.Template) -> None:
        """Puts a mark before each output that goes straight into the text."""
        outputs = [child for output in tree.find_all(nodes.Output) for child in output.nodes]
        written = sum(isinstance(child, nodes.TemplateData) for child in outputs)
        if written != len(self._data) or len(outputs) - written != len(self._expressions):
            # {% print %}, or a tag of another Jinja: everything stands at the file's first line.
            first = self._normal.find("\n") + 1 or len(self._normal)
            tree.body.insert(0, self._output(0, first))
            return
        data, expressions = iter(self._data), iter(self._expressions)
        self._visit(tree, data, expressions, captured=False)

    def passage(self, rendered: str) -> Passage:
        """The rendered text without the marks."""
        pieces: list[tuple[int, int, int]] = []
        texts: list[str] = []
        length = 0
        for index, part in enumerate(_MARK.split(rendered)):
            if index % 2:
                pieces.append((length, *self._places[int(part)]))
            else:
                texts.append(part)
                length += len(part)
        text = "".join(texts).replace(_CARRIAGE, "\r")
        kept = [
            piece
            for number, piece in enumerate(pieces)
            if number + 1 == len(pieces) or pieces[number + 1][0] > piece[0]
        ]
        if not kept or kept[0][0] > 0:
            kept.insert(0, (0, 0, 1))
        starts, offsets, widths = zip(*kept, strict=True)
        return Passage(text, self._source, starts, offsets, widths)

    def _visit(
        self,
        node: nodes.Node,
        data: Iterator[int],
        expressions: Iterator[tuple[int, int]],
        *,
        captured: bool,
    ) -> None:
        if isinstance(node, nodes.Output):
            marked: list[nodes.Expr] = []
            for child in node.nodes:
                if isinstance(child, nodes.TemplateData):
                    place = (next(data), 0)
                else:
                    place = next(expressions)
                marked += [child] if captured else [self._mark(*place), child]
            node.nodes = marked
            return
        capturing = (
            nodes.Macro,
            nodes.CallBlock,
            nodes.FilterBlock,
            nodes.AssignBlock,
            nodes.Block,
        )
        inside = captured or isinstance(node, capturing)
        for below in node.iter_child_nodes():
            self._visit(below, data, expressions, captured=inside)
        for name in ("body", "else_"):
            body = getattr(node, name, None)
            if isinstance(body, list) and not inside:
                setattr(node, name, [one for child in body for one in self._with_place(child)])

    def _with_place(self, node: nodes.Node) -> list[nodes.Node]:
        """A block whose captured text is written as a whole stands at its first tag."""
        if not isinstance(node, nodes.CallBlock | nodes.FilterBlock | nodes.Block):
            return [node]
        begin = ([0, *(end + 1 for end in self._ends)])[node.lineno - 1]
        start = self._normal.find("{%", begin)
        end = self._normal.find("%}", start) + 2
        return [self._output(start, end - start), node]

    def _mark(self, offset: int, width: int) -> nodes.TemplateData:
        begin = self._on_disk(offset)
        wide = self._on_disk(offset + width) - begin if width else 0
        self._places.append((begin, wide))
        return nodes.TemplateData(f"\0{len(self._places) - 1}\0")

    def _output(self, offset: int, width: int) -> nodes.Output:
        return nodes.Output([self._mark(offset, width)])

    def _on_disk(self, offset: int) -> int:
        """An offset in the normal text as one in the file."""
        return offset + bisect_left(self._removed, offset)


def carriages_kept(environment: Environment, text: str) -> tuple[str, list[int]]:
    """A template as Jinja can read it without changing its text, and where a \\r was left out.

    In the text between tags, which may be inside of a literal, each \\r stays; in tags and where a
    tag takes blanks away the line ends are Jinja's. Places are those of the \\n behind a \\r.
    """
    normal = re.sub(r"\r\n?", "\n", text)
    if "\r" not in text:
        return normal, []
    try:
        tokens = [
            token for token in _tokens(environment, normal) if token.kind == "data" and token.text
        ]
    except TemplateSyntaxError:
        tokens = []  # the parser says the same, with its line
    starts = [token.start for token in tokens]
    ends = [token.start + len(token.text) for token in tokens]
    made: list[str] = []
    removed: list[int] = []
    at = length = place = 0
    for match in re.finditer(r"\r\n?", text):
        made.append(text[at : match.start()])
        length += match.start() - at
        place += match.start() - at
        number = bisect_right(starts, place) - 1
        kept = number >= 0 and place < ends[number]
        if not kept and match[0] == "\r\n":
            removed.append(length)
        made.append(match[0].replace("\r", _CARRIAGE) if kept else "\n")
        length += len(made[-1])
        place += 1
        at = match.end()
    return "".join([*made, text[at:]]), removed


def _tokens(environment: Environment, text: str) -> Iterator[_Token]:
    position = 0
    for line, kind, value in environment.lexer.tokeniter(text, None):
        # Between two tokens nothing is left out but blanks that a "-" in a tag takes away.
        start = text.find(value, position)
        yield _Token(line, kind, value, start)
        position = start + len(value)


def _expressions(tokens: Sequence[_Token]) -> Iterator[tuple[int, int]]:
    begin = 0
    for token in tokens:
        if token.kind == "variable_begin":
            begin = token.start
        elif token.kind == "variable_end":
            yield begin, token.start + len(token.text.rstrip()) - begin
