"""Whether a feed still holds the changes that were applied to a target.

Example
    The ledger says that 10 changes were applied from 20 to 40. The feed holds 7 of them: files were
    removed. Then the source must be read as it was at 40 or later: source: {…, seq: 40}.

    ============================ ========= ============= ========================
    TRUNCATE at 30 was published is so now in the view   counts as one of them
    ============================ ========= ============= ========================
    yes                          yes       yes           yes
    yes                          no        no            yes: the feed is asked
    no                           yes       yes           no
    ============================ ========= ============= ========================

    Of other actions all changes are in the view, and were counted, whether published or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from sqlglot import exp, select

from filtersql.definitions.model import Action, Feed
from filtersql.errors import Mistakes
from filtersql.errors.auditing import FEED_TOO_SHORT
from filtersql.feeds.formats import end_of_place
from filtersql.feeds.places import Records
from filtersql.feeds.records import relation_name
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import definitions_in_force
from filtersql.run.applied_cuts import AppliedCut, applied_cuts
from filtersql.run.ledger_entry import Entry, key_of
from filtersql.targets.model import Engine

__all__ = ["Holding", "check_reach"]

_TRUNCATE = Action.TRUNCATE.value


class Holding(Struct, frozen=True):
    """What holds changes: a feed that was read, its engine, and the schema of the state."""

    engine: Engine
    schema: str
    feed: Feed | None
    #: reads the feed again
    records: Records


def check_reach(
    holding: Holding, compiled: CompiledTable, name: str, rows: Sequence[Entry], above: int | None
) -> None:
    """Raises Mistakes where the view of changes lacks some that were applied above a position."""
    own = [row for row in rows if row.key == key_of(compiled)]
    applied = [cut for cut in applied_cuts(own) if above is None or cut.low >= above]
    if not applied:
        return
    # What a run took for two changes may be one, at the same place.
    bounds = [(cut.low, end_of_place(holding.feed, cut.high)) for cut in applied]
    columns = [_held(*each, truncates=truncates) for truncates in (False, True) for each in bounds]
    query = select(*columns).from_(exp.to_table(compiled.changes_view))
    engine = holding.engine
    counts = [int(str(count)) for count in engine.rows(query.sql(engine.dialect))[0]]
    held, truncates = counts[: len(applied)], counts[len(applied) :]
    doubtful = any(count < cut.changes for cut, count in zip(applied, held, strict=True))
    if doubtful:
        if not compiled.truncates:
            seqs = [*_truncates(holding, compiled)]
            truncates = [sum(low < seq <= high for seq in seqs) for low, high in bounds]
        sent = _published(holding, compiled, applied)
        held = [count + more * was for count, more, was in zip(held, truncates, sent, strict=True)]
    needed = [cut.high for cut, found in zip(applied, held, strict=True) if found < cut.changes]
    if needed:
        raise Mistakes([FEED_TOO_SHORT(name=name, needed=max(needed))])


def _held(low: int, high: int, *, truncates: bool) -> exp.Expr:
    seq, is_one = exp.column("seq"), exp.column("op").eq(exp.Literal.string(_TRUNCATE))
    inside = exp.and_(seq > low, seq.copy() <= high, is_one if truncates else is_one.not_())
    return exp.Count(this=exp.Case().when(inside, exp.Literal.number(1)))


def _published(
    holding: Holding, compiled: CompiledTable, applied: Sequence[AppliedCut]
) -> list[bool]:
    """Whether TRUNCATEs were published when cuts were applied; of an unknown definition: as now."""
    hashes = {cut.definition for cut in applied}
    texts = definitions_in_force.in_force(holding.engine, holding.schema, hashes)
    sent = {hashed: _TRUNCATE in each.actions for hashed, each in texts.items()}
    return [sent.get(cut.definition, compiled.truncates) for cut in applied]


def _truncates(holding: Holding, compiled: CompiledTable) -> Iterator[int]:
    """The seqs of what would empty a target if it were published."""
    for _, change in holding.records([]):
        if change.op == _TRUNCATE:
            written = [change.relation, *(change.relations or ())]
            named = {relation_name(each) for each in written if each is not None}
            if not named.isdisjoint(compiled.truncated_by):
                yield change.seq
