r"""A call of regexp_replace or its family: its subject, its pattern, and its other constants.

Example
    Of `regexp_count(s, 'a+', 3, 'i')`:

    =============================== ==================================
    `given(node, args).subject`     `s`
    `given(node, args).regex`       the tree of `a+`, without case
    `given(node, args).number(2, 1)` 3, the place to start
    =============================== ==================================

    A constant NULL among them makes the result NULL.

PostgreSQL
    regexp.c: parse_re_flags(), setup_regexp_matches().
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from sqlglot import exp

from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.write.rules.regex_matches import all_matches_end
from filtersql.filters.write.rules.regex_printing import written
from filtersql.filters.write.rules.regex_trees import Anchor, Look, Regex, Untranslatable, has
from filtersql.filters.write.rules.regular_expressions import constant_text, options_at, parsed_for
from filtersql.filters.write.writer import Writer

__all__ = [
    "Given",
    "NullArgument",
    "all_matches",
    "check_not_global",
    "constant_argument",
    "first_match",
    "given",
    "has_match",
    "text_from",
]


class NullArgument(Exception):
    """An argument is NULL: so is the result."""


class Given(Struct, frozen=True):
    """A call: its arguments, and its pattern."""

    args: Sequence[Node]
    regex: Regex

    @property
    def subject(self) -> Node:
        """The text in which the pattern is looked for."""
        return self.args[0]

    def number(self, place: int, default: int) -> int:
        """A whole number among the arguments."""
        value = constant_argument(self.args, place, default)
        if value is None:
            raise NullArgument
        return int(str(value))


def constant_argument(args: Sequence[Node], place: int, default: object) -> object:
    """The constant at a place, which may be left out."""
    if place >= len(args):
        return default
    known = fold(args[place])
    if known is None:
        raise Untranslatable("All arguments but the first must be constants.")
    return known.value


def given(node: Func | Op, args: Sequence[Node]) -> Given:
    """A call and its pattern; raises NullArgument where that, or its options, are NULL."""
    flags, pattern = constant_argument(args, options_at(node), ""), constant_text(args[1])
    if pattern is None or flags is None:
        raise NullArgument
    return Given(args, parsed_for(node, pattern, str(flags)))


def text_from(writer: Writer, found: Given, start: int) -> exp.Expr:
    """The text from a place on, where the pattern does not see what stands before."""
    subject = writer.put(found.subject)
    if start < 1:
        raise Untranslatable("The place to start must be 1 or more.")
    if start == 1:
        return subject
    if has(found.regex.tree, Anchor, Look):
        raise Untranslatable("A pattern with anchors has no form from another place on.")
    return writer.filled("SUBSTRING(_1, _2)", subject, start)


def check_not_global(found: Given) -> None:
    """Raises Untranslatable for the option "g"."""
    if found.regex.everywhere:
        raise Untranslatable('This function does not support the "global" option.')


def all_matches(writer: Writer, found: Given, subject: exp.Expr, group: int) -> exp.Expr:
    """The list of what all matches, or a group of each, have matched."""
    tree = found.regex.tree
    all_matches_end(tree, group=group)
    pattern = f"(?s){written(tree, writer.engine, groups=bool(group))}"
    return writer.piece(".regex_extract_all", subject, pattern, group)


def first_match(writer: Writer, subject: exp.Expr, pattern: str, group: int) -> exp.Expr:
    """What the first match, or a group of it, has matched; NULL where there is none."""
    test = writer.piece(".matches", subject, pattern)
    found = writer.piece(".regex_extract", subject, pattern, group)
    return writer.case([(test, found)], None)


def has_match(writer: Writer, found: Given, subject: exp.Expr, times: int) -> exp.Expr:
    """Whether there is an nth match."""
    if times == 1:
        kept = written(found.regex.tree, writer.engine)
        return writer.piece(".matches", subject, f"(?s){kept}")
    every = all_matches(writer, found, subject, 0)
    return writer.filled("_1 >= _2", writer.piece(".list_length", every), times)
