"""Staged files in which few rows come many times: each value is converted once.

Example
    rows = RepeatedRows(codecs)                       of columns a and b
    here = rows.place(("1", "x"))
    write_rows(stage, rows, [0, 1], [here, here], [7, 8])      the file's rows: (7, 1, x), (8, 1, x)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow
from msgspec import Struct, field

from filtersql.feeds.staging import ChangeStage, RowStage
from filtersql.feeds.values import Codec

__all__ = ["RepeatedChange", "RepeatedRows", "write_changes", "write_rows", "write_stacked"]

#: PostgreSQL's text of each value
_Row = tuple[str | None, ...]


class RepeatedChange(Struct, frozen=True):
    """A change whose rows are named by their places; None where it has none."""

    op: str
    before: int | None
    after: int | None
    unchanged: tuple[str, ...]


class RepeatedRows(Struct, frozen=True):
    """Different rows, each at a place of its own; by column how its values are stored."""

    codecs: Sequence[Codec]
    known: dict[_Row, int] = field(default_factory=dict)

    def place(self, row: _Row) -> int:
        """Where a row is; one that is not known is added."""
        return self.known.setdefault(row, len(self.known))

    def columns(self) -> list[pyarrow.Array]:
        """The stored values of each column, by place. Raises ValueError."""
        every = zip(*self.known, strict=True) if self.known else [()] * len(self.codecs)
        return [_array(code, values) for code, values in zip(self.codecs, every, strict=True)]


def write_changes(
    stage: ChangeStage,
    columns: Sequence[pyarrow.Array],
    changes: Sequence[RepeatedChange],
    places: Sequence[int],
    positions: Sequence[int],
    numbers: Sequence[int],
) -> None:
    """Write the changes at these places, in this order, and close the file.

    `columns` are those of the rows; before them comes one that holds the change's number, in the
    old row. `positions` are the changes' own.
    """
    taken = pyarrow.array(places, pyarrow.int32())
    images = [
        pyarrow.array(found, pyarrow.int32()).take(taken)
        for found in ([one.before for one in changes], [one.after for one in changes])
    ]
    ops = pyarrow.array([one.op for one in changes], pyarrow.string())
    unchanged = pyarrow.array(
        [[*one.unchanged] for one in changes], pyarrow.list_(pyarrow.string())
    )
    written: list[pyarrow.Array] = [
        pyarrow.array(positions, pyarrow.int64()),
        pyarrow.nulls(len(places), pyarrow.string()),
        ops.take(taken),
        pyarrow.array(numbers, stage.codecs[0].kind.arrow),
        pyarrow.nulls(len(places), stage.codecs[0].kind.arrow),
    ]
    written += [column.take(image) for column in columns for image in images]
    stage.file.write([*written, unchanged.take(taken)])
    stage.file.close()


def write_rows(
    stage: RowStage, columns: Sequence[pyarrow.Array], places: Sequence[int], numbers: Sequence[int]
) -> None:
    """Write the rows at these places, in this order, a number before each, and close the file."""
    taken = pyarrow.array(places, pyarrow.int32())
    first = pyarrow.array(numbers, stage.codecs[0].kind.arrow)
    stage.file.write([first, *(column.take(taken) for column in columns)])
    stage.file.close()


def write_stacked(
    stage: RowStage, parts: Sequence[tuple[int, Mapping[str, Sequence[str | None]]]]
) -> None:
    """Write parts one after another, a place before each row, and close the file.

    Of each part: how many rows it has, and the values of some columns; others are NULL. Raises
    ValueError.
    """
    written = [pyarrow.array(range(sum(count for count, _ in parts)), stage.file.types[0])]
    for column, code in [*zip(stage.compiled.feed_columns, stage.codecs, strict=True)][1:]:
        pieces = [
            _array(code, values[column.name])
            if column.name in values
            else pyarrow.nulls(count, code.kind.arrow)
            for count, values in parts
        ]
        written.append(pyarrow.concat_arrays(pieces))
    stage.file.write(written)
    stage.file.close()


def _array(code: Codec, values: Sequence[str | None]) -> pyarrow.Array:
    """The stored values, of which each different one is converted once. Raises ValueError."""
    order = {value: place for place, value in enumerate(dict.fromkeys(values))}
    places = pyarrow.array([order[value] for value in values], pyarrow.int32())
    return code.array([*order]).take(places)
