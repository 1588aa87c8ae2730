"""Rows of a source, and what the initial copy, an audit and a changed filter make of them.

Example
    for the filter (a > 5) on (a int, the key; b int)
    ============ =============== =================== ==========================
    statement    source          target              expected
    ============ =============== =================== ==========================
    initial copy (6, 1)          –                   (6, 1)
    initial copy (NULL, 1)       –                   –
    audit        (6, 1)          –                   6 missing
    audit        (6, 1)          (6, 2)              6 differs
    audit        (5, 1)          (5, 1)              5 leaked
    change       (6, 1)          (5, 1)              (6, 1)
    ============ =============== =================== ==========================

Every row on a boundary is tried; of each combination of answers a few are compared with targets
that differ in one column each, to another value, to NULL and from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

from filtersql.verify.kinds import Kind
from filtersql.verify.layout import Case
from filtersql.verify.model import Change, Image, Row
from filtersql.verify.source_model import audited, copied, entered, left
from filtersql.verify.values import other_than
from filtersql.verify.world import World, representatives

__all__ = ["audits", "changed", "copies"]

#: the rows of a source, and those of its target
_Draft = tuple[Sequence[Image], Sequence[Row]]
_MOST_COPIES = 2


def copies(world: World) -> tuple[Case, ...]:
    """What the initial copy is tried on."""

    def expected(source: Sequence[Image], target: Sequence[Row]) -> tuple[Row, ...]:
        return (*target, *copied(world.model, source))

    drafts: list[_Draft] = [([row], ()) for row in _boundaries(world)]
    several = _different(world)
    drafts.append((several, ()))
    if not world.model.key:
        drafts += [([row, row], ()) for row in several]
    return _answered(world, drafts, expected)


def audits(world: World) -> tuple[Case, ...]:
    """What the audit is tried on."""

    def expected(source: Sequence[Image], target: Sequence[Row]) -> tuple[Row, ...]:
        return audited(world.model, source, target)

    return _answered(world, [*_judged(world), *_compared(world)], expected)


def changed(world: World, kind: Kind) -> tuple[Case, ...]:
    """What a form of change.sql is tried on."""

    def expected(source: Sequence[Image], target: Sequence[Row]) -> tuple[Row, ...]:
        if kind is Kind.LEAVING:
            return left(world.model, target)
        if kind is Kind.ENTERING:
            return entered(world.model, source, target)
        return copied(world.model, source)

    drafts = [*_judged(world), *_compared(world)]
    if kind is not Kind.CHANGE:
        # These judge the target's rows: each on a boundary stands there, too.
        rows = [world.target(row) for row in _boundaries(world)]
        drafts += [([], [row, row]) for row in rows] if not world.model.key else []
        drafts += [([], [row]) for row in rows]
        names = world.model.columns
        held = {row for _, target in drafts for row in target}
        world.answers.ask(dict(zip(names, row, strict=True)) for row in held)
    return _answered(world, drafts, expected)


def _boundaries(world: World) -> Iterator[Image]:
    for place, trial in enumerate(world.trials):
        yield world.row(trial, 0, 1 if place % 3 else None)


def _different(world: World) -> list[Image]:
    """A few rows, each found by itself."""
    few = representatives(world.trials, world.model.key)
    rows = [world.row(trial, place % 2, place) for place, trial in enumerate(few)]
    return list({world.found_by(row): row for row in rows}.values())


def _judged(world: World) -> Iterator[_Draft]:
    """Of each row on a boundary, whether the filter gives it."""
    for place, row in enumerate(_boundaries(world)):
        same = world.target(row)
        yield [row], [same] if place % 2 else []
    several = _different(world)
    yield several, [world.target(row) for row in several]
    yield several, []
    yield [], [world.target(row) for row in several]


def _compared(world: World) -> Iterator[_Draft]:
    """Targets that are as the source is but for one column, or for the number of copies."""
    few = representatives(world.trials, world.model.key)
    for payload, trial in product((1, None), few):
        row = world.row(trial, 0, payload)
        same = world.target(row)
        yield [row], [same]
        beside = world.beside([row])
        yield [row], [same, *beside]
        if not world.model.key:
            held = product(range(_MOST_COPIES + 1), range(_MOST_COPIES + 1))
            yield from (([row] * number, [same] * copies) for number, copies in held)
    # Which filter lets a row through no longer matters.
    given = [trial for trial in few if world.model.copies(world.row(trial, 0, 1))]
    for payload, trial in product((1, None), given[:2]):
        row = world.row(trial, 0, payload)
        same = world.target(row)
        for place, value in enumerate(same):
            for other in _others(world, world.model.columns[place], value):
                changed = (*same[:place], other, *same[place + 1 :])
                yield [row], [changed]
                yield [row], [same] if world.model.key else [same, changed]


def _others(world: World, name: str, value: str | None) -> Iterator[str | None]:
    """Another value of a column, and NULL where it may be."""
    column = world.model.resolved.table.column(name)
    assert column is not None  # it is published
    other = other_than(column, value)
    if other is not None:
        yield other
    required = column.not_null or name in world.model.key
    if value is not None and not required and name not in world.model.resolved.table.primary_key:
        yield None


def _answered(
    world: World,
    drafts: Iterable[_Draft],
    expected: Callable[[Sequence[Image], Sequence[Row]], tuple[Row, ...]],
) -> tuple[Case, ...]:
    """The drafts with the rows of the model; those whose filter raises are left out."""
    found: dict[tuple[object, ...], _Draft] = {}
    for source, target in drafts:
        found.setdefault((*map(id, source), *sorted(map(repr, target))), (source, target))
    world.answers.ask(image for source, _ in found.values() for image in source)
    reads: dict[int, Change] = {}
    cases = []
    for source, target in found.values():
        try:
            rows = expected(source, target)
        except LookupError:
            continue
        changes = [reads.setdefault(id(row), Change("read", None, row)) for row in source]
        cases.append(Case(tuple(changes), tuple(target), rows))
    return tuple(cases)
