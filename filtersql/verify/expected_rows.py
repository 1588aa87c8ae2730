"""Drafts of cases and the rows that the model expects of them.

Example
    answered(world, [((Change("truncate"),), rows)]).together[0].expected        # ()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from filtersql.verify.layout import Case
from filtersql.verify.model import Change, Image, Row, Stops
from filtersql.verify.world import World

__all__ = ["Draft", "Tried", "answered"]

#: each is a statement of its own; one that follows values from key to key takes long
_MOST_ALONE, _MOST_FOLLOWED = 24, 3
#: changes, and the rows that the target holds before them
Draft = tuple[Sequence[Change], Sequence[Row]]


class Tried(Struct, frozen=True):
    """Cases that are tried together, and those of which each may stop the statement."""

    together: tuple[Case, ...]
    alone: tuple[Case, ...] = ()


def answered(world: World, drafts: Sequence[Draft], *, completing: bool = False) -> Tried:
    """The drafts with the rows that the model expects; those whose filter raises are left out.

    `completing`: the statement may not stop where PostgreSQL finds a value that was left out.
    """
    # A change comes in many drafts.
    every = {id(change): change for changes, _ in drafts for change in changes}
    world.answers.ask(_judged(world, every.values()))
    if world.compiled.clock:
        rows = {row for _, before in drafts for row in before}
        world.answers.ask(dict(zip(world.model.columns, row, strict=True)) for row in rows)
    may_stop = {
        number for number, change in every.items() if not completing and _may_stop(world, change)
    }
    together: list[Case] = []
    alone: dict[tuple[object, ...], Case] = {}
    for changes, before in drafts:
        if not _keys_differ(world, before):
            continue
        stopping = bool(may_stop) and any(id(change) in may_stop for change in changes)
        if stopping and len(changes) > 1:
            continue
        try:
            expected: tuple[Row, ...] | None = world.model.play(before, changes)
        except Stops:
            expected = None
        except LookupError:
            continue
        case = Case(tuple(changes), tuple(before), expected, may_stop=stopping)
        if expected is not None and not stopping:
            together.append(case)
        elif len(changes) == 1 or (len(changes) == 2 and _last_stops(world, changes, before)):
            alone.setdefault(_kind(world, case), case)
    most = _MOST_FOLLOWED if completing else _MOST_ALONE
    return Tried(tuple(together), tuple(alone.values())[:most])


def _keys_differ(world: World, rows: Sequence[Row]) -> bool:
    """Whether a target can hold these rows: of a rare type there may be one value to try."""
    places = [world.model.columns.index(name) for name in world.model.key]
    return not places or len({tuple(row[place] for place in places) for row in rows}) == len(rows)


def _kind(world: World, case: Case) -> tuple[object, ...]:
    """Of cases alike in this one is enough: each column that may be kept, each way to stop."""
    *earlier, change = case.changes
    sent = world.model.sent(change)
    if earlier:
        return earlier[0].op, sent, change.unchanged, len(case.before) > 1
    if sent == "update" and case.expected is None:
        return "missing", change.unchanged
    return sent, change.before is None, case.expected is None, len(case.before) > 1


def _last_stops(world: World, changes: Sequence[Change], before: Sequence[Row]) -> bool:
    """Whether the last change is what stops: no later one can make up for it."""
    try:
        world.model.play(before, changes[:-1])
    except Stops:
        return False
    return True


def _judged(world: World, changes: Iterable[Change]) -> Iterator[Image]:
    """Every image that a filter may be asked about."""
    resolved = world.model.resolved
    by_key = resolved.semantics.delete_policy == "key_only_filter"
    for change in changes:
        old, new = change.before or {}, change.after or {}
        if change.before is not None or change.op == "delete":
            yield old
        if change.after is not None and not change.unchanged:
            yield new
        if by_key:
            yield {name: old.get(name) for name in resolved.table.identity_columns}
        if change.unchanged:
            yield {**new, **{name: old.get(name) for name in change.unchanged}}


def _may_stop(world: World, change: Change) -> bool:
    """Whether a change brings its row under another key and lacks a value that only the old has.

    PostgreSQL finds it in the subscriber's row. A refusal is no wrong row either.
    """
    before, after = change.before or {}, change.after or {}
    if not set(change.unchanged).difference(before):
        return False
    return any(
        before.get(name, after.get(name)) != after.get(name, before.get(name))
        for name in world.model.key
    )
