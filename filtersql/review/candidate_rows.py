"""Rows out of candidates of their columns: every combination has a number.

Example
    Of a: 5, 6 and c: 'NSW', NULL the row of number 2 is a = 6, c = 'NSW': places_of() says [1, 0].
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from sqlglot import exp

from filtersql.storage import column_type
from filtersql.verify.boundaries import Candidates
from filtersql.verify.values import values_of

__all__ = ["numbered_rows", "places_of", "trimmed", "with_others"]


def with_others(each: Candidates) -> Candidates:
    """With values of its type, where the filters' constants give less than two."""
    known = [value for value in each.values if value is not None]
    if each.complete or len(known) > 1 or each.column.type.schema != "pg_catalog":
        return each
    others = (value for value in values_of(each.column) if value not in known)
    return Candidates(each.column, (*known, *others, *each.values[len(known) :]), complete=False)


def _list(each: Candidates) -> exp.Expr:
    """The candidates as a list of the column's stored type."""
    values = [exp.null() if value is None else exp.Literal.string(value) for value in each.values]
    stored = column_type(each.column, "duckdb").sql
    return exp.Cast(this=exp.Array(expressions=values), to=_list_type(stored).copy())


@lru_cache(maxsize=64)
def _list_type(stored: str) -> exp.DataType:
    return exp.DataType.build(f"{stored}[]", dialect="duckdb")


def numbered_rows(domain: Sequence[Candidates]) -> exp.Expr:
    """All combinations, numbered by i: one value of each list, the last list's changing first."""
    left = count = prod(len(each.values) for each in domain)
    columns: list[exp.Expr] = [exp.column("i")]
    for place, each in enumerate(domain):
        size = len(each.values)
        left //= size
        number = exp.Mod(
            this=exp.Paren(
                this=exp.IntDiv(this=exp.column("i"), expression=exp.Literal.number(left))
            ),
            expression=exp.Literal.number(size),
        )
        index = exp.Add(this=exp.Paren(this=number), expression=exp.Literal.number(1))
        value = exp.Anonymous(this="LIST_EXTRACT", expressions=[_list(each), index])
        columns.append(exp.alias_(value, f"c{place}", copy=False))
    numbers = exp.Table(
        this=exp.Anonymous(this="RANGE", expressions=[exp.Literal.number(count)]),
        alias=exp.TableAlias(this=exp.to_identifier("r"), columns=[exp.to_identifier("i")]),
    )
    selected = exp.Select(expressions=columns).from_(numbers, copy=False)
    return selected.subquery("tried", copy=False)


def places_of(domain: Sequence[Candidates], number: object) -> list[int]:
    """The place of each value in the row of that number."""
    rest, places = int(str(number)), []
    for each in reversed(domain):
        rest, place = divmod(rest, len(each.values))
        places.append(place)
    return places[::-1]


def trimmed(domain: tuple[Candidates, ...], most: int) -> tuple[Candidates, ...]:
    """The candidates with the longest lists shortened until there are few enough rows."""
    lists = [each.values for each in domain]
    while prod(map(len, lists)) > most:
        longest = max(range(len(lists)), key=lambda place: len(lists[place]))
        values = lists[longest]
        # NULL stands last and stays.
        lists[longest] = (*values[:-2], values[-1])
    return tuple(
        each if each.values == values else Candidates(each.column, values, complete=False)
        for each, values in zip(domain, lists, strict=True)
    )
