r"""Classes of characters in regular expressions: `\d`, `\w`, `[[:alpha:]]`.

Example
    `s ~ '^\d+$'` matches [0-9]; a row whose text holds another script's digits raises, because
    which of them are digits depends on the locale provider of the database. With COLLATE "C" only
    ASCII counts, and no row raises.

PostgreSQL
    regc_locale.c, cclasscvt(); regc_pg_locale.c, pg_wc_isdigit() and its neighbours.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CLASSES", "ESCAPES", "WORD_DOUBT", "Class"]

#: every letter, mark and sign outside ASCII may be of a class or not
WORD_DOUBT = "[^\\x{0}-\\x{7f}]"
#: the first digit outside ASCII is U+0660
_DIGIT_DOUBT = "[\\x{660}-\\x{10ffff}]"
_SPACE_DOUBT = (
    "[\\x{1c}-\\x{1f}\\x{85}\\x{a0}\\x{1680}\\x{180e}\\x{2000}-\\x{200f}\\x{2028}-\\x{202f}"
    "\\x{205f}-\\x{2060}\\x{3000}\\x{feff}]"
)


class Class(NamedTuple):
    """The ASCII members, as ranges, and the characters of which providers may differ."""

    ranges: tuple[tuple[str, str], ...]
    doubt: str = WORD_DOUBT


_DIGITS, _UPPER, _LOWER = ("0", "9"), ("A", "Z"), ("a", "z")
CLASSES = {
    "digit": Class((_DIGITS,), _DIGIT_DOUBT),
    "alpha": Class((_UPPER, _LOWER)),
    "alnum": Class((_DIGITS, _UPPER, _LOWER)),
    "word": Class((_DIGITS, _UPPER, _LOWER, ("_", "_"))),
    "upper": Class((_UPPER,)),
    "lower": Class((_LOWER,)),
    "space": Class((("\t", "\r"), (" ", " ")), _SPACE_DOUBT),
    "punct": Class((("!", "/"), (":", "@"), ("[", "`"), ("{", "~"))),
    "print": Class(((" ", "~"),)),
    "graph": Class((("!", "~"),)),
    # the same characters in every locale
    "xdigit": Class((_DIGITS, ("A", "F"), ("a", "f")), ""),
    "blank": Class((("\t", "\t"), (" ", " ")), ""),
    "cntrl": Class((("\0", "\x1f"), ("\x7f", "\x9f")), ""),
    "ascii": Class((("\1", "\x7f"),), ""),
}
#: what a letter behind a backslash stands for; upper case for all other characters
ESCAPES = {"d": "digit", "s": "space", "w": "word"}
