"""jsonpath literals: read into trees, and printed as PostgreSQL prints them.

Example
    >>> show(parsed('strict $.a ? (@>$x)'))
    'strict $."a"?(@ > $"x")'

    Arithmetic, like_regex, places that are computed and methods but size() and type() are not read.

PostgreSQL
    jsonpath_gram.y.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from msgspec.structs import replace

from filtersql.errors.filters import NotTranslated
from filtersql.filters.values.clock import Clock, Types
from filtersql.filters.values.documents import quoted
from filtersql.filters.values.jsonpath_tokens import Tokens, Unread, decoded, number_of
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

#: a larger one is an error, once something is there
_MOST_PLACES = 2**31 - 1
_COMPARED = ("==", "!=", "<>", "<", "<=", ">", ">=")


@lru_cache(maxsize=512)
def parsed(text: str, postgres_version: int = 18) -> Whole:
    """The tree of a jsonpath; raises NotTranslated where it is none, or not read."""
    try:
        return _Reader(text, postgres_version).whole()
    except Unread:
        reason = "filtersql does not read this jsonpath."
        raise NotTranslated("a literal of type jsonpath", "any engine", reason, None) from None


class _Reader(Tokens):
    """The trees of tokens."""

    __slots__ = ("in_filter",)

    def __init__(self, text: str, version: int) -> None:
        super().__init__(text, version)
        self.in_filter = False

    def whole(self) -> Whole:
        """All of it."""
        strict = self.take("lax", "strict") == "strict"
        found = self.either()
        if self.place < len(self.tokens):
            raise Unread
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
            return Starts(_path(left), decoded(self.value("string")))
        return left

    def signed(self) -> Tree:
        """A sign before a number is a part of it."""
        symbol = self.take("+", "-")
        if not symbol:
            return self.primary()
        arg = _path(self.signed())
        if not isinstance(arg.value, Decimal) or arg.steps:
            raise Unread
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
                raise Unread
            if base == "$" and self.tokens[self.place : self.place + 1]:
                kind, name = self.tokens[self.place]
                if kind == "string" or (kind == "word" and name not in _AFTER):
                    self.place += 1
                    name = decoded(name) if kind == "string" else name
                    base += quoted(name)
            return Path(base, self.steps())
        value = self.scalar()
        return Path("=", self.steps(), value)

    def scalar(self) -> Scalar:
        """A string, number, true, false or null."""
        if word := self.take("true", "false", "null"):
            return {"true": True, "false": False}.get(word)
        if self.comes("number"):
            return number_of(self.value("number"))
        return decoded(self.value("string"))

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
        if self.comes("string"):
            return Step("key", decoded(self.value("string")))
        name = self.value("word")
        if self.take("("):
            self.expect(")")
            if name not in ("size", "type"):
                raise Unread
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
        number = number_of(self.value("number"))
        if number.as_tuple().exponent != 0 or number > _MOST_PLACES:
            raise Unread
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


def _condition(tree: Tree) -> Predicate:
    if isinstance(tree, Path):
        raise Unread
    return tree


def _path(tree: Tree) -> Path:
    if not isinstance(tree, Path):
        raise Unread
    return tree


def _read(text: str, modifier: int, clock: Clock) -> str:
    return show(parsed(text, clock.postgres_version))


TYPES: Types = {"jsonpath": (_read, str)}
