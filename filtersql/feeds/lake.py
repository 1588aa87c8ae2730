"""The feed formats delta_cdf and iceberg_changelog: what a lakehouse table tells of its commits.

Example
    `changes: {format: delta_cdf, table: lake.orders}`: Delta's change data feed; a commit's number
    is its version. `changes: {format: iceberg_changelog, table: lake.db.orders}`: Iceberg's
    changelog; the number is the snapshot's sequence number, out of the metadata log.

    An Iceberg snapshot takes rows away and adds rows; a key on both sides is an UPDATE. Old rows
    are complete in both. A seq counts one table's commits, so such a feed serves one table.

Delta
    CDCReader.scala: _change_type, _commit_version
Iceberg
    CreateChangelogViewProcedure.java; MetadataLogEntriesTable.java
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlglot import exp, select

from filtersql.catalog import Table
from filtersql.errors import Mistakes
from filtersql.errors.feed_tables import UNREADABLE_COMMIT
from filtersql.feeds.commits import Commit, Unpaired, changes_of
from filtersql.feeds.iceberg_history import iceberg_history
from filtersql.feeds.lake_tables import NUMBER_BITS, Query, lake_table, rows_anew
from filtersql.feeds.lake_texts import is_array, text_of
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.records import Record
from filtersql.feeds.table_feeds import Row, TableFeed

__all__ = ["KEPT_OF_TABLE", "LakeFeed", "from_delta", "from_iceberg"]

#: stands where a feed of files has the path of one: a subscription reads one table
KEPT_OF_TABLE = "(table)"
_NO_VERSION = "the target's position is beyond its newest version: it was made again"
_GIVES_ID = re.compile("REPLACE|RESTORE|CLONE")
#: commits that are looked at at once: most runs read no more
_FEW = 20
#: the column of DESCRIBE HISTORY
_OPERATION = 4
_VIEW = "filtersql_changelog"
_KIND = "_change_type"
#: the column that orders commits
_ORDER = "place"
_SIDES = {
    "delete": "deleted",
    "update_preimage": "old",
    "update_postimage": "new",
    "insert": "inserted",
}


class _Lake(Struct, frozen=True):
    """A table and how its rows are told; `numbers` are those of Iceberg's snapshots.

    `hint` says what to do where one has none.
    """

    shown: str
    table: Table
    types: Mapping[str, str]
    numbers: Mapping[int, int] | None = None
    hint: str | None = None

    def changes(
        self, rows: Iterable[Row], mistakes: list[PlacedMistake]
    ) -> Iterator[tuple[Place, Record]]:
        """The changes of some commits, each of which is whole."""
        relation = [self.table.name.schema, self.table.name.name]
        key = self.table.primary_key
        arrays = {n for n, kind in self.types.items() if is_array(kind, self.table, n)}
        for number, found in groupby(rows, key=self._number):
            place = (self.shown, max(number, 1), f"commit {number}".encode())
            commit = Commit(number)
            for kind, _, _, *values in found:
                side = getattr(commit, _SIDES[str(kind).lower()])
                side.append(_image(self.types, arrays, values))
            if self.numbers is not None:
                _pair(commit, key)
            try:
                if number < 0:
                    raise Unpaired("its snapshot is not in the metadata log any more")
                for change in changes_of(commit, relation, key):
                    yield place, change
            except Unpaired as why:
                shown = f"{self.shown}, commit {number}"
                hint = self.hint if number < 0 else None
                wrong = UNREADABLE_COMMIT(shown=shown, reason=str(why), hint=hint)
                mistakes.append((place, wrong))

    def _number(self, row: Row) -> int:
        commit = int(str(row[1]))
        return commit if self.numbers is None else self.numbers.get(commit, -1)


class LakeFeed(Struct, frozen=True):
    """The changes of a table above a position; `changes` is None where nothing came since.

    A run keeps `mark` of the table; the next one has to find it among `marks`, or it would go on in
    another table, or in this one as it was before (None: it may be any). `hint` says what to do.
    """

    shown: str
    changes: TableFeed | None
    mark: int | None
    marks: Collection[int] | None
    hint: str

    def kept(self) -> tuple[tuple[str, int, int, int, None], ...]:
        """What is kept of the table, as of a file that was read."""
        return () if self.mark is None else ((KEPT_OF_TABLE, self.mark, 0, -1, None),)


def from_delta(query: Query, parts: Sequence[str], table: Table, lowest: int) -> LakeFeed:
    """The changes of a Delta table, of which its id is kept. Raises Mistakes."""
    name, shown = lake_table(parts).sql("spark"), ".".join(parts)
    # A table that is replaced meanwhile has its new id, of which the next run will hear.
    told = query(_history(name, _FEW))
    newest = int(str(told[0][0])) if told else -1
    described = query(exp.Command(this="DESCRIBE DETAIL", expression=name).sql("spark"))
    mark = _number_of(str(described[0][1]))
    position = lowest >> NUMBER_BITS  # -1: before any
    hint = rows_anew(parts, newest if told else None)
    if newest < position:
        raise Mistakes([UNREADABLE_COMMIT(shown=shown, reason=_NO_VERSION, hint=hint)])
    if newest == position:  # Delta refuses to begin behind the newest version
        return LakeFeed(shown, None, mark, {mark}, hint)
    lake = _Lake(shown, table, _types(query, lake_table(parts)))
    # The feed may be read several times: what is committed meanwhile is the next run's.
    versions = (exp.Literal.number(each) for each in (position + 1, newest))
    source = exp.Table(
        this=exp.Anonymous(this="table_changes", expressions=[exp.Literal.string(name), *versions])
    )
    text = _select(lake, "_commit_version", "_commit_version").from_(source)
    # CREATE OR REPLACE gives the table another id, RESTORE that of before; the feed tells of both.
    many = newest - position if position >= 0 else 0
    since = told if many <= _FEW else query(_history(name, many))
    renamed = any(_GIVES_ID.search(str(row[_OPERATION])) for row in since[:many])
    marks = None if renamed else {mark}
    return LakeFeed(shown, TableFeed(text, _ORDER, lake.changes), mark, marks, hint)


def from_iceberg(query: Query, parts: Sequence[str], table: Table, lowest: int) -> LakeFeed:
    """The changes of an Iceberg table, of which its snapshot is kept. Raises Mistakes."""
    history = iceberg_history(query, parts)
    start = history.start(lowest)
    snapshots = history.snapshots
    told = LakeFeed(
        ".".join(parts), None, snapshots[0] if snapshots else None, {*snapshots}, history.hint
    )
    if start == told.mark:  # Iceberg refuses a view of nothing
        return told
    ends = {"start": start, "end": told.mark}  # what is committed meanwhile is the next run's
    pairs = ", ".join(f"'{end}-snapshot-id', '{at}'" for end, at in ends.items() if at)
    catalog = exp.to_identifier(parts[0], quoted=True).sql("spark")
    inside = exp.Literal.string(lake_table(parts[1:]).sql("spark")).sql("spark")
    query(
        f"CALL {catalog}.system.create_changelog_view(table => {inside},"
        f" changelog_view => '{_VIEW}', options => map({pairs}))"
    )
    lake = _Lake(told.shown, table, _types(query, lake_table(parts)), history.numbers, told.hint)
    text = _select(lake, "_commit_snapshot_id", "_change_ordinal").from_(exp.to_table(_VIEW))
    return replace(told, changes=TableFeed(text, _ORDER, lake.changes))


def _pair(commit: Commit, key: Sequence[str]) -> None:
    """A key that a snapshot takes away and adds is one whose row it updated."""
    if not key:
        return

    def key_of(row: Mapping[str, object]) -> tuple[object, ...]:
        return tuple(row[name] for name in key)

    both = {*map(key_of, commit.deleted)} & {*map(key_of, commit.inserted)}
    commit.old = [row for row in commit.deleted if key_of(row) in both]
    commit.new = [row for row in commit.inserted if key_of(row) in both]
    commit.deleted = [row for row in commit.deleted if key_of(row) not in both]
    commit.inserted = [row for row in commit.inserted if key_of(row) not in both]


def _history(name: str, count: int) -> str:
    """The statement that reads the newest commits of a Delta table."""
    limited = f"{name} LIMIT {count}"
    return exp.Command(this="DESCRIBE HISTORY", expression=limited).sql("spark")


def _number_of(identity: str) -> int:
    """A table's id as the number that is kept."""
    return int.from_bytes(blake2b(identity.encode(), digest_size=7).digest(), "big")


def _types(query: Query, table: exp.Table) -> dict[str, str]:
    """The columns of the table with the engine's types, lower case."""
    found: dict[str, str] = {}
    for name, kind, *_ in query(exp.Describe(this=table).sql("spark")):
        if not name or str(name).startswith("#"):
            break
        found[str(name)] = str(kind).lower()
    return found


def _select(lake: _Lake, commit: str, order: str) -> exp.Select:
    """The kind of change, its commit and that one's place, and every column as text, exactly."""
    columns = [text_of(name, kind, lake.table) for name, kind in lake.types.items()]
    kind = exp.column(_KIND)
    place = exp.column(order).as_(_ORDER)
    return select(kind, exp.column(commit).as_("commit"), place, *columns)


def _image(types: Mapping[str, str], arrays: Collection[str], values: Row) -> dict[str, Any]:
    return {
        name: json.loads(str(value)) if name in arrays and value is not None else value
        for name, value in zip(types, values, strict=True)
    }
