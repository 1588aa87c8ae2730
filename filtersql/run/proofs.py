"""Whether what a run intended was done: the mark that stands with the target's data tells.

Example
    =================== ======================== ==========================================
    the ledger intends  the target's mark        so
    =================== ======================== ==========================================
    copying, – to 17    17                       copied and brought to 17: done
    copying, – to 17    that of the copy         copied; the same cut is applied first
    copying, – to 17    none of this filling     it is made and copied anew
    making, – to 17     none, but it is there    empty, as it was made; the same cut first
    applying, 17 to 21  21                       done
    applying, 17 to 21  any other                the same cut is applied first
    changing, at 21     21, of this change       the new definition is in force
    changing, at 21     any other                what the row before it says
    =================== ======================== ==========================================

A target that is done stands where the newest row that speaks of all targets says, if that is
further: there were no changes of it in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace
from sqlglot import exp

from filtersql.errors import Mistakes
from filtersql.errors.applying import LATE_CHANGE
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.lease import check_free
from filtersql.run.ledger import Ledger
from filtersql.run.ledger_entry import INTENDED, Entry, key_of
from filtersql.targets.marks import Mark
from filtersql.targets.model import Engine

__all__ = [
    "Proof",
    "changed_mark",
    "check_lease",
    "folded",
    "parts_of",
    "proof_of",
    "proved_row",
    "true_row",
]


class Proof(Struct, frozen=True):
    """A target's newest row as it is true now. `until`: the cut that is to be finished first."""

    entry: Entry
    until: int | None = None
    #: an intention that was carried out
    proved: bool = False
    #: it is to be made and copied from the beginning
    anew: bool = False
    #: changes of the quarantine were applied that may still stand there
    released: bool = False


def proof_of(engine: Engine, known: Ledger, entry: Entry, target: Sequence[str]) -> Proof:
    """What is true of a target; its mark is asked for only where the ledger names an intention.

    Raises Mistakes where an `apply` that was given up has changed it all the same.
    """
    _check_not_late(engine, known, entry, target)
    change = known.changing.get(entry.key)
    if change is not None and engine.committed(target) == changed_mark(change):
        return _done(known, change)
    if entry.phase not in INTENDED:
        return Proof(entry)
    if entry.phase == "making":
        if not engine.exists(target):
            return Proof(entry, anew=True)
        if entry.from_position == entry.position:
            return _done(known, entry)
    mark = engine.committed(target)
    if mark == _mark(entry, entry.stands):
        return _done(known, entry)
    if entry.phase == "releasing":
        # A release that was not committed leaves all as it was.
        return Proof(replace(entry, phase="applied", from_position=entry.position, clock=None))
    if entry.phase == "applying":
        return Proof(entry, entry.stands)
    copied = entry.phase == "making" and mark is None
    if not copied and mark != _mark(entry, entry.from_position):
        return Proof(entry, anew=True)
    return Proof(replace(entry, phase="applying"), entry.stands)


def _check_not_late(engine: Engine, known: Ledger, entry: Entry, target: Sequence[str]) -> None:
    """Whether no change of definition was committed behind what followed it. Raises Mistakes.

    A server goes on with the statement of a client that is gone, and Iceberg lets a table that
    takes another's place do so whatever was committed meanwhile.
    """
    given_up = known.given_up.get(entry.key, ())
    if not given_up or not engine.exists(target):
        return
    marks = list(engine.marks(target))
    for change, went_on in given_up:
        late = changed_mark(change)
        if late not in marks:
            continue
        at = marks.index(late)
        anew = any(mark.generation > late.generation for mark in marks[:at])
        if not anew and (went_on or any(_is_behind(late, mark) for mark in marks[at + 1 :])):
            name = f"{entry.subscription}/{entry.relation}"
            raise Mistakes([LATE_CHANGE(name=name, target=entry.target, table=str(entry.relation))])


def _is_behind(late: Mark, mark: Mark) -> bool:
    """Whether a mark tells of more than one that was committed later."""
    mine, other = (
        (each.generation, -1 if each.position is None else each.position, each.clock or "")
        for each in (late, mark)
    )
    return mine < other


def proved_row(engine: Engine, known: Ledger, entry: Entry, target: Sequence[str]) -> Entry | None:
    """The row of a target that was not interrupted; None: it was."""
    proof = proof_of(engine, known, entry, target)
    return None if proof.anew or proof.until is not None else proof.entry


def true_row(engine: Engine, known: Ledger, compiled: CompiledTable) -> Entry | None:
    """The newest row of a target, by its mark where that proves an intention.

    None where there is no row, or the target was dropped.
    """
    entry = known.newest.get(key_of(compiled))
    if entry is None or entry.phase == "dropped":
        return None
    return proved_row(engine, known, entry, compiled.target) or entry


def check_lease(engine: Engine, known: Ledger, subscription: str, owner: str) -> None:
    """Raises Mistakes where another run holds the lease, unless marks prove all that it intends."""

    def is_done() -> bool:
        entries = known.of(subscription)
        return all(proved_row(engine, known, entry, parts_of(entry)) for entry in entries)

    check_free(subscription, known.last.get(subscription), owner, is_done)


def parts_of(entry: Entry) -> tuple[str, ...]:
    """Schema and name of a target that nothing else names any more."""
    return _parts(entry.target)


@lru_cache(10_000)
def _parts(target: str) -> tuple[str, ...]:
    table = exp.to_table(target, dialect="spark" if "`" in target else "duckdb")
    return tuple(part for part in (table.db, table.name) if part)


def folded(parts: Sequence[str]) -> tuple[str, ...]:
    """A table as engines compare names: without case, with quotes or without."""
    return tuple(part.casefold() for part in parts)


def _done(known: Ledger, entry: Entry) -> Proof:
    at = known.at_least(entry)
    done = replace(entry.beyond(at), phase="applied", from_position=at, own_before=None)
    return Proof(done, proved=True, released=entry.phase == "releasing")


def _mark(entry: Entry, position: int | None) -> Mark:
    return Mark(entry.subscription, entry.relation, entry.generation, position, entry.clock)


def changed_mark(entry: Entry) -> Mark:
    """The mark of a change of definition: it has the number of its intention."""
    return replace(_mark(entry, entry.stands), change=entry.ordinal)
