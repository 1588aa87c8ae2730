"""Rows are added to the ledger, each under a number of its own: `append`.

Example
    ============================================ ==================================================
    the number                                   then
    ============================================ ==================================================
    is free                                      the rows are there, in one commit
    is taken, by the same run                    they were there: the answer to them was lost
    is taken, by another one                     AnotherRun
    ============================================ ==================================================

Two runs cannot both write the next number of a subscription: the run whose rows are there goes on,
the other one stops (see lease.py). The very first rows make the table in their commit, which keeps
their numbers unique in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from operator import attrgetter

from sqlglot import exp, select

from filtersql.errors import Mistakes
from filtersql.errors.applying import AnotherRun
from filtersql.rendering.sql_fragments import text_type
from filtersql.rendering.target_uniqueness import LEDGER
from filtersql.run.ledger_entry import COLUMNS, NUMBERS, Entry, entry_of, owner_of, stored
from filtersql.run.state_tables import begin_table
from filtersql.targets.marks import Slot
from filtersql.targets.model import Engine
from filtersql.targets.refusals import is_conflict

__all__ = ["OVERTAKEN", "append", "tidy", "unless_overtaken"]

#: what a statement says that is kept from being run behind another run's
OVERTAKEN = "another run has the targets"

_MOST_TRIES = 20
#: rows; some hundred files, which take a second to open and a second to join
JOINED_EVERY = 200


def append(
    engine: Engine, schema: str, entries: Sequence[Entry], *, made: bool = True, wrote: bool = False
) -> None:
    """Add rows of one subscription, in one commit; where no ledger is `made` they make it.

    Raises Mistakes where another run was faster; `wrote`: this one may have written targets before.
    """
    if not entries:
        return
    rows = [[stored(entry, name) for name in COLUMNS] for entry in entries]
    first = entries[0]
    slot = Slot(first.subscription, first.ordinal)
    columns = (exp.column(column, quoted=True) for column in COLUMNS)
    parts, then = (schema, LEDGER), _since(engine, schema, slot, *columns).sql(engine.dialect)
    if not made and begin_table(engine, parts, _columns(engine), rows, slot):
        return
    for tries_left in reversed(range(_MOST_TRIES)):
        refused: Mistakes | None = None
        try:
            found = engine.append(parts, COLUMNS, rows, slot, then)
        except Mistakes as said:
            if engine.atomic:
                raise
            # What became of a statement is read, never guessed; then it may be tried again.
            refused, found = said, engine.rows(then)
        newer = sorted(map(entry_of, found), key=attrgetter("ordinal"))
        if any(entry.ordinal == first.ordinal and entry.owner == first.owner for entry in newer):
            return
        if newer:
            owner = owner_of(newer[-1])
            raise Mistakes([AnotherRun(first.subscription, owner, None, wrote=wrote)])
        if refused is not None and not (tries_left and is_conflict(refused)):
            raise refused


def tidy(engine: Engine, schema: str, before: int, after: int) -> None:
    """Join the ledger's files once in so many rows: each commit is one, and a run opens them all.

    `before` and `after` are how many rows it had when a run began and when it ended. What
    cannot be joined, since another run writes or a server has no such statement, stays as it is.
    """
    if before // JOINED_EVERY != after // JOINED_EVERY:
        with suppress(Mistakes):
            engine.join_files((schema, LEDGER))


def unless_overtaken(engine: Engine, schema: str, slot: Slot, owner: str) -> str:
    """A query that raises where another owner has filled a slot, or a later one."""
    words = exp.Literal.string(f"filtersql: {OVERTAKEN}")
    none = exp.Anonymous(this="ASSERT_TRUE", expressions=[exp.Count(this=exp.Star()).eq(0), words])
    since = _since(engine, schema, slot, none)
    return since.where(exp.column("owner", quoted=True).neq(owner)).sql(engine.dialect)


def _since(engine: Engine, schema: str, slot: Slot, *asked: exp.Expression) -> exp.Select:
    """A query about the rows of a subscription from a number on."""
    table = exp.to_table(engine.table_sql((schema, LEDGER)), dialect=engine.dialect)
    return (
        select(*asked)
        .from_(table)
        .where(exp.column("subscription", quoted=True).eq(slot.subscription))
        .where(exp.column("ordinal", quoted=True) >= slot.ordinal)
    )


def _columns(engine: Engine) -> list[tuple[str, str]]:
    text = text_type(engine.dialect)

    def kind(name: str) -> str:
        if name == "via_partition_root":
            return "BOOLEAN"
        return "BIGINT" if name in NUMBERS else text

    return [(name, kind(name)) for name in COLUMNS]
