"""Sessions are set up by the size of what a run has in hand.

Example
    3 changes, a target of 2 MB          4 parts
    20,000,000 changes                   80 parts
    3 changes, a target of 1 TB          as many as the server has set: a MERGE shuffles its rows
"""

from __future__ import annotations

from filtersql.run.context import RunContext, TargetRun
from filtersql.targets.model import Engine
from filtersql.targets.splitting import SNAPSHOT, parts_for

__all__ = ["size_at_first", "size_sessions"]


def size_at_first(context: RunContext) -> None:
    """Before anything is known but that the ledger is small."""
    context.lanes.size({SNAPSHOT: parts_for(0, 0)[SNAPSHOT]})


def size_sessions(context: RunContext) -> None:
    """By the changes and the targets of this run. Where a size is not known, nothing is lowered."""
    touched = [target for target in context.targets if not target.untouched]
    if not touched or context.engine.atomic:
        return

    def held(engine: Engine, target: TargetRun) -> int | None:
        if not target.standing.copy:
            return engine.bytes_of(target.compiled.target)
        source = context.subscription.source
        copied = source is not None and source.path is None and target.compiled.copy_data
        return None if copied else 0

    sizes = context.lanes.each([(target.lane, target) for target in touched], held)
    counts = [target.waiting for target in touched]
    known = [size for size in (*sizes, *counts) if size is not None]
    if len(known) == len(sizes) + len(counts):
        changes = max(known[len(sizes) :])
        context.lanes.size(parts_for(changes, max(known[: len(sizes)])))
