"""Which of several functions or operators of one name PostgreSQL takes.

Example
    `d > '2024-01-01'`: of the candidates for `date > unknown`, the one whose second argument has
    the type of the first.

PostgreSQL
    parse_func.c, func_match_argtypes() and func_select_candidate(): the rules of "Operator Type
    Resolution" and "Function Type Resolution" in the manual, in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from filtersql.filters.facts import facts
from filtersql.filters.resolve.pathways import can_coerce
from filtersql.filters.resolve.polymorphic import consistent

__all__ = ["Candidate", "best", "matching"]

Thing = TypeVar("Thing")


class Candidate(NamedTuple):
    """A function or operator with the argument types that it would have in this call."""

    thing: object
    args: tuple[str, ...]


def matching(candidates: Sequence[Candidate], actual: Sequence[str]) -> list[Candidate]:
    """Those that the arguments can be implicitly cast to."""
    return [
        candidate
        for candidate in candidates
        if len(candidate.args) == len(actual)
        and all(map(lambda have, want: can_coerce(have, want, "i"), actual, candidate.args))
        and consistent(actual, candidate.args)
    ]


def best(candidates: Sequence[Candidate], actual: Sequence[str]) -> Candidate | None:
    """The one that wins, or None when the call is ambiguous."""
    if len(candidates) <= 1:
        return candidates[0] if candidates else None
    known = facts()
    left = _most(candidates, actual, lambda have, want: have == want)
    if len(left) == 1:
        return left[0]
    left = _most(
        left,
        actual,
        lambda have, want: have == want or (known.type(want).preferred and _same(have, want)),
    )
    if len(left) == 1:
        return left[0]
    unknown = [place for place, name in enumerate(actual) if name == "unknown"]
    if not unknown:
        return None
    chosen = _by_category(left, unknown)
    if chosen is not None:
        left = chosen
        if len(left) == 1:
            return left[0]
    return _as_the_known_ones(left, actual, len(unknown))


def _most(candidates: Sequence[Candidate], actual: Sequence[str], match: object) -> list[Candidate]:
    """The candidates with the most arguments that match; unknown ones do not count."""
    counted = [
        sum(
            match(have, want)  # type: ignore[operator]
            for have, want in zip(actual, candidate.args, strict=True)
            if have != "unknown"
        )
        for candidate in candidates
    ]
    top = max(counted)
    return [candidate for candidate, count in zip(candidates, counted, strict=True) if count == top]


def _same(have: str, want: str) -> bool:
    known = facts()
    return known.type(have).category == known.type(want).category


def _by_category(candidates: list[Candidate], unknown: Sequence[int]) -> list[Candidate] | None:
    """Rule 4e: for each unknown argument one category, string if any candidate takes strings."""
    known = facts()
    categories: dict[int, tuple[str, bool]] = {}
    for place in unknown:
        category, preferred, conflict = "", False, False
        for candidate in candidates:
            kind = known.type(candidate.args[place])
            if not category:
                category, preferred = kind.category, kind.preferred
            elif kind.category == category:
                preferred = preferred or kind.preferred
            elif kind.category == "S":
                category, preferred = "S", kind.preferred
            else:
                conflict = True
        if conflict and category != "S":
            return None
        categories[place] = category, preferred
    kept = [
        candidate
        for candidate in candidates
        if all(
            known.type(candidate.args[place]).category == category
            and (not preferred or known.type(candidate.args[place]).preferred)
            for place, (category, preferred) in categories.items()
        )
    ]
    # When nothing is left, the rule did not help: PostgreSQL keeps the candidates as they were.
    return kept or candidates


def _as_the_known_ones(
    candidates: list[Candidate], actual: Sequence[str], unknown: int
) -> Candidate | None:
    """Rule 4f: if all known arguments have one type, the unknown ones have it too."""
    known = {name for name in actual if name != "unknown"}
    if len(known) != 1 or unknown == len(actual):
        return None
    assumed = [next(iter(known))] * len(actual)
    kept = matching(candidates, assumed)
    return kept[0] if len(kept) == 1 else None
