"""How two ranges are compared: SQL over the parts of both, a is _1 to _6, b is _7 to _12.

Example
    `&&`: neither is empty, and each begins before the other ends.

PostgreSQL
    rangetypes.c: range_cmp_bounds(), range_contains_internal(), range_adjacent_internal(),
    range_before_internal().
"""

from __future__ import annotations

__all__ = ["OVERLAP", "TESTS", "TOUCHING", "A", "B", "lower_compares", "reaches", "upper_compares"]

#: whole, empty, lower and upper bound, whether each belongs to the range
A = {"w": "_1", "e": "_2", "l": "_3", "u": "_4", "li": "_5", "ui": "_6"}
B = {"w": "_7", "e": "_8", "l": "_9", "u": "_10", "li": "_11", "ui": "_12"}


def lower_compares(a: dict[str, str], b: dict[str, str], strict: bool) -> str:
    """The lower bound of a is before that of b (or at it)."""
    return _compares(a, b, "l", a, b, strict)


def upper_compares(a: dict[str, str], b: dict[str, str], strict: bool) -> str:
    """The upper bound of a is before that of b (or at it)."""
    return _compares(a, b, "u", b, a, strict)


def _compares(
    a: dict[str, str],
    b: dict[str, str],
    bound: str,
    wide: dict[str, str],
    narrow: dict[str, str],
    strict: bool,
) -> str:
    """The bound of a is before b's; if only it counts, `wide` has more values than `narrow`."""
    closed = f"{bound}i"
    if strict:
        same = f"NOT {narrow[closed]} AND {wide[closed]}"
        none = f"{wide[bound]} IS NULL AND {narrow[bound]} IS NOT NULL"
    else:
        same = f"({wide[closed]} OR NOT {narrow[closed]})"
        none = f"{wide[bound]} IS NULL"
    return (
        f"({none} OR ({a[bound]} IS NOT NULL AND {b[bound]} IS NOT NULL AND "
        f"({a[bound]} < {b[bound]} OR ({a[bound]} = {b[bound]} AND {same}))))"
    )


def reaches(a: dict[str, str], b: dict[str, str]) -> str:
    """The lower bound of a is not behind the upper bound of b."""
    return (
        f"({a['l']} IS NULL OR {b['u']} IS NULL OR {a['l']} < {b['u']} OR "
        f"({a['l']} = {b['u']} AND {a['li']} AND {b['ui']}))"
    )


def _before(a: dict[str, str], b: dict[str, str]) -> str:
    return f"NOT {a['e']} AND NOT {b['e']} AND NOT {reaches(b, a)}"


def _contains(a: dict[str, str], b: dict[str, str]) -> str:
    return (
        f"({b['e']} OR (NOT {a['e']} AND {lower_compares(a, b, False)} "
        f"AND {upper_compares(b, a, False)}))"
    )


def _equal(a: dict[str, str], b: dict[str, str]) -> str:
    return f"({_contains(a, b)} AND {_contains(b, a)})"


def _less(a: dict[str, str], b: dict[str, str]) -> str:
    """range_cmp(): an empty range is before all others."""
    return (
        f"((NOT {b['e']} AND {a['e']}) OR (NOT {a['e']} AND NOT {b['e']} AND "
        f"({lower_compares(a, b, True)} OR (NOT {lower_compares(b, a, True)} "
        f"AND {upper_compares(a, b, True)}))))"
    )


def _touches(a: dict[str, str], b: dict[str, str]) -> str:
    """The upper bound of a and the lower one of b leave nothing between them, and share nothing."""
    return (
        f"COALESCE({a['u']} = {b['l']} AND ({a['ui']} AND NOT {b['li']} OR {b['li']} "
        f"AND NOT {a['ui']}), FALSE)"
    )


OVERLAP = f"NOT _2 AND NOT _8 AND {reaches(A, B)} AND {reaches(B, A)}"
TOUCHING = f"NOT _2 AND NOT _8 AND ({_touches(A, B)} OR {_touches(B, A)})"
TESTS = {
    "range_eq": _equal(A, B),
    "range_ne": f"NOT {_equal(A, B)}",
    "range_lt": _less(A, B),
    "range_gt": _less(B, A),
    "range_le": f"NOT {_less(B, A)}",
    "range_ge": f"NOT {_less(A, B)}",
    "range_overlaps": OVERLAP,
    "range_contains": _contains(A, B),
    "range_contained_by": _contains(B, A),
    "range_before": _before(A, B),
    "range_after": _before(B, A),
    "range_overleft": f"NOT _2 AND NOT _8 AND {upper_compares(A, B, False)}",
    "range_overright": f"NOT _2 AND NOT _8 AND {lower_compares(B, A, False)}",
    "range_adjacent": TOUCHING,
}
