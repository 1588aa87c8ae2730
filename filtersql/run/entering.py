"""Rows enter a target from the source when their time begins: a window held them back so far.

Example
    window: {column: created_at, keep: 30 days, delay: 1 hour, grain: 1 hour}

    At 10:00 a row of 09:30 begins. The source is brought to the target's position; its rows whose
    key the target lacks, and whose time began since the target was written, are the changes of a
    round of its own: rows of a snapshot (`read`), which the target's MERGE judges as any others.

A killed run's round is done again. A row that is there has its key in the target, so none enters
twice; since when rows may enter is told by the target's mark, or else all of them are judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlglot import exp

from filtersql.feeds.staged_files import as_open
from filtersql.run.clock import moment_at
from filtersql.run.context import RunContext, TargetRun
from filtersql.run.feed_reading import change_columns, no_changes
from filtersql.run.source_at_position import SourceAtPosition, SourcedTarget
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_column, named_rows, same_values, table

__all__ = ["entering", "enters"]


def enters(target: TargetRun, upto: int | None) -> bool:
    """Whether a round without changes is the one in which rows enter."""
    return bool(target.compiled.delays) and not target.releasing and upto == target.position


@contextmanager
def entering(context: RunContext, engine: Engine, target: TargetRun) -> Iterator[None]:
    """The rows that may enter are the view of changes. Raises Mistakes."""
    compiled, subscription = target.compiled, context.subscription
    if target.position is None and (subscription.source is None or not compiled.copy_data):
        # Before the first change there was no row.
        engine.define(compiled.changes_view, no_changes(compiled, engine.dialect))
        yield
        return
    folder = as_open(context.folder / f"entering-{target.lane}")
    sourced = SourcedTarget(compiled, context.options.source_copies[target.name])
    stood_at = _stood_at(engine, target)
    way = f'filtersql run --as-of "{stood_at}" (its clock)' if stood_at else "filtersql run"
    source = SourceAtPosition(context.inputs, subscription, sourced, engine, folder, way)
    source.bring_forward(target.reached, target.standing.entry)
    try:
        engine.define(
            compiled.changes_view, _entering(engine, target, stood_at).sql(engine.dialect)
        )
        yield
    finally:
        source.forget()


def _entering(engine: Engine, target: TargetRun, stood_at: str | None) -> exp.Select:
    """Rows of the source whose key the target lacks, as a snapshot's."""
    compiled = target.compiled
    given = {f"after_{each.name}": named_column(each.name, "s") for each in compiled.feed_columns}
    rows = change_columns(
        compiled, engine.dialect, {"seq": exp.convert(0), "op": exp.convert("read"), **given}
    ).from_(exp.alias_(named_rows(compiled.source_view), "s", table=True))
    held = table(compiled.target_sql, engine.dialect)
    same = same_values(compiled.key, "s", "t")
    rows = rows.join(exp.alias_(held, "t", table=True), on=same, join_type="anti")
    if stood_at is None:
        return rows
    stood = datetime.fromisoformat(stood_at)
    began = (
        named_column(each.column, "s") >= moment_at(engine, each.cut, stood)
        for each in compiled.delays
    )
    return rows.where(exp.or_(*began))


def _stood_at(engine: Engine, target: TargetRun) -> str | None:
    """The clock at which the target was written; None: not known."""
    if target.stood_at is not None:
        return target.stood_at
    mark = engine.committed(target.compiled.target)
    return None if mark is None else mark.clock
