"""What a changed definition amounts to: first by the records, then by what the data says.

Example
    ================================= ============ ==========================================
    differs                           change       what moves
    ================================= ============ ==========================================
    a filter; no row enters           narrower     rows that leave, found in the target alone
    a filter; no row leaves           wider        rows that enter, from the source
    a filter; both                    mixed        both, in one statement
    a filter; no row can tell         equivalent   nothing: the state takes the definition
    the column list                   columns      every row: the table is built anew
    `publish`                         actions      nothing: later changes are judged anew
    key, type, partition root         rebuild      the whole table
    ================================= ============ ==========================================

    Where rows move, they decide: "no row enters now, but such a row could". Where none does, the
    filters do, and what is not proved may be: no such row now is no proof that there can be none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from filtersql.rendering.definition import COPY, Definition
from filtersql.rendering.plan_records import PlannedCriterion

__all__ = [
    "Change",
    "FilterVerdict",
    "Kind",
    "MovingFilters",
    "Row",
    "change_between",
    "doubts",
    "kind_by_data",
    "kind_by_filters",
    "rows_tell",
    "types_differ",
]

Kind = Literal[
    "equivalent",
    "narrower",
    "wider",
    "mixed",
    "columns",
    "actions",
    "new",
    "removed",
    "rebuild",
]
#: (column, value as PostgreSQL prints it; None is NULL)
Row = tuple[tuple[str, str | None], ...]


class MovingFilters(Struct, frozen=True):
    """Those in force before, over a source's row, and those of now, over the target's row `t`."""

    earlier: tuple[PlannedCriterion, ...]
    staying: tuple[PlannedCriterion, ...]


class FilterVerdict(Struct, frozen=True):
    """What two filters say by themselves; None: not known. The rows are constructed ones."""

    enters: bool | None = None
    leaves: bool | None = None
    entering: Row | None = None
    leaving: Row | None = None
    #: both, as the engine takes them; None where they are not known
    filters: MovingFilters | None = None


class Change(Struct, frozen=True):
    """How two definitions differ. `rebuilds` and `actions` say it in words."""

    rebuilds: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    reordered: bool = False
    actions: tuple[str, ...] = ()
    filters: bool = False

    @property
    def columns(self) -> bool:
        """Whether the column list is another one."""
        return bool(self.added or self.dropped or self.reordered)

    @property
    def said(self) -> tuple[str, ...]:
        """All that the records tell, in words."""
        columns = [f"column {name} joins" for name in self.added]
        columns += [f"column {name} leaves" for name in self.dropped]
        columns += ["the columns have another order"] if self.reordered else []
        return (*self.rebuilds, *columns, *self.actions)


def change_between(before: Definition, now: Definition) -> Change:
    """What differs by the records."""
    filters = _row_filters_differ(before, now)
    was, names = ([column.name for column in each.columns] for each in (before, now))
    kept = [name for name in was if name in names]
    return Change(
        rebuilds=tuple(_rebuilds(before, now, filters=filters)),
        added=tuple(name for name in names if name not in was),
        dropped=tuple(name for name in was if name not in names),
        reordered=kept != [name for name in names if name in was],
        actions=tuple(_actions(before, now, filters=filters)),
        filters=filters,
    )


def kind_by_data(verdict: FilterVerdict, *, delete: int, insert: int, update: int) -> Kind:
    """The change of a filter by the rows that it moves; where it moves none, by the filters."""
    if update or (delete and insert):
        return "mixed"
    if delete:
        return "narrower"
    return "wider" if insert else kind_by_filters(verdict)


def kind_by_filters(verdict: FilterVerdict) -> Kind:
    """The change of a filter by what no data contradicts: where nothing is proved, both."""
    if verdict.enters is False:
        return "equivalent" if verdict.leaves is False else "narrower"
    return "wider" if verdict.leaves is False else "mixed"


def doubts(verdict: FilterVerdict, *, delete: int, insert: int) -> Iterator[str]:
    """Where the data shows less than the filters could do."""
    for count, possible, word in (
        (delete, verdict.leaves, "leaves"),
        (insert, verdict.enters, "enters"),
    ):
        if not count and possible:
            yield f"no row {word} now, but such a row could"
        elif not count and possible is None:
            yield f"no row {word} now; that none could is not proved"


def _row_filters_differ(before: Definition, now: Definition) -> bool:
    """Whether other rows may be held; what judges DELETE alone concerns later changes."""
    published = {"insert", "update"} & {*before.actions} & {*now.actions}
    return (
        any(before.filters.get(each) != now.filters.get(each) for each in (COPY, *published))
        or (before.every, before.unknown_matches) != (now.every, now.unknown_matches)
        or before.sources != now.sources
        or dict(before.only_from) != dict(now.only_from)
        or types_differ(before, now)
    )


def rows_tell(before: Definition, now: Definition) -> bool:
    """Whether filters differ of which rows alone tell what they take, where more differs."""
    differ = before.filters.get(COPY) != now.filters.get(COPY)
    return differ and before.by_row and now.by_row and not types_differ(before, now)


def types_differ(before: Definition, now: Definition) -> bool:
    """Whether a column has another type: the same text of a filter may mean something else then."""
    was, types = (
        {**one.read, **{column.name: column.type for column in one.columns}}
        for one in (before, now)
    )
    return any(was.get(name, kind) != kind for name, kind in types.items())


def _rebuilds(before: Definition, now: Definition, *, filters: bool) -> Iterator[str]:
    if before.key != now.key:
        yield f"the key was ({', '.join(before.key)}) and is ({', '.join(now.key)})"
    if before.via_partition_root != now.via_partition_root:
        yield "the partition root flag changed"
    was = {column.name: column for column in before.columns}
    for column in now.columns:
        earlier = was.get(column.name)
        if earlier is not None and earlier.stored != column.stored:
            yield f"column {column.name} was {earlier.type} and is {column.type}"
    if filters and not (before.by_row and now.by_row):
        yield "whether a row is held hangs on the action that brought it, not on the row alone"


def _actions(before: Definition, now: Definition, *, filters: bool) -> Iterator[str]:
    for action in (*now.actions, *before.actions):
        if action not in before.actions:
            yield f"{action} is published from now on; earlier ones are not sent again"
        elif action not in now.actions:
            yield f"{action} is not published any more; rows stay as they are"
    deletes = "delete" in before.actions and "delete" in now.actions
    otherwise = not filters and before.filters.get("delete") != now.filters.get("delete")
    if deletes and otherwise:
        yield "deletes are judged by another filter from now on"
    elif deletes and now.comparable and not before.comparable:
        yield "deletes were judged by another filter than rows were"
    if before.rows_stay and not now.rows_stay:
        yield "rows that left the filter may have stayed; from now on none does"
