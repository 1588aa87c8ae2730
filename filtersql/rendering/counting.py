"""The query of a MERGE, and beside its rows what the changes met: one pass, not two.

Example
    >>> text = "SELECT a, /*<counting*/ LAG(b) OVER (ORDER BY a) AS before, /*counting>*/ b FROM t"
    >>> without_counting(text)
    'SELECT a, b FROM t'

    ======================= ==================================================================
    merge_source.sql        what is reviewed; not `plan.counts`, and nothing is added
    the same, printed again where `plan.counts`: columns more, and a row for each change that met
                            what it should not have; each addition between marks
    ======================= ==================================================================

A run stages the second where it is the first but for the additions, letter by letter. A column
holds what was reviewed as the condition, so the MERGE finds the rows that were reviewed.
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec.structs import replace

from filtersql.rendering.plan_records import Counts, MergePlan

__all__ = ["counting", "counts_of", "without_counting"]

_ADDED = re.compile(r"\s*/\*<counting\*/.*?/\*counting>\*/", re.DOTALL)


def counts_of(effect_column: str) -> Counts:
    """The names in a target whose own column of filtersql's is `effect_column`."""
    tail = effect_column.removeprefix("effect")
    return Counts(*(f"{name}{tail}" for name in Counts.__struct_fields__))


@lru_cache(maxsize=256)
def counting(plan: MergePlan) -> MergePlan | None:
    """The plan of the same query with its counts; None where earlier changes decide what is met."""
    if not plan.keyed or plan.skips_missing or plan.keeps_existing:
        return None
    return replace(plan, counts=True)


def without_counting(text: str) -> str:
    """The text without what was added between marks."""
    return _ADDED.sub("", text)
