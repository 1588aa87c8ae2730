"""A macro is printed once for all targets of one shape; what is a target's own fills its places.

Example
    ===================== ====================================
    printed once          `MERGE INTO <7> AS t USING ( … `
    filled for a target   `MERGE INTO s1.t1 AS t USING ( … `
    ===================== ====================================

The package's macros branch on flags of a shape alone: where a string of a target stands hangs on
how many lines its comments and filters have, and never on what these say. Targets alike in that,
and in all else that is printed, share what was printed. (A project's own macro may decide: it is
printed for each target.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import count
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from filtersql.rendering.plan_records import MergePlan, PlannedArm, PlannedCriterion

__all__ = ["Own", "Skeleton", "Structure", "marked", "skeleton_of"]

#: a place that is filled; no name and no literal of PostgreSQL holds the character
_PLACE = re.compile("\0([0-9]+)\0")
#: what decides where the lines of a criterion stand: (connective, labels, lines)
_Lengths = tuple[str, int, int]
_Arms = tuple[tuple[tuple[str, ...], tuple[_Lengths, ...]], ...]
Structure = tuple[int, _Arms, _Arms, tuple[_Lengths, ...], tuple[_Lengths, ...], int]


class Own(Struct, frozen=True, dict=True):
    """What is printed of one target and of no other; all else is of its shape."""

    header: tuple[str, ...] = ()
    target: str = ""
    changes: str = ""
    source_view: str = ""
    old_arms: tuple[PlannedArm, ...] = ()
    new_arms: tuple[PlannedArm, ...] = ()
    copy_criteria: tuple[PlannedCriterion, ...] = ()
    over: tuple[str, ...] = ()
    #: the query that merge.sql holds
    source_sql: str = ""
    #: of a changed definition: the filters that were in force
    earlier_criteria: tuple[PlannedCriterion, ...] = ()

    def plan(self, shape: MergePlan) -> MergePlan:
        """Everything that a macro may print of the target."""
        return replace(shape, **self.of_a_plan())

    def of_a_plan(self) -> dict[str, Any]:
        """What a plan holds of it, by the names of the plan's fields."""
        return {name: getattr(self, name) for name in self.__struct_fields__}

    @cached_property
    def strings(self) -> tuple[str, ...]:
        """All strings, in the order of their places."""
        texts = [self.source_sql, self.target, self.changes, self.source_view, *self.header]
        for arm in (*self.old_arms, *self.new_arms):
            for one in arm.criteria:
                texts += (*one.label_lines, *one.lines)
        for one in (*self.copy_criteria, *self.earlier_criteria):
            texts += (*one.label_lines, *one.lines)
        return (*texts, *self.over)

    @cached_property
    def structure(self) -> Structure:
        """How many there are of each, and what stands beside them."""
        return (
            len(self.header),
            tuple((arm.ops, _lengths(arm.criteria)) for arm in self.old_arms),
            tuple((arm.ops, _lengths(arm.criteria)) for arm in self.new_arms),
            _lengths(self.copy_criteria),
            _lengths(self.earlier_criteria),
            len(self.over),
        )


class Skeleton(Struct, frozen=True):
    """A printed macro: its pieces of text, and the places between them."""

    pieces: tuple[str, ...]
    places: tuple[int, ...]

    def filled(self, strings: Sequence[str]) -> str:
        """The text for a target with these strings."""
        pieces = list(self.pieces)
        pieces[1::2] = [strings[place] for place in self.places]
        return "".join(pieces)


def skeleton_of(printed: str) -> Skeleton:
    """What was printed of a plan that `marked` made."""
    pieces = _PLACE.split(printed)
    return Skeleton(tuple(pieces), tuple(map(int, pieces[1::2])))


def marked(structure: Structure) -> Own:
    """Something of that structure, of which each string is its place."""
    header, old, new, copy, earlier, over = structure
    places = (f"\0{place}\0" for place in count())

    def some(number: int) -> tuple[str, ...]:
        return tuple(next(places) for _ in range(number))

    def criteria(lengths: tuple[_Lengths, ...]) -> tuple[PlannedCriterion, ...]:
        return tuple(
            PlannedCriterion(connective, "", "", label_lines=some(labels), lines=some(lines))
            for connective, labels, lines in lengths
        )

    source, target, changes, source_view = some(4)
    return Own(
        header=some(header),
        target=target,
        changes=changes,
        source_view=source_view,
        source_sql=source,
        old_arms=tuple(PlannedArm(ops, criteria(lengths)) for ops, lengths in old),
        new_arms=tuple(PlannedArm(ops, criteria(lengths)) for ops, lengths in new),
        copy_criteria=criteria(copy),
        earlier_criteria=criteria(earlier),
        over=some(over),
    )


def _lengths(criteria: Sequence[PlannedCriterion]) -> tuple[_Lengths, ...]:
    return tuple(
        (criterion.connective, len(criterion.label_lines), len(criterion.lines))
        for criterion in criteria
    )
