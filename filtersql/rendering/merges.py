"""The MERGE of a target, and the one that stands in for it where a change left a value out.

Example
    ======================= ==================================================================
    merge.sql               what a run executes
    merge_completing.sql    the same over another query: in place of it where a change of a
                            key left out an out-of-line value that did not change, which
                            is then taken from the row under the old key
    change.sql              what `apply` executes: the rows that a changed definition moves;
                            where they only leave, it is a DELETE
    ======================= ==================================================================

PostgreSQL finds that value in the subscriber's row, as the second query does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from filtersql.rendering.plan_records import MergePlan
from filtersql.rendering.render import render
from filtersql.rendering.template_cache import Own

__all__ = ["Merge", "changing_merge", "completing_merge", "merge_of", "rebuilding"]

_COMPLETING = (
    "In place of merge.sql where a change of a key left out a value that did not",
    "change: takes it from the row under the old key",
)

#: by whether rows only leave
_CHANGING = {
    True: ("Of a changed definition: rows that it does not take any more leave",),
    False: ("Of a changed definition: rows that it takes enter, others leave",),
}


class Merge(NamedTuple):
    """A statement, and the query that it reads: a runner may stage that."""

    text: str
    source: str


def merge_of(shape: MergePlan, own: Own, folders: tuple[Path, ...]) -> Merge:
    """What a run executes."""
    return _merge(shape, own, folders)


def completing_merge(shape: MergePlan, own: Own, folders: tuple[Path, ...]) -> Merge | None:
    """What a run executes where values were left out; None where none can be."""
    if not (shape.keyed and shape.key_changes and shape.lacks_values) or shape.skips_missing:
        return None
    return _merge(_completing(shape), own, folders, _COMPLETING)


def changing_merge(
    shape: MergePlan, own: Own, folders: tuple[Path, ...], flags: tuple[str, ...]
) -> Merge:
    """What brings a target from an earlier definition to this one; `flags` of the plan are on."""
    changing = _changing(shape, flags)
    source = render("change", changing, own, folders)
    return _over(source, changing, own, folders, _CHANGING["narrows" in flags])


@lru_cache(maxsize=256)
def rebuilding(shape: MergePlan) -> MergePlan:
    """The plan of the query that gives all rows of a table that takes the target's place."""
    return replace(shape, rebuilds=True)


@lru_cache(maxsize=256)
def _changing(shape: MergePlan, flags: tuple[str, ...]) -> MergePlan:
    return replace(shape, **dict.fromkeys(flags, True))


@lru_cache(maxsize=256)
def _completing(shape: MergePlan) -> MergePlan:
    return replace(shape, completes=True, held_first=True)


def _merge(
    shape: MergePlan, own: Own, folders: tuple[Path, ...], header_lines: Sequence[str] = ()
) -> Merge:
    source = render("merge_source", shape, own, folders)
    return _over(source, shape, own, folders, header_lines)


def _over(
    source: str, shape: MergePlan, own: Own, folders: tuple[Path, ...], header_lines: Sequence[str]
) -> Merge:
    whole = replace(own, source_sql=source, header=(*own.header, *header_lines))
    return Merge(render("merge", shape, whole, folders) + "\n", source)
