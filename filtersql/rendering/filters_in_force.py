"""The filters in force as the macros print them: named by a comment, in parentheses, laid out.

Example
    -- publication p1: (a > 5)
    (old_a > 5)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from filtersql.changes import TRANSITIONS, Arm, Criterion, Effect, Judgements
from filtersql.filters.model import Filter
from filtersql.rendering import sql_fragments
from filtersql.rendering.layout import WIDTH, alternatives, criterion_lines, one_line, wrapped
from filtersql.rendering.plan_records import (
    Internals,
    PlannedArm,
    PlannedCriterion,
    PlannedTransition,
)
from filtersql.storage import Engine

__all__ = ["FilterWriter", "earlier_criteria", "judging_words", "not_true", "printed"]

#: gives a filter's text for an image: (filter, "old_" | "new_" | "" | "t.") -> SQL
FilterWriter = Callable[[Filter, str], str]

#: columns before the deepest filter
_DEPTH = 24
#: (every filter must match, NULL matches) -> what the file says of it
_MATCHING = {
    (False, False): (
        "Whether they match the row filters of any publication.",
        "NULL is not a match.",
    ),
    (False, True): ("Whether they match the row filters of any set.", "NULL is a match, too."),
    (True, False): ("Whether they match the row filters of all sets.", "NULL is not a match."),
    (True, True): ("Whether they match the row filters of all sets.", "NULL is a match, too."),
}


def printed(judgements: Judgements, engine: Engine, write: FilterWriter) -> dict[str, Any]:
    """The filters in force: what `Own` holds of them."""
    connective = "AND " if judgements.every else "OR "

    def print_criteria(criteria: Sequence[Criterion], prefix: str) -> tuple[PlannedCriterion, ...]:
        return _criteria(criteria, prefix, write, connective, engine)

    return {
        "old_arms": _arms(judgements.old, print_criteria, engine),
        "new_arms": _arms(judgements.new, print_criteria, engine),
        "copy_criteria": print_criteria(judgements.copy, ""),
        "over": _over(judgements.copy, write, engine),
    }


def earlier_criteria(
    filters: Sequence[Filter],
    write: FilterWriter,
    engine: Engine,
    *,
    matches: bool,
    prefix: str = "",
) -> tuple[PlannedCriterion, ...]:
    """Filters that were in force, of which one had to match; without any, all rows or none did."""
    criteria = [Criterion(f"in force: {each.deparsed}", each) for each in filters]
    none = [Criterion("in force: every row" if matches else "in force: no row", matches=matches)]
    return _criteria(criteria or none, prefix, write, "OR ", engine)


def not_true(criteria: Sequence[PlannedCriterion], engine: Engine) -> str:
    """Whether no filter is true: NULL is not."""
    some = " ".join(f"{one.connective}({one.sql})" for one in criteria)
    known = (some, sql_fragments.true_or_false(value=False, engine=engine))
    return "".join(("NOT COALESCE(", ", ".join(known), ")"))


def _over(criteria: Sequence[Criterion], write: FilterWriter, engine: Engine) -> tuple[str, ...]:
    """Whether the time of a row of the target is over, by any window."""
    filters = (criterion.filter for criterion in criteria)
    texts = [
        write(replace(each, tree=each.over), "")
        for each in filters
        if each is not None and each.over is not None
    ]
    return alternatives(tuple(dict.fromkeys(texts)), WIDTH - _DEPTH) if texts else ()


def judging_words(
    own: Internals, engine: Engine, *, every: bool, unknown_matches: bool
) -> dict[str, Any]:
    """How filters are combined, and what becomes of a change that they judged."""
    return {
        "matching": _MATCHING[every, unknown_matches],
        "unknown_matches": sql_fragments.true_or_false(value=unknown_matches, engine=engine),
        "transitions": _transitions(own, engine),
    }


def _arms(
    arms: Sequence[Arm],
    print_criteria: Callable[[Sequence[Criterion], str], tuple[PlannedCriterion, ...]],
    engine: Engine,
) -> tuple[PlannedArm, ...]:
    return tuple(
        PlannedArm(
            tuple(sql_fragments.literal(op, engine) for op in arm.ops),
            print_criteria(arm.criteria, f"{arm.image}_"),
        )
        for arm in arms
    )


def _criteria(
    criteria: Sequence[Criterion],
    prefix: str,
    write: FilterWriter,
    connective: str,
    engine: Engine,
) -> tuple[PlannedCriterion, ...]:
    return tuple(
        _criterion(criterion, connective if position else "", prefix, write, engine)
        for position, criterion in enumerate(criteria)
    )


def _criterion(
    criterion: Criterion,
    connective: str,
    prefix: str,
    write: FilterWriter,
    engine: Engine,
) -> PlannedCriterion:
    label, sql = (
        sql_fragments.comment(one_line(criterion.label)),
        _condition(criterion, prefix, write, engine),
    )
    label_lines = tuple(
        sql_fragments.comment(line) for line in wrapped(label, WIDTH - _DEPTH - len("-- "), 2)
    )
    lines = criterion_lines(sql, engine, WIDTH - _DEPTH)
    return PlannedCriterion(connective, label, sql, lines, label_lines)


def _condition(criterion: Criterion, prefix: str, write: FilterWriter, engine: Engine) -> str:
    if criterion.stops is not None:
        return sql_fragments.raise_error(f"filtersql: {criterion.stops}", engine)
    if criterion.filter is not None:
        return write(criterion.filter, prefix)
    return sql_fragments.true_or_false(value=criterion.matches, engine=engine)


@lru_cache(maxsize=64)
def _transitions(own: Internals, engine: Engine) -> tuple[PlannedTransition, ...]:
    def matches(name: str, *, yes: bool) -> str:
        return sql_fragments.named(name, engine) if yes else sql_fragments.negated(name, engine)

    return tuple(
        PlannedTransition(
            matches(own.old_matches, yes=old),
            matches(own.new_matches, yes=new),
            sql_fragments.literal(Effect(effect).value, engine),
        )
        for (old, new), effect in TRANSITIONS.items()
    )
