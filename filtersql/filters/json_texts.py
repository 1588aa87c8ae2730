"""What a jsonpath asks of a string: its beginning, and a regular expression.

Example
    ============================ ====================================================
    condition                    written as
    ============================ ====================================================
    `@ starts with "a"`          of a string: it begins with a; else unknown
    `@ like_regex "^x" flag "i"` of a string: `~*` with this pattern; else unknown
    ============================ ====================================================

PostgreSQL
    jsonpath_exec.c: executeStartsWith(), executeLikeRegex(); jsonpath_gram.y, XQuery's flags.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters.literals.jsonpath_trees import Like
from filtersql.filters.nodes import Node
from filtersql.filters.regex_syntax import parsed
from filtersql.filters.regex_trees import Untranslatable
from filtersql.filters.regex_writing import written

if TYPE_CHECKING:
    from filtersql.filters.writer import Writer

__all__ = ["like", "starts"]


def starts(writer: Writer, one: exp.Expr, beginning: str) -> exp.Expr:
    """`starts with`, of a raw text."""
    is_text = writer.piece(".begins", one, writer.text("s"))
    test = writer.piece(".begins", one.copy(), writer.text(f"s{beginning}"))
    return writer.case([(is_text, test)], None)


def like(writer: Writer, node: Node, tree: Like) -> Callable[[exp.Expr], exp.Expr]:
    """`like_regex`, by the same regular expressions as `~`: the test of a raw text."""
    flags = tree.flags.replace("s", "").replace("m", "w")
    flags += "" if "s" in tree.flags or "q" in tree.flags else "p"
    try:
        regex = parsed(tree.pattern, flags)
        if regex.doubts or "x" in flags:
            raise Untranslatable("What this pattern matches depends on the database's locale.")
        pattern = writer.text(f"(?s){written(regex.tree, writer.engine)}")
    except Untranslatable as problem:
        raise writer.refused(node, str(problem)) from None

    def test(one: exp.Expr) -> exp.Expr:
        is_text = writer.piece(".begins", one, writer.text("s"))
        bare = writer.filled("SUBSTRING(_1, 2)", one.copy())
        return writer.case([(is_text, writer.piece(".matches", bare, pattern))], None)

    return test
