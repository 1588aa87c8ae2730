"""Several changes of a few keys in one batch: keys used again, swapped, truncated between.

Example
    insert a 6; update a 6 to a 7; delete a 7      every sequence of an alphabet of changes,
    truncate; insert a 6; truncate                 from an empty target and from a filled one
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from filtersql.definitions.model import Action
from filtersql.verify.expected_rows import Draft
from filtersql.verify.model import Change, Image, Row
from filtersql.verify.world import (
    World,
    has_other_keys,
    is_unlogged,
    left_out,
    other_payload,
    representatives,
)

__all__ = ["histories", "moves"]


def histories(world: World, length: int) -> list[Draft]:
    """All sequences of some changes, over a few keys."""
    rows = _few_rows(world)
    alphabet = _alphabet(world, rows)
    starts = _starts(world, rows)
    if length == 2 and not world.model.skips:
        starts = [starts[0], *starts[2:]]
    return (
        [(changes, before) for changes in product(alphabet, repeat=length) for before in starts]
        + [
            ((Change("truncate"), change, Change("truncate")), before)
            for change in alphabet
            for before in starts
            if length == 2
        ]
        + (_chains(world, rows, alphabet, starts[:3]) if length == 2 and world.model.skips else [])
    )


def moves(world: World) -> list[Draft]:
    """Rows that change their keys and leave out what did not change: up to three, one on another.

    A value that was left out may have come by the change before, or by the one before that.
    """
    unchanged = tuple(name for name in left_out(world) if name not in world.logged)
    rows = _few_rows(world)
    alphabet = _alphabet(world, rows)
    pairs = [pair for pair in product(rows, rows) if not world.same_key(*pair)]
    whole, part = (
        [Change("update", world.old(old), _without(new, some), some) for old, new in pairs]
        for some in (unchanged, unchanged[:1])
    )
    moving = whole if len(unchanged) == 1 else [*whole, *part]
    fresh = [change for change in alphabet if change.op in ("insert", "truncate")]
    kept = [change for change in alphabet if change.unchanged]
    starts = _starts(world, rows)[:2]
    drafts = [
        *product([*fresh, *kept, *moving], moving),
        *product(moving, [*fresh, *kept]),
        *product([*fresh, *whole], whole, whole),
    ]
    return [(changes, before) for changes in drafts for before in starts]


def _without(image: Image, names: Sequence[str]) -> Image:
    return {name: value for name, value in image.items() if name not in names}


def _chains(
    world: World,
    rows: Sequence[Image],
    alphabet: Sequence[Change],
    starts: Sequence[list[Row]],
) -> list[Draft]:
    """Rows that move on, or would if an earlier change had not been skipped; TRUNCATE between."""
    moves = _moving(world, alphabet)
    first = [*moves, *(one for one in alphabet if one.op == "insert")]
    between = [*moves, Change("truncate")]
    drafts = [*product(first, between, moves)]
    keys = [*rows[:2], *_others(world, rows[:2])]
    if len(keys) > 2:
        pairs = [pair for pair in product(keys, keys) if not world.same_key(*pair)]
        steps = [Change("update", world.old(old), new) for old, new in pairs]
        drafts += product(steps, steps, steps)
    return [(changes, before) for changes in drafts for before in starts]


def _moving(world: World, alphabet: Sequence[Change]) -> list[Change]:
    return [
        one
        for one in alphabet
        if one.before
        and one.after
        and not one.unchanged
        and not world.same_key(one.before, one.after)
    ]


def _others(world: World, rows: Sequence[Image]) -> list[Image]:
    """A matching row with another key than these; none where there is none."""
    if not world.model.key:
        return []
    every = (world.row(trial, shift, 2) for trial in world.trials for shift in range(4))
    others = [row for row in every if not any(world.same_key(row, one) for one in rows)]
    world.answers.ask(others)
    return [row for row in others if _matches(world, row)][:1]


def _alphabet(world: World, rows: Sequence[Image]) -> list[Change]:
    """Changes over a few rows: same key, other key, matching and not."""
    unchanged = tuple(name for name in left_out(world) if name not in world.logged)
    found = [Change("truncate")]
    for row in rows:
        found.append(Change("insert", None, row))
        if world.finds:
            found.append(Change("delete", world.old(row), None))
    if world.finds:
        for old, new in product(rows, rows):
            fresh = {**new, **other_payload(world, new)} if old is new else new
            logged = None if is_unlogged(world, old, fresh) else world.old(old)
            found.append(Change("update", logged, fresh))
            if unchanged and old is new:
                found.append(Change("update", logged, _without(fresh, unchanged), unchanged))
    return found


def _few_rows(world: World) -> list[Image]:
    """Two matching rows with different keys, and one that does not match.

    The latter under the first one's key, if there is such a row.
    """
    few = representatives(world.trials, world.model.key or world.names)
    shifts = (0, 1) if has_other_keys(world) else (0,)
    every = enumerate(product(few, shifts))
    rows = [
        world.row(trial, shift, place if world.model.key or place else None)
        for place, (trial, shift) in every
    ]
    world.answers.ask(rows)
    matching: list[Image] = []
    for row in filter(lambda row: _matches(world, row), rows):
        if len(matching) < 2 and not any(world.same_key(row, one) for one in matching):
            matching.append(row)
    others = [row for row in rows if not _matches(world, row)]
    others.sort(key=lambda row: not (matching and world.same_key(row, matching[0])))
    return [*matching, *others[:1]]


def _matches(world: World, row: Image) -> bool:
    """Whether an INSERT of the row is sent; where none is published, a row of the copy."""
    op = "insert" if Action.INSERT in world.model.resolved.filters else "read"
    return bool(world.model.apply((), Change(op, None, row)))


def _starts(world: World, few: Sequence[Image]) -> list[list[Row]]:
    rows = [world.target({**row, **other_payload(world, row)}) for row in few]
    found: list[list[Row]] = [[], rows[:1], rows[:2]]
    if not world.model.key and rows:
        found.append([rows[0], rows[0]])
    return [rows for place, rows in enumerate(found) if rows not in found[:place]]
