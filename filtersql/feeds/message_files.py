"""Messages of a column as files of lines, one for each range of its rows: `write_ranges(…)`.

Example
    lake.bronze[orders,0,65536]    topic orders, partition 0, offsets from 65,536 to 131,071
    lake.bronze[orders,0,65999]    the same when the first ones were taken out

    Such a range is to a reader of feeds what a file is that grows: it is opened again where rows
    came to it, and passed over where all targets are beyond what it holds.

Kafka
    Consumer records: the offset numbers the messages of a partition of a topic, each once
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from msgspec import Struct

__all__ = ["Written", "write_ranges"]

#: what stands in a file for a message without a text: Debezium's sign that a key is gone
_NOTHING = b"null"


class Written(Struct, frozen=True):
    """What was written of a range."""

    number: int
    rows: int
    #: the position of a message of several lines, and that of two different messages
    parted: int | None = None
    twice: int | None = None


def write_ranges(
    folder: Path,
    numbers: Mapping[tuple[object, ...], int],
    _: int,
    rows: Iterator[Sequence[object]],
) -> list[Written]:
    """Write the messages of ranges, each of which is whole and in its order.

    A row is the ordinal of its range, what else tells ranges apart, its position, and the message
    in base64; `numbers` names the files by all but the last two.
    """
    return [
        _written(folder / f"{numbers[key]}.jsonl", numbers[key], some)
        for key, some in groupby(rows, key=lambda row: tuple(row[:-2]))
    ]


def _written(path: Path, number: int, rows: Iterable[Sequence[object]]) -> Written:
    count, before, last = 0, None, None
    parted = twice = None
    with path.open("wb") as file:
        for *_, position, message in rows:
            count += 1
            text = _NOTHING if message is None else b64decode(str(message)).rstrip(b"\r\n")
            if position == before:
                # One message, which was taken from its topic twice.
                twice = position if text != last else twice
                continue
            parted = position if b"\n" in text else parted
            file.write(text + b"\n")
            before, last = position, text
    return Written(number, count, _place(parted), _place(twice))


def _place(position: object) -> int | None:
    return None if position is None else int(str(position))
