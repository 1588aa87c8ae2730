r"""The nth match of a regular expression: what stands before it, and what takes its place.

Example
    ============================================= =========================================
    node                                          written for DuckDB
    ============================================= =========================================
    `regexp_replace(s, 'a', 'x', 1, 2)`           REGEXP_REPLACE(s, '\A((?:.*?a){1}.*?)(a)',
                                                  '\1x') where s has two matches
    `regexp_instr(s, 'a', 1, 2)`                  the length of '\A((?:.*?a){1}.*?)a'
    ============================================= =========================================

    An engine tries the matches in this order first, and finds others only where so many are not
    there: that is asked before.

PostgreSQL
    regexp.c, setup_regexp_matches(); varlena.c, replace_text_regexp(): a search goes on behind the
    match before.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.write.rules.regex_printing import written
from filtersql.filters.write.rules.regex_replacements import put_back
from filtersql.filters.write.rules.regex_trees import Node, Untranslatable
from filtersql.filters.write.writer import Writer

__all__ = ["replaced", "skipped"]

#: a match that is counted; an engine writes the pattern as often
_MOST = 50
#: the last group that a digit names
_LAST_GROUP = 9


def skipped(writer: Writer, tree: Node, times: int) -> str:
    """The matches before the nth one, and what is between them."""
    if times == 1:
        return ""
    if times > _MOST:
        raise Untranslatable(f"More than {_MOST} matches have no form.")
    return f"(?:.*?{written(tree, writer.engine)}){{{times - 1}}}"


def replaced(
    writer: Writer,
    subject: exp.Expr,
    tree: Node,
    pattern: str,
    parts: Sequence[str | int],
    times: int,
    has: exp.Expr,
) -> exp.Expr:
    """The text with its nth match replaced; itself where it has fewer."""
    behind = f"(?s)\\A({skipped(writer, tree, times)}.*?)({pattern})"
    whole = [1, *(part if isinstance(part, str) else part + 2 for part in parts)]
    if any(isinstance(part, int) and part > _LAST_GROUP for part in whole):
        raise Untranslatable("Of so many groups none can be put back.")
    shown = put_back(whole, spark=writer.engine == "spark")
    changed = writer.piece(".regex_replace", subject, behind, shown)
    return writer.case([(has, changed)], subject)
