"""Runs again and again, so that targets follow their feeds: `follow(reporter, flags, going)`.

Example
    12:00:00  Done. PASS=2 ERROR=0 SKIP=0 TOTAL=2
    12:00:10  s/public.orders: 3 inserted
    12:00:40  s/public.orders: 1 deleted

    The first run is said as any; of the others only what they change is. All are in the log.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec import Struct

from filtersql.api.loading import loaded_compilation
from filtersql.api.notices import RememberedNotice
from filtersql.api.options import WrongUsage
from filtersql.api.records import Run, TargetRun
from filtersql.api.reporter import Reporter
from filtersql.api.run import RunFlags, carry_out
from filtersql.api.selecting import selected
from filtersql.errors import Mistake, Mistakes

__all__ = ["Going", "follow"]

#: seconds between two looks whether it is over
_LOOK = 0.2
#: the exit code where an engine cannot be reached
_OUTSIDE = 2


class Going(Struct, frozen=True):
    """How a run goes on: each begins `interval` seconds after the one before, or at once.

    `until_idle`: the first with nothing to do is the last; `stops` is asked whether it is over.
    """

    interval: float
    until_idle: bool = False
    stops: Callable[[], bool] = lambda: False


def follow(reporter: Reporter, flags: RunFlags, going: Going) -> Run:
    """Run the selected targets until it is over, or one fails; what the last run did.

    What flags ask for once is done in the first run. A later one waits for an engine that cannot be
    reached. Raises Mistakes.
    """
    if flags.dry_run or flags.as_of is not None:
        raise WrongUsage("--follow writes, and goes on with time: not with --dry-run or --as-of.")
    project, compilation = loaded_compilation(reporter)
    nodes = selected(project, compilation, reporter.options)
    began = time.monotonic()
    goes_on = not going.until_idle
    done = carry_out(reporter, project, compilation, nodes, flags, goes_on=goes_on)
    later, flags = _Later(reporter), RunFlags(require_approval=flags.require_approval)
    while not (reporter.mistakes or (going.until_idle and not _changed(done))):
        if not _waited(began + going.interval, going.stops):
            break
        began = time.monotonic()
        try:
            done = carry_out(later, project, compilation, nodes, flags, goes_on=goes_on)
        except Mistakes as mistakes:
            if mistakes.exit_code != _OUTSIDE:
                raise
            # Another holds the database, or a server is down: the changes wait.
            _tell(reporter, f"{mistakes.mistakes[0].message}: tried again")
        else:
            for each in _changed(done):
                _tell(reporter, f"{each.unique_id}: {each.message}")
    return done


class _Later(Reporter):
    """Of a run that is not the first: talk is only logged."""

    def __init__(self, reporter: Reporter) -> None:
        self.options, self.log, self.loaded = reporter.options, reporter.log, True
        self.mistakes = reporter.mistakes
        self._reporter = reporter

    def warning(self, notice: RememberedNotice) -> None:
        if notice.name != "Removed":  # the first run has said it
            self._reporter.warning(notice)

    def report(self, error: Mistake | Mistakes) -> None:
        self._reporter.report(error)


def _changed(done: Run) -> list[TargetRun]:
    return [
        each
        for each in done.results
        if each.rows_inserted or each.rows_updated or each.rows_deleted or each.quarantined
    ]


def _tell(reporter: Reporter, text: str) -> None:
    reporter.message(text, shown=f"{time.strftime('%H:%M:%S')}  {text}")


def _waited(until: float, stops: Callable[[], bool]) -> bool:
    """Whether a moment came before it was over."""
    while not stops():
        if time.monotonic() >= until:
            return True
        time.sleep(_LOOK)
    return False
