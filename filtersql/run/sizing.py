"""Sessions are set up by the size of what a run has in hand.

Example
    3 changes, a target of 2 MB          1 part, and what Spark does for large work is left out
    3 changes, a target of 200 MB        4 parts
    20,000,000 changes                   80 parts
    2,000 changes with a text of 1 MB    4 parts, of which 16 rows are read at a time
    3 changes, a target of 1 TB          as many as the server has set: a MERGE shuffles its rows
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pyarrow import parquet

from filtersql.run.aging import going
from filtersql.run.context import RunContext, TargetRun
from filtersql.run.source_places import source_bytes
from filtersql.targets.model import Engine
from filtersql.targets.splitting import SNAPSHOT, Split, split_for

__all__ = ["size_at_first", "size_sessions"]


def size_at_first(context: RunContext) -> None:
    """Before anything is known but that the ledger is small."""
    context.lanes.size(Split({SNAPSHOT: split_for(0, 0).parts[SNAPSHOT]}))


def size_sessions(context: RunContext) -> None:
    """By the changes and the targets of this run. Where a size is not known, nothing is lowered."""
    if context.engine.atomic:
        return
    names = {target.name for target in going(context)}
    touched = [t for t in context.targets if t.name in names or t.standing.copy]
    if not touched:
        return

    def held(engine: Engine, target: TargetRun) -> int | None:
        compiled, source = target.compiled, context.subscription.source
        if not target.standing.copy:
            return engine.bytes_of(compiled.target)
        if source is None or not compiled.copy_data:
            return 0
        return source_bytes(context.inputs, engine, source, compiled)

    sizes = context.lanes.each([(target.lane, target) for target in touched], held)
    counts = [target.waiting for target in touched]
    known = [size for size in (*sizes, *counts) if size is not None]
    if len(known) == len(sizes) + len(counts):
        changes = max(known[len(sizes) :])
        staged = [_files(target.staged) for target in touched]
        written = [sum(file.stat().st_size for file in files) for files in staged]
        largest = max(*known[: len(sizes)], *written)
        row = max((_row_bytes(file) for files in staged for file in files), default=0)
        # What filters look up, and the source from which rows enter by time.
        reads_more = any(t.compiled.lookups or t.compiled.clock for t in touched)
        context.lanes.size(split_for(changes, largest, reads_more=reads_more, row=row))


def _files(staged: Path | None) -> Sequence[Path]:
    """The files of staged changes: one, or those of a folder."""
    if staged is None:
        return ()
    return [file for file in staged.rglob("*") if file.is_file()] if staged.is_dir() else [staged]


def _row_bytes(file: Path) -> int:
    """The bytes of a change where they are largest."""
    metadata = parquet.read_metadata(file)
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return max((one.total_byte_size // max(one.num_rows, 1) for one in groups), default=0)
