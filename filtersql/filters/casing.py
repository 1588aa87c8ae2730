"""Upper and lower case, where PostgreSQL's locale providers agree and where they do not.

Example
    ======================== ===================================================================
    filter                   written for Spark
    ======================== ===================================================================
    `lower(s) = 'abc'`       LOWER(s), but a row with a letter that providers fold apart raises
    `lower(s COLLATE "C")`   TRANSLATE(s, 'ABC…', 'abc…')
    `s ILIKE 'k%'`           s RLIKE '(?s)\\A[kK\\x{212a}].*\\z', with the same guard
    ======================== ===================================================================

    The database is taken to classify letters as Unicode does. What differs between its libc,
    builtin and ICU providers and the engines was read out of all of them, letter by letter: İ, Σ
    (ς at the end of a word), ß and other letters whose other case is several letters, and letters
    that are in Unicode since version 15 only.

PostgreSQL
    formatting.c, str_tolower(); like.c, Generic_Text_IC_like(): both sides in lower case.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

    from filtersql.filters.writing import Writer

__all__ = ["ASCII_ONLY", "FOLDS", "LOWER_DOUBT", "UPPER_DOUBT", "fold_case", "guarded", "variants"]

#: collations whose letters are those of ASCII
ASCII_ONLY = {"C", "POSIX", "ucs_basic"}
FOLDS = {"lower(text)": "LOWER", "upper(text)": "UPPER"}
_NEW = "\\x{1c89}\\x{a7cb}\\x{a7cc}\\x{a7da}\\x{a7dc}\\x{10d50}-\\x{10d65}"
LOWER_DOUBT = f"[\\x{{130}}\\x{{3a3}}{_NEW}]"
_SEVERAL = (
    "\\x{df}\\x{149}\\x{1f0}\\x{390}\\x{3b0}\\x{587}\\x{1e96}-\\x{1e9a}\\x{1f50}-\\x{1f57}"
    "\\x{1f80}-\\x{1fff}\\x{fb00}-\\x{fb17}"
)
UPPER_DOUBT = (
    f"[{_SEVERAL}\\x{{19b}}\\x{{264}}\\x{{1c8a}}\\x{{a7cd}}\\x{{a7db}}\\x{{10d70}}-\\x{{10d85}}]"
)
_LOWER, _UPPER = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DOUBT = "PostgreSQL's locale providers do not agree on the case of a letter in this value"


def fold_case(writer: Writer, name: str, collation: str | None, arg: exp.Expr) -> exp.Expr:
    """lower() and upper() of a text."""
    if collation in ASCII_ONLY:
        pair = (_UPPER, _LOWER) if name == "LOWER" else (_LOWER, _UPPER)
        return writer.piece(".translate", arg, *map(writer.text, pair))
    doubt = LOWER_DOUBT if name == "LOWER" else UPPER_DOUBT
    return guarded(writer, arg, doubt, writer.filled(f"{name}(_1)", arg.copy()), writer.text_type)


def guarded(
    writer: Writer, subject: exp.Expr, doubt: str, result: exp.Expr, sql_type: str
) -> exp.Expr:
    """The result, but a row whose text holds a doubtful letter raises."""
    test = writer.piece(".matches", subject, writer.text(doubt))
    broken = writer.cast(writer.piece(".raise", writer.text(_DOUBT)), sql_type)
    return writer.case([(test, broken)], result)


@cache
def _by_lower() -> dict[str, str]:
    found: dict[str, str] = {}
    for number in range(0x80, 0x1E944):
        sign = chr(number)
        low = sign.lower()
        if low != sign and len(low) == 1:
            found[low] = found.get(low, "") + sign
    return found


def variants(sign: str, collation: str | None) -> str:
    """All characters that are the same in lower case."""
    if sign.isascii():
        pair = sign.lower() + sign.upper() if sign.isalpha() else sign
        return pair if collation in ASCII_ONLY else pair + _by_lower().get(sign.lower(), "")
    if collation in ASCII_ONLY or len(sign.lower()) > 1:
        return sign
    return sign.lower() + _by_lower().get(sign.lower(), "")
