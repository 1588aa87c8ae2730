"""Which of the rows that were tried show a reader best what a filter does.

Example
    of region = 'eu' AND status <> 'cart'
    ================================ ====== =======================================
    region eu, status other          true   each column alone can move this row
    region eu, status cart           false  status does
    region other, status other       false  region does; nobody looks for region cart
    ================================ ====== =======================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import ne

from msgspec.structs import replace

from filtersql.filters.tree.nodes import Const, Node, Op, Var
from filtersql.filters.tree.walking import walk
from filtersql.verify.boundaries import Candidates

__all__ = ["Answer", "own_first", "telling_first"]

#: the places of a row's values among the candidates, and what a filter says of it
Answer = tuple[list[int], bool | None]


def own_first(each: Candidates, trees: Sequence[Node]) -> Candidates:
    """A column's values, those texts last that filters compare with other columns only."""
    own: set[str] = set()
    other: set[str] = set()
    for node in (node for tree in trees for node in walk(tree) if isinstance(node, Op)):
        parts = [*walk(node)]
        reads = any(isinstance(one, Var) and one.name == each.column.name for one in parts)
        constants = (one.value for one in parts if isinstance(one, Const))
        (own if reads else other).update(one for one in constants if isinstance(one, str))
    values = sorted(each.values, key=lambda value: (value is None, value in other - own))
    return replace(each, values=tuple(values))


def telling_first(answers: Sequence[Answer]) -> list[Answer]:
    """Those next to the row that most columns can move alone come first, one for each column."""
    taken = _most_moved(answers)
    met: Counter[tuple[bool | None, tuple[bool, ...]]] = Counter()

    def place(answer: Answer) -> tuple[int, int]:
        differing = tuple(map(ne, answer[0], taken))
        met[answer[1], differing] += 1
        return met[answer[1], differing], sum(differing)

    return sorted(answers, key=place)


def _most_moved(answers: Sequence[Answer]) -> list[int]:
    """A row that is taken, and not with another value of as many columns as there can be."""
    refused = {other for places, truth in answers if truth is False for other in _without(places)}

    def moved(answer: Answer) -> tuple[bool, int]:
        places, truth = answer
        return truth is True, sum(other in refused for other in _without(places))

    return max(answers, key=moved)[0]


def _without(places: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The row without each of its columns, behind that column's number."""
    for column in range(len(places)):
        yield (column, *places[:column], *places[column + 1 :])
