"""One table as a proof sees it: its model, the rows to try, what an old row carries.

Example
    world.row(trial, 0, 1)       a complete row: the trial's values, other columns by a number
    world.old(row)               what the source logs of it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from filtersql.catalog import Identity
from filtersql.rendering.compiled import CompiledTable
from filtersql.verify.model import Image, Model, Row
from filtersql.verify.values import Answers, Trial, values_of

__all__ = [
    "World",
    "has_other_keys",
    "is_unlogged",
    "left_out",
    "other_payload",
    "representatives",
]

_MOST_PAIRED = 10


class _Filled(Struct, frozen=True):
    """How a column that no filter reads is filled."""

    name: str
    values: tuple[str, ...]
    #: whether the subscriber finds a row by it
    finds: bool
    nullable: bool


@dataclass(frozen=True, slots=True)
class World:
    """One table: its model, the rows to try and what is known of its columns."""

    model: Model
    answers: Answers
    trials: Sequence[Trial]
    compiled: CompiledTable
    #: whether old rows are complete, whatever the replica identity
    before_complete: bool

    #: the columns that a change carries, and those of them that an old row carries
    names: tuple[str, ...] = field(init=False)
    logged: tuple[str, ...] = field(init=False)
    _columns: tuple[_Filled, ...] = field(init=False)
    #: rows that were made; their trials live in `trials`
    _rows: dict[tuple[int, int, int | None], Image] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    #: rows beside others, by what these are found by
    _beside: dict[tuple[tuple[str | None, ...], ...], list[Row]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        table = self.model.resolved.table
        names = tuple(column.name for column in self.compiled.feed_columns)
        identity = frozenset(table.identity_columns)
        logged = tuple(name for name in names if self.before_complete or name in identity)
        # A record is made once, and its rows thousands of times.
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "logged", logged)
        object.__setattr__(self, "_columns", tuple(map(self._filled, names)))

    def _filled(self, name: str) -> _Filled:
        table = self.model.resolved.table
        column = table.column(name)
        assert column is not None
        finds = name in self.model.key
        must = finds or table.never_null(name)
        return _Filled(name, values_of(column), finds, nullable=not must)

    def row(self, trial: Trial, key: int, payload: int | None) -> Image:
        """A complete row: columns that no filter reads differ by a number (None: NULL).

        `trial` is one of the world's.
        """
        known = self._rows.get((id(trial), key, payload))
        if known is None:
            known = self._rows[id(trial), key, payload] = self._row(trial, key, payload)
        return known

    def _row(self, trial: Trial, key: int, payload: int | None) -> Image:
        judged = dict(trial.values)
        found: dict[str, str | None] = {}
        # Columns of one type hold different values: one in another's place is noticed.
        for place, column in enumerate(self._columns):
            number = key if column.finds else payload
            if column.name in judged:
                found[column.name] = judged[column.name]
            elif (number is None and column.nullable) or not column.values:
                found[column.name] = None
            else:
                found[column.name] = column.values[((number or 0) + place) % len(column.values)]
        return found

    def target(self, image: Image) -> Row:
        """The row as the target holds it."""
        return tuple(image[name] for name in self.model.columns)

    def old(self, image: Image) -> Image:
        """What the source logs of an old row."""
        return {name: image[name] for name in self.logged}

    def same_key(self, one: Image, other: Image) -> bool:
        """Whether the subscriber finds the same row by both."""
        return self.found_by(one) == self.found_by(other)

    def found_by(self, image: Image) -> tuple[str | None, ...]:
        """The values by which the subscriber finds the row."""
        return tuple([image[name] for name in self.model.key or self.model.columns])

    def beside(self, images: Sequence[Image]) -> list[Row]:
        """A row with another key than these; without a key, one of which nothing is known too."""
        others = tuple(map(self.found_by, images))
        known = self._beside.get(others)
        if known is None:
            known = self._beside[others] = self._other_than(others)
        return known

    def _other_than(self, others: Sequence[tuple[str | None, ...]]) -> list[Row]:
        if not self.model.key and not any(column.not_null for column in self.compiled.columns):
            nothing: Row = (None,) * len(self.model.columns)
            if nothing not in others:
                return [nothing]
        for trial in reversed(self.trials):
            for key in (3, 2, 1, 0):
                row = self.row(trial, key, 3)
                if self.found_by(row) not in others:
                    return [self.target(row)]
        return []

    @property
    def finds(self) -> bool:
        """Whether an update or a delete says which row it changes."""
        return bool(self.logged)


def representatives(trials: Sequence[Trial], key: Sequence[str]) -> list[Trial]:
    """A few rows for each combination of answers, two with different keys where there are."""
    by_answers: dict[tuple[bool | None, ...], list[Trial]] = {}
    for trial in trials:
        by_answers.setdefault(trial.answers, []).append(trial)
    found = []
    for first, *others in by_answers.values():
        found.append(first)
        values = dict(first.values)
        judged = [(name, values[name]) for name in key if name in values]
        other = next((one for one in others if judged and not {*judged} <= {*one.values}), None)
        if other is not None:
            found.append(other)
    return found[:_MOST_PAIRED]


def other_payload(world: World, image: Image) -> Image:
    """Other values than these for the columns that neither find a row nor are judged."""
    judged = set(world.answers.read) | set(world.model.key)
    free = [name for name in image if name not in judged] if world.model.key else []
    others = (world.row(world.trials[0], 0, number) for number in (3, 2))
    payloads = [{name: other[name] for name in free} for other in others]
    same = all(payloads[0][name] == image[name] for name in free)
    return payloads[1 if same else 0]


def is_unlogged(world: World, old: Image, new: Image) -> bool:
    """Whether PostgreSQL logs no old row: the identity columns are as they were."""
    table = world.model.resolved.table
    if world.before_complete or table.replica_identity.kind is Identity.FULL:
        return False
    return all(old[name] == new[name] for name in table.identity_columns)


def has_other_keys(world: World) -> bool:
    """Whether a key can differ where no filter looks."""
    return any(name not in world.answers.read for name in world.model.key)


def left_out(world: World) -> tuple[str, ...]:
    """Columns that may be sent as unchanged, and that no filter would then lack."""
    return tuple(
        name
        for name in world.compiled.may_be_unchanged
        if name in world.logged or name not in world.answers.read
    )
