r"""The characters and sets of a pattern: letters, escapes, classes, brackets.

Example
    ============ ====================================
    written      characters
    ============ ====================================
    `\x61`       a
    `[^a-c\d]`   all but a, b, c and the digits
    `é` in `~*`  é, and É where the database knows it
    ============ ====================================

PostgreSQL
    regc_lex.c, lexescape(); regcomp.c, brackpart(); regc_locale.c, allcases().
"""

from __future__ import annotations

from filtersql.filters.write.rules.character_classes import CLASSES, ESCAPES, WORD_DOUBT, listed
from filtersql.filters.write.rules.regex_trees import (
    LAST,
    Anchor,
    Join,
    Kind,
    Node,
    Range,
    Set,
    Untranslatable,
    complement,
    merged,
    without_line_end,
)

__all__ = ["Characters"]

_CONTROL = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11, "a": 7, "e": 27, "b": 8, "B": 92}
#: of words
_EDGES: dict[str, Kind] = {"[:<:]]": "m", "[:>:]]": "M"}
_HEX = "0123456789abcdefABCDEF"
_NO_CASE = "Letters outside ASCII without case have no form yet."


class Characters:
    """A place in a pattern, and how its characters are read."""

    __slots__ = (
        "any_sign", "ascii_only", "doubts", "expanded", "groups", "ignore_case", "line_ends",
        "looks", "place", "text", "wide",
    )  # fmt: skip

    def __init__(
        self, text: str, ignore_case: bool, lines: str, ascii_only: bool, wide: bool | None
    ) -> None:
        self.text, self.ignore_case, self.ascii_only = text, ignore_case, ascii_only
        self.place = self.groups = self.looks = 0
        self.expanded = False
        self.line_ends = "w" in lines
        self.any_sign = "p" not in lines
        self.doubts: dict[str, None] = {}
        #: whether classes hold all that a locale may add, or nothing of it; None: `doubts` says it
        self.wide = wide

    def turned(self) -> None:
        """Behind a negation, and at its end: with more characters less is matched."""
        self.wide = None if self.wide is None else not self.wide

    def class_set(self, sign: str) -> Set:
        r"""`\d`, `\D` and their kind."""
        if sign.islower():
            return Set(tuple(self.members(ESCAPES[sign])))
        self.turned()
        ranges = complement(self.members(ESCAPES[sign.lower()]))
        self.turned()
        return Set(tuple(ranges))

    def members(self, name: str) -> list[Range]:
        """The characters of a class."""
        if self.ignore_case and name in ("upper", "lower"):
            name = "alpha"
        found = CLASSES.get(name)
        if found is None:
            raise Untranslatable(f'The class "{name}" has no form yet.')
        more = found.of_c if self.ascii_only else self.added(found.doubt)
        return merged([*((ord(low), ord(high)) for low, high in found.ranges), *more])

    def added(self, doubt: tuple[Range, ...]) -> tuple[Range, ...]:
        """What a locale may add, if that counts here."""
        if self.wide is None and doubt:
            self.doubts[listed(doubt)] = None
        return doubt if self.wide else ()

    def anchor(self, kind: Kind) -> Anchor | Join:
        """A place between characters; where words begin depends on what is a letter."""
        if kind in "mMyY" and not self.ascii_only:
            if self.wide:
                return Join(())  # anywhere
            self.doubts[WORD_DOUBT] = None
        return Anchor(kind)

    def escaped(self) -> int:
        """The character behind a backslash."""
        sign = self.text[self.place : self.place + 1]
        self.place += 1
        if not sign:
            raise Untranslatable("It ends with a backslash.")
        if sign in "xuU":
            least, most = {"x": (1, 8), "u": (4, 4), "U": (8, 8)}[sign]
            return self.number(16, _HEX, least, most)
        if sign in "01234567":
            self.place -= 1
            return self.number(8, "01234567", 1, 3)
        if sign == "c" and self.text[self.place : self.place + 1]:
            self.place += 1
            return ord(self.text[self.place - 1]) & 0x1F
        if sign in _CONTROL:
            return _CONTROL[sign]
        if sign.isalnum():
            raise Untranslatable(f'The escape "\\{sign}" has no form yet.')
        return ord(sign)

    def number(self, base: int, digits: str, least: int, most: int) -> int:
        """A character by its number."""
        end = self.place
        while end < self.place + most and self.text[end : end + 1] in (*digits,):
            end += 1
        if end < self.place + least:
            raise Untranslatable("The number of a character cannot be read.")
        found = int(self.text[self.place : end], base)
        self.place = end
        if not 0 < found <= LAST or 0xD800 <= found < 0xE000:
            raise Untranslatable("The number of a character is out of range.")
        return found

    def letter(self, number: int) -> Set:
        """A character that stands for itself, in both cases if case is ignored."""
        return Set(tuple(merged(self.cases((number, number)))))

    def cases(self, given: Range) -> list[Range]:
        """A range with the other case of its letters."""
        found = [given]
        if not self.ignore_case:
            return found
        if given[1] > 127 and given[0] != given[1]:
            raise Untranslatable(_NO_CASE)
        for number in range(given[0], given[1] + 1):
            sign = chr(number)
            if sign not in (sign.lower(), sign.upper()):
                raise Untranslatable(_NO_CASE)
            for other in {sign.lower(), sign.upper()} - {sign}:
                if sign.isascii():
                    found.append((ord(other), ord(other)))
                elif not self.ascii_only:
                    # The database may not know that these are the same letter.
                    if len(other) > 1 or other.isascii() or number > 0x586:
                        raise Untranslatable(_NO_CASE)
                    found += self.added(((ord(other), ord(other)),))
        return found

    def bracket(self) -> Node:
        """A set of characters, or an edge of words."""
        for edge, kind in _EDGES.items():
            if self.text.startswith(edge, self.place):
                self.place += len(edge)
                return self.anchor(kind)
        negated = self.text.startswith("^", self.place)
        self.place += negated
        if negated:
            self.turned()
        found: list[Range] = []
        first = True
        while (sign := self.text[self.place : self.place + 1]) != "]" or first:
            if not sign:
                raise Untranslatable("Its brackets are not balanced.")
            first = False
            named = self.class_inside()
            if named is not None:
                if self.text.startswith("-", self.place) and self.text[self.place + 1 :][:1] != "]":
                    raise Untranslatable("A class cannot begin a range.")
                found += named
                continue
            low = high = self.member()
            if self.text.startswith("-", self.place) and self.text[self.place + 1 :][:1] != "]":
                self.place += 1
                high = self.member()
                if high < low:
                    raise Untranslatable("A range of characters is empty.")
            found += self.cases((low, high))
        self.place += 1
        ranges = merged(found)
        if negated:
            self.turned()
            ranges = complement(ranges)
            if not self.any_sign:
                ranges = without_line_end(ranges)
        return Set(tuple(ranges))

    def class_inside(self) -> list[Range] | None:
        """A class inside of brackets, if one stands here."""
        escape = self.text[self.place + 1 : self.place + 2]
        if self.text[self.place] == "\\" and escape and escape.lower() in ESCAPES:
            self.place += 2
            return list(self.class_set(escape).ranges)
        if not self.text.startswith("[:", self.place):
            return None
        end = self.text.find(":]", self.place)
        if end < 0:
            raise Untranslatable("Its brackets are not balanced.")
        name = self.text[self.place + 2 : end]
        self.place = end + 2
        return self.members(name)

    def member(self) -> int:
        """One character of a set."""
        sign = self.text[self.place : self.place + 1]
        if not sign:
            raise Untranslatable("Its brackets are not balanced.")
        self.place += 1
        if sign == "[" and self.text[self.place : self.place + 1] in (".", "="):
            kind = self.text[self.place]
            if self.text[self.place + 2 : self.place + 4] != f"{kind}]":
                raise Untranslatable("Collating elements with a name have no form.")
            self.place += 4
            return ord(self.text[self.place - 3])
        if sign == "[" and self.text[self.place : self.place + 1] == ":":
            raise Untranslatable("A class cannot end a range.")
        return self.escaped() if sign == "\\" else ord(sign)
