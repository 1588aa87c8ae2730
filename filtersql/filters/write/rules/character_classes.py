r"""Classes of characters in regular expressions: `\d`, `\w`, `[[:alpha:]]`.

Example
    `s ~ '^\d+$'` matches [0-9]; a row that matches only with another script's digits raises,
    because which of them are digits depends on the locale provider of the database. With
    COLLATE "C" only ASCII counts, and no row raises.

PostgreSQL
    regc_locale.c, cclasscvt(); regc_pg_locale.c, pg_wc_isdigit() and its neighbours.
"""

from __future__ import annotations

from typing import NamedTuple

from filtersql.filters.write.rules.regex_trees import LAST, Range

__all__ = ["CLASSES", "ESCAPES", "WORD_DOUBT", "Class", "listed"]

#: every letter, mark and sign outside ASCII may be of a class or not
WORD_DOUBT = "[^\\x{0}-\\x{7f}]"
_WORD_DOUBT: tuple[Range, ...] = ((0x80, LAST),)
#: where Unicode has digits, and new ones: no ideographs, syllables of Korean and pictures
_DIGIT_DOUBT: tuple[Range, ...] = (
    (0x660, 0x1C59), (0xA620, 0xABF9), (0xFF10, 0xFF19), (0x10000, 0x1EFFF), (0x1FBF0, 0x1FBF9),
)  # fmt: skip
_SPACE_DOUBT: tuple[Range, ...] = (
    (0x1C, 0x1F), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x180E, 0x180E), (0x2000, 0x200F),
    (0x2028, 0x202F), (0x205F, 0x2060), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
#: $ + < = > ^ ` | ~ are signs for Unicode, as ICU and PG_UNICODE_FAST see them, no punctuation
_SYMBOLS = tuple((ord(sign), ord(sign)) for sign in "$+<=>^`|~")
_PUNCTUATION = (
    ("!", "#"), ("%", "*"), (",", "/"), (":", ";"), ("?", "@"), ("[", "]"), ("_", "_"), ("{", "{"),
    ("}", "}"),
)  # fmt: skip


class Class(NamedTuple):
    """The ASCII members, the characters of which providers may differ, and of these C's."""

    ranges: tuple[tuple[str, str], ...]
    doubt: tuple[Range, ...] = _WORD_DOUBT
    of_c: tuple[Range, ...] = ()


_DIGITS, _UPPER, _LOWER = ("0", "9"), ("A", "Z"), ("a", "z")
CLASSES = {
    "digit": Class((_DIGITS,), _DIGIT_DOUBT),
    "alpha": Class((_UPPER, _LOWER)),
    "alnum": Class((_DIGITS, _UPPER, _LOWER)),
    "word": Class((_DIGITS, _UPPER, _LOWER, ("_", "_"))),
    "upper": Class((_UPPER,)),
    "lower": Class((_LOWER,)),
    "space": Class((("\t", "\r"), (" ", " ")), _SPACE_DOUBT),
    "punct": Class(_PUNCTUATION, (*_SYMBOLS, *_WORD_DOUBT), _SYMBOLS),
    "print": Class(((" ", "~"),)),
    "graph": Class((("!", "~"),)),
    # the same characters in every locale
    "xdigit": Class((_DIGITS, ("A", "F"), ("a", "f")), ()),
    "blank": Class((("\t", "\t"), (" ", " ")), ()),
    "cntrl": Class((("\0", "\x1f"), ("\x7f", "\x9f")), ()),
    "ascii": Class((("\1", "\x7f"),), ()),
}
#: what a letter behind a backslash stands for; upper case for all other characters
ESCAPES = {"d": "digit", "s": "space", "w": "word"}


def listed(ranges: tuple[Range, ...]) -> str:
    """A set of characters as engines write it."""
    return "[" + "".join(f"\\x{{{low:x}}}-\\x{{{high:x}}}" for low, high in ranges) + "]"
