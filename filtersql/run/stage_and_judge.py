"""Staging a MERGE's rows and judging them before anything is written.

Example
    The query between `USING (` and `)` of merge.sql is run into a stage. The stage has to hold one
    row for each key and no NULL for a NOT NULL column; where a value was not sent, the target has
    to have the row. Then merge.sql is run with the stage in place of the query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct
from sqlglot import select

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.applying import DUPLICATE_KEYS, NULL_FOR_NOT_NULL, UNREADABLE_STATEMENT
from filtersql.errors.stopping import PRIMARY_KEY_TAKEN
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.conflict_counts import counted_beside, met_in_target, met_within, reviewed_rows
from filtersql.run.counts import count
from filtersql.run.key_texts import keys_written_otherwise
from filtersql.run.model import Conflict, no_conflicts
from filtersql.run.query_parts import Kept, run_costly_parts
from filtersql.run.stage_counts import Staged, counted, unknown_values
from filtersql.run.staged_statements import staged_merge
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_rows

__all__ = ["Judgement", "StageRefused", "judge_changes", "staging"]


class StageRefused(Mistakes):
    """The engine refused the query over the changes: perhaps a filter raised an error."""


@contextmanager
def staging() -> Iterator[None]:
    """What the engine refuses within becomes StageRefused."""
    try:
        yield
    except Mistakes as refused:
        raise StageRefused(refused.mistakes) from None


class Judgement(Struct, frozen=True):
    """What is about to be written to a target: the statement, and what was counted."""

    compiled: CompiledTable
    merge: str
    changes: int
    staged: int
    conflicts: dict[str, int]
    sample: tuple[Conflict, ...] = ()
    #: the first change that stops a PostgreSQL subscriber
    first_stop: int | None = None
    #: seq and key of the first change that lacks a value, where that stops the run
    unsent: tuple[int, dict[str, object]] | None = None

    @property
    def stops_at(self) -> int | None:
        """The first change that this run stops at."""
        existing = self.first_stop if self.compiled.stops_at_existing else None
        found = (existing, None if self.unsent is None else self.unsent[0])
        return min((seq for seq in found if seq is not None), default=None)


def judge_changes(
    engine: Engine,
    compiled: CompiledTable,
    stage: str,
    changes: int | None = None,
    *,
    completing: bool = False,
    truncates: bool = True,
) -> tuple[Judgement, list[Mistake]]:
    """Stage and judge the changes in the view; everything that forbids the MERGE.

    `changes` is their number where the reader of the feed counted them; `completing` where the
    plain statement stopped at a value that was not sent; `truncates` False where none of them is a
    TRUNCATE. Raises StageRefused.
    """
    if changes is None:
        changes = count(engine, select("*").from_(named_rows(compiled.changes_view)))
    unsent = _unsent(engine, compiled) if changes else None
    if (changes == 0 and not compiled.clock) or unsent is not None:
        none = no_conflicts()
        return Judgement(compiled, compiled.merge_sql, changes, 0, none, unsent=unsent), []
    with staging():
        staged = _staged(engine, compiled, stage, completing=completing, truncates=truncates)
    name, kept, columns = compiled.unique_id, staged.kept, staged.columns
    tally = counted(engine, compiled, staged)
    mistakes: list[Mistake] = [
        NULL_FOR_NOT_NULL(name=name, column=column, count=count)
        for column, count in tally.nulls.items()
        if count
    ]
    if tally.repeated:
        mistakes.append(DUPLICATE_KEYS(name=name, key=compiled.key, count=tally.repeated))
    unknown = unknown_values(engine, compiled, stage, columns) if tally.kept else []
    mistakes += [*unknown, *keys_written_otherwise(engine, compiled)]
    conflicts = dict(tally.conflicts)
    sample: tuple[Conflict, ...] = ()
    if any(conflicts.values()):
        names = compiled.key or tuple(column.name for column in compiled.columns)
        sample = _conflicts(engine, names, kept.over(compiled.conflict_sample_sql))
    first = tally.first_stop
    if compiled.contested_sql is not None:
        contested = _conflicts(engine, compiled.unique, kept.over(compiled.contested_sql))
        if contested and not compiled.stops_at_existing:
            taken = contested[0]
            mistakes.append(PRIMARY_KEY_TAKEN(name=name, seq=taken.seq, key=taken.key))
        if contested and (first is None or contested[0].seq < first):
            first = contested[0].seq
        sample = (*sample, *contested)
        for met in contested:
            conflicts[met.kind] += 1
    merge = staged_merge(compiled, stage, engine)
    if merge is None:
        mistakes.append(UNREADABLE_STATEMENT(name=name))
        merge = ""
    return Judgement(compiled, merge, changes, tally.rows, conflicts, sample, first), mistakes


def _staged(
    engine: Engine, compiled: CompiledTable, stage: str, *, completing: bool, truncates: bool
) -> Staged:
    completed = compiled.completing_source_sql if completing else None
    counting = None
    if completed is None:
        counting = counted_beside(compiled, truncates=truncates)
    if counting is not None:
        beside = f"{stage}__met"
        columns = engine.stage(beside, counting)
        reviewed, columns = reviewed_rows(compiled, beside, columns, engine.dialect)
        engine.define(stage, reviewed)
        conflicts = met_in_target(compiled, beside, engine.dialect)
        return Staged(columns, beside, conflicts, Kept(engine.dialect), met_within(compiled))
    source = completed or compiled.merge_source_sql
    kept = run_costly_parts(engine, compiled, stage, source)
    columns = engine.stage(stage, kept.over(source))
    return Staged(columns, stage, kept.over(compiled.conflicts_sql), kept)


def _unsent(engine: Engine, compiled: CompiledTable) -> tuple[int, dict[str, object]] | None:
    """The first change that lacks a value, where that stops: it stops the statement, too."""
    if compiled.unsent_sql is None:
        return None
    with staging():
        lacking = engine.rows(compiled.unsent_sql)
    for *values, seq in lacking:
        return int(str(seq)), dict(zip(compiled.key, values, strict=True))
    return None


def _conflicts(engine: Engine, names: Sequence[str], query: str) -> tuple[Conflict, ...]:
    """What a query of conflicts finds: the values of some columns, seq and kind."""
    return tuple(
        Conflict(str(kind), int(str(seq)), dict(zip(names, key, strict=True)))
        for *key, seq, kind in engine.rows(query)
    )
