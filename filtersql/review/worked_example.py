"""The UPDATE transformation table of one target, with rows that make each of its cases happen.

Example
    for the filter (a > 5) on (a int, the key)
    ========== ======= ========== ======= ==============================
    old row    matches new row    matches what happens
    ========== ======= ========== ======= ==============================
    a 6        yes     a 7        yes     UPDATE: the row moves to its new key
    a 6        yes     a 5        no      DELETE
    a 5        no      a 6        yes     INSERT
    a 5        no      a 4        no      nothing
    ========== ======= ========== ======= ==============================

PostgreSQL
    pgoutput.c, pgoutput_row_filter(); manual section 29.4.3, table 29.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from operator import ne

from msgspec import Struct

from filtersql.changes import TRANSITIONS, Effect
from filtersql.review.row_trials import Row

__all__ = ["Worked", "worked_rows"]

#: in the order in which a reader wants to see them
_TRUTHS: tuple[bool | None, ...] = (True, False, None)
_WORDS = {
    Effect.NOTHING: "nothing is sent",
    Effect.INSERT: "INSERT of the new row",
    Effect.DELETE: "DELETE of the old row",
    Effect.UPDATE: "UPDATE",
}


class Worked(Struct, frozen=True):
    """One UPDATE: its rows, what the filter says of them (None: NULL), and what happens."""

    old: Row
    old_truth: bool | None
    new: Row
    new_truth: bool | None
    effect: Effect
    happens: str


def worked_rows(
    examples: Mapping[bool | None, Sequence[Row]], key: Sequence[str]
) -> tuple[Worked, ...]:
    """An UPDATE for each pair of answers that some row gives, rows as alike as they can be.

    A row that enters or leaves is shown for each column that alone can move it.
    """
    rows = []
    for old_truth, new_truth in product(_TRUTHS, repeat=2):
        pairs = _most_alike(examples.get(old_truth, ()), examples.get(new_truth, ()))
        effect = TRANSITIONS[old_truth is True, new_truth is True]
        moves = {old_truth, new_truth} == {True, False}
        for old, new in pairs if moves else pairs[:1]:
            happens = _WORDS[effect]
            if effect is Effect.UPDATE and _key(old, key) != _key(new, key):
                happens = "UPDATE: the row moves to its new key"
            rows.append(Worked(old, old_truth, new, new_truth, effect, happens))
    return tuple(rows)


def _most_alike(olds: Sequence[Row], news: Sequence[Row]) -> list[tuple[Row, Row]]:
    """A pair for each column that may differ alone; else the first with the fewest that differ."""
    found: dict[tuple[bool, ...], tuple[Row, Row]] = {}
    for pair in product(olds, news):
        found.setdefault(tuple(map(ne, *pair)), pair)
    fewest = min(map(sum, found), default=0)
    return [pair for differing, pair in found.items() if sum(differing) == fewest]


def _key(row: Row, key: Sequence[str]) -> list[tuple[str, str | None]]:
    return [each for each in row if each[0] in key]
