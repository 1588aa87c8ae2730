"""Whether the filters in force tell which rows a target holds: `is_trusted(…)`.

Example
    ====================================== =================================================
    since the target was filled            a row of the source and one of the target differ
    ====================================== =================================================
    nobody else wrote: it is marked        never
    changes stand in quarantine            where these came: the last good row is kept
    a conflict was met                     where the target's row was kept, or is missing
    the new row alone judges an UPDATE     where one left the filter: its last row stays
    another filter judges deletes          where a DELETE was not sent: its row stays
    an action is not published, and the    where such a change came in between
    source was read later than the copy
    ====================================== =================================================

    Where they may differ rows are compared: one that enters would stand beside another of its key.
"""

from __future__ import annotations

from filtersql.run import quarantine
from filtersql.run.ledger_entry import Entry
from filtersql.run.source_at_position import SourceAtPosition

__all__ = ["is_trusted"]


def is_trusted(source: SourceAtPosition, entry: Entry) -> bool:
    """Whether a target is what its filters in force take of the source at its position."""
    compiled, engine = source.sourced.compiled, source.engine
    if compiled.rows_stay or not compiled.definition.comparable:
        return False
    if not engine.is_marked(compiled.target):
        return False
    if quarantine.count(engine, compiled):
        return False
    own = source.since_filled(entry)
    # What `apply` decided, too: nobody tells what `on_conflict` was when a conflict was met.
    if any(count for row in own for count in row.conflicts.values()):
        return False
    sent = not compiled.definition.partly_sent
    return sent or [row.stood for row in own[:1]] == [source.holds]
