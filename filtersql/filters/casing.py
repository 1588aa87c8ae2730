"""Upper and lower case, where PostgreSQL's locale providers agree and where they do not.

Example
    ======================== ===================================================================
    filter                   written for Spark
    ======================== ===================================================================
    `lower(s) = 'abc'`       LOWER(s), but a row with a letter that providers fold apart raises
    `lower(s COLLATE "C")`   TRANSLATE(s, 'ABC…', 'abc…')
    `s ILIKE 'k%'`           s RLIKE '(?s)\\A[kK\\x{212a}].*\\z', with the same guard
    ======================== ===================================================================

    Under the default collation the database may know letters of ASCII only (LC_CTYPE C), so a row
    with a letter outside ASCII in the other case raises; a collation that is named is certain. What
    differs between libc, builtin and ICU providers and the engines was read letter by letter: İ, Σ
    (ς at the end of a word), ß and other letters whose other case is several letters, and letters
    that are in Unicode since version 15 only.

PostgreSQL
    formatting.c, str_tolower(); like.c, Generic_Text_IC_like(): both sides in lower case.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from filtersql.filters.locales import UNKNOWN, ascii_only

if TYPE_CHECKING:
    from sqlglot import exp

    from filtersql.filters.writing import Writer

__all__ = [
    "CASED",
    "FOLDS",
    "LOWER_DOUBT",
    "UPPER_DOUBT",
    "fold_case",
    "guarded",
    "uncertain",
    "variants",
]

FOLDS = {"lower(text)": "LOWER", "upper(text)": "UPPER"}
CASED = {
    *FOLDS, "initcap(text)", "casefold(text)",
    *(f"{kind}ic{what}({kind},text)" for kind in ("text", "bpchar")
      for what in ("like", "nlike", "regexeq", "regexne")),
}  # fmt: skip
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
#: what makes it known
_SAY = ": say database_locale in filtersql_project.yml"


def fold_case(writer: Writer, name: str, collation: str | None, arg: exp.Expr) -> exp.Expr:
    """lower() and upper() of a text."""
    if ascii_only(collation):
        return _of_ascii(writer, name, arg)
    return guarded(writer, name, collation, arg, writer.filled(f"{name}(_1)", arg.copy()))


def _of_ascii(writer: Writer, name: str, arg: exp.Expr) -> exp.Expr:
    pair = (_UPPER, _LOWER) if name == "LOWER" else (_LOWER, _UPPER)
    return writer.piece(".translate", arg, *map(writer.text, pair))


def guarded(
    writer: Writer,
    name: str,
    collation: str | None,
    subject: exp.Expr,
    result: exp.Expr,
    sql_type: str = "",
) -> exp.Expr:
    """The result, but a row whose text holds a letter of doubt raises."""
    doubt = LOWER_DOUBT if name == "LOWER" else UPPER_DOUBT
    test = writer.piece(".matches", subject, writer.text(doubt))
    problem = _DOUBT
    if collation == UNKNOWN:
        problem += _SAY
        of_ascii = _of_ascii(writer, name, subject.copy())
        other = writer.filled(f"{name}(_1) <> _2", subject.copy(), of_ascii)
        test = writer.filled("_1 OR _2", test, other)
    broken = writer.cast(writer.piece(".raise", writer.text(problem)), sql_type or writer.text_type)
    return writer.case([(test, broken)], result)


def uncertain(sign: str, collation: str | None) -> bool:
    """Whether the database decides if this letter of a pattern has a lower case."""
    return collation == UNKNOWN and not sign.isascii() and sign.lower() != sign


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
        return pair if ascii_only(collation) else pair + _by_lower().get(sign.lower(), "")
    if ascii_only(collation) or len(sign.lower()) > 1:
        return sign
    return sign.lower() + _by_lower().get(sign.lower(), "")
