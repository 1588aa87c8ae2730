"""A run's clock: read once, kept in the ledger, never going back; windows of time compare with it.

Example
    ==================== ================== ========================================
    kept in the ledger   the run's clock    the view filtersql_clock of a target
    ==================== ================== ========================================
    nothing              2026-11-26 10:30   cut_30_days_by_day: 2026-10-27 00:00
    2026-11-26 00:00     2026-11-26 18:00   the same: nothing has moved
    2026-11-26 00:00     2026-11-25 09:00   as at 2026-11-26; --as-of is refused
    ==================== ================== ========================================

What is kept of a target is the clock cut off to the finest grain of its windows. A cut that a
killed run began is finished with the clock that it began with.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlglot import exp, select

from filtersql.catalog import PgType
from filtersql.errors import Mistakes
from filtersql.errors.windows import CLOCK_BACK
from filtersql.filters.model import CLOCK
from filtersql.filters.values.cuts import ClockColumn, finest, truncated
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.ledger import Ledger
from filtersql.storage import stored_as
from filtersql.targets.model import Engine

__all__ = [
    "clock_for",
    "clock_of_run",
    "moment_at",
    "moments",
    "read_clock",
    "show_clock",
    "show_moments",
]


def read_clock() -> datetime:
    """The time of day in UTC, without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)


def clock_of_run(
    read: datetime, as_of: datetime | None, known: Ledger, subscription: str
) -> datetime:
    """The clock of a subscription's run: the one that was read, or asked for, or the kept one.

    Raises Mistakes where it is asked to go back.
    """
    found = (one.clock for one in known.of(subscription))
    kept = max((datetime.fromisoformat(each) for each in found if each is not None), default=None)
    if as_of is not None and kept is not None and as_of < kept:
        raise Mistakes([CLOCK_BACK(subscription=subscription, asked=as_of, kept=kept)])
    asked = read if as_of is None else as_of
    return asked if kept is None else max(asked, kept)


def clock_for(compiled: CompiledTable, clock: datetime) -> str | None:
    """The clock as it is kept of a target; None where it has no window."""
    if not compiled.clock:
        return None
    grain = finest(column.grain for column in compiled.clock)
    return truncated(clock, grain).isoformat(" ")


def show_clock(engine: Engine, compiled: CompiledTable, clock: str | None) -> None:
    """Make the view of the moments that the statements of a target compare with."""
    if compiled.clock:
        assert clock is not None  # each target with a window has one before it is judged
        show_moments(engine, compiled.clock, datetime.fromisoformat(clock))


def show_moments(engine: Engine, columns: Sequence[ClockColumn], clock: datetime) -> None:
    """Make the view of some moments of a clock."""
    shown = [moment.as_(name) for name, moment in moments(engine, columns, clock).items()]
    engine.define(CLOCK, select(*shown).sql(engine.dialect))


def moments(engine: Engine, columns: Sequence[ClockColumn], clock: datetime) -> dict[str, exp.Expr]:
    """What the view of some moments holds, by column."""
    return {column.name: moment_at(engine, column, clock) for column in columns}


def moment_at(engine: Engine, column: ClockColumn, clock: datetime) -> exp.Expr:
    """A moment of a clock, of the type of the column that it is compared with."""
    stored = stored_as(PgType(column.type), engine.dialect).sql
    kind = exp.DataType.build(stored, dialect=engine.dialect)
    return exp.cast(exp.Literal.string(column.at(clock).isoformat(" ")), kind)
