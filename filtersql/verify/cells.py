"""Every cell of the semantics for one table: old and new row, what filters say, target, action.

Example
    for the filter (a > 5) on (a int, the key; b int)
    ======== ========== ========== =========================================
    action   old row    new row    rows that the target holds before
    ======== ========== ========== =========================================
    update   a 6 true   a 7 true   none, a 6, a 7, a 6 and a 7
    update   a 6 true   a 5 false  none, a 6, a 5, a 6 and a 5
    insert   –          a NULL     none, that one
    ======== ========== ========== =========================================

Beside them stands a row that no change touches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from filtersql.verify.expected_rows import Draft
from filtersql.verify.model import Change, Row
from filtersql.verify.values import Trial
from filtersql.verify.world import (
    World,
    has_other_keys,
    is_unlogged,
    left_out,
    other_payload,
    representatives,
)

__all__ = ["cells"]


def cells(world: World) -> list[Draft]:
    """All cases of one change."""
    few = representatives(world.trials, world.model.key)
    return [*_single(world), *_updates(world, few), *_kept(world, few)]


def _single(world: World) -> Iterator[Draft]:
    """Actions with one row, for every row on a boundary; and TRUNCATE."""
    for place, trial in enumerate(world.trials):
        new = world.row(trial, 0, 1 if place % 3 else None)
        old = world.row(trial, 0, 2 if world.model.key or place % 2 else None)
        held, beside = world.target(old), world.beside((new, old))
        copies = 1 if world.model.key else 2
        changes = [Change("insert", None, new), Change("read", None, new)]
        if world.finds:
            changes.append(Change("delete", world.old(old), None))
        for number in range(copies + 1):
            before = (*[held] * number, *beside)
            for change in changes:
                yield (change,), before
    yield [Change("truncate")], world.beside(())
    yield [Change("truncate")], []


def _updates(world: World, few: Sequence[Trial]) -> Iterator[Draft]:
    if not world.finds:
        for trial in few:
            new = world.row(trial, 0, 1)
            yield (Change("update", None, new),), world.beside((new,))
        return
    shifts = (0, 1) if has_other_keys(world) else (0,)
    for (old_trial, new_trial), shift in product(product(few, few), shifts):
        old, new = world.row(old_trial, 0, 0), world.row(new_trial, shift, 1)
        same = world.same_key(old, new)
        beside = world.beside((old, new))
        at_old, at_new = world.target(old), world.target({**new, **other_payload(world, new)})
        states: list[list[Row]] = [[], [at_old]]
        if not same:
            states += [[at_new], [at_old, at_new]]
        changes = [Change("update", world.old(old), new)]
        if is_unlogged(world, old, new):
            changes.append(Change("update", None, new))
        for state, change in product(states, changes):
            yield (change,), (*state, *beside)


def _kept(world: World, few: Sequence[Trial]) -> Iterator[Draft]:
    """Updates that leave out columns whose out-of-line value did not change: all, or one."""
    every = left_out(world)
    if not every or not world.finds:
        return
    choices = dict.fromkeys((every, *((name,) for name in every)))
    for (old_trial, new_trial), unchanged in product(product(few, few), choices):
        old = world.row(old_trial, 0, 0)
        new = {**world.row(new_trial, 0, 1), **{name: old[name] for name in unchanged}}
        sent = {name: value for name, value in new.items() if name not in unchanged}
        beside = world.beside((old, new))
        changes = [Change("update", world.old(old), sent, unchanged)]
        if not set(unchanged) & set(world.logged) and is_unlogged(world, old, new):
            changes.append(Change("update", None, sent, unchanged))
        states: tuple[list[Row], ...] = [], [world.target(old)]
        for state, change in product(states, changes):
            yield (change,), (*state, *beside)
