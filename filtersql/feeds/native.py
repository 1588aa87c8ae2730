"""The native feed format: JSON lines in files, or a table of the engine.

Example
    `{format: filtersql, path: "changes/*.jsonl"}`: files are closed, so their last transaction is
    complete. `{format: filtersql, table: lake.changes}`: columns seq, op, relation, tx, before,
    after (JSON text) and unchanged; the last transaction is complete when a later one follows or a
    commit record ends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat

import msgspec

from filtersql.errors.feeds import UNREADABLE_LINE
from filtersql.feeds.blocks import Block
from filtersql.feeds.lines import Chunk, FeedFile, chunks, line_span, lines_of, unread
from filtersql.feeds.members import check_names, may_repeat_a_member, repeated_member
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.records import Number, Record, record

__all__ = ["TABLE_COLUMNS", "blocks_from_files", "blocks_of_chunk", "from_files", "from_rows"]

#: the columns of a table that holds a feed; those after `after` may be absent
TABLE_COLUMNS = (
    "seq",
    "op",
    "relation",
    "before",
    "after",
    "tx",
    "unchanged",
    "prev_seq",
    "relations",
)

_images = msgspec.json.Decoder(dict[str, object] | None, float_hook=Number)


def from_files(
    files: Sequence[FeedFile], mistakes: list[PlacedMistake]
) -> Iterator[tuple[Place, Record]]:
    """The records of JSON-lines files. A line that is no record becomes a mistake."""
    for block in blocks_from_files(files, mistakes):
        yield from zip(block.places, block.records, strict=True)


def blocks_from_files(files: Sequence[FeedFile], mistakes: list[PlacedMistake]) -> Iterator[Block]:
    """The same in blocks."""
    for file in files:
        for chunk in chunks(file):
            yield from blocks_of_chunk(chunk, mistakes)


def blocks_of_chunk(chunk: Chunk, mistakes: list[PlacedMistake]) -> Iterator[Block]:
    """The same of one chunk."""
    for numbers, some in lines_of(chunk):
        places = list(zip(repeat(chunk.shown), numbers, some))
        yield _sound_block(places, some) or _readable(places, mistakes)


def _sound_block(places: Sequence[Place], lines: Sequence[bytes]) -> Block | None:
    """The block of some lines; None where they have to be looked at one by one."""
    try:
        records = list(map(record, lines))
    except (msgspec.DecodeError, UnicodeError):
        return None
    if may_repeat_a_member(lines, records):
        return None
    return Block(places, records, sum(map(len, lines)))


def _readable(places: Sequence[Place], mistakes: list[PlacedMistake]) -> Block:
    """Those of some lines that are records."""
    read: list[Place] = []
    records: list[Record] = []
    for place in places:
        line = place[2]
        try:
            change = record(line)
            if (reason := repeated_member(line, change)) is not None:
                raise msgspec.ValidationError(reason)
            records.append(change)
            read.append(place)
        except (msgspec.DecodeError, UnicodeError) as error:
            wrong = UNREADABLE_LINE(line_span(*place), reason=_reason(error))
            mistakes.append(unread(place, error, wrong))
    return Block(read, records, sum(len(line) for _, _, line in read))


def from_rows(
    table: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    mistakes: list[PlacedMistake],
) -> Iterator[tuple[Place, Record]]:
    """The records of a table's rows, in the order of seq."""
    for number, row in enumerate(rows, 1):
        values = dict(zip(columns, row, strict=True))
        place = (table, number, msgspec.json.encode(values, enc_hook=str))
        try:
            yield place, _row_record(values)
        except (msgspec.DecodeError, UnicodeError) as error:
            mistakes.append((place, UNREADABLE_LINE(line_span(*place), reason=_reason(error))))


def _row_record(values: dict[str, object]) -> Record:
    fields = {name: value for name, value in values.items() if value is not None}
    for image in ("before", "after"):
        if isinstance(text := fields.get(image), str):
            fields[image] = read = _images.decode(text)
            check_names(text.encode(), read, image)
    relation = fields.get("relation")
    if isinstance(relation, str) and relation.startswith("["):
        fields["relation"] = msgspec.json.decode(relation, type=list[str])
    return msgspec.convert(fields, Record)


def _reason(error: Exception) -> str:
    return str(error).removeprefix("Object ").replace(" - at `$", " at `$")
