"""A regular expression that rows have: `s ~ t`, `s ~ ('^' || t)`.

Example
    ======================== ===========================================================
    the row's pattern        what is done
    ======================== ===========================================================
    `^ab[0-9]+$`             means the same everywhere but for `$`: it is used
    `a|b.c`, `x{2,3}`        used
    `(a)\\1`, `\\d`, `[[:a:]]` the row raises: the engines read it another way, or not at all
    ======================== ===========================================================

    Only the simple patterns are used: characters, `.`, `^` and `$` around a branch, `|`, classes of
    ASCII's letters and digits, punctuation behind a backslash, and `* + ? {m,n}` once behind one;
    and only short ones.

PostgreSQL
    regcomp.c: parsebranch(), parseqatom(); a newline is a character as any other one. REG_ETOOBIG:
    `x{0,99}` 154 times, or `x*` 750 times, is too complex (asked of 18.6).
"""

from __future__ import annotations

from sqlglot import exp

from filtersql.filters.engines.templates import operand
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.write.writer import Writer

__all__ = ["matches", "of_column"]

_CLASS = r"\[\^?(?:[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]|[A-Za-z0-9_ ])+\]"
_ATOM = rf"(?:[^\\^$.|?*+()\[\]{{}}]|[.]|\\[.*+?()\[\]{{}}|^$\\/-]|{_CLASS})"
_REPEATED = r"(?:[*+?]|\{[0-9]{1,2}(?:,[0-9]{0,2})?\})?"
_BRANCH = rf"(?:\^?(?:{_ATOM}{_REPEATED})+\$?|\^\$?|\$)"
_SIMPLE = rf"(?s)\A(?:{_BRANCH}(?:[|]{_BRANCH})*)?\z"
#: all before an end of the text that is no escaped character, from the end of the one before
_BEFORE_END = r"\G((?:\\.|[^\\$])*+)[$]"
#: with `~*`, letters outside ASCII depend on the locale, the two i of Turkish too; DuckDB knows a
#: third form of k and s
_ASCII = r"\A[\x{0}-\x{7f}]*\z"
_FOLDED = r"[\x{130}\x{131}\x{17f}\x{212a}]"
#: of many characters a pattern may be an error of PostgreSQL's
_LONGEST = 500
_OTHER = "the regular expression of this row may mean something else on the engine"


def of_column(pattern: Node) -> bool:
    """Whether rows have patterns of their own, of `~` and not of SIMILAR TO."""
    pattern = bare(pattern)
    if isinstance(pattern, Func) and pattern.function.name == "similar_to_escape":
        return False
    return fold(pattern) is None


def matches(writer: Writer, subject: Node, pattern: Node, ignore_case: bool) -> exp.Expr:
    """Whether the text has a match of the row's pattern; a pattern of another kind raises."""
    text, used = writer.put(subject), writer.put(pattern)
    simple = writer.filled(
        f"LENGTH(_1) <= {_LONGEST} AND _2", used, writer.piece(".matches", used, _SIMPLE)
    )
    if ignore_case:
        sure = writer.piece(".matches", used, _ASCII)
        doubt = writer.piece(".matches", text, _FOLDED)
        simple = writer.filled("_1 AND _2 AND NOT _3", simple, sure, doubt)
    flags = "(?si)" if ignore_case else "(?s)"
    whole = writer.filled("_1 || _2", flags, _ended(writer, used))
    broken = writer.raised(_OTHER, "BOOLEAN")
    unknown = exp.or_(writer.is_null(text), writer.is_null(used), copy=False)
    test = writer.piece(".matches", text, whole)
    return writer.case([(unknown, None), (exp.Not(this=operand(simple)), broken)], test)


def _ended(writer: Writer, pattern: exp.Expr) -> exp.Expr:
    """On Spark `$` is an end before the last newline too; elsewhere it means `\\z`."""
    if writer.engine != "spark":
        return pattern
    return writer.piece(".replaced_all", pattern, _BEFORE_END, "$1\\\\z")
