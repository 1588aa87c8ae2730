r"""LIKE and ILIKE with a pattern that rows have: `s LIKE t`, `s ILIKE t || '%' ESCAPE '#'`.

Example
    ======================== ===========================================================
    the row's pattern        what is done
    ======================== ===========================================================
    `a\bc`                   `abc`: before a letter PostgreSQL's escape means the letter
    `a#%`, the escape is `#` `a\%`
    `a%\`                    the row raises if PostgreSQL reads its text up to the escape
    ======================== ===========================================================

PostgreSQL
    like_match.c, MatchText(); like.c, Generic_Text_IC_like(): both sides in lower case.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.tree import locales
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.write.rules import case_comparisons, letter_case
from filtersql.filters.write.writer import Writer

__all__ = ["UNFINISHED", "ignores_case", "matches", "of_column"]

#: `%` and `_`, none of them escaped, are its end
_TAKES_ONE = r"(?s)(?:\A|[^\\])(?:\\\\)*(?:\\[%_])?%[%_]*_[%_]*\z"
UNFINISHED = "LIKE pattern must not end with escape character"


def of_column(pattern: Node) -> bool:
    """Whether rows have patterns of their own."""
    pattern = bare(pattern)
    if isinstance(pattern, Func) and pattern.function.name == "like_escape":
        pattern = pattern.args[0]
    return fold(pattern) is None


def ignores_case(node: Func | Op) -> bool:
    """Whether it is ILIKE."""
    return "icl" in node.function.name or "icn" in node.function.name


def matches(writer: Writer, node: Func | Op, subject: exp.Expr, pattern: Node) -> exp.Expr:
    """Whether the text matches the row's pattern; before letters its escapes mean the letter."""
    pattern = bare(pattern)
    escape = "\\"
    if isinstance(pattern, Func) and pattern.function.name == "like_escape":
        sign = fold(pattern.args[1])
        if sign is None or len(str(sign.value)) > 1:
            raise writer.refused(node, "The escape must be a constant of one character, or empty.")
        if sign.value is None:
            return writer.typed(None, "bool")
        escape, pattern = str(sign.value), pattern.args[0]
    text = writer.put(pattern)
    if escape not in ("", "\\"):
        text = _usually_escaped(writer, text, escape)
    plain = writer.filled("REPLACE(_1, _2, _3)", text, "\\", "\\\\")
    kept = writer.piece(".like_pattern", text) if escape else plain

    def tested(against: exp.Expr) -> exp.Expr:
        if ignores_case(node):
            return _both_lower(writer, node.input_collation, subject, against)
        return _escaped_like(writer, (subject, against))

    if not escape:
        # first: of a text that is NULL Spark's LIKE does not compute the pattern, which may raise
        missing = writer.absent(text, pattern)
        return writer.case([(missing, writer.typed(None, "bool"))], tested(kept))
    broken = writer.raised(UNFINISHED, "BOOLEAN")
    known = writer.is_not_null(subject)
    raised = writer.case([(tested(_reaching(writer, kept)), broken), (known, False)], None)
    unfinished = writer.piece(".like_unfinished", text)
    return writer.case([(unfinished, raised)], tested(kept))


def _reaching(writer: Writer, unended: exp.Expr) -> exp.Expr:
    """The pattern of the texts of which PostgreSQL reads on to the escape that ends a pattern.

    Something must be left of them: the sign behind a last `%`, or one more.
    """
    body = writer.filled("LEFT(_1, LENGTH(_1) - 1)", unended)
    takes_one = writer.piece(".matches", body, _TAKES_ONE)
    return writer.case([(takes_one, body)], writer.filled("_1 || '_%'", body))


def _both_lower(
    writer: Writer, collation: str | None, subject: exp.Expr, pattern: exp.Expr
) -> exp.Expr:
    """ILIKE of a text and a pattern that rows have."""
    sides = (subject, pattern)
    if collation == locales.UNKNOWN:
        pairs = [(side, "LOWER") for side in sides]
        return case_comparisons.either(writer, pairs, lambda found: _escaped_like(writer, found))
    return _escaped_like(
        writer, [letter_case.fold_case(writer, "LOWER", collation, side) for side in sides]
    )


def _escaped_like(writer: Writer, sides: Sequence[exp.Expr]) -> exp.Expr:
    text = "_1 LIKE _2" if writer.engine == "spark" else "_1 LIKE _2 ESCAPE '\\'"
    return writer.filled(text, *sides)


def _usually_escaped(writer: Writer, text: exp.Expr, escape: str) -> exp.Expr:
    """like_escape(): a pattern with the usual escape in the place of another one."""
    sign = f"\\x{{{ord(escape):x}}}"
    doubled = writer.piece(
        ".replaced_all", text, *_replacing(writer, rf"(?s)({sign}.)|(\\)", "122")
    )
    return writer.piece(".replaced_all", doubled, *_replacing(writer, rf"(?s){sign}(.?)", "\\1"))


def _replacing(writer: Writer, pattern: str, groups: str) -> tuple[exp.Expr, exp.Expr]:
    """A regular expression, and what stands for its groups, or a backslash."""
    mark = "$" if writer.engine == "spark" else "\\"
    shown = "".join("\\\\" if group == "\\" else f"{mark}{group}" for group in groups)
    return writer.text(pattern), writer.text(shown)
