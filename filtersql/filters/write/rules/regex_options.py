r"""The options of a regular expression: of the flags, of its director, and embedded in it.

Example
    ==================== ========= ===================================================
    pattern              flags     options
    ==================== ========= ===================================================
    `a.b`                `i`       upper and lower case are alike
    `(?n)^a`             none      a line's ends are seen by `^`, `$` and `.`
    `***=a.b`            none      quoted: every sign stands for itself
    `a b  # a comment`   `x`       expanded: without blanks and comments
    ==================== ========= ===================================================

PostgreSQL
    regexp.c, parse_re_flags(); regc_lex.c, prefixes().
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from filtersql.filters.write.rules.regex_trees import Untranslatable

__all__ = ["Options", "options_of"]


class Options(Struct, frozen=True):
    """How a pattern is read; `lines`: p and w, by which `.` and `^` see where a line ends."""

    ignore_case: bool = False
    lines: str = ""
    expanded: bool = False
    quoted: bool = False
    everywhere: bool = False


def options_of(pattern: str, flags: str) -> tuple[Options, str]:
    """The options, and the pattern behind those that it begins with; raises Untranslatable."""
    options = Options()
    for flag in flags:
        options = replace(options, everywhere=True) if flag == "g" else _switched(options, flag)
    if pattern.startswith("***="):
        options, pattern = replace(options, quoted=True), pattern[4:]
    elif pattern.startswith("***:"):
        pattern = pattern[4:]
    elif pattern.startswith("***"):
        raise Untranslatable("Its director cannot be read.")
    if not options.quoted and pattern.startswith("(?") and pattern[2:3].isalpha():
        letters, closed, pattern = pattern[2:].partition(")")
        if not closed or not letters.isalpha():
            raise Untranslatable("Its embedded options cannot be read.")
        for flag in letters:
            options = _switched(options, flag)
    return options, pattern


def _switched(options: Options, flag: str) -> Options:
    match flag:
        case "i" | "c":
            return replace(options, ignore_case=flag == "i")
        case "n" | "m" | "s" | "p" | "w":
            return replace(options, lines={"n": "pw", "m": "pw", "s": ""}.get(flag, flag))
        case "x" | "t":
            return replace(options, expanded=flag == "x")
        case "q":
            return replace(options, quoted=True)
    raise Untranslatable(f'The option "{flag}" has no form.')
