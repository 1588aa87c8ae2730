"""What a statement makes of a row's values, beside its filters: cases are drawn from these alone.

Example
    ============================================== ===================
    a macro of one's own has                       computed
    ============================================== ===================
    WHEN MATCHED AND t.id < 1000 THEN DELETE       t.id < 1000
    SELECT TRIM(note) AS note                      TRIM(note)
    WHERE effect <> 'nothing' AND t.id = s.id      none
    ============================================== ===================

No case need have a value that such an expression changes or tells apart: nothing would be wrong.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from sqlglot import exp

__all__ = ["computed"]

#: what gives a value of its parts; conditions are joined, and CASE chooses among values
_VALUES = (exp.Binary, exp.Func, exp.Predicate, exp.Paren, exp.Neg, exp.Interval, exp.Bracket)
_CHOOSES = (exp.Connector, exp.Case, exp.If, exp.Exists)
#: these take a value as it is
_TAKES = (
    *(exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is),
    *(exp.Coalesce, exp.Paren, exp.Struct, exp.PropertyEQ, exp.AggFunc),
)


def computed(tree: exp.Expr, columns: Container[str]) -> exp.Expr | None:
    """The first expression of a statement that reckons with a value of one of `columns`."""
    for leaf in tree.find_all(exp.Column, exp.Literal, exp.Func):
        if isinstance(leaf, exp.Column):
            strange = leaf.name in columns and any(
                not isinstance(above, _TAKES) for above in _around(leaf)
            )
        else:
            # A constant, or the time: what has no part.
            strange = not any(leaf.iter_expressions())
        if strange:
            whole = [leaf, *_around(leaf)][-1]
            if any(name in columns for name in _read(whole)):
                return whole
    return None


def _around(part: exp.Expr) -> Iterator[exp.Expr]:
    """What gives a value of a part, from inside; CASE column WHEN part THEN … compares it."""
    while (above := part.parent) is not None:
        if isinstance(above, exp.If) and part.arg_key == "this":
            above = above.parent
            if not (isinstance(above, exp.Case) and above.this):
                return
        elif isinstance(above, _CHOOSES) or not isinstance(above, _VALUES):
            return
        yield above
        part = above


def _read(part: exp.Expr) -> Iterator[str]:
    """The columns that a value is made of; those by which a window sorts are none."""
    if isinstance(part, exp.Column):
        yield part.name
    for below in [part.this] if isinstance(part, exp.Window) else part.iter_expressions():
        yield from _read(below)
