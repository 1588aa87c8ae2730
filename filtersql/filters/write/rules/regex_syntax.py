r"""PostgreSQL's regular expressions as trees.

Example
    ================ =========================================================
    pattern          tree
    ================ =========================================================
    `a+`             Repeat of Set a, once or more
    `(x|y)\d`        Join of Group 1 (Choice of Set x, Set y) and Set 0-9
    `^a\M`           Join of Anchor ^, Set a, Anchor M
    ================ =========================================================

    What a Set holds beyond ASCII may depend on the database's locale: `Regex.doubts` are the sets
    of characters of which a text must hold none. Or the pattern is read twice, with all that a
    locale may add (`wide`) and with nothing of it: what both match, every locale does.

PostgreSQL
    regcomp.c, regc_lex.c (advanced regular expressions); regc_locale.c, allcases().
"""

from __future__ import annotations

import re
from functools import lru_cache

from filtersql.filters.write.rules import regex_references
from filtersql.filters.write.rules.character_classes import ESCAPES
from filtersql.filters.write.rules.regex_characters import Characters
from filtersql.filters.write.rules.regex_options import options_of
from filtersql.filters.write.rules.regex_trees import (
    LAST,
    Anchor,
    Choice,
    Group,
    Join,
    Kind,
    Look,
    Node,
    Regex,
    Repeat,
    Same,
    Set,
    Untranslatable,
)

__all__ = ["OWN_CASE", "parsed"]

OWN_CASE = "This language has rules of its own for upper and lower case."
_MOST_REPEATED = 255
_BOUNDS = re.compile(r"[0-9]+(,[0-9]*)?")


@lru_cache(maxsize=1024)
def parsed(
    pattern: str,
    flags: str = "",
    *,
    ascii_only: bool = False,
    own_case: bool = False,
    wide: bool | None = None,
) -> Regex:
    """The tree of a pattern; raises Untranslatable. `flags` are those of regexp_match().

    `own_case`: the collation's language has rules of its own for upper and lower case.
    """
    options, pattern = options_of(pattern, flags)
    if options.ignore_case and own_case:
        raise Untranslatable(OWN_CASE)
    reader = _Reader(pattern, options.ignore_case, options.lines, ascii_only, wide)
    if options.quoted:
        tree: Node = Join(tuple(reader.letter(ord(sign)) for sign in pattern))
    else:
        reader.expanded = options.expanded
        tree = reader.whole()
    regex_references.check(tree)
    return Regex(tree, reader.groups, tuple(reader.doubts), options.everywhere)


class _Reader(Characters):
    """A pattern, read from left to right."""

    __slots__ = ()

    def peek(self) -> str:
        """The next character."""
        if self.expanded:
            self.skip_blanks()
        return self.text[self.place : self.place + 1]

    def skip_blanks(self) -> None:
        """Blanks and comments of the expanded syntax."""
        while self.place < len(self.text):
            if self.text[self.place] in " \t\n\r\f\v":
                self.place += 1
            elif self.text[self.place] == "#":
                end = self.text.find("\n", self.place)
                self.place = len(self.text) if end < 0 else end
            elif self.text[self.place].isspace() and not self.text[self.place].isascii():
                raise Untranslatable("The locale says whether a blank outside ASCII is skipped.")
            else:
                return

    def whole(self) -> Node:
        """All of it."""
        tree = self.choice()
        if self.place < len(self.text):
            raise Untranslatable("Its parentheses are not balanced.")
        return tree

    def choice(self) -> Node:
        """Branches."""
        branches = [self.branch()]
        while self.peek() == "|":
            self.place += 1
            branches.append(self.branch())
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def branch(self) -> Node:
        """Pieces, each with its quantifier."""
        items: list[Node] = []
        while (sign := self.peek()) and sign not in "|)":
            piece = self.piece()
            repeatable = not isinstance(piece, (Anchor, Look))
            quantity = self.quantity()
            if quantity is not None:
                if not repeatable:
                    raise Untranslatable("An anchor or a look around cannot be repeated.")
                piece = Repeat(piece, *quantity)
                if self.quantity() is not None:
                    raise Untranslatable("A quantifier cannot follow another one.")
            items.append(piece)
        return items[0] if len(items) == 1 else Join(tuple(items))

    def quantity(self) -> tuple[int, int | None, bool] | None:
        """A quantifier, if one stands here."""
        sign = self.peek()
        if sign in ("*", "+", "?"):
            self.place += 1
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        elif sign == "{" and self.text[self.place + 1 : self.place + 2].isdigit():
            end = self.text.find("}", self.place)
            low, comma, high = self.text[self.place + 1 : end].partition(",")
            if end < 0 or not _BOUNDS.fullmatch(low + comma + high):
                raise Untranslatable("Its bounds cannot be read.")
            least = int(low)
            most = (int(high) if high else None) if comma else least
            if max(least, most or 0) > _MOST_REPEATED or (most is not None and most < least):
                raise Untranslatable("Its bounds are out of range.")
            self.place = end + 1
        else:
            return None
        greedy = self.peek() != "?"
        self.place += not greedy
        return least, most, greedy

    def piece(self) -> Node:
        """What one sign means."""
        sign = self.text[self.place]
        self.place += 1
        match sign:
            case ".":
                return Set(((0, LAST),) if self.any_sign else ((0, 9), (11, LAST)))
            case "^":
                return Anchor("<" if self.line_ends else "^")
            case "$":
                return Anchor(">" if self.line_ends else "$")
            case "(":
                return self.group()
            case "[":
                return self.bracket()
            case "\\":
                return self.behind_backslash()
            case "*" | "+" | "?":
                raise Untranslatable(f'"{sign}" has nothing to repeat.')
            case "{" if self.text[self.place : self.place + 1].isdigit():
                raise Untranslatable('"{" has nothing to repeat.')
        return self.letter(ord(sign))

    def group(self) -> Node:
        """Parentheses of any kind."""
        number, look = 0, None
        if self.text.startswith("?", self.place):
            for opening, found in _OPENINGS.items():
                if self.text.startswith(opening, self.place):
                    self.place += len(opening)
                    look = found
                    break
            else:
                raise Untranslatable("A group of this kind cannot be read.")
        elif not self.looks:
            self.groups += 1
            number = self.groups
        negated = look is not None and look[1]
        if negated:
            self.turned()
        self.looks += look is not None
        inner = self.choice()
        self.looks -= look is not None
        if negated:
            self.turned()
        if self.peek() != ")":
            raise Untranslatable("Its parentheses are not balanced.")
        self.place += 1
        if look:
            return Look(inner, *look)
        return Group(inner, number) if number else _alone(inner)

    def behind_backslash(self) -> Node:
        """A class, an anchor, a group again, or a character."""
        sign = self.text[self.place : self.place + 1]
        if sign and sign in "AZmMyY":
            self.place += 1
            return self.anchor(_ANCHORS[sign])
        if sign and sign.lower() in ESCAPES:
            self.place += 1
            return self.class_set(sign)
        if sign and sign in "123456789":
            return self.again()
        return self.letter(self.escaped())

    def again(self) -> Node:
        """A back reference, or a character by its octal number."""
        end = self.place
        while "0" <= self.text[end : end + 1] <= "9":
            end += 1
        number = int(self.text[self.place : end])
        if end - self.place > 1 and number > self.groups:
            return self.letter(self.escaped())
        if number > self.groups:
            raise Untranslatable("It refers to a group that is not there.")
        self.place = end
        return Same(number)


_OPENINGS = {
    "?:": None, "?=": (True, False), "?!": (True, True), "?<=": (False, False),
    "?<!": (False, True),
}  # fmt: skip
_ANCHORS: dict[str, Kind] = {
    "A": "^", "Z": "$", "m": "m", "M": "M", "y": "y", "Y": "Y",
}  # fmt: skip


def _alone(node: Node) -> Node:
    """An inner tree that a quantifier behind it takes as a whole."""
    return Join((node,)) if isinstance(node, (Repeat, Anchor, Look)) else node
