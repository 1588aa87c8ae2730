"""How Spark splits its work: settings of a session, by the size of what is pending.

Example
    >>> lowered(None, "spark.sql.shuffle.partitions", 4)
    '4'
    >>> lowered("2", "spark.sql.shuffle.partitions", 4)
    '2'

    By themselves Spark shuffles into 200 parts and Delta reads the state of a table in 50 tasks,
    whatever their size: a batch of 23 rows took 6,810 tasks. No result depends on them. What the
    user has set is never raised, and comes back at the end.

    In a Spark or a session of filtersql's own, a handful of changes of a small table costs what
    Spark does around them: above all each task, those that read Delta's log included, writes Java
    for a few rows. Without that a run of two tables that was warm took 4.2 s in place of 5.7 on
    Delta, and 4.0 in place of 4.4 on Iceberg.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from msgspec import Struct

__all__ = [
    "BATCH",
    "FOR_LARGE_ROWS",
    "FOR_SMALL",
    "MOST",
    "PARTS",
    "SHUFFLE",
    "SNAPSHOT",
    "SPARED",
    "Split",
    "lowered",
    "split_for",
]

SHUFFLE = "spark.sql.shuffle.partitions"
SNAPSHOT = "spark.databricks.delta.snapshotPartitions"
#: rows that are read from a file of Parquet at a time: with a text of 1 MB in each, 4 GB
BATCH = "spark.sql.parquet.columnarReaderBatchSize"
#: what Spark and Delta take where nothing is set
_DEFAULTS = {SHUFFLE: 200, SNAPSHOT: 50, BATCH: 4096}
_FEWEST = {SHUFFLE: 4, SNAPSHOT: 2, BATCH: 8}
PARTS = frozenset(_DEFAULTS)
#: as many as a session has
MOST = 2**31
#: changes, and bytes of a target, that one part holds: Spark's own advice is 64 MB
_CHANGES, _BYTES = 250_000, 128 * 1024**2
#: bytes of the rows that are read at a time
_BATCH_BYTES = 16 * 1024**2
#: bytes of a table whose state is read in one task: some thousand files
_STATE = 256 * 1024**3
#: up to so many changes, and bytes of a target, Java that is written for them does not pay
_SMALL_CHANGES, _SMALL_BYTES = 10_000, 8 * 1024**2
#: what Spark leaves out where all is small; no result depends on it
FOR_SMALL: Mapping[str, str] = {
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    # a file, however small, is counted as four megabytes: two of them would be two tasks
    "spark.sql.files.openCostInBytes": "0",
    "spark.sql.files.minPartitionNum": "1",
    "spark.sql.leafNodeDefaultParallelism": "1",
}
#: with fewer rows at a time, of more than 64 KB each, Iceberg's own reader takes too many: 5000
_FEW_ROWS = 256
#: what Spark leaves out there
FOR_LARGE_ROWS: Mapping[str, str] = {"spark.sql.iceberg.vectorization.enabled": "false"}
SPARED = (*FOR_SMALL, *FOR_LARGE_ROWS)


class Split(Struct, frozen=True):
    """Into how many parts work is split, by setting; and whether all of it is small."""

    parts: Mapping[str, int]
    small: bool = False

    @property
    def spared(self) -> Mapping[str, str]:
        """What Spark leaves out, as settings; no result depends on it."""
        large_rows = FOR_LARGE_ROWS if self.parts.get(BATCH, _FEW_ROWS) < _FEW_ROWS else {}
        return {**FOR_SMALL, **large_rows} if self.small else large_rows

    def settings(
        self, at_first: Callable[[str], str | None], given: Collection[str] | None
    ) -> dict[str, str | None]:
        """A session's settings. `at_first`: what it had before.

        What is not said is as before. `given` names what the user says of a Spark of filtersql's
        own, which shuffles into as many parts as are wanted; None: the session is the user's.
        """
        found: dict[str, str | None] = {}
        for name in _DEFAULTS:
            known, wanted = at_first(name), self.parts.get(name)
            if wanted is None or (given is not None and name in given):
                found[name] = known
            elif name == SHUFFLE and given is not None:
                found[name] = str(wanted)
            else:
                found[name] = lowered(known, name, wanted)
        spared = self.spared
        for name in SPARED:
            if given is not None and name not in given:
                found[name] = spared.get(name, at_first(name))
        return found


def split_for(changes: int, held: int, *, reads_more: bool = False, row: int = 0) -> Split:
    """What changes of a target of so many bytes are worth; `row`: the bytes of one of them.

    `reads_more`: statements read other tables, too, which may be large.
    """
    at_a_time = _BATCH_BYTES // max(row, 1)
    batch = {BATCH: at_a_time} if at_a_time < _DEFAULTS[BATCH] else {}
    if changes <= _SMALL_CHANGES and held <= _SMALL_BYTES and not reads_more:
        return Split({SHUFFLE: 1, SNAPSHOT: 1, **batch}, small=True)
    shuffle = max(_FEWEST[SHUFFLE], -(-changes // _CHANGES), -(-held // _BYTES))
    snapshot = max(_FEWEST[SNAPSHOT], -(-held // _STATE))
    return Split({SHUFFLE: shuffle, SNAPSHOT: snapshot, **batch})


def lowered(now: str | None, name: str, wanted: int) -> str:
    """A session's value for a setting: what is wanted, and no more than what it has now."""
    has = int(now) if now is not None and now.isdigit() else _DEFAULTS[name]
    return str(min(has, max(wanted, _FEWEST[name])))
