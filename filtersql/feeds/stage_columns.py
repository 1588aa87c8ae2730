"""The columns of a batch of changes on their way to a staged file: `ColumnJudge(…).array(…)`.

Example
    side = Side.of([change.before for change in records])
    array = judge.array(column, code, side.rows, "before")
    side.spread(array)     a value, or NULL, for each change
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import pyarrow
from msgspec import Struct

from filtersql.errors.feeds import NOT_OF_ITS_TYPE, NULL_IN_NOT_NULL, UNSTORABLE_VALUE
from filtersql.feeds.lines import line_span
from filtersql.feeds.places import Image, Place, PlacedMistake
from filtersql.feeds.values import Codec, NotHeld
from filtersql.names import RelationName
from filtersql.rendering.compiled import FeedColumn

__all__ = ["ColumnJudge", "Side", "lists"]


class Side(Struct, frozen=True):
    """The old rows, or the new rows, of changes of which some have none: `there` says which.

    `numbers` has the number of the row of each change, or null; None where each change has one.
    """

    there: Sequence[bool]
    rows: Sequence[Image]
    numbers: pyarrow.Array | None

    @classmethod
    def of(cls, images: Sequence[Image | None]) -> Side:
        """The rows that there are."""
        there = [image is not None for image in images]
        rows = [image for image in images if image is not None]
        if len(rows) == len(images):
            return cls(there, rows, None)
        counted = iter(range(len(rows)))
        numbers = [next(counted) if one else None for one in there]
        return cls(there, rows, pyarrow.array(numbers, pyarrow.int64()))

    def only(self, places: Sequence[Place]) -> Sequence[Place]:
        """The places of the changes that have one."""
        return places if self.numbers is None else list(compress(places, self.there))

    def spread(self, array: pyarrow.Array) -> pyarrow.Array:
        """A value, or NULL, for each change."""
        return array if self.numbers is None else array.take(self.numbers)


def lists(names: Sequence[Sequence[str] | None]) -> pyarrow.Array:
    """An array of texts for each change."""
    if any(names):
        return pyarrow.array([some or [] for some in names], pyarrow.list_(pyarrow.string()))
    none = pyarrow.array([0] * (len(names) + 1), pyarrow.int32())
    return pyarrow.ListArray.from_arrays(none, pyarrow.array([], pyarrow.string()))


class ColumnJudge(Struct, frozen=True):
    """Turns one column of a batch into an Arrow array, and words what does not fit."""

    table: RelationName
    places: Sequence[Place]
    mistakes: list[PlacedMistake]

    def array(
        self, column: FeedColumn, code: Codec, rows: Sequence[Image], image: str
    ) -> pyarrow.Array | None:
        """What is stored of a column; None: some value is a mistake."""
        name = column.name
        values = [row.get(name) for row in rows]
        if column.not_null and None in values:
            for row, place in zip(rows, self.places, strict=True):
                if name in row and row[name] is None:
                    span = line_span(*place)
                    self.mistakes.append(
                        (place, NULL_IN_NOT_NULL(span, column=name, image=image, table=self.table))
                    )
        try:
            return code.array(values)
        except ValueError:
            if not self._report(name, code, values):
                raise
            return None

    def _report(self, name: str, code: Codec, values: Sequence[object]) -> bool:
        found = False
        for value, place in zip(values, self.places, strict=True):
            try:
                code.value(value)
            except ValueError as reason:
                span = line_span(*place)
                unstorable = isinstance(reason, NotHeld)
                mistake = (UNSTORABLE_VALUE if unstorable else NOT_OF_ITS_TYPE)(
                    span, column=name, table=self.table, reason=reason
                )
                self.mistakes.append((place, mistake))
                found = True
        return found
