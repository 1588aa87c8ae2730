"""Random row filters: PostgreSQL's text, and a function of a row to True, False or None.

Example
    >>> text, holds = row_filter(random.Random(1), ["id", "v"])        # doctest: +SKIP
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from manual_model import Filter

__all__ = ["row_filter"]


def _atom(chance: random.Random, columns: Sequence[str]) -> tuple[str, Filter]:
    column, number = chance.choice(list(columns)), chance.randint(1, 7)
    kinds: list[tuple[str, Filter]] = [
        (f"{column} > {number}", lambda row: None if row[column] is None else row[column] > number),
        (f"{column} < {number}", lambda row: None if row[column] is None else row[column] < number),
        (
            f"{column} = {number}",
            lambda row: None if row[column] is None else row[column] == number,
        ),
        (
            f"{column} <> {number}",
            lambda row: None if row[column] is None else row[column] != number,
        ),
        (f"{column} IS NULL", lambda row: row[column] is None),
        (f"{column} IS NOT NULL", lambda row: row[column] is not None),
        (f"{column} IS DISTINCT FROM {number}", lambda row: row[column] != number),
        (
            f"{column} IN ({number}, {number + 2})",
            lambda row: None if row[column] is None else row[column] in (number, number + 2),
        ),
    ]
    return chance.choice(kinds)


def row_filter(chance: random.Random, columns: Sequence[str]) -> tuple[str, Filter]:
    if chance.random() < 0.15:
        column, by = chance.choice(list(columns)), chance.choice([2, 3])
        at = "@" if chance.random() < 0.5 else ""
        return (
            f"{at}{column}%{by}=0",
            lambda row: None if row[column] is None else row[column] % by == 0,
        )
    first, one = _atom(chance, columns)
    if chance.random() < 0.5:
        return first, one
    second, two = _atom(chance, columns)
    match chance.choice(["AND", "OR", "NOT"]):
        case "AND":
            return f"{first} AND {second}", lambda row: _and(one(row), two(row))
        case "OR":
            return f"{first} OR {second}", lambda row: _not(_and(_not(one(row)), _not(two(row))))
        case _:
            return f"NOT ({first} AND {second})", lambda row: _not(_and(one(row), two(row)))


def _not(one: bool | None) -> bool | None:
    return None if one is None else not one


def _and(one: bool | None, two: bool | None) -> bool | None:
    return False if one is False or two is False else None if None in (one, two) else True
