r"""Arrays that functions make of a text, as the engine's lists of texts.

Example
    ==================================== ===================================================
    filter                               written for DuckDB
    ==================================== ===================================================
    `'a' = ANY (string_to_array(s,','))` LIST_CONTAINS(STRING_SPLIT(s, ','), 'a')
    `regexp_match(s, '(\d+)') IS NULL`   NOT REGEXP_MATCHES(s, '(?s)([0-9]+)')
    ==================================== ===================================================

PostgreSQL
    varlena.c, text_to_array(): an empty text has no elements; regexp.c,
    build_regexp_split_result().
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node
from filtersql.filters.write.rules.array_lists import list_type
from filtersql.filters.write.rules.regex_calls import NullArgument, given
from filtersql.filters.write.rules.regex_matches import all_matches_end, check_groups, takes_part
from filtersql.filters.write.rules.regex_printing import sign, written
from filtersql.filters.write.rules.regex_trees import Untranslatable
from filtersql.filters.write.rules.regular_expressions import guarded, matches
from filtersql.filters.write.writer import Writer

__all__ = ["FUNCTIONS", "listed", "made"]

FUNCTIONS = {"string_to_array", "regexp_split_to_array", "regexp_match"}


def made(node: Node) -> Func | None:
    """The call, if the node is one that makes an array of a text."""
    if isinstance(node, Func) and node.function.name in FUNCTIONS:
        return node
    return None


def listed(writer: Writer, node: Func) -> exp.Expr:
    """The list of a call."""
    try:
        if node.function.name == "string_to_array":
            return _split_plainly(writer, node.args)
        return _by_pattern(writer, node)
    except NullArgument:
        return writer.piece(".no_list")
    except Untranslatable as problem:
        raise writer.refused(node, str(problem)) from None


def _split_plainly(writer: Writer, args: Sequence[Node]) -> exp.Expr:
    known = [fold(arg) for arg in args[1:]]
    if None in known:
        raise Untranslatable("The delimiter must be a constant.")
    delimiter, *rest = [item.value for item in known if item is not None]
    subject = writer.put(args[0])
    if delimiter is None:
        parts = writer.piece(".characters", subject)
    elif delimiter == "":
        parts = exp.Array(expressions=[subject])
    elif writer.engine == "spark":
        pattern = "".join(sign(ord(one)) for one in str(delimiter))
        parts = writer.piece(".split_plain", subject, pattern)
    else:
        parts = writer.piece(".split_plain", subject, str(delimiter))
    if rest and rest[0] is not None:
        parts = writer.piece(".nulls_for", parts, str(rest[0]))
    empty = writer.filled("_1 = ''", subject)
    return writer.case(
        [(empty, writer.piece(".empty_list")), (writer.is_not_null(subject), parts)],
        writer.piece(".no_list"),
    )


def _by_pattern(writer: Writer, node: Func) -> exp.Expr:
    found = given(node, node.args)
    if found.regex.everywhere:
        raise Untranslatable('This function does not support the "global" option.')
    tree, subject = found.regex.tree, writer.put(found.subject)
    sql_type = list_type(writer, "text")
    if node.function.name == "regexp_split_to_array":
        all_matches_end(tree)
        pattern = f"(?s){written(tree, writer.engine)}"
        return guarded(
            writer, found.regex, found.subject, writer.piece(".split", subject, pattern), sql_type
        )
    groups = range(1, found.regex.groups + 1) if found.regex.groups else [0]
    check_groups(tree)
    if not all(takes_part(tree, number) for number in groups if number):
        raise Untranslatable("Whether a group takes part in the match is not known.")
    pattern = f"(?s){written(tree, writer.engine, groups=True)}"
    items = [writer.piece(".regex_extract", subject, pattern, number) for number in groups]
    matched = matches(writer, found.regex, found.subject)
    result = writer.case([(matched, exp.Array(expressions=items))], writer.piece(".no_list"))
    return guarded(writer, found.regex, found.subject, result, sql_type)
