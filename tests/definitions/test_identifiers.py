"""Words as PostgreSQL's scanner reads them."""

from __future__ import annotations

import re

from filtersql.definitions.identifiers import WORD

#: scan.l: ident_start [A-Za-z\200-\377_], ident_cont [A-Za-z\200-\377_0-9\$]
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
_CHARACTERS = [*map(chr, range(0x300)), "\u20ac", "\ud7ff", "\ue000", "\uffff", "\U0010ffff"]


def test_a_word_is_what_the_scanner_says() -> None:
    """Its first character, and those that go on."""
    for character in _CHARACTERS:
        begins = character in _LETTERS or ord(character) >= 0x80
        goes_on = begins or character in "0123456789$"
        assert bool(re.fullmatch(WORD, character)) == begins, character
        assert bool(re.fullmatch(WORD, f"a{character}")) == goes_on, character
