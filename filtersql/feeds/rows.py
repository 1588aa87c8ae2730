"""Rows of a source table from JSON lines, one object a row: what the initial copy reads.

Example
    `{format: filtersql, path: "source/{schema}.{table}.jsonl"}`
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from filtersql.catalog import Table
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.feeds import (
    INCOMPLETE_ROW,
    TOO_MANY_FEED_MISTAKES,
    TORN_LINE,
    UNKNOWN_FEED_COLUMN,
    UNREADABLE_ROW,
    perhaps,
)
from filtersql.feeds.images import needed_columns
from filtersql.feeds.lines import FeedFile, line_span, lines
from filtersql.feeds.records import Number
from filtersql.feeds.staging import Place, RowStage, StagedColumn
from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import Engine

__all__ = ["StagedRows", "row_stage", "stage_rows", "take_source_rows"]

#: what is buffered before it is written: so many rows, or so many bytes of lines
_BATCH = 50_000
_BATCH_BYTES = 16 * 2**20
_MOST_MISTAKES = 100
_decoder = msgspec.json.Decoder(dict[str, Any], float_hook=Number)


class StagedRows(Struct, frozen=True):
    """The rows of one source table as a Parquet file."""

    path: Path
    columns: tuple[StagedColumn, ...]


def stage_rows(
    files: Sequence[FeedFile], compiled: CompiledTable, table: Table, engine: Engine, path: Path
) -> StagedRows:
    """Judge and stage the rows of some files. Raises Mistakes."""
    stage = row_stage(compiled, engine, path)
    places = ((file.shown, *line) for file in files for line in lines(file))
    take_source_rows(places, stage, table)
    stage.close()
    if stage.mistakes:
        found = [mistake for _, mistake in sorted(stage.mistakes, key=lambda item: item[0][:2])]
        if len(found) >= _MOST_MISTAKES:
            found = [*found[:_MOST_MISTAKES], TOO_MANY_FEED_MISTAKES(count=_MOST_MISTAKES)]
        raise Mistakes(found)
    return StagedRows(path, stage.columns)


def row_stage(compiled: CompiledTable, engine: Engine, path: Path) -> RowStage:
    """The file of a target's rows, with no row yet."""
    return RowStage(compiled, engine, path, [], lambda place: line_span(*place))


def take_source_rows(places: Iterable[Place], stage: RowStage, table: Table) -> None:
    """Judge rows and put them into the stage, up to some mistakes."""
    size = 0
    for place in places:
        if (row := _row(place, stage.mistakes)) is not None and _complete(
            row, place, stage.compiled, table, stage.mistakes
        ):
            stage.add(row, place)
            size += len(place[2])
        if len(stage.rows) >= _BATCH or size >= _BATCH_BYTES:
            stage.flush()
            size = 0
        if len(stage.mistakes) >= _MOST_MISTAKES:
            break


def _row(place: Place, mistakes: list[tuple[Place, Mistake]]) -> dict[str, Any] | None:
    try:
        return _decoder.decode(place[2])
    except (msgspec.DecodeError, UnicodeError) as error:
        span = line_span(*place)
        torn = not place[2].endswith(b"\n") and not isinstance(error, msgspec.ValidationError)
        mistakes.append(
            (place, TORN_LINE(span) if torn else UNREADABLE_ROW(span, reason=str(error)))
        )
        return None


def _complete(
    row: dict[str, Any],
    place: Place,
    compiled: CompiledTable,
    table: Table,
    mistakes: list[tuple[Place, Mistake]],
) -> bool:
    known = [column.name for column in table.columns]
    wrong: list[Mistake] = [
        UNKNOWN_FEED_COLUMN(
            line_span(*place), column=column, table=table.name, hint=perhaps(column, known)
        )
        for column in row
        if column not in known
    ]
    needed = needed_columns(compiled)
    if missing := [name for name in known if name in needed and name not in row]:
        wrong.append(INCOMPLETE_ROW(line_span(*place), columns=missing, table=table.name))
    mistakes += [(place, mistake) for mistake in wrong]
    return not wrong
