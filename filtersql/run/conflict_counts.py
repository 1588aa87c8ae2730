"""What staged rows met, from what was counted beside them and the keys that the target has.

Example
    A key's row was inserted, deleted and inserted in one batch. The stage holds one row of it,
    which says that the first change was an insert: it met a row where the target has that key.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import astuple
from sqlglot import exp, select

from filtersql.rendering.compiled import CompiledTable
from filtersql.rendering.counting import counts_of
from filtersql.storage import Engine as Dialect
from filtersql.targets.statements import named_column, named_rows, table

__all__ = [
    "count_where",
    "counted_beside",
    "is_reviewed",
    "met_in_target",
    "met_within",
    "reviewed_rows",
]

#: the first change of a key, by the kind of conflict: its effects, and whether the target's row
#: has to be there
_FIRST = {
    "insert_exists": (("insert",), True),
    "update_exists": (("arrived",), True),
    "update_missing": (("update", "left"), False),
    "delete_missing": (("delete",), False),
}
_STOPS = ("insert_exists", "update_exists")


def counted_beside(compiled: CompiledTable, *, truncates: bool) -> str | None:
    """The query that stages the rows and what they met; None where that is counted by itself.

    Without a TRUNCATE nothing of the target is asked: of a small batch that is half of its plan.
    """
    return compiled.counting_sql if truncates else compiled.untruncated_counting_sql


def reviewed_rows(
    compiled: CompiledTable, counted: str, columns: Sequence[str], dialect: Dialect
) -> tuple[str, tuple[str, ...]]:
    """The rows that were reviewed among those that were staged, and their columns."""
    own = astuple(counts_of(compiled.effect_column))
    kept = tuple(name for name in columns if name not in own)
    query = select(*map(named_column, kept))
    return query.from_(named_rows(counted)).where(is_reviewed(compiled)).sql(dialect), kept


def is_reviewed(compiled: CompiledTable) -> exp.Expr:
    """Whether a row that was staged beside others is one of those that were reviewed."""
    return named_column(counts_of(compiled.effect_column).met_last)


def met_within(compiled: CompiledTable) -> list[exp.Expr]:
    """What a look at the stage counts in the order of `CONFLICTS`, then the first that stops."""
    counts = counts_of(compiled.effect_column)
    kind, first = named_column(counts.met_kind), named_column(counts.met_first)
    totals: list[exp.Expr] = []
    for name, (effects, there) in _FIRST.items():
        met: exp.Expr = count_where(_is_one_of(kind, (name,)))
        if not there:
            # Every first one; those that the target has are taken off again.
            asked = count_where(exp.and_(is_reviewed(compiled), _is_one_of(first, effects)))
            met = exp.Add(this=met, expression=asked)
        totals.append(met)
    stops = exp.Case().when(_is_one_of(kind, _STOPS), named_column(counts.met_seq))
    return [*totals, exp.Min(this=stops)]


def met_in_target(compiled: CompiledTable, stage: str, dialect: Dialect) -> str:
    """As `conflicts_sql`, for the first changes of all keys: a query of one row.

    It looks at keys that the target has. `met_within` counts every change of a missing row; where
    the target has the row, this takes one off again. So an engine may begin with the smaller side.
    """
    counts = counts_of(compiled.effect_column)
    first, seq = counts.met_first, counts.met_first_seq
    met = {kind: _is_one_of(_staged(first), effects) for kind, (effects, _) in _FIRST.items()}
    sums = [
        _total(exp.Case().when(which, exp.convert(1 if _FIRST[kind][1] else -1))).as_(kind)
        for kind, which in met.items()
    ]
    stopping = exp.or_(*(met[kind].copy() for kind in _STOPS))
    earliest = exp.Min(this=exp.Case().when(stopping, _staged(seq))).as_("first_stop")
    query = select(*sums, earliest).from_(exp.alias_(named_rows(stage), "staged"), copy=False)
    query = query.join(_keys(compiled, dialect), on=_same_key(compiled, first), copy=False)
    return query.sql(dialect, copy=False)


def _total(number: exp.Expr) -> exp.Expr:
    return exp.Coalesce(this=exp.Sum(this=number), expressions=[exp.Literal.number(0)])


def count_where(condition: exp.Expr) -> exp.Count:
    """How many rows a condition is true of."""
    return exp.Count(this=exp.Case().when(condition, exp.Literal.number(1)))


def _is_one_of(effect: exp.Column, effects: Sequence[str]) -> exp.Expr:
    return exp.In(this=effect.copy(), expressions=[exp.Literal.string(one) for one in effects])


def _keys(compiled: CompiledTable, dialect: Dialect) -> exp.Subquery:
    """The target's keys under names that no column has."""
    named = enumerate(map(named_column, compiled.key))
    keys = [key.as_(f"key_{number}", quoted=True) for number, key in named]
    return select(*keys).from_(table(compiled.target_sql, dialect)).subquery("present")


def _same_key(compiled: CompiledTable, first: str) -> exp.Expr:
    """Only a key whose first change asks the target is looked up, and once."""
    return exp.and_(
        _staged(counts_of(compiled.effect_column).met_last),
        exp.not_(_staged(first).is_(exp.null())),
        *(
            _staged(key).eq(named_column(f"key_{number}", "present"))
            for number, key in enumerate(compiled.key)
        ),
    )


def _staged(name: str) -> exp.Column:
    return named_column(name, "staged")
