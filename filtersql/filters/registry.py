"""Which rule writes a function, operator or cast: by its resolved signature, else by its name.

Example
    `substring(text,text)` is written by `regex_functions`, `numeric_lt` by `numeric_order`; what
    has no rule is a row of the engine's table.

    A family is one module with a table RULES and one name in FAMILIES; no two have one key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from filtersql.filters import (
    arrays,
    buckets,
    casing,
    documents,
    fields,
    held_texts,
    json_paths,
    moments,
    numeric_casts,
    numeric_order,
    patterns,
    ranges,
    regex_functions,
    regexes,
    text_comparisons,
    text_functions,
    zones,
)
from filtersql.filters.facts import Function
from filtersql.filters.writer import Rule

__all__ = ["rule_of"]

FAMILIES = (
    arrays, buckets, casing, documents, fields, held_texts, json_paths, moments, numeric_casts,
    numeric_order, patterns, ranges, regex_functions, regexes, text_comparisons, text_functions,
    zones,
)  # fmt: skip


def _merged(tables: Iterable[Mapping[str, Rule]]) -> dict[str, Rule]:
    rules: dict[str, Rule] = {}
    for table in tables:
        twice = rules.keys() & table.keys()
        if twice:
            raise ValueError(f"two families write {', '.join(sorted(twice))}")
        rules.update(table)
    return rules


RULES = _merged(family.RULES for family in FAMILIES)


@cache
def rule_of(function: Function) -> Rule | None:
    """The rule for a function; None where the engine's table has a row for it, or nothing has."""
    return RULES.get(str(function)) or RULES.get(function.name)
