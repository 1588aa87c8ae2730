"""quote_ident(): a name in double quotes, unless it is a plain one and no keyword.

Example
    `quote_ident('A b')` is `"A b"`, `quote_ident('user')` is `"user"`, `quote_ident('a')` is `a`.

PostgreSQL
    quote.c: quote_ident(); ruleutils.c: quote_identifier().
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.write.writer import Family, Writer
from filtersql.names import KEYWORDS
from filtersql.storage import Engine

__all__ = ["FAMILY"]


def _rows(engine: Engine) -> dict[str, str]:
    """The piece of an engine."""
    # \z, not $: the end of the text, not of its last line
    pattern = "'\\\\A[a-z_][a-z0-9_]*\\\\z'" if engine == "spark" else "'\\A[a-z_][a-z0-9_]*\\z'"
    plain = f"_1 RLIKE {pattern}" if engine == "spark" else f"REGEXP_MATCHES(_1, {pattern})"
    words = ", ".join(f"'{word}'" for word in sorted(KEYWORDS))
    return {
        ".quote_ident": f"CASE WHEN {plain} AND NOT _1 IN ({words}) THEN _1 "
        "ELSE '\"' || REPLACE(_1, '\"', '\"\"') || '\"' END"
    }


def _quote_ident(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    if writer.postgres_version < 17:
        raise writer.refused(node, "Which words need quotes is known from PostgreSQL 17 on.")
    return writer.piece(".quote_ident", writer.put(args[0]))


FAMILY = Family(
    rules={"quote_ident(text)": _quote_ident},
    rows=_rows,
)
