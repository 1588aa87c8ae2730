"""boolean, text, bytea and uuid literals.

Example
    >>> read_bool(" tr ", -1, Clock()), read_bytea(r"\\x 6 1".replace(" ", ""), -1, Clock())
    (True, b'a')

PostgreSQL
    bool.c, parse_bool_with_len(); bytea.c, byteain(); uuid.c, string_to_uuid().
"""

from __future__ import annotations

import re
from contextlib import suppress

from filtersql.errors.filters import BadLiteral
from filtersql.filters.values.clock import Clock

__all__ = [
    "BLANKS",
    "read_bool",
    "read_bytea",
    "read_char",
    "read_name",
    "read_text",
    "read_tid",
    "read_uuid",
    "show_bool",
    "show_bytea",
]

#: what PostgreSQL skips around a value: no blank of another script
BLANKS = " \t\n\r\f\v"
_WORDS = (("true", 1, True), ("false", 1, False), ("yes", 1, True), ("no", 1, False))
_ONLY = (("on", 2, True), ("off", 2, False), ("1", 1, True), ("0", 1, False))
_TID = re.compile(r"\s*\(\s*\d+\s*,\s*\d+\s*\)\s*", re.ASCII)
_UUID = re.compile(r"(?:[0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}\Z")
_HEX = re.compile(r"(?:[ \n\t\r]*[0-9a-fA-F]{2})*[ \n\t\r]*")
_ESCAPED = re.compile(rb"\\(\\|[0-3][0-7][0-7])|\\|[^\\]+")


def read_bool(text: str, modifier: int, clock: Clock) -> bool:
    """A unique prefix of true, false, yes, no, on, off, or 1 and 0."""
    bare = text.strip(BLANKS).lower()
    for word, least, value in (*_WORDS, *_ONLY):
        if len(bare) >= least and word.startswith(bare):
            return value
    raise BadLiteral.syntax("boolean", text)


def show_bool(value: object) -> str:
    """One letter."""
    return "t" if value else "f"


def read_text(text: str, modifier: int, clock: Clock) -> str:
    """Any text is one."""
    return text


def read_name(text: str, modifier: int, clock: Clock) -> str:
    """Cut after 63 bytes, never inside a character."""
    return text.encode()[:63].decode(errors="ignore")


def read_tid(text: str, modifier: int, clock: Clock) -> str:
    """A row's place: a block and a row in it."""
    if not _TID.fullmatch(text):
        raise BadLiteral.syntax("tid", text)
    return text


def read_char(text: str, modifier: int, clock: Clock) -> str:
    """The first byte."""
    return text[:1]


def read_bytea(text: str, modifier: int, clock: Clock) -> bytes:
    """Both forms: hex digits after `\\x`, or text with octal escapes."""
    if text.startswith("\\x"):
        return _hex(text[2:])
    pieces = []
    for match in _ESCAPED.finditer(text.encode()):
        escape = match[1]
        if escape is None and match[0] == b"\\":
            raise BadLiteral("invalid input syntax for type bytea")
        pieces.append(
            match[0] if escape is None else b"\\" if escape == b"\\" else bytes([int(escape, 8)])
        )
    return b"".join(pieces)


def _hex(digits: str) -> bytes:
    if "\f" not in digits and "\v" not in digits:  # blanks that PostgreSQL does not skip
        with suppress(ValueError):
            return bytes.fromhex(digits)
    pairs = _HEX.match(digits)
    assert pairs is not None
    rest = digits[pairs.end() :]
    for digit in rest[:2]:
        if digit not in "0123456789abcdefABCDEF":
            raise BadLiteral(f'invalid hexadecimal digit: "{digit}"')
    raise BadLiteral("invalid hexadecimal data: odd number of digits")


def show_bytea(value: object) -> str:
    """Hex."""
    assert isinstance(value, bytes)
    return "\\x" + value.hex()


def read_uuid(text: str, modifier: int, clock: Clock) -> str:
    """With or without braces and hyphens; held in the canonical form."""
    bare = text[1:-1] if text.startswith("{") and text.endswith("}") else text
    if not _UUID.match(bare):
        raise BadLiteral.syntax("uuid", text)
    digits = bare.replace("-", "").lower()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
