"""The tokens of a jsonpath literal, and what comes next of them.

Example
    tokens = Tokens("$.a > 5", 18)
    tokens.take("$", "@"), tokens.peek()    ("$", ".")

PostgreSQL
    jsonpath_scan.l.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal

__all__ = ["Tokens", "Unread", "decoded", "number_of"]

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


class Unread(Exception):
    """The rest of the text cannot be read."""


class Tokens:
    """A text, read up to a place."""

    __slots__ = ("place", "tokens")

    def __init__(self, text: str, version: int) -> None:
        self.tokens: list[tuple[str, str]] = []
        self.place = 0
        start = 0
        while text[start:].strip(_BLANKS):
            match = _TOKENS.match(text, start)
            if match is None or match.lastgroup is None:
                raise Unread
            if version < 16 and match["number"] and _SINCE_16.search(match["number"]):
                raise Unread
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
            raise Unread

    def comes(self, kind: str) -> bool:
        """Whether a string or number comes next."""
        return self.place < len(self.tokens) and self.tokens[self.place][0] == kind

    def value(self, kind: str) -> str:
        """The text of a string or number that comes next."""
        if not self.comes(kind):
            raise Unread
        self.place += 1
        return self.tokens[self.place - 1][1]


def decoded(text: str) -> str:
    """A string; what a jsonpath may escape and JSON not is not read."""
    try:
        found = str(json.loads(text, strict=False))
        found.encode()
    except ValueError:
        raise Unread from None
    if "\0" in found:
        raise Unread
    return found


def number_of(text: str) -> Decimal:
    """A number, of whichever base."""
    base = _BASES.get(text[:2].lower())
    return Decimal(int(text[2:], base)) if base else Decimal(text)
