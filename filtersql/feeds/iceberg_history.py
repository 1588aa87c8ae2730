"""The snapshots of an Iceberg table that lead to its current one: `iceberg_history(…)`.

Example
    snapshots 1 ← 2 ← 3 ← 4, of which 4 is the current one

    ============================ ====================================================
    1 has expired                2 has a parent that is gone: no feed from the first
    rolled back to 3, then 5     3 ← 5: a target at 4 holds rows that the table lacks
    ============================ ====================================================

    The changelog view ends at a parent that is gone and says nothing, so it is whole only from the
    first snapshot of all, or from one that leads to the current one.

Iceberg
    SnapshotsTable.java; RefsTable.java; MetadataLogEntriesTable.java; SnapshotUtil.java
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from sqlglot import exp, select

from filtersql.errors import Mistakes
from filtersql.errors.feed_tables import UNREADABLE_COMMIT
from filtersql.feeds.lake_tables import NUMBER_BITS, Query, lake_table, rows_anew

__all__ = ["IcebergHistory", "iceberg_history"]

_NOT_LOGGED = "the snapshot at the target's position is not in its metadata log"
_NO_ANCESTOR = (
    "the snapshot at the target's position does not lead to its current one: the table was rolled "
    "back or made again, or snapshots between them have expired"
)
_EXPIRED = (
    "its first snapshots have expired, so the feed does not tell of the rows that they brought"
)


class IcebergHistory(Struct, frozen=True):
    """What leads to the current snapshot, which comes first; `whole`: from the first one of all.

    `numbers` are sequence numbers, also of snapshots that are not among these.
    """

    parts: Sequence[str]
    snapshots: Sequence[int]
    whole: bool
    numbers: Mapping[int, int]

    @property
    def hint(self) -> str:
        """How a target takes the table's rows anew."""
        newest = self.numbers.get(self.snapshots[0]) if self.snapshots else None
        return rows_anew(self.parts, newest)

    def start(self, lowest: int) -> int | None:
        """The snapshot at a position; None: before any. Raises Mistakes."""
        if lowest < 0:
            if not self.whole:
                raise self._refused(_EXPIRED)
            return None
        number = lowest >> NUMBER_BITS
        for snapshot in self.snapshots:
            if self.numbers.get(snapshot) == number:
                return snapshot
        known = number in self.numbers.values() or not self.snapshots
        raise self._refused(_NO_ANCESTOR if known else _NOT_LOGGED)

    def _refused(self, reason: str) -> Mistakes:
        shown = ".".join(self.parts)
        return Mistakes([UNREADABLE_COMMIT(shown=shown, reason=reason, hint=self.hint)])


def iceberg_history(query: Query, parts: Sequence[str]) -> IcebergHistory:
    """The history of a table, as it is now."""
    # A long session keeps what it knew of the table.
    query(f"REFRESH TABLE {lake_table(parts).sql('spark')}")
    main = exp.column("name").eq(exp.Literal.string("main"))
    refs = select("snapshot_id").from_(lake_table([*parts, "refs"])).where(main)
    current = [int(str(row[0])) for row in query(refs.sql("spark"))]
    known = select("snapshot_id", "parent_id").from_(lake_table([*parts, "snapshots"]))
    parents = {
        int(str(one)): None if parent is None else int(str(parent))
        for one, parent in query(known.sql("spark"))
    }
    # Read last: it has the number of each of these, whatever is committed meanwhile.
    log = lake_table([*parts, "metadata_log_entries"])
    columns = ("latest_snapshot_id", "latest_sequence_number")
    told = query(select(*columns).from_(log).sql("spark"))
    numbers = {int(str(i)): int(str(n)) for i, n in told if i is not None and n is not None}
    snapshots: list[int] = []
    following = current[0] if current else None
    while following is not None and following in parents:
        snapshots.append(following)
        following = parents[following]
    return IcebergHistory(parts, snapshots, following is None, numbers)
