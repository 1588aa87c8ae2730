"""Regular expressions: PostgreSQL's, as the engines' regular expressions that match the same texts.

Example
    ===================== ======================================
    PostgreSQL            both engines
    ===================== ======================================
    `s ~ 'a.b$'`          (?s)a.b\\z   (`.` matches a new line)
    `s ~* 'ab'`           (?s)[aA][bB]
    `s SIMILAR TO 'a%'`   (?s)\\A(?:a.*)\\z
    ===================== ======================================

    Back references, word edges and lookaround are refused: only texts that match in PostgreSQL may
    match. Classes (`\\w`, `[[:alpha:]]`) are those of ASCII; a text of which the database's locale
    may think otherwise raises.

PostgreSQL
    regcomp.c (advanced regular expressions); regexp.c, similar_escape_internal().
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from filtersql.filters import casing
from filtersql.filters.character_classes import CLASSES, ESCAPES
from filtersql.filters.engines import values
from filtersql.filters.facts import Function
from filtersql.filters.folding import fold
from filtersql.filters.nodes import Func, Node, Op, Relabel

if TYPE_CHECKING:
    from sqlglot import exp

    from filtersql.filters.writing import Writer

__all__ = ["MATCHES", "Untranslatable", "doubtful", "match", "similar", "translated"]

#: function name: (ignores case, negated)
MATCHES = {
    "textregexeq": (False, False), "textregexne": (False, True),
    "texticregexeq": (True, False), "texticregexne": (True, True),
    "bpcharregexeq": (False, False), "bpcharregexne": (False, True),
    "bpcharicregexeq": (True, False), "bpcharicregexne": (True, True),
}  # fmt: skip
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
_MOST_REPEATED = 255
_DOUBT = "PostgreSQL's locale providers do not agree on the class of a character in this value"


class Untranslatable(Exception):
    """What a pattern holds that has no form: the reason, as a sentence."""


def match(writer: Writer, node: Node, function: Function, args: Sequence[Node]) -> exp.Expr:
    """`~`, `!~`, `~*`, `!~*`, SIMILAR TO."""
    pattern = args[1]
    while isinstance(pattern, Relabel):
        pattern = pattern.arg
    ignore_case, negated = MATCHES[function.name]
    try:
        text = _text(pattern)
        if text is None:
            return values.null("bool", writer.engine)
        sql_text, doubts = translated(text, ignore_case=ignore_case)
    except Untranslatable as problem:
        raise writer.refused(node, str(problem)) from None
    subject = writer.put(args[0])
    test = writer.piece(".matches", subject, writer.text(sql_text))
    if doubts and getattr(node, "input_collation", None) not in casing.ASCII_ONLY:
        doubt = writer.piece(".matches", subject.copy(), writer.text("|".join(doubts)))
        broken = writer.cast(writer.piece(".raise", writer.text(_DOUBT)), "BOOLEAN")
        test = writer.case([(doubt, broken)], test)
    return writer.filled("NOT _1", test) if negated else test


def doubtful(node: Op | Func) -> bool:
    """Whether the pattern has a class of which locale providers may differ for some text."""
    if node.function.name not in MATCHES or node.input_collation in casing.ASCII_ONLY:
        return False
    pattern = node.args[1]
    while isinstance(pattern, Relabel):
        pattern = pattern.arg
    try:
        text = _text(pattern)
        return text is not None and bool(translated(text, ignore_case=False)[1])
    except Untranslatable:
        return False


def _text(pattern: Node) -> str | None:
    if isinstance(pattern, Func) and pattern.function.name == "similar_to_escape":
        parts = [fold(arg) for arg in pattern.args]
        if any(part is None for part in parts):
            raise Untranslatable("The pattern must be a constant.")
        texts = [part.value for part in parts if part is not None]
        if None in texts:
            return None
        return similar(str(texts[0]), str(texts[1]) if len(texts) > 1 else "\\")
    constant = fold(pattern)
    if constant is None:
        raise Untranslatable("The pattern must be a constant.")
    return None if constant.value is None else str(constant.value)


def similar(pattern: str, escape: str) -> str:
    """A SIMILAR TO pattern as PostgreSQL turns it into a regular expression."""
    if len(escape) > 1:
        raise Untranslatable("The escape must be one character or empty.")
    found, place, inside = "", 0, False
    while place < len(pattern):
        sign = pattern[place]
        place += 1
        if escape and sign == escape:
            if place == len(pattern):
                raise Untranslatable("The pattern ends with its escape character.")
            if pattern[place] == '"':
                raise Untranslatable("The pattern has parts that only substring() may have.")
            found += f"\\{pattern[place]}" if not pattern[place].isalnum() else pattern[place]
            place += 1
        elif inside:
            found += f"\\{sign}" if sign == "\\" else sign
            inside = sign != "]"
        elif sign == "[":
            found, inside = found + sign, True
            following = pattern[place : place + 2]
            skip = 2 if following[:2] == "^]" else 1 if following[:1] in ("]", "^") else 0
            found += pattern[place : place + skip]
            place += skip
        else:
            found += {"%": ".*", "_": ".", "(": "(?:"}.get(
                sign, f"\\{sign}" if sign in ".^$\\" else sign
            )
    return f"^(?:{found})$"


def translated(pattern: str, *, ignore_case: bool) -> tuple[str, list[str]]:
    """The engines' form, and the characters of doubt; raises Untranslatable."""
    if pattern.startswith(("***", "(?")) and not pattern.startswith("(?:"):
        raise Untranslatable("Directors and embedded options of a pattern have no form yet.")
    read = _Pattern(pattern, ignore_case)
    return "(?s)" + read.whole(), list(read.doubts)


class _Pattern:
    """A pattern, read from left to right."""

    __slots__ = ("depth", "doubts", "ignore_case", "place", "text")

    def __init__(self, text: str, ignore_case: bool) -> None:
        self.text, self.ignore_case = text, ignore_case
        self.place = self.depth = 0
        self.doubts: dict[str, None] = {}

    def whole(self) -> str:
        """All of it."""
        found, repeatable = "", False
        while self.place < len(self.text):
            sign = self.text[self.place]
            self.place += 1
            if sign in "*+?" or (sign == "{" and self.text[self.place : self.place + 1].isdigit()):
                if not repeatable:
                    raise Untranslatable(f'"{sign}" has nothing to repeat.')
                found, repeatable = found + self.repeated(sign), False
                continue
            piece, repeatable = self.piece(sign)
            found += piece
        if self.depth:
            raise Untranslatable("Its parentheses are not balanced.")
        return found

    def piece(self, sign: str) -> tuple[str, bool]:
        """What a sign means, and whether it can be repeated."""
        match sign:
            case ".":
                return ".", True
            case "^":
                return "\\A", False
            case "$":
                return "\\z", False
            case "|":
                return "|", False
            case "(":
                return self.opened(), False
            case ")":
                if not self.depth:
                    raise Untranslatable("Its parentheses are not balanced.")
                self.depth -= 1
                return ")", True
            case "[":
                return self.bracket(), True
            case "\\":
                return self.behind_backslash()
        return self.letter(sign), True

    def behind_backslash(self) -> tuple[str, bool]:
        """A class, an end of the text, or a character."""
        sign = self.text[self.place : self.place + 1]
        if sign and sign in "AZ":
            self.place += 1
            return {"A": "\\A", "Z": "\\z"}[sign], False
        if sign.lower() in ESCAPES and sign:
            self.place += 1
            body = "".join(_range(*pair) for pair in self.members(ESCAPES[sign.lower()]))
            return f"[{'^' if sign.isupper() else ''}{body}]", True
        return self.letter(self.escaped()), True

    def members(self, name: str) -> tuple[tuple[str, str], ...]:
        """The characters of a class."""
        if self.ignore_case and name in ("upper", "lower"):
            name = "alpha"
        found = CLASSES.get(name)
        if found is None:
            raise Untranslatable(f'The class "{name}" has no form yet.')
        if found.doubt:
            self.doubts[found.doubt] = None
        return found.ranges

    def class_of_set(self) -> tuple[tuple[str, str], ...]:
        """A class inside of brackets, if one stands here."""
        escape = self.text[self.place + 1 : self.place + 2]
        if self.text[self.place] == "\\" and escape and escape in ESCAPES:
            self.place += 2
            return self.members(ESCAPES[escape])
        if not self.text.startswith("[:", self.place):
            return ()
        end = self.text.find(":]", self.place)
        if end < 0:
            raise Untranslatable("Its brackets are not balanced.")
        name = self.text[self.place + 2 : end]
        self.place = end + 2
        return self.members(name)

    def opened(self) -> str:
        """A group: whether it captures makes no difference to a match."""
        if self.text.startswith("?", self.place):
            if not self.text.startswith("?:", self.place):
                raise Untranslatable("Lookaround has no form.")
            self.place += 2
        self.depth += 1
        return "(?:"

    def repeated(self, sign: str) -> str:
        """A quantifier; the lazy ones match the same texts."""
        if sign == "{":
            end = self.text.find("}", self.place)
            low, comma, high = self.text[self.place : end].partition(",")
            if end < 0 or not low.isdigit() or (high and not high.isdigit()):
                raise Untranslatable("Its bounds cannot be read.")
            if max(int(low), int(high or 0)) > _MOST_REPEATED or (high and int(high) < int(low)):
                raise Untranslatable("Its bounds are out of range.")
            self.place = end + 1
            sign = f"{{{low}{comma}{high}}}"
        if self.text.startswith("?", self.place):
            self.place += 1
        return sign

    def escaped(self) -> str:
        """The character behind a backslash."""
        sign = self.text[self.place : self.place + 1]
        self.place += 1
        if not sign:
            raise Untranslatable("It ends with a backslash.")
        if sign in _CONTROL:
            return _CONTROL[sign]
        if sign.isalnum():
            raise Untranslatable(f'The escape "\\{sign}" has no form yet.')
        return sign

    def letter(self, sign: str) -> str:
        """A character that stands for itself."""
        if self.ignore_case and sign.lower() != sign.upper():
            if not sign.isascii():
                raise Untranslatable("Letters outside ASCII without case have no form yet.")
            return f"[{sign.lower()}{sign.upper()}]"
        return _quoted(sign)

    def bracket(self) -> str:
        """A set of characters."""
        negated = self.text.startswith("^", self.place)
        self.place += negated
        items: list[tuple[str, str]] = []
        first = True
        classes: tuple[tuple[str, str], ...] = ()
        while True:
            sign = self.text[self.place : self.place + 1]
            if not sign:
                raise Untranslatable("Its brackets are not balanced.")
            if sign == "]" and not first:
                self.place += 1
                break
            first = False
            if named := self.class_of_set():
                if self.text.startswith("-", self.place) and self.text[self.place + 1 :][:1] != "]":
                    raise Untranslatable("A class cannot begin a range.")
                classes += named
                continue
            low = self.member()
            high = low
            if self.text.startswith("-", self.place) and self.text[self.place + 1 :][:1] != "]":
                self.place += 1
                high = self.member()
                if high < low:
                    raise Untranslatable("A range of characters is empty.")
            items.append((low, high))
        given = self.any_case(items) if self.ignore_case else items
        body = "".join(_range(low, high) for low, high in (*given, *classes))
        return f"[{'^' if negated else ''}{body}]"

    def member(self) -> str:
        """One character of a set."""
        sign = self.text[self.place]
        self.place += 1
        if sign == "[" and self.text[self.place : self.place + 1] in (":", ".", "="):
            raise Untranslatable("Collating elements have no form.")
        return self.escaped() if sign == "\\" else sign

    def any_case(self, items: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """The set with the other case of its letters."""
        found = list(items)
        for low, high in items:
            if ord(high) > 127:
                raise Untranslatable("Letters outside ASCII without case have no form yet.")
            for number in range(ord(low), ord(high) + 1):
                other = chr(number).swapcase()
                if other != chr(number):
                    found.append((other, other))
        return found


def _range(low: str, high: str) -> str:
    return _quoted(low) if low == high else f"{_quoted(low)}-{_quoted(high)}"


def _quoted(sign: str) -> str:
    """A character for the engine: everything but plain letters and digits by its number."""
    plain = sign.isascii() and (sign.isalnum() or sign in " _,;=<>!%\"'/@~`")
    return sign if plain or not sign.isascii() else f"\\x{{{ord(sign):x}}}"
