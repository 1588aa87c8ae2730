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

from filtersql.filters.engines import values
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Node
from filtersql.filters.write.rules import regex_nth
from filtersql.filters.write.rules.regex_matches import (
    can_be_empty,
    check_end,
    check_groups,
    is_flat,
    lazy,
)
from filtersql.filters.write.rules.regex_printing import written
from filtersql.filters.write.rules.regex_trees import (
    Anchor,
    Choice,
    Group,
    Join,
    Look,
    Regex,
    Repeat,
    Untranslatable,
    has,
)
from filtersql.filters.write.rules.regex_trees import Node as Tree
from filtersql.filters.write.rules.regular_expressions import (
    constant_text,
    guarded,
    matches,
    parsed_for,
    similar_parts,
)
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["FUNCTIONS", "RULES", "Given", "all_matches_end", "given", "takes_part"]

_EMPTY = "A pattern that can match nothing has no form here."
_INT = "INT"


class _Null(Exception):
    """An argument is NULL: so is the result."""


class Given:
    """A call: its subject, its pattern and its other constants."""

    __slots__ = ("args", "node", "regex", "subject")

    def __init__(self, node: Node, args: Sequence[Node], flags: str | None) -> None:
        pattern = constant_text(args[1])
        if pattern is None or flags is None:
            raise _Null
        self.node, self.args, self.subject = node, args, args[0]
        self.regex: Regex = parsed_for(node, pattern, flags)

    def number(self, place: int, default: int) -> int:
        """A whole number among the arguments."""
        value = _constant(self.args, place, default)
        if value is None:
            raise _Null
        return int(str(value))


def _constant(args: Sequence[Node], place: int, default: object) -> object:
    if place >= len(args):
        return default
    known = fold(args[place])
    if known is None:
        raise Untranslatable("All arguments but the first must be constants.")
    return known.value


def given(node: Node, args: Sequence[Node], flags_at: int) -> Given | None:
    """A call whose options stand at that place; None where a constant argument is NULL."""
    flags = _constant(args, flags_at, "")
    try:
        return Given(node, args, None if flags is None else str(flags))
    except _Null:
        return None


def _call(writer: Writer, node: Node, name: str, args: Sequence[Node]) -> exp.Expr:
    """One of FUNCTIONS."""
    rule, flags_at, result = FUNCTIONS[name]
    try:
        if name == "substring" and len(args) == 3:
            return _marked_part(writer, node, args)
        if name == "regexp_replace":
            flags_at = 3 if len(args) == 4 and args[3].type == "text" else 5
        found = given(node, args, flags_at)
        if found is None:
            return values.null(result, writer.engine)
        sql_type = {"bool": "BOOLEAN", "int4": _INT}.get(result, writer.text_type)
        return guarded(writer, found.regex, args[0], rule(writer, found), sql_type)
    except _Null:
        return values.null(result, writer.engine)
    except Untranslatable as problem:
        raise writer.refused(node, str(problem)) from None


def _like(writer: Writer, found: Given) -> exp.Expr:
    if found.regex.everywhere:
        raise Untranslatable('regexp_like() does not support the "global" option.')
    return matches(writer, found.regex, found.subject)


def _from(writer: Writer, found: Given, start: int) -> exp.Expr:
    """The text from a place on, where the pattern does not see what stands before."""
    subject = writer.put(found.subject)
    if start < 1:
        raise Untranslatable("The place to start must be 1 or more.")
    if start == 1:
        return subject
    if has(found.regex.tree, Anchor, Look):
        raise Untranslatable("A pattern with anchors has no form from another place on.")
    return writer.filled("SUBSTRING(_1, _2)", subject, writer.integer(start))


def _count(writer: Writer, found: Given) -> exp.Expr:
    _not_everywhere(found)
    subject = _from(writer, found, found.number(2, 1))
    return writer.piece(".list_length", _all_matches(writer, found, subject, 0))


def _not_everywhere(found: Given) -> None:
    if found.regex.everywhere:
        raise Untranslatable('This function does not support the "global" option.')


def _all_matches(writer: Writer, found: Given, subject: exp.Expr, group: int) -> exp.Expr:
    tree = found.regex.tree
    all_matches_end(tree, group=group)
    pattern = writer.text(f"(?s){written(tree, writer.engine, groups=bool(group))}")
    return writer.piece(".regex_extract_all", subject, pattern, writer.integer(group))


def all_matches_end(tree: Tree, *, group: int = 0) -> None:
    """Raises Untranslatable unless every match, one after the other, ends alike."""
    (check_groups if group else check_end)(tree)
    if can_be_empty(tree):
        raise Untranslatable(_EMPTY)


def _instr(writer: Writer, found: Given) -> exp.Expr:
    _not_everywhere(found)
    start, times, end = found.number(2, 1), found.number(3, 1), found.number(4, 0)
    if times < 1 or end not in (0, 1) or found.number(6, 0) != 0:
        raise Untranslatable("Only a match as a whole has a form.")
    tree = found.regex.tree
    check_end(tree)
    subject = _from(writer, found, start)
    kept = written(tree, writer.engine)
    skipped = regex_nth.skipped(writer, tree, times)
    wanted = f"(?s)\\A({skipped}.*?{kept})" if end else f"(?s)\\A({skipped}.*?){kept}"
    before = writer.piece(".regex_extract", subject, writer.text(wanted), writer.integer(1))
    test = _has_match(writer, found, subject.copy(), times)
    return writer.piece(".regex_place", test, before, writer.integer(start))


def _has_match(writer: Writer, found: Given, subject: exp.Expr, times: int) -> exp.Expr:
    """Whether there is an nth match."""
    if times == 1:
        kept = written(found.regex.tree, writer.engine)
        return writer.piece(".matches", subject, writer.text(f"(?s){kept}"))
    every = _all_matches(writer, found, subject, 0)
    return writer.filled("_1 >= _2", writer.piece(".list_length", every), writer.integer(times))


def _substr(writer: Writer, found: Given) -> exp.Expr:
    _not_everywhere(found)
    start, times, group = found.number(2, 1), found.number(3, 1), found.number(5, 0)
    return _piece_of(writer, found, start, times, group)


def _substring(writer: Writer, found: Given) -> exp.Expr:
    return _piece_of(writer, found, 1, 1, 1 if found.regex.groups else 0)


def _marked_part(writer: Writer, node: Node, args: Sequence[Node]) -> exp.Expr:
    """`substring(s similar 'a#"b#"c' escape '#')`: before the marked part as little as can be."""
    texts = [_constant(args, place, None) for place in (1, 2)]
    if None in texts:
        raise _Null
    parts = [parsed_for(node, part) for part in similar_parts(str(texts[0]), str(texts[1]))]
    if len(parts) != 3 or any(part.groups for part in parts):
        raise Untranslatable("The pattern must mark one part, without groups.")
    trees = [part.tree for part in parts]
    if not all(map(is_flat, trees)):
        raise Untranslatable("What the parts match is not the same everywhere.")
    whole = Join((Anchor("^"), lazy(trees[0]), Group(trees[1], 1), trees[2], Anchor("$")))
    doubts = tuple(dict.fromkeys(doubt for part in parts for doubt in part.doubts))
    pattern = f"(?s){written(whole, writer.engine, groups=True)}"
    subject = writer.put(args[0])
    test = writer.piece(".matches", subject, writer.text(pattern))
    piece = writer.piece(".regex_extract", subject.copy(), writer.text(pattern), writer.integer(1))
    result = writer.case([(test, piece)], None)
    return guarded(writer, Regex(whole, 1, doubts), args[0], result, writer.text_type)


def _piece_of(writer: Writer, found: Given, start: int, times: int, group: int) -> exp.Expr:
    """What the nth match, or a group of it, has matched."""
    regex = found.regex
    if group > regex.groups:
        return values.null("text", writer.engine)
    if group < 0 or times < 1:
        raise Untranslatable("Numbers of matches and groups begin at 1.")
    if group and not takes_part(regex.tree, group):
        raise Untranslatable("Whether the group takes part in the match is not known.")
    subject = _from(writer, found, start)
    if times > 1:
        every = _all_matches(writer, found, subject, group)
        return writer.piece(".list_item", every, writer.integer(times))
    (check_groups if group else check_end)(regex.tree)
    pattern = f"(?s){written(regex.tree, writer.engine, groups=bool(group))}"
    test = writer.piece(".matches", subject, writer.text(pattern))
    piece = writer.piece(
        ".regex_extract", subject.copy(), writer.text(pattern), writer.integer(group)
    )
    return writer.case([(test, piece)], None)


def takes_part(tree: Tree, number: int) -> bool:
    """Whether every match has something for the group."""
    match tree:
        case Group():
            return tree.number == number or takes_part(tree.item, number)
        case Join():
            return any(takes_part(item, number) for item in tree.items)
        case Choice():
            return all(takes_part(item, number) for item in tree.items)
        case Repeat():
            return tree.least > 0 and takes_part(tree.item, number)
    return False


def _replace(writer: Writer, found: Given) -> exp.Expr:
    regex, args = found.regex, found.args
    replacement = _constant(args, 2, "")
    if replacement is None:
        raise _Null
    numbers = len(args) > 3 and args[3].type != "text"
    start = found.number(3, 1) if numbers else 1
    times = found.number(4, 1) if numbers else 1
    if times < 0:
        raise Untranslatable("Numbers of matches begin at 1.")
    # With a number of matches the option "g" is an error; 0 stands for all.
    everywhere = regex.everywhere or (numbers and len(args) > 4 and times == 0)
    if numbers and regex.everywhere:
        raise Untranslatable('The option "global" has no place beside numbers.')
    parts = _parts_of(str(replacement))
    used = any(isinstance(part, int) and part > 0 for part in parts)
    (check_groups if used else check_end)(regex.tree)
    if (everywhere or start > 1) and can_be_empty(regex.tree):
        raise Untranslatable(_EMPTY)
    kept = written(regex.tree, writer.engine, groups=used)
    subject = _from(writer, found, start)
    if times > 1:
        has = _has_match(writer, found, subject.copy(), times)
        result = regex_nth.replaced(writer, subject, regex.tree, kept, parts, times, has)
    else:
        result = _replaced(writer, subject, kept, parts, everywhere, regex.groups)
    if start == 1:
        return result
    before = writer.filled(
        "SUBSTRING(_1, 1, _2)", writer.put(found.subject), writer.integer(start - 1)
    )
    return writer.filled("_1 || _2", before, result)


def _replaced(
    writer: Writer,
    subject: exp.Expr,
    pattern: str,
    parts: Sequence[str | int],
    everywhere: bool,
    groups: int,
) -> exp.Expr:
    known = [part for part in parts if isinstance(part, str) or part <= groups]
    if writer.engine == "duckdb":
        text = "".join(
            part.replace("\\", "\\\\") if isinstance(part, str) else f"\\{part}" for part in known
        )
        piece = ".regex_replace_all" if everywhere else ".regex_replace"
        return writer.piece(piece, subject, writer.text(f"(?s){pattern}"), writer.text(text))
    # Spark replaces every match: the first one is what follows a shortest beginning.
    shift = 0 if everywhere else 2
    text = "" if everywhere else "$1"
    for part in known:
        if isinstance(part, int):
            text += f"${part + shift}"
            continue
        quoted = part.replace("\\", "\\\\").replace("$", "\\$")
        text += f"\\{quoted}" if quoted[:1].isdigit() and text[-2:-1] == "$" else quoted
    whole = f"(?s){pattern}" if everywhere else f"(?s)\\A(.*?)({pattern})"
    return writer.piece(".regex_replace", subject, writer.text(whole), writer.text(text))


def _parts_of(replacement: str) -> list[str | int]:
    r"""Literal texts and numbers of groups; 0 is `\&`, the whole match."""
    found: list[str | int] = []
    text, place = "", 0
    while place < len(replacement):
        sign, following = replacement[place], replacement[place + 1 : place + 2]
        if sign == "\\" and following and following in "123456789&":
            found += [text] if text else []
            found.append(0 if following == "&" else int(following))
            text = ""
        else:
            text += sign
        # `\\` is one backslash; before anything else a backslash stands for itself.
        place += 2 if sign == "\\" and following and following in "123456789&\\" else 1
    return [*found, text] if text else found


_Rule = Callable[["Writer", Given], exp.Expr]
#: function: its rule, where its options stand, the type of its result
FUNCTIONS: dict[str, tuple[_Rule, int, str]] = {
    "regexp_like": (_like, 2, "bool"),
    "regexp_count": (_count, 3, "int4"),
    "regexp_instr": (_instr, 5, "int4"),
    "regexp_substr": (_substr, 4, "text"),
    "regexp_replace": (_replace, 3, "text"),
    "substring": (_substring, 9, "text"),
}
RULES: dict[str, Rule] = {
    **dict.fromkeys(FUNCTIONS.keys() - {"substring"}, _call),
    # another one cuts by places
    **dict.fromkeys(("substring(text,text)", "substring(text,text,text)"), _call),
}
