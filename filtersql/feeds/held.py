"""The last place of each table in a file, and how many of its rows stand there: `Held`.

Example
    snapshot rows of t at place 880 in t/1.jsonl    Held("public", "t", 880, 500)
    the changes of a transaction at 960 in t/2      Held("public", "t", 960, None)

Changes are numbered within their place, behind those that were read there before. So the files of a
place that may still go on are opened again. Of rows that nobody sends twice it is enough to know
how many there were: DMS writes each row once, Debezium each row of a snapshot.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct

from filtersql.names import RelationName

__all__ = ["Counted", "Held", "LastPlace", "LastPlaces", "Seen", "held_by", "take_place"]


class Held(NamedTuple):
    """The last place of a table in a file; `rows`: how many are there (None: read them again)."""

    schema: str
    name: str
    place: int
    rows: int | None

    @property
    def table(self) -> RelationName:
        """The table."""
        return RelationName(self.schema, self.name)


#: size, time of change, last seq, and what is held of each table, of files that were consumed
Seen = Mapping[str, tuple[int, int, int, tuple[Held, ...] | None]]
#: how many changes of a table at a place stand in files that are not opened again
Counted = Mapping[tuple[int, RelationName], int]


class LastPlace(Struct):
    """The last place of a table in a file, as far as was read; `once`: its rows come only once."""

    place: int
    rows: int = 0
    once: bool = True


#: by file and table
LastPlaces = dict[str, dict[RelationName, LastPlace]]


def take_place(
    places: LastPlaces, file: str, table: RelationName, place: int, rows: int = 1, *, once: bool
) -> None:
    """Take changes of a table at a place of a file."""
    tables = places.setdefault(file, {})
    last = tables.get(table)
    if last is None or place > last.place:
        last = tables[table] = LastPlace(place)
    if place == last.place:
        last.rows += rows
        last.once = last.once and once


def held_by(
    told: Iterable[LastPlaces], repeated: Collection[int] = ()
) -> dict[str, tuple[Held, ...]]:
    """What each file holds, as several readers found it. At `repeated` places rows came twice."""
    every: LastPlaces = {}
    for file, tables in (pair for one in told for pair in one.items()):
        for table, one in tables.items():
            once = one.once and one.place not in repeated
            take_place(every, file, table, one.place, one.rows, once=once)
    return {
        file: tuple(
            Held(*table, one.place, one.rows if one.once else None) for table, one in tables.items()
        )
        for file, tables in every.items()
    }
