"""A staged file in which few records come many times: each is converted once.

Example
    stage = RowStage(…)
    stage.add({"n": 0, "a": "x"}, place)
    repeat(stage, [0, 0], {0: [7, 8]})      the file's rows: (7, x), (8, x)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from filtersql.feeds.staging import ChangeStage, RowStage, StagedFile

if TYPE_CHECKING:
    import pyarrow

__all__ = ["repeat"]


def repeat(
    stage: ChangeStage | RowStage, places: Sequence[int], instead: Mapping[int, Sequence[int]]
) -> None:
    """Write the records at these places, in this order, when the stage is closed.

    `instead` holds the integers of columns that differ each time, by the column's position.
    """
    file = stage.file
    stage.file = _RepeatedFile(file.path, file.types, None, places, instead)


@dataclass(slots=True)
class _RepeatedFile(StagedFile):
    """Writes one batch of records, each as often as it is named."""

    places: Sequence[int] = ()
    instead: Mapping[int, Sequence[int]] = field(default_factory=dict)

    def write(self, arrays: Sequence[pyarrow.Array]) -> None:
        """Add the rows that are named."""
        import pyarrow

        taken = pyarrow.array(self.places if len(arrays[0]) else [], pyarrow.int64())
        several = [
            pyarrow.array(self.instead[index], self.types[index])
            if index in self.instead and len(taken)
            else array.take(taken)
            for index, array in enumerate(arrays)
        ]
        StagedFile.write(self, several)
