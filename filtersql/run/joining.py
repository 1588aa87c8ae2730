"""A table that joins a subscription of which other changes were read before: `check_joining(…)`.

Example
    ==== ================================ ===================================================
    seq                                   where the publication sends INSERTs alone
    ==== ================================ ===================================================
    3    the source's rows                what a target would be copied from
    5    a row is deleted                 not sent: the copy would keep a row that is gone
    7    the subscription was read
    8    the table joins                  the source system copies the rows as they are now
    ==== ================================ ===================================================

    Where each change is sent, older rows come to the same, so they are copied and brought forward.
    A subscription that begins does so at its source's rows, and sends what its system would.

PostgreSQL
    ALTER SUBSCRIPTION … REFRESH PUBLICATION
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp, select

from filtersql.errors import Mistakes
from filtersql.errors.applying import OLDER_ROWS
from filtersql.run.context import TargetRun
from filtersql.run.counts import count
from filtersql.run.ledger import Ledger
from filtersql.targets.model import Engine

__all__ = ["check_joining"]


def check_joining(
    engine: Engine, known: Ledger, subscription: str, targets: Iterable[TargetRun]
) -> None:
    """Raises Mistakes where rows that would be copied are older than changes that are not sent."""
    last = _read_to(known, subscription)
    mistakes = []
    for target in targets:
        standing, compiled = target.standing, target.compiled
        holds = -1 if standing.position is None else standing.position
        partly = compiled.definition.partly_sent
        joins = standing.copy and not standing.refilled and compiled.copy_data
        if not joins or not partly or target.staged is None or holds >= last:
            continue
        engine.view(compiled.changes_view, target.staged, target.columns, above=holds, upto=last)
        ops = (exp.Literal.string(op) for op in sorted(partly))
        rows = select("*").from_(exp.to_table(compiled.changes_view))
        if many := count(engine, rows.where(exp.In(this=exp.column("op"), expressions=[*ops]))):
            table = str(compiled.relation)
            wrong = OLDER_ROWS(
                name=target.name, count=many, table=table, holds=max(holds, 0), last=last
            )
            mistakes.append(wrong)
    if mistakes:
        raise Mistakes(mistakes)


def _read_to(known: Ledger, subscription: str) -> int:
    """How far the feed was read for a subscription; -1: it begins now."""
    own = [entry for entry in known.newest.values() if entry.subscription == subscription]
    if not own:
        return -1
    places = [entry.position for entry in own if entry.position is not None]
    return max([known.reached.get(subscription, (0, -1))[1], *places], default=-1)
