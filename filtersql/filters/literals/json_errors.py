"""What PostgreSQL says of a text that is no JSON: the detail of its `invalid input syntax`.

Example
    >>> complaint("{a: 1}")
    'Token "a" is invalid.'
    >>> complaint('{"a" 1}'), complaint("[1, 2")
    ('Expected ":", but found "1".', 'The input string ended unexpectedly.')

PostgreSQL
    common/jsonapi.c: pg_parse_json(), json_lex(), json_errdetail().
"""

from __future__ import annotations

import re

__all__ = ["complaint"]

_SPACE = " \t\n\r"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z")
#: what belongs to a word or number: letters, digits, `_`, and all bytes outside ASCII
_WORD = re.compile(r"[A-Za-z0-9_\x80-\U0010ffff]+")
#: a number with what is lacking in it, and letters behind it
_NUMERIC = re.compile(
    r"-?(?:0|[1-9][0-9]*)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?[A-Za-z0-9_\x80-\U0010ffff]*"
)
_ENDED = "The input string ended unexpectedly."
_ESCAPED = '"\\/bfnrt'


class _Said(Exception):
    """The first thing that is wrong."""


def complaint(text: str) -> str:
    """The detail of the first mistake; empty where there is none."""
    try:
        reader = _Reader(text)
        reader.value()
        if reader.token:
            raise _Said(f'Expected end of input, but found "{reader.token}".')
    except _Said as said:
        return str(said)
    return ""


class _Reader:
    """One token ahead, as the lexer is."""

    __slots__ = ("end", "text", "token")

    def __init__(self, text: str) -> None:
        self.text, self.end, self.token = text, 0, ""
        self.advance()

    def advance(self) -> None:
        """The next token; empty at the end."""
        text, start = self.text, self.end
        while start < len(text) and text[start] in _SPACE:
            start += 1
        if start == len(text):
            self.token, self.end = "", start
            return
        sign = text[start]
        if sign in "{}[],:":
            self.end = start + 1
        elif sign == '"':
            self.end = self.string(start)
        elif sign == "-" or sign.isdecimal():
            found = _NUMERIC.match(text, start)
            self.end = found.end() if found else start + 1
            if not _NUMBER.match(text[start : self.end]):
                raise _Said(f'Token "{text[start : self.end]}" is invalid.')
        else:
            found = _WORD.match(text, start)
            self.end = found.end() if found else start + 1
            if text[start : self.end] not in ("true", "false", "null"):
                raise _Said(f'Token "{text[start : self.end]}" is invalid.')
        self.token = text[start : self.end]

    def string(self, start: int) -> int:
        """Where the string that begins here ends."""
        place, text = start + 1, self.text
        while place < len(text):
            sign = text[place]
            if sign == '"':
                return place + 1
            if sign < " ":
                raise _Said(f"Character with value 0x{ord(sign):02x} must be escaped.")
            if sign == "\\":
                place += 1
                following = text[place : place + 1]
                if not following:
                    break
                if following == "u":
                    if not re.match(r"[0-9A-Fa-f]{4}", text[place + 1 : place + 5]):
                        if len(text) < place + 5 and not text[place + 1 :].strip(_HEXADECIMAL):
                            break
                        raise _Said('"\\u" must be followed by four hexadecimal digits.')
                    place += 4
                elif following not in _ESCAPED:
                    raise _Said(f'Escape sequence "\\{following}" is invalid.')
            place += 1
        raise _Said(f'Token "{text[start:]}" is invalid.')

    def expected(self, what: str) -> _Said:
        """What stands here instead, or that nothing does."""
        return _Said(f'Expected {what}, but found "{self.token}".' if self.token else _ENDED)

    def value(self) -> None:
        """Any value."""
        if self.token == "{":
            self.collection("}", 'string or "}"', '"," or "}"')
        elif self.token == "[":
            self.collection("]", 'array element or "]"', '"," or "]"')
        elif not self.token or self.token in "}],:":
            raise self.expected("JSON value")
        else:
            self.advance()

    def collection(self, closing: str, first: str, following: str) -> None:
        """An object or an array."""
        self.advance()
        if self.token == closing:
            self.advance()
            return
        what = first
        while True:
            if closing == "}":
                self.key(what)
            elif what == first and self.token and self.token in "},:":
                raise self.expected("JSON value")
            self.value()
            if self.token == closing:
                self.advance()
                return
            if self.token != ",":
                raise self.expected(following)
            self.advance()
            what = "string"

    def key(self, what: str) -> None:
        """A string and a colon."""
        if not self.token.startswith('"'):
            raise self.expected(what)
        self.advance()
        if self.token != ":":
            raise self.expected('":"')
        self.advance()


_HEXADECIMAL = "0123456789abcdefABCDEF"
