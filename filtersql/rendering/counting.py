"""The query of a MERGE, and beside its rows what the changes met: one pass, not two.

Example
    >>> text = "SELECT a, /*<counting*/ LAG(b) OVER (ORDER BY a) AS before, /*counting>*/ b FROM t"
    >>> without_counting(text)
    'SELECT a, b FROM t'

    ======================= ==================================================================
    `source.sql` of a form  what is reviewed; `plan.counting` is empty, and nothing is added
    the same, printed again with `plan.counting`: columns more, and a row for each change that
                            met what it should not have; each addition between marks
    ======================= ==================================================================

A run stages the second where it is the first but for the additions, letter by letter. A column
holds what was reviewed as the condition, so the MERGE finds the rows that were reviewed.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from functools import lru_cache

from filtersql.changes import Form
from filtersql.rendering.plan_records import Counting, Counts, MergePlan

__all__ = ["COUNTED", "COUNTING_NAMES", "counting", "counts_of", "without_counting"]

_ADDED = re.compile(r"\s*/\*<counting\*/.*?/\*counting>\*/", re.DOTALL)


#: what has to be no column of a table
COUNTING_NAMES = tuple(field.name for field in fields(Counting) if field.name.startswith("met_"))
#: how a form's window, in its own order, finds the change before and the first one, without a
#: second sort; and how it knows the last one
COUNTED = {
    Form.KEYED: ("LEAD", " DESC", "LAST_VALUE", "= 1"),
    Form.KEYED_UNCHANGED: ("LAG", "", "FIRST_VALUE", "IS NULL"),
}


def counts_of(effect_column: str) -> Counts:
    """The names in a target whose own column of filtersql's is `effect_column`."""
    tail = effect_column.removeprefix("effect")
    return Counts(*(f"{field.name}{tail}" for field in fields(Counts)))


@lru_cache(maxsize=256)
def counting(plan: MergePlan, form: Form) -> MergePlan | None:
    """The plan of the same query with its counts; None where a form has none."""
    if form not in COUNTED:
        return None
    neighbour, order, earliest, latest = COUNTED[form]
    tail = plan.plain_effect.removeprefix("effect")
    names = {name: f"{name}{tail}" for name in COUNTING_NAMES}
    added = Counting(**names, neighbour=neighbour, order=order, earliest=earliest, latest=latest)
    return replace(plan, counting=(added,))


def without_counting(text: str) -> str:
    """The text without what was added between marks."""
    return _ADDED.sub("", text)
