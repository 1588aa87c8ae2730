"""`plan --no-counts`: definitions compared with earlier ones, by the records and filters alone.

Example
    uncounted(compiled, {"s1/public.orders": definition}, judge)

    No engine is asked: there is no position, no count, and the rows that leave or enter are
    constructed ones. Where the filters prove nothing the change is `mixed`, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.rendering.definition import Definition
from filtersql.rendering.definition_changes import change_between, kind_by_filters, rows_tell
from filtersql.run.planned_target import STAYS, Judge, PlannedTarget

__all__ = ["uncounted"]

#: subscription and published table
Name = tuple[str, RelationName]


def uncounted(
    compiled: Sequence[CompiledTable],
    earlier: Mapping[Name, Definition | None],
    judge: Judge,
    *,
    removed: bool,
) -> list[PlannedTarget]:
    """Every target that differs; None: of the earlier definition nothing is known.

    `removed`: whether those that are not compiled are gone, not just not asked for.
    """
    found = [planned for table in compiled for planned in _compared(table, earlier, judge)]
    names = {(table.subscription, table.relation) for table in compiled}
    gone = [name for name in earlier if removed and name not in names]
    return found + [_removed(name, earlier[name]) for name in gone]


def _compared(
    table: CompiledTable, earlier: Mapping[Name, Definition | None], judge: Judge
) -> Iterator[PlannedTarget]:
    name, now = (table.subscription, table.relation), table.definition
    planned = PlannedTarget(*name, table.target_sql, "new", now=now.hash, compiled=table)
    before = earlier.get(name)
    if name not in earlier:
        yield replace(planned, says=("the next run makes and copies it",))
    elif before is None:
        yield replace(planned, change="mixed", says=("the earlier definition is not known",))
    elif before.hash != now.hash:
        yield _changed(replace(planned, before=before.hash, earlier=before), before, judge)


def _changed(planned: PlannedTarget, before: Definition, judge: Judge) -> PlannedTarget:
    table = planned.compiled
    assert table is not None  # it is defined
    change = change_between(before, table.definition)
    planned = replace(planned, says=change.said)
    builds = bool(change.rebuilds or change.columns)
    if builds:
        planned = replace(planned, change="rebuild" if change.rebuilds else "columns")
    elif not change.filters:
        return replace(planned, change="actions" if change.actions else "equivalent")
    if builds and not rows_tell(before, table.definition):
        return planned
    verdict = judge(table, before)
    unproved = (
        f"that no row {word} is not proved"
        for word, could in (("leaves", verdict.leaves), ("enters", verdict.enters))
        if could is None
    )
    return replace(
        planned,
        change=planned.change if builds else kind_by_filters(verdict),
        leaves=None if verdict.leaving is None else dict(verdict.leaving),
        enters=None if verdict.entering is None else dict(verdict.entering),
        constructed=True,
        says=(*planned.says, *unproved),
    )


def _removed(name: Name, before: Definition | None) -> PlannedTarget:
    target = "" if before is None else ".".join(before.target)
    return PlannedTarget(
        *name, target, "removed", says=(STAYS,), before=before.hash if before else ""
    )
