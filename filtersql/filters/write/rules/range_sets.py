"""`*`, `+` and `-` of ranges, and range_merge(): a text made of the parts of both.

Example
    ============================ =====================================================
    node                         result
    ============================ =====================================================
    `[1,5) * [3,9)`              `[3,` of the second and `5)` of the first
    `[1,5) + [3,9)`              `[1,9)`; raises where a gap is between them
    `[1,5) - [3,9)`              `[1,3)`: the second one's lower bound, turned
    ============================ =====================================================

PostgreSQL
    rangetypes.c: range_intersect_internal(), range_union_internal(), range_minus_internal().
"""

from __future__ import annotations

from filtersql.filters.write.rules.range_tests import (
    OVERLAP,
    TOUCHING,
    A,
    B,
    lower_compares,
    upper_compares,
)

__all__ = ["NO_UNION", "SETS"]

NO_UNION = {
    "range_union": "result of range union would not be contiguous",
    "range_minus": "result of range difference would not be contiguous",
}


def _left(one: dict[str, str]) -> str:
    """The bracket and the lower bound."""
    return f"SPLIT_PART({one['w']}, ',', 1)"


def _right(one: dict[str, str]) -> str:
    """The upper bound and the bracket."""
    return f"SPLIT_PART({one['w']}, ',', 2)"


def _chosen(test: str, first: str, second: str) -> str:
    return f"CASE WHEN {test} THEN {first} ELSE {second} END"


_LOWER_FIRST, _UPPER_FIRST = lower_compares(A, B, False), upper_compares(A, B, False)
_COMMON = (
    f"{_chosen(_LOWER_FIRST, _left(B), _left(A))} || ',' || "
    f"{_chosen(_UPPER_FIRST, _right(A), _right(B))}"
)
_AROUND = (
    f"{_chosen(_LOWER_FIRST, _left(A), _left(B))} || ',' || "
    f"{_chosen(_UPPER_FIRST, _right(B), _right(A))}"
)
_KNOWN = "WHEN _1 IS NULL OR _7 IS NULL THEN NULL"
_NOTHING = f"{_KNOWN} WHEN _2 THEN _7 WHEN _8 THEN _1"
_APART = f"_2 OR _8 OR NOT ({OVERLAP})"
#: the second range's lower bound as an upper one, and the other way round
_CLOSING = _chosen(B["li"], "')'", "']'")
_OPENING = _chosen(B["ui"], "'('", "'['")
_TURNED_LOWER = f"SUBSTRING({_left(B)}, 2) || {_CLOSING}"
_TURNED_UPPER = f"{_OPENING} || LEFT({_right(B)}, LENGTH({_right(B)}) - 1)"
#: `_13` raises
SETS = {
    "range_intersect": f"CASE {_KNOWN} WHEN {OVERLAP} THEN {_COMMON} ELSE 'empty' END",
    "range_merge": f"CASE {_NOTHING} ELSE {_AROUND} END",
    "range_union": f"CASE {_NOTHING} WHEN NOT ({OVERLAP}) AND NOT ({TOUCHING}) THEN _13 "
    f"ELSE {_AROUND} END",
    "range_minus": f"CASE {_KNOWN} WHEN {_APART} THEN _1 "
    f"WHEN {lower_compares(A, B, True)} AND {upper_compares(B, A, True)} THEN _13 "
    f"WHEN {lower_compares(B, A, False)} AND {_UPPER_FIRST} THEN 'empty' "
    f"WHEN {_UPPER_FIRST} THEN {_left(A)} || ',' || {_TURNED_LOWER} "
    f"ELSE {_TURNED_UPPER} || ',' || {_right(A)} END",
}
