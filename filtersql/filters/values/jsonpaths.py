"""jsonpath literals: read into trees, and printed as PostgreSQL prints them.

Example
    >>> show(parsed('strict $.a ? (@>$x)'))
    'strict $."a"?(@ > $"x")'

    Arithmetic, like_regex, places that are computed and methods but size() and type() are not read.

PostgreSQL
    jsonpath_gram.y, jsonpath_scan.l.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache

from msgspec.structs import replace

from filtersql.errors.filters import NotTranslated
from filtersql.filters.values.clock import Clock
from filtersql.filters.values.documents import quoted
from filtersql.filters.values.jsonpath_trees import (
    Compare,
    Exists,
    Junction,
    Not,
    Path,
    Predicate,
    Scalar,
    Starts,
    Step,
    Tree,
    Unknown,
    Whole,
    show,
)

__all__ = ["TYPES", "parsed"]

_TOKENS = re.compile(
    r"""[\ \t\n\r\f]*(?:(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<number>(?:0[xX][0-9a-fA-F](?:_?[0-9a-fA-F])*|0[oO][0-7](?:_?[0-7])*|0[bB][01](?:_?[01])*
        |(?:(?:0|[1-9](?:_?[0-9])*)(?:\.(?:[0-9](?:_?[0-9])*)?)?|\.[0-9](?:_?[0-9])*)
        (?:[eE][+-]?[0-9](?:_?[0-9])*)?)(?![\w.]))
    |(?P<sign>&&|\|\||\*\*|==|!=|<>|<=|>=|[$@.*\[\]?()!<>,{}+/%-])
    |(?P<word>[^\ \t\n\r\f?%$.\[\]{}()|&!=<>@\#,*:\-+/"\\]+))""",
    re.VERBOSE | re.ASCII,
)
#: digits apart, and of other bases
_SINCE_16 = re.compile("[_xXoObB]")
_BASES = {"0x": 16, "0o": 8, "0b": 2}
#: a vertical tab is none of them
_BLANKS = " \t\n\r\f"
#: a larger one is an error, once something is there
_MOST_PLACES = 2**31 - 1
_COMPARED = ("==", "!=", "<>", "<", "<=", ">", ">=")


class _Unread(Exception):
    """The rest of the text cannot be read."""


def _decoded(text: str) -> str:
    """A string; what a jsonpath may escape and JSON not is not read."""
    try:
        found = str(json.loads(text, strict=False))
        found.encode()
    except ValueError:
        raise _Unread from None
    if "\0" in found:
        raise _Unread
    return found


@lru_cache(maxsize=512)
def parsed(text: str, postgres_version: int = 18) -> Whole:
    """The tree of a jsonpath; raises NotTranslated where it is none, or not read."""
    try:
        return _Reader(text, postgres_version).whole()
    except _Unread:
        reason = "filtersql does not read this jsonpath."
        raise NotTranslated("a literal of type jsonpath", "any engine", reason, None) from None


class _Reader:
    __slots__ = ("in_filter", "place", "tokens")

    def __init__(self, text: str, version: int) -> None:
        self.in_filter = False
        self.tokens: list[tuple[str, str]] = []
        self.place = 0
        start = 0
        while text[start:].strip(_BLANKS):
            match = _TOKENS.match(text, start)
            if match is None or match.lastgroup is None:
                raise _Unread
            if version < 16 and match["number"] and _SINCE_16.search(match["number"]):
                raise _Unread
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            start = match.end()

    def peek(self) -> str:
        """The next sign or word; a string or number is neither."""
        kind, text = self.tokens[self.place] if self.place < len(self.tokens) else ("", "")
        return text if kind in ("sign", "word") else ""

    def take(self, *texts: str) -> str:
        """One of these, if it comes next."""
        found = self.peek()
        if found and found in texts:
            self.place += 1
            return found
        return ""

    def expect(self, text: str) -> None:
        """A sign that must come next."""
        if not self.take(text):
            raise _Unread

    def value(self, kind: str) -> str:
        """The text of a string or number that comes next."""
        if self.place >= len(self.tokens) or self.tokens[self.place][0] != kind:
            raise _Unread
        self.place += 1
        return self.tokens[self.place - 1][1]

    def whole(self) -> Whole:
        """All of it."""
        strict = self.take("lax", "strict") == "strict"
        found = self.either()
        if self.place < len(self.tokens):
            raise _Unread
        return Whole(found, strict)

    def either(self) -> Tree:
        """Predicates with `||`, or a path."""
        found = self.both()
        while self.take("||"):
            found = Junction("||", _condition(found), _condition(self.both()))
        return found

    def both(self) -> Tree:
        found = self.compared()
        while self.take("&&"):
            found = Junction("&&", _condition(found), _condition(self.compared()))
        return found

    def compared(self) -> Tree:
        """A comparison, or one side of it alone."""
        if self.take("!"):
            return Not(_condition(self.primary()))
        left = self.signed()
        if symbol := self.take(*_COMPARED):
            sides = _path(left), _path(self.signed())
            return Compare("!=" if symbol == "<>" else symbol, *sides)
        if self.take("starts"):
            self.expect("with")
            return Starts(_path(left), _decoded(self.value("string")))
        return left

    def signed(self) -> Tree:
        """A sign before a number is a part of it."""
        symbol = self.take("+", "-")
        if not symbol:
            return self.primary()
        arg = _path(self.signed())
        if not isinstance(arg.value, Decimal) or arg.steps:
            raise _Unread
        return arg if symbol == "+" else replace(arg, value=-arg.value)

    def primary(self) -> Tree:
        """What stands between operators."""
        if self.take("exists"):
            self.expect("(")
            path = _path(self.either())
            self.expect(")")
            return Exists(path)
        if self.take("("):
            inner = self.either()
            self.expect(")")
            if not isinstance(inner, Path):
                if self.take("is"):
                    self.expect("unknown")
                    return Unknown(inner)
                return inner
            return replace(inner, steps=(*inner.steps, *self.steps()))
        if base := self.take("$", "@"):
            if base == "@" and not self.in_filter:
                raise _Unread
            if base == "$" and self.tokens[self.place : self.place + 1]:
                kind, name = self.tokens[self.place]
                if kind == "string" or (kind == "word" and name not in _AFTER):
                    self.place += 1
                    name = _decoded(name) if kind == "string" else name
                    base += quoted(name)
            return Path(base, self.steps())
        value = self.scalar()
        return Path("=", self.steps(), value)

    def scalar(self) -> Scalar:
        """A string, number, true, false or null."""
        if word := self.take("true", "false", "null"):
            return {"true": True, "false": False}.get(word)
        if self.place < len(self.tokens) and self.tokens[self.place][0] == "number":
            return _number(self.value("number"))
        return _decoded(self.value("string"))

    def steps(self) -> tuple[Step, ...]:
        """Accessors, as many as there are."""
        found: list[Step] = []
        while True:
            if self.take("."):
                found.append(self.member())
            elif self.take("["):
                found.append(self.elements())
            elif self.take("?"):
                self.expect("(")
                outer, self.in_filter = self.in_filter, True
                condition = _condition(self.either())
                self.in_filter = outer
                self.expect(")")
                found.append(Step("filter", condition=condition))
            else:
                return tuple(found)

    def member(self) -> Step:
        """`.key`, `.*`, `.size()`."""
        if self.take("*"):
            return Step("values")
        if self.take("**"):
            return self.levels()
        if self.place < len(self.tokens) and self.tokens[self.place][0] == "string":
            return Step("key", _decoded(self.value("string")))
        name = self.value("word")
        if self.take("("):
            self.expect(")")
            if name not in ("size", "type"):
                raise _Unread
            return Step(name)
        return Step("key", name)

    def levels(self) -> Step:
        """`.**`, `.**{2}`, `.**{1 to 3}`, `.**{2 to last}`."""
        if not self.take("{"):
            return Step("levels", first=0, last=-1)
        first = last = self.level()
        if self.take("to"):
            last = self.level()
        self.expect("}")
        return Step("levels", first=first, last=last)

    def level(self) -> int:
        if self.take("last"):
            return -1
        number = _number(self.value("number"))
        if number.as_tuple().exponent != 0 or number > _MOST_PLACES:
            raise _Unread
        return int(number)

    def elements(self) -> Step:
        """`[*]`, `[0]`, `[last]`, `[0 to 2]`."""
        if self.take("*"):
            self.expect("]")
            return Step("items")
        first = self.subscript()
        last = self.subscript() if self.take("to") else first
        self.expect("]")
        return Step("range", first=first, last=last)

    def subscript(self) -> int:
        """A place; below 0 from the end."""
        if self.take("last"):
            return -1 - self.level() if self.take("-") else -1
        return self.level()


_AFTER = {"", ".", "[", "?", ")", "&&", "||", "==", "!=", "<>", "<", "<=", ">", ">=", "starts",
          "like_regex", "]", "is"}  # fmt: skip


def _number(text: str) -> Decimal:
    base = _BASES.get(text[:2].lower())
    return Decimal(int(text[2:], base)) if base else Decimal(text)


def _condition(tree: Tree) -> Predicate:
    if isinstance(tree, Path):
        raise _Unread
    return tree


def _path(tree: Tree) -> Path:
    if not isinstance(tree, Path):
        raise _Unread
    return tree


def _read(text: str, modifier: int, clock: Clock) -> str:
    return show(parsed(text, clock.postgres_version))


TYPES: dict[str, tuple[Callable[[str, int, Clock], object], Callable[[object], str]]] = {
    "jsonpath": (_read, str)
}
