r"""Trees of regular expressions as the engines' regular expressions.

Example
    ============== ========================= =============================
    tree of        Spark (Java)              DuckDB (RE2)
    ============== ========================= =============================
    `a.b$`         (?s)a.b\z                 (?s)a.b\z
    `\mab`         (?s)(?<![…])(?=[…])ab     (?s)\bab
    `a(?!b)`       (?s)a(?!b)                (?s)a(?:\z|[^b])
    `(a)\1`        (?s)(a)\1                 refused
    ============== ========================= =============================

    Java's own classes and word edges know other characters than PostgreSQL's, so every set is
    written out.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from filtersql.filters.write.rules.regex_trees import (
    LAST,
    Anchor,
    Choice,
    Group,
    Join,
    Look,
    Node,
    Range,
    Repeat,
    Same,
    Set,
    Untranslatable,
    complement,
    first_set,
    has,
    most,
)
from filtersql.storage import Engine

__all__ = ["WORD", "sign", "written"]

WORD = Set(((48, 57), (65, 90), (95, 95), (97, 122)))
_WORD = "[0-9A-Z_a-z]"
_JAVA_ANCHORS = {
    "^": "\\A", "$": "\\z", "<": "(?:\\A|(?<=\\x{a}))", ">": "(?=\\x{a}|\\z)",
    "m": f"(?<!{_WORD})(?={_WORD})", "M": f"(?<={_WORD})(?!{_WORD})",
    "y": f"(?:(?<!{_WORD})(?={_WORD})|(?<={_WORD})(?!{_WORD}))",
    "Y": f"(?:(?<!{_WORD})(?!{_WORD})|(?<={_WORD})(?={_WORD}))",
}  # fmt: skip
_RE2_ANCHORS = {
    "^": "\\A", "$": "\\z", "<": "(?m:^)", ">": "(?m:$)", "y": "\\b", "Y": "\\B",
}  # fmt: skip
_NO_LOOK = "DuckDB's regular expressions cannot look around here."


def written(tree: Node, engine: Engine, *, groups: bool = False) -> str:
    """The engine's pattern; with `groups` its groups capture, else they do only where needed."""
    again = has(tree, Same)
    if again and engine == "duckdb":
        raise Untranslatable("DuckDB's regular expressions cannot refer back to a group.")
    return _Printer(engine, groups or again).put(tree, _Beside())


class _Beside(Struct, frozen=True):
    """What stands before and behind a node; `outer` where nothing else can follow or precede."""

    before: tuple[Node, ...] = ()
    behind: tuple[Node, ...] = ()
    outer: bool = True


class _Printer:
    __slots__ = ("engine", "groups")

    def __init__(self, engine: Engine, groups: bool) -> None:
        self.engine, self.groups = engine, groups

    def put(self, node: Node, beside: _Beside) -> str:
        """The text of a node."""
        match node:
            case Set():
                return _set(node)
            case Anchor():
                return self.anchor(node, beside)
            case Choice():
                return f"(?:{'|'.join(self.put(item, beside) for item in node.items)})"
            case Join():
                return "".join(
                    self.put(item, self.around(node.items, place, beside))
                    for place, item in enumerate(node.items)
                )
            case Group():
                inner = self.put(node.item, beside)
                return f"({inner})" if self.groups else f"(?:{inner})"
            case Repeat():
                return self.repeat(node)
            case Look():
                return self.look(node, beside)
            case Same():
                return f"(?:\\{node.number})"

    def around(self, items: tuple[Node, ...], place: int, beside: _Beside) -> _Beside:
        """What stands beside one item of a Join."""
        return _Beside(
            (*beside.before, *items[:place]), (*items[place + 1 :], *beside.behind), beside.outer
        )

    def repeat(self, node: Repeat) -> str:
        """A quantifier behind its item."""
        item = self.put(node.item, _Beside(outer=False))
        if not isinstance(node.item, (Set, Group, Choice, Same)):
            item = f"(?:{item})"
        pair = (node.least, node.most)
        quantity = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get(pair) or (
            f"{{{node.least}}}"
            if node.least == node.most
            else f"{{{node.least},{'' if node.most is None else node.most}}}"
        )
        return f"{item}{quantity}{'' if node.greedy else '?'}"

    def anchor(self, node: Anchor, beside: _Beside) -> str:
        """An end of the text, of a line, of a word."""
        if self.engine == "spark":
            return _JAVA_ANCHORS[node.kind]
        if node.kind in ("m", "M"):
            # An edge at which a word must follow (or end) is a beginning (or an end).
            near = beside.behind if node.kind == "m" else beside.before[::-1]
            known = first_set(near, backwards=node.kind == "M")
            if known is None or not _inside(known, WORD):
                raise Untranslatable(
                    "DuckDB's regular expressions know edges of words only, not on which side."
                )
            return "\\b"
        return _RE2_ANCHORS[node.kind]

    def look(self, node: Look, beside: _Beside) -> str:
        """A look around; on DuckDB only at an end of the pattern, where it can be a part of it."""
        if self.engine == "spark":
            if not node.ahead and most(node.item) is None:
                raise Untranslatable("Java cannot look back at a text without a longest length.")
            kind = ("=", "!")[node.negated] if node.ahead else ("<=", "<!")[node.negated]
            return f"(?{kind}{self.put(node.item, _Beside(outer=False))})"
        if not beside.outer or (beside.behind if node.ahead else beside.before):
            raise Untranslatable(_NO_LOOK)
        if not node.negated:
            return f"(?:{self.put(node.item, _Beside(outer=False))})"
        if not isinstance(node.item, Set):
            raise Untranslatable(_NO_LOOK)
        other = _set(Set(tuple(complement(node.item.ranges))))
        return f"(?:\\z|{other})" if node.ahead else f"(?:\\A|{other})"


def _inside(part: Set, whole: Set) -> bool:
    return all(
        any(low >= start and high <= end for start, end in whole.ranges)
        for low, high in part.ranges
    )


def _set(node: Set) -> str:
    """A set, negated where that is the shorter text."""
    if node.ranges == ((0, LAST),):
        return "."
    if not node.ranges:
        return "[^\\x{0}-\\x{10ffff}]"
    if len(node.ranges) == 1 and node.ranges[0][0] == node.ranges[0][1]:
        return sign(node.ranges[0][0])
    if node.ranges[-1][1] == LAST:
        return f"[^{_ranges(complement(node.ranges))}]"
    return f"[{_ranges(node.ranges)}]"


def _ranges(ranges: Iterable[Range]) -> str:
    return "".join(
        sign(low) if low == high else f"{sign(low)}{'-' if high > low + 1 else ''}{sign(high)}"
        for low, high in ranges
    )


def sign(number: int) -> str:
    """A character: everything of ASCII but plain letters, digits and a few more by its number."""
    shown = chr(number)
    plain = shown.isascii() and (shown.isalnum() or shown in " _,;=<>!%\"'/@~`")
    return shown if plain or 0xA0 < number < 0xD800 else f"\\x{{{number:x}}}"
