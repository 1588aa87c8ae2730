"""Into how many parts Spark splits its work: settings of a session, by the size of what is pending.

Example
    >>> lowered(None, "spark.sql.shuffle.partitions", 4)
    '4'
    >>> lowered("2", "spark.sql.shuffle.partitions", 4)
    '2'

    By themselves Spark shuffles into 200 parts and Delta reads the state of a table in 50 tasks,
    whatever their size: a batch of 23 rows took 6,810 tasks. No result depends on them. What the
    user has set is never raised, and comes back at the end.
"""

from __future__ import annotations

__all__ = ["SHUFFLE", "SNAPSHOT", "lowered", "parts_for"]

SHUFFLE = "spark.sql.shuffle.partitions"
SNAPSHOT = "spark.databricks.delta.snapshotPartitions"
#: what Spark and Delta take where nothing is set
_DEFAULTS = {SHUFFLE: 200, SNAPSHOT: 50}
_FEWEST = {SHUFFLE: 4, SNAPSHOT: 2}
#: changes, and bytes of a target, that one part holds: Spark's own advice is 64 MB
_CHANGES, _BYTES = 250_000, 128 * 1024**2
#: bytes of a table whose state is read in one task: some thousand files
_STATE = 256 * 1024**3


def parts_for(changes: int, held: int) -> dict[str, int]:
    """How many parts changes of a target of so many bytes are worth."""
    shuffle = max(_FEWEST[SHUFFLE], -(-changes // _CHANGES), -(-held // _BYTES))
    return {SHUFFLE: shuffle, SNAPSHOT: max(_FEWEST[SNAPSHOT], -(-held // _STATE))}


def lowered(now: str | None, name: str, wanted: int) -> str:
    """A session's value for a setting: what is wanted, and no more than what it has now."""
    has = int(now) if now is not None and now.isdigit() else _DEFAULTS[name]
    return str(min(has, wanted))
