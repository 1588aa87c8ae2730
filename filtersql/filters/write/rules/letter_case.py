"""Upper and lower case, where PostgreSQL's locale providers agree and where they do not.

Example
    ======================== ===================================================================
    filter                   written for Spark
    ======================== ===================================================================
    `lower(s) || 'x' = t`    LOWER(s), but a row with a letter that providers fold apart raises
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

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from sqlglot import exp

from filtersql.filters.tree.locales import UNKNOWN, ascii_only
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.write.writer import Rule, Writer

__all__ = [
    "CASED",
    "FOLDS",
    "RULES",
    "SAY",
    "Constant",
    "beside_ascii",
    "broken",
    "doubt",
    "fold_case",
    "of_ascii",
    "to_ascii",
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
_LOWER_DOUBT = f"[\\x{{130}}\\x{{3a3}}{_NEW}]"
#: the same for Python
_LOWER_SIGNS = re.sub(
    r"\\x\{(\w+)\}", lambda found: re.escape(chr(int(found[1], 16))), _LOWER_DOUBT
)
_SEVERAL = (
    "\\x{df}\\x{149}\\x{1f0}\\x{390}\\x{3b0}\\x{587}\\x{1e96}-\\x{1e9a}\\x{1f50}-\\x{1f57}"
    "\\x{1f80}-\\x{1fff}\\x{fb00}-\\x{fb17}"
)
_UPPER_DOUBT = (
    f"[{_SEVERAL}\\x{{19b}}\\x{{264}}\\x{{1c8a}}\\x{{a7cd}}\\x{{a7db}}\\x{{10d70}}-\\x{{10d85}}]"
)
#: letters whose other case is several letters of ASCII, by one of these
_SEVERAL_OF_ASCII = {"S": "\\x{df}\\x{fb05}\\x{fb06}", "F": "\\x{fb00}-\\x{fb04}"}
_LOWER, _UPPER = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DOUBT = "PostgreSQL's locale providers do not agree on the case of a letter in this value"
#: what makes it known
SAY = ": say database_locale in filtersql_project.yml"


class Constant(NamedTuple):
    """What a text is compared with: its characters, and whether `_` means any of them."""

    signs: str
    is_pattern: bool = False


def fold_case(writer: Writer, name: str, collation: str | None, arg: exp.Expr) -> exp.Expr:
    """lower() and upper() of a text."""
    if ascii_only(collation):
        return of_ascii(writer, name, arg)
    test = doubt(writer, name, arg)
    result = writer.filled(f"{name}(_1)", arg)
    if collation == UNKNOWN:
        other = writer.filled("_1 <> _2", result, of_ascii(writer, name, arg))
        test = writer.filled("_1 OR _2", test, other)
    problem = SAY if collation == UNKNOWN else ""
    return writer.case([(test, broken(writer, writer.text_type, problem))], result)


def of_ascii(writer: Writer, name: str, arg: exp.Expr) -> exp.Expr:
    """lower() and upper() where only ASCII's letters have two cases."""
    pair = (_UPPER, _LOWER) if name == "LOWER" else (_LOWER, _UPPER)
    return writer.piece(".translate", arg, *map(writer.text, pair))


def doubt(writer: Writer, name: str, subject: exp.Expr) -> exp.Expr:
    """Whether a text has a letter whose other case providers do not agree on."""
    signs = _LOWER_DOUBT if name == "LOWER" else _UPPER_DOUBT
    return writer.piece(".matches", subject, signs)


def beside_ascii(
    writer: Writer,
    name: str,
    collation: str | None,
    constant: Constant,
    subject: exp.Expr,
    result: Callable[[exp.Expr], exp.Expr],
    sql_type: str = "",
) -> exp.Expr:
    """What is compared with characters of ASCII; a text raises that may become such a one."""
    signs = to_ascii(name, constant, known=collation != UNKNOWN)
    if not signs:
        return result(subject)
    test = writer.piece(".matches", subject, f"[{signs}]")
    problem = broken(writer, sql_type or writer.text_type, SAY if collation == UNKNOWN else "")
    return writer.case([(test, problem)], result(subject))


def to_ascii(name: str, constant: Constant, *, known: bool) -> str:
    """The characters of which it is not certain whether they become some of the constant's."""
    letters = set(constant.signs)
    if name == "LOWER":
        # its small letter has a second character, or none
        several = "\\x{130}" if letters & {*"iI", *("_" if constant.is_pattern else "")} else ""
        return several + ("\\x{212a}" if not known and letters & {*"kK"} else "")
    if constant.is_pattern:
        return _SEVERAL + ("" if known else "\\x{131}\\x{17f}")
    several = "".join(signs for letter, signs in _SEVERAL_OF_ASCII.items() if letter in letters)
    ones = {"I": "\\x{131}", "S": "\\x{17f}"}
    single = "".join(sign for letter, sign in ones.items() if letter in letters and not known)
    return several + single


def broken(writer: Writer, sql_type: str, say: str = SAY) -> exp.Expr:
    """What raises."""
    return writer.raised(_DOUBT + say, sql_type)


def uncertain(sign: str, collation: str | None) -> bool:
    """Whether providers do not agree on what this letter of a pattern is in lower case."""
    return collation == UNKNOWN and re.fullmatch(_LOWER_SIGNS, sign) is not None


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


def _folded(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    return fold_case(writer, node.function.name.upper(), node.input_collation, writer.put(args[0]))


RULES: dict[str, Rule] = dict.fromkeys(FOLDS, _folded)
