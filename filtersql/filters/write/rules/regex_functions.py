r"""regexp_replace and its family, where a match ends at the same place on every engine.

Example
    ====================================== ==============================================
    filter                                 written for DuckDB
    ====================================== ==============================================
    `regexp_replace(s, '\D', '', 'g')`     REGEXP_REPLACE(s, '(?s)[^0-9]', '', 'g')
    `substring(s from '@(.*)$') = 'x.org'` CASE WHEN … THEN REGEXP_EXTRACT(s, …, 1) END
    `regexp_count(s, 'a') > 1`             LEN(REGEXP_EXTRACT_ALL(s, '(?s)a'))
    ====================================== ==============================================

    `regex_matches` says whether the engine's match is PostgreSQL's.

PostgreSQL
    regexp.c: setup_regexp_matches(), textregexsubstr(); varlena.c, replace_text_regexp().
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.write.rules import regex_nth, regex_replacements
from filtersql.filters.write.rules.regex_calls import (
    Given,
    NullArgument,
    all_matches,
    check_not_global,
    constant_argument,
    first_match,
    given,
    has_match,
    text_from,
)
from filtersql.filters.write.rules.regex_matches import (
    check_end,
    check_groups,
    check_not_empty,
    is_flat,
    lazy,
    takes_part,
)
from filtersql.filters.write.rules.regex_printing import written
from filtersql.filters.write.rules.regex_trees import Anchor, Group, Join, Regex, Untranslatable
from filtersql.filters.write.rules.regular_expressions import (
    guarded,
    matches,
    parsed_for,
    similar_parts,
)
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["FUNCTIONS", "RULES"]

_INT = "INT"


def _call(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """One of FUNCTIONS."""
    rule, result = FUNCTIONS[node.function.name]
    try:
        if node.function.name == "substring" and len(args) == 3:
            return _marked_part(writer, node, args)
        found = given(node, args)
        sql_type = {"bool": "BOOLEAN", "int4": _INT}.get(result, writer.text_type)
        return guarded(writer, found.regex, args[0], rule(writer, found), sql_type)
    except NullArgument:
        return writer.typed(None, result)
    except Untranslatable as problem:
        raise writer.refused(node, str(problem)) from None


def _like(writer: Writer, found: Given) -> exp.Expr:
    if found.regex.everywhere:
        raise Untranslatable('regexp_like() does not support the "global" option.')
    return matches(writer, found.regex, found.subject)


def _count(writer: Writer, found: Given) -> exp.Expr:
    check_not_global(found)
    subject = text_from(writer, found, found.number(2, 1))
    return writer.piece(".list_length", all_matches(writer, found, subject, 0))


def _instr(writer: Writer, found: Given) -> exp.Expr:
    check_not_global(found)
    start, times, end = found.number(2, 1), found.number(3, 1), found.number(4, 0)
    if times < 1 or end not in (0, 1) or found.number(6, 0) != 0:
        raise Untranslatable("Only a match as a whole has a form.")
    tree = found.regex.tree
    check_end(tree)
    subject = text_from(writer, found, start)
    kept = written(tree, writer.engine)
    skipped = regex_nth.skipped(writer, tree, times)
    wanted = f"(?s)\\A({skipped}.*?{kept})" if end else f"(?s)\\A({skipped}.*?){kept}"
    before = writer.piece(".regex_extract", subject, wanted, 1)
    test = has_match(writer, found, subject, times)
    return writer.piece(".regex_place", test, before, start)


def _substr(writer: Writer, found: Given) -> exp.Expr:
    check_not_global(found)
    start, times, group = found.number(2, 1), found.number(3, 1), found.number(5, 0)
    return _piece_of(writer, found, start, times, group)


def _substring(writer: Writer, found: Given) -> exp.Expr:
    return _piece_of(writer, found, 1, 1, 1 if found.regex.groups else 0)


def _marked_part(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """`substring(s similar 'a#"b#"c' escape '#')`: before the marked part as little as can be."""
    texts = [constant_argument(args, place, None) for place in (1, 2)]
    if None in texts:
        raise NullArgument
    parts = [parsed_for(node, part) for part in similar_parts(str(texts[0]), str(texts[1]))]
    if len(parts) != 3 or any(part.groups for part in parts):
        raise Untranslatable("The pattern must mark one part, without groups.")
    trees = [part.tree for part in parts]
    if not all(map(is_flat, trees)):
        raise Untranslatable("What the parts match is not the same everywhere.")
    whole = Join((Anchor("^"), lazy(trees[0]), Group(trees[1], 1), trees[2], Anchor("$")))
    doubts = tuple(dict.fromkeys(doubt for part in parts for doubt in part.doubts))
    pattern = f"(?s){written(whole, writer.engine, groups=True)}"
    result = first_match(writer, writer.put(args[0]), pattern, 1)
    return guarded(writer, Regex(whole, 1, doubts), args[0], result, writer.text_type)


def _piece_of(writer: Writer, found: Given, start: int, times: int, group: int) -> exp.Expr:
    """What the nth match, or a group of it, has matched."""
    regex = found.regex
    if group > regex.groups:
        return writer.typed(None, "text")
    if group < 0 or times < 1:
        raise Untranslatable("Numbers of matches and groups begin at 1.")
    if group and not takes_part(regex.tree, group):
        raise Untranslatable("Whether the group takes part in the match is not known.")
    subject = text_from(writer, found, start)
    if times > 1:
        every = all_matches(writer, found, subject, group)
        return writer.piece(".list_item", every, times)
    (check_groups if group else check_end)(regex.tree)
    pattern = f"(?s){written(regex.tree, writer.engine, groups=bool(group))}"
    return first_match(writer, subject, pattern, group)


def _replace(writer: Writer, found: Given) -> exp.Expr:
    regex, args = found.regex, found.args
    replacement = constant_argument(args, 2, "")
    if replacement is None:
        raise NullArgument
    numbers = len(args) > 3 and args[3].type != "text"
    start = found.number(3, 1) if numbers else 1
    times = found.number(4, 1) if numbers else 1
    if times < 0:
        raise Untranslatable("Numbers of matches begin at 1.")
    # With a number of matches the option "g" is an error; 0 stands for all.
    everywhere = regex.everywhere or (numbers and len(args) > 4 and times == 0)
    if numbers and regex.everywhere:
        raise Untranslatable('The option "global" has no place beside numbers.')
    parts = regex_replacements.parts_of(str(replacement))
    used = any(isinstance(part, int) and part > 0 for part in parts)
    (check_groups if used else check_end)(regex.tree)
    if everywhere or start > 1:
        check_not_empty(regex.tree)
    kept = written(regex.tree, writer.engine, groups=used)
    subject = text_from(writer, found, start)
    if times > 1:
        has = has_match(writer, found, subject, times)
        result = regex_nth.replaced(writer, subject, regex.tree, kept, parts, times, has)
    else:
        result = regex_replacements.replaced(writer, subject, kept, parts, everywhere, regex.groups)
    if start == 1:
        return result
    before = writer.filled("SUBSTRING(_1, 1, _2)", writer.put(found.subject), start - 1)
    return writer.filled("_1 || _2", before, result)


_Rule = Callable[["Writer", Given], exp.Expr]
#: function: its rule, and the type of its result
FUNCTIONS: dict[str, tuple[_Rule, str]] = {
    "regexp_like": (_like, "bool"),
    "regexp_count": (_count, "int4"),
    "regexp_instr": (_instr, "int4"),
    "regexp_substr": (_substr, "text"),
    "regexp_replace": (_replace, "text"),
    "substring": (_substring, "text"),
}
RULES: dict[str, Rule] = {
    **dict.fromkeys(FUNCTIONS.keys() - {"substring"}, _call),
    # another one cuts by places
    **dict.fromkeys(("substring(text,text)", "substring(text,text,text)"), _call),
}
