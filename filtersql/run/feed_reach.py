"""Whether a feed still holds the changes that were applied to a target.

Example
    The ledger says that 10 changes were applied from 20 to 40. The feed holds 7 of them: files were
    removed. Then the source must be read as it was at 40 or later: source: {…, seq: 40}.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp, select

from filtersql.errors import Mistakes
from filtersql.errors.auditing import FEED_TOO_SHORT
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.ledger import Entry, key_of
from filtersql.targets.model import Engine

__all__ = ["check_reach"]

#: changes above the first and up to the second position, and how many were applied
Applied = tuple[int, int, int]


def check_reach(
    engine: Engine, compiled: CompiledTable, name: str, rows: Sequence[Entry], above: int | None
) -> None:
    """Raises Mistakes where the view of changes lacks some that were applied above a position."""
    applied = [one for one in _applied(compiled, rows) if above is None or one[0] >= above]
    if not applied:
        return
    query = select(*(_held(low, high) for low, high, _ in applied)).from_(
        exp.to_table(compiled.changes_view)
    )
    held = [int(str(count)) for count in engine.rows(query.sql(engine.dialect))[0]]
    needed = [high for (_, high, count), found in zip(applied, held, strict=True) if found < count]
    if needed:
        raise Mistakes([FEED_TOO_SHORT(name=name, needed=max(needed))])


def _held(low: int, high: int) -> exp.Expr:
    seq = exp.column("seq")
    inside = exp.and_(seq > low, seq.copy() <= high)
    return exp.Count(this=exp.Case().when(inside, exp.Literal.number(1)))


def _applied(compiled: CompiledTable, rows: Sequence[Entry]) -> Iterator[Applied]:
    """The cuts since the target was copied.

    An intention was carried out where a later row begins at its end; of the last one nobody knows,
    and it counts. Earlier versions wrote an end behind each; where their run first finished the cut
    of a killed one, it counted both in its second row.
    """
    own = [row for row in rows if row.key == key_of(compiled)]
    copied = max((i for i, row in enumerate(own) if row.phase in ("copying", "making")), default=0)
    begun, again, before = False, False, 0
    intended: Applied | None = None
    for row in own[copied:]:
        low = -1 if row.from_position is None else row.from_position
        high = -1 if row.position is None else row.position
        if intended is not None and low >= intended[1]:
            yield intended
            intended, begun, again = None, False, False
        if row.phase in ("copying", "making", "applying") and high > low:
            begun, again = True, again or begun
            intended = (low, high, row.changes_read)
        if row.phase == "applied":
            if high > low:
                yield low, high, row.changes_read - before
            before = row.changes_read if again else 0
            begun, again, intended = False, False, None
    if intended is not None:
        yield intended
