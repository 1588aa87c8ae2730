"""`run`: the initial copy where it is missing, then every pending change, in order, once.

Example
    result = run(inputs, {"s1": tables}, engine, Options(), print)
    result.results[0].rows_inserted, result.mistakes

    A subscription that is refused leaves its targets as they were; the others go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from filtersql.errors import Mistake, Mistakes
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import ledger
from filtersql.run.clock import read_clock
from filtersql.run.conflicting_change import Stop
from filtersql.run.context import RunContext
from filtersql.run.filter_errors import changes_that_raise, stop_before_error, why_refused
from filtersql.run.holding import beating, finish, release
from filtersql.run.lease import leased
from filtersql.run.ledger_cache import LedgerCache
from filtersql.run.model import Event, Inputs, OnEvent, Options, RunResult, TableResult
from filtersql.run.proofs import folded, parts_of
from filtersql.run.removed_targets import abandoned
from filtersql.run.sessions import lanes
from filtersql.run.shared_feeds import SharedFeeds
from filtersql.run.sources import source_named
from filtersql.run.spent import Spent
from filtersql.run.stage_and_judge import StageRefused
from filtersql.run.subscription import apply_subscription
from filtersql.targets.model import Engine, Undone
from filtersql.targets.work_folder import work_folder

__all__ = ["run"]


class _Told(Struct, frozen=True):
    """What was shown so far: each target once at its start and once at its end."""

    on_event: OnEvent | None
    total: int
    started: dict[str, int] = field(default_factory=dict)

    def start(self, compiled: CompiledTable) -> None:
        unique_id = compiled.unique_id
        if unique_id not in self.started:
            self.started[unique_id] = len(self.started) + 1
            self._tell(Event("start", unique_id, self.started[unique_id], self.total))

    def end(self, result: TableResult) -> None:
        self.start(result.compiled)
        kind = {"success": "ok", "error": "error", "skipped": "skip"}[result.status]
        index = self.started[result.unique_id]
        event = Event(
            kind,  # type: ignore[arg-type]
            result.unique_id,
            index,
            self.total,
            message=result.message,
            seconds=result.execution_time,
        )
        self._tell(event)

    def reading(self, subscription: str, count: int) -> None:
        self._tell(Event("reading", subscription, count=count))

    def _tell(self, event: Event) -> None:
        if self.on_event is not None:
            self.on_event(event)


def run(
    inputs: Inputs,
    tables: Mapping[str, Sequence[CompiledTable]],
    engine: Engine,
    options: Options | None = None,
    on_event: OnEvent | None = None,
) -> RunResult:
    """Bring the targets of some subscriptions, given by name, to where their feeds are."""
    # One clock for all subscriptions.
    options = replace(options or Options(), read_at=read_clock())
    began = time.perf_counter()
    told = _Told(on_event, sum(map(len, tables.values())))
    results: list[TableResult] = []
    mistakes: list[Mistake] = []
    with work_folder(engine) as folder:
        feeds = SharedFeeds(inputs, engine, options, tables, folder)
        ledgers, parts = LedgerCache(), Spent()
        for name, compiled in tables.items():
            if mistakes and options.fail_fast:
                found = [
                    TableResult(table, "skipped", "an earlier target failed") for table in compiled
                ]
            else:
                found, wrong = _subscription(name, feeds, (ledgers, parts), told)
                mistakes += source_named(inputs.subscriptions[name], wrong)
            for result in found:
                told.end(result)
            results += found
    removed = _removed(feeds, ledgers, results)
    spent = time.perf_counter() - began
    passed_over = tuple(feeds.passed_over)
    return RunResult(
        tuple(results), tuple(mistakes), spent, removed, passed_over, parts.told(spent)
    )


def _removed(
    feeds: SharedFeeds, ledgers: LedgerCache, results: Sequence[TableResult]
) -> tuple[tuple[str, str], ...]:
    """Targets that the ledger knows and that no definition names any more."""
    defined = feeds.options.defined
    if defined is None:
        return ()
    try:
        # What a run writes is about targets that are defined, or says of others that they are
        # left: to read it again says no more.
        known = ledgers.known or ledger.read(feeds.engine, feeds.inputs.state_schema)
        # Nor that the table of one has just been made for another.
        filled = {folded(one.compiled.target) for one in results if one.status == "success"}
        there = [
            entry
            for entry, _ in abandoned(known, feeds.tables, defined)
            if folded(parts_of(entry)) not in filled and feeds.engine.exists(parts_of(entry))
        ]
    except Mistakes:
        return ()  # the run has said why the ledger cannot be read
    return tuple((f"{entry.subscription}/{entry.relation}", entry.target) for entry in there)


def _subscription(
    name: str, feeds: SharedFeeds, kept: tuple[LedgerCache, Spent], told: _Told
) -> tuple[list[TableResult], Sequence[Mistake]]:
    tables = feeds.tables[name]
    began = time.perf_counter()
    try:
        with (
            leased() as lease,
            work_folder(feeds.engine) as folder,
            lanes(feeds.engine, feeds.options.threads, len(tables)) as several,
        ):

            def new_context() -> RunContext:
                return RunContext(
                    feeds.inputs,
                    several,
                    feeds.options,
                    feeds.inputs.subscriptions[name],
                    folder,
                    lease,
                    feeds,
                    *kept,
                    told.start,
                    lambda count: told.reading(name, count),
                )

            return _attempts(new_context, tables)
    except Mistakes as wrong:
        spent = time.perf_counter() - began
        message = wrong.mistakes[0].message
        return [TableResult(table, "error", message, spent) for table in tables], wrong.mistakes
    finally:
        feeds.engine.clear()


def _attempts(
    new: Callable[[], RunContext], tables: Sequence[CompiledTable]
) -> tuple[list[TableResult], Sequence[Mistake]]:
    """Where a statement was refused, another attempt knows why. Raises Mistakes.

    A row filter may have raised an error on some change, or a change of a key left out a value. A
    statement that fails ends a transaction, so an attempt is undone before the next.
    """
    stop: Stop | None = None
    raising: dict[str, dict[int, str]] = {}
    completing = False
    while True:
        context = new()
        context.stop, context.completing = stop, completing
        try:
            return _attempt(context, tables, raising)
        except StageRefused as refused:
            known = bool(stop or raising)
            puts_aside = context.subscription.on_filter_error == "quarantine"
            if not known and puts_aside:
                raising = changes_that_raise(context)
            elif not known:
                stop = stop_before_error(context)
            if known or not (stop or raising):
                if completing or not any(table.completing_source_sql for table in tables):
                    raise Mistakes(why_refused(context, refused.mistakes)) from None
                completing = True
        for engine in context.lanes.engines:
            engine.clear()


def _attempt(
    context: RunContext, tables: Sequence[CompiledTable], raising: Mapping[str, Mapping[int, str]]
) -> tuple[list[TableResult], Sequence[Mistake]]:
    found: tuple[list[TableResult], Sequence[Mistake]] = ([], ())
    try:
        with context.engine.transaction(), beating(context):
            found = apply_subscription(context, tables, raising)
            if context.options.dry_run:
                raise Undone
    except Undone:
        context.ledgers.forget()
    except (Exception, KeyboardInterrupt):
        if context.engine.atomic:
            context.ledgers.forget()
        release(context)
        raise
    finish(context)
    return found
