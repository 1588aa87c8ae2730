"""Rows of a source table from JSON lines, one object a row: what the initial copy reads.

Example
    `{format: filtersql, path: "source/{schema}.{table}.jsonl"}`
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import msgspec
import pyarrow
from msgspec import Struct
from pyarrow import compute, parquet

from filtersql.catalog import Table
from filtersql.errors import Mistake
from filtersql.errors.feeds import INCOMPLETE_ROW, UNKNOWN_FEED_COLUMN, UNREADABLE_ROW
from filtersql.errors.wording import meant
from filtersql.feeds.arrow_lines import ahead, count_lines, read_lines, samples_of, written_fields
from filtersql.feeds.column_blocks import ColumnTries
from filtersql.feeds.landings import needed_columns
from filtersql.feeds.lines import Chunk, FeedFile, chunks, line_span, lines_in, unread
from filtersql.feeds.members import check_names
from filtersql.feeds.places import MOST_MISTAKES, Place, PlacedMistake, in_order, raise_first
from filtersql.feeds.records import Number
from filtersql.feeds.staged_files import StagedColumn
from filtersql.feeds.staging import RowStage
from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import Engine

__all__ = ["StagedRows", "has_distinct_keys", "stage_rows", "take_source_rows"]

#: what is buffered before it is written: so many rows, or so many bytes of lines
_BATCH = 50_000
_BATCH_BYTES = 16 * 2**20
#: text that is read faster as columns
_WORTH_IT = 2**16
#: types of which engines, too, tell any two values apart that differ, and how many keys are few
_TOLD_APART = frozenset({"INT", "INTEGER", "SMALLINT", "BIGINT", "STRING", "VARCHAR"})
_MOST_KEYS = 5_000_000
_decoder = msgspec.json.Decoder(dict[str, Any], float_hook=Number)


class StagedRows(Struct, frozen=True):
    """The rows of one source table as a Parquet file."""

    path: Path
    columns: tuple[StagedColumn, ...]


def stage_rows(
    files: Sequence[FeedFile], compiled: CompiledTable, table: Table, engine: Engine, path: Path
) -> StagedRows:
    """Judge and stage the rows of some files. Raises Mistakes."""
    stage = RowStage(compiled, engine, path)
    take_source_rows((chunk for file in files for chunk in chunks(file)), stage, table)
    stage.close()
    raise_first(in_order(stage.mistakes))
    return StagedRows(path, stage.columns)


def has_distinct_keys(staged: StagedRows, compiled: CompiledTable) -> bool:
    """Whether no key comes twice, where that is certain; engines need longer to say it."""
    if staged.path.is_dir():
        return False
    kinds = {column.name: column.sql_type for column in staged.columns}
    if not compiled.key or any(kinds[name] not in _TOLD_APART for name in compiled.key):
        return False
    columns = [f"c{[*kinds].index(name)}" for name in compiled.key]
    if parquet.read_metadata(staged.path).num_rows > _MOST_KEYS:
        return False
    keys = parquet.read_table(staged.path, columns=columns)
    return bool(keys.group_by(columns).aggregate([]).num_rows == keys.num_rows)


def take_source_rows(pieces: Iterable[Chunk], stage: RowStage, table: Table) -> None:
    """Judge rows and put them into the stage, up to some mistakes."""
    tries = ColumnTries()

    def read(chunk: Chunk) -> tuple[Chunk, list[pyarrow.Array] | None]:
        asked = not tries.gave_up and len(chunk.text) >= _WORTH_IT
        return chunk, _arrays(chunk.text, stage, table) if asked else None

    for chunk, arrays in ahead(map(read, pieces)):
        if arrays is not None:
            stage.write(arrays)
            tries.taken()
            continue
        # Small files are read line by line, and tell nothing of others.
        tries.misses += len(chunk.text) >= _WORTH_IT
        _take_lines(lines_in([chunk]), stage, table)
        if len(stage.mistakes) >= MOST_MISTAKES:
            break


def _arrays(text: bytes, stage: RowStage, table: Table) -> list[pyarrow.Array] | None:
    """What is stored of some rows; None: they have to be looked at one by one."""
    count = count_lines(text)
    if count is None:
        return None
    samples = samples_of(text, _decoder.decode)
    fields = None if samples is None else written_fields(table.columns, samples)
    found = None if fields is None else read_lines(text, count, fields)
    if found is None:
        return None
    columns = [found[column.name].chunk(0) for column in stage.compiled.feed_columns]
    lacking = [column.is_null() for column in columns if column.null_count]
    guarded = zip(stage.compiled.feed_columns, columns, strict=True)
    if any(known.not_null and column.null_count for known, column in guarded):
        return None
    if lacking and not _are_there(text, reduce(compute.or_, lacking), stage.compiled):
        return None
    arrays = [code.stored(one) for code, one in zip(stage.codecs, columns, strict=True)]
    return None if any(one is None for one in arrays) else arrays


def _are_there(text: bytes, chosen: pyarrow.BooleanArray, compiled: CompiledTable) -> bool:
    """Whether the values that some rows do not have are null, and not absent."""
    lines, needed = text.split(b"\n"), needed_columns(compiled)
    rows = (lines[number] for number in compute.indices_nonzero(chosen).to_pylist())
    try:
        return all(needed.issubset(_decoder.decode(line)) for line in rows)
    except (msgspec.DecodeError, UnicodeError):
        return False


def _take_lines(places: Iterable[Place], stage: RowStage, table: Table) -> None:
    size = 0
    for place in places:
        row = _row(place, stage.mistakes)
        if row is not None and _is_complete(row, place, stage, table):
            stage.add(row, place)
            size += len(place[2])
        if len(stage.rows) >= _BATCH or size >= _BATCH_BYTES:
            stage.flush()
            size = 0
        if len(stage.mistakes) >= MOST_MISTAKES:
            break


def _row(place: Place, mistakes: list[PlacedMistake]) -> dict[str, Any] | None:
    try:
        row = _decoder.decode(place[2])
        check_names(place[2], row)
        return row
    except (msgspec.DecodeError, UnicodeError) as error:
        wrong = UNREADABLE_ROW(line_span(*place), reason=str(error))
        mistakes.append(unread(place, error, wrong))
        return None


def _is_complete(row: dict[str, Any], place: Place, stage: RowStage, table: Table) -> bool:
    """Whether a row has all columns that are needed, and no others; else that is a mistake."""
    known = [column.name for column in table.columns]
    wrong: list[Mistake] = [
        UNKNOWN_FEED_COLUMN(
            line_span(*place), column=column, table=table.name, hint=meant(column, known)
        )
        for column in row
        if column not in known
    ]
    needed = needed_columns(stage.compiled)
    if missing := [name for name in known if name in needed and name not in row]:
        wrong.append(INCOMPLETE_ROW(line_span(*place), columns=missing, table=table.name))
    stage.mistakes += [(place, mistake) for mistake in wrong]
    return not wrong
