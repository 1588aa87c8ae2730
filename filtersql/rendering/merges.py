"""The MERGE of a target, and the one that stands in for it where a change left a value out.

Example
    ======================= ==================================================================
    merge.sql               what a run executes
    merge_completing.sql    the same over another query: in place of it where a change of a
                            key left out an out-of-line value that did not change, which
                            is then taken from the row under the old key
    ======================= ==================================================================

PostgreSQL finds that value in the subscriber's row, as the second query does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from filtersql.rendering.macros import Macros
from filtersql.rendering.plan_records import MergePlan
from filtersql.rendering.render import render
from filtersql.rendering.template_cache import Own

__all__ = ["Merge", "completing_merge", "merge_of"]

_COMPLETING = (
    "In place of merge.sql where a change of a key left out a value that did not",
    "change: takes it from the row under the old key",
)


class Merge(NamedTuple):
    """A statement, and the query that it reads: a runner may stage that."""

    text: str
    source: str


def merge_of(macros: Macros, shape: MergePlan, own: Own, folders: tuple[Path, ...]) -> Merge:
    """What a run executes."""
    return _merge(macros.source, macros, shape, own, folders)


def completing_merge(
    macros: Macros, shape: MergePlan, own: Own, folders: tuple[Path, ...]
) -> Merge | None:
    """What a run executes where values were left out; None where none can be."""
    if macros.completing is None or not shape.keepable_columns:
        return None
    return _merge(macros.completing, macros, shape, own, folders, _COMPLETING)


def _merge(
    query: str,
    macros: Macros,
    shape: MergePlan,
    own: Own,
    folders: tuple[Path, ...],
    told: Sequence[str] = (),
) -> Merge:
    source = render(query, shape, own, folders)
    whole = replace(own, source_sql=source, header=(*own.header, *told))
    return Merge(render(macros.merge, shape, whole, folders) + "\n", source)
