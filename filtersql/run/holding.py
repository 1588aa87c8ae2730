"""Who holds the lease of a subscription, and how it writes rows of the ledger under it.

Example
    with beating(holder):
        renew(holder, engine)
        …
    finish(holder)
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Protocol

from msgspec.structs import replace

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistakes
from filtersql.errors.targets import EngineRefused
from filtersql.run import ledger_writer
from filtersql.run.lease import Lease
from filtersql.run.ledger_entry import Entry
from filtersql.run.model import Inputs
from filtersql.targets.marks import Slot, Written
from filtersql.targets.model import Engine
from filtersql.targets.splitting import split_for

__all__ = [
    "Holder",
    "beating",
    "finish",
    "guarded",
    "held_row",
    "note",
    "now",
    "release",
    "renew",
    "staying",
]


class Holder(Protocol):
    """What holds a lease: a run, or a repair. `ordinal` is the ledger's last number."""

    inputs: Inputs
    subscription: Subscription
    lease: Lease
    ordinal: int

    @property
    def engine(self) -> Engine:
        """Who writes the ledger."""


def note(
    context: Holder, engine: Engine, rows: Sequence[Entry], *, last: bool, made: bool = True
) -> None:
    """Add rows to a ledger; they renew the lease, the last ones give it back."""
    with context.lease.lock:
        until = None if last or engine.atomic else context.lease.until()
        numbered = [
            replace(row, ordinal=number, owner=context.lease.owner, held_until=until)
            for number, row in enumerate(rows, context.ordinal + 1)
        ]
        schema, wrote = context.inputs.state_schema, context.lease.held
        ledger_writer.append(engine, schema, numbered, made=made, wrote=wrote)
        context.ordinal += len(rows)
        context.lease.ends_by_marks = False
        context.lease.note(held=until is not None)


def renew(context: Holder, engine: Engine) -> None:
    """Make sure that the lease is this run's, before a session writes a target. Raises Mistakes."""
    with context.lease.lock:
        if context.lease.doubtful:
            note(context, engine, [held_row(context)], last=False)


def guarded(context: Holder, engine: Engine) -> Engine:
    """The engine, which refuses its next statement where another run has written since.

    A server goes on with a statement when this process is gone. By then the table may have been
    made anew, and lack the marks that keep a statement from being done twice.
    """
    if not engine.atomic:
        schema, owner = context.inputs.state_schema, context.lease.owner
        following = Slot(context.subscription.name, context.ordinal + 1)
        engine.guard(ledger_writer.unless_overtaken(engine, schema, following, owner))
    return engine


def finish(context: Holder) -> None:
    """The end of a run: where marks tell it, nothing has to be written."""
    if context.lease.ends_by_marks:
        context.lease.note(held=False)
    release(context)


def release(context: Holder) -> None:
    """Give back the lease of a run that did not reach its end, as far as that can be done."""
    if context.lease.held:
        with suppress(Mistakes):
            note(context, context.engine, [held_row(context)], last=True)


@contextmanager
def beating(context: Holder) -> Iterator[None]:
    """Heartbeats while a run writes: of a session of their own, since a statement may take long."""
    if context.engine.atomic:
        yield
        return
    done = threading.Event()

    def beat() -> None:
        beside: Engine | None = None
        while not done.wait(context.lease.pause):
            # A heartbeat that fails is no mistake: without one the run looks before it writes.
            with suppress(Mistakes), context.lease.lock:
                if context.lease.held:
                    if beside is None:
                        beside = context.engine.beside()
                        beside.size(split_for(0, 0))  # the ledger is small
                    note(context, beside, [held_row(context)], last=False)
        if beside is not None:
            with suppress(Mistakes):
                beside.close()

    thread = threading.Thread(target=beat, name="filtersql-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    except Mistakes as refused:
        reasons = [one.reason for one in refused.mistakes if isinstance(one, EngineRefused)]
        if ledger_writer.OVERTAKEN in reasons:
            # Claiming the lease words which run it is.
            note(context, context.engine, [held_row(context)], last=True)
        raise
    finally:
        done.set()
        thread.join()


def held_row(context: Holder) -> Entry:
    """A row that says nothing but who holds the lease."""
    return Entry(0, context.subscription.name, "", "", "", "", False, 0, "held", at=now())


def staying(entry: Entry, written: Written) -> Entry:
    """A row on a target whose rows were written at the position where it stands."""
    return replace(
        entry,
        own_before=entry.own,
        from_position=entry.position,
        rows_inserted=written.inserted,
        rows_updated=written.updated,
        rows_deleted=written.deleted,
        changes_read=0,
        changes_skipped=0,
        conflicts={},
        files=(),
        at=now(),
    )


def now() -> str:
    """The time of day for the ledger."""
    return datetime.now(UTC).isoformat(timespec="seconds")
