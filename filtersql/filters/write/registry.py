"""Which rule writes a function, operator or cast: by its resolved signature, else by its name.

Example
    `substring(text,text)` is written by `regex_functions`, `numeric_lt` by `numeric_order`; what
    has no rule is a row of the engine's table.

    A family is one module with a table RULES and one name in FAMILIES, or a rare one with a line in
    `extended`; no two have one key.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TypeVar

from filtersql.filters.engines.rows import rows
from filtersql.filters.extended import FAMILIES as RARE
from filtersql.filters.facts import Function
from filtersql.filters.write.rules import (
    array_bounds,
    arrays,
    datetime_arithmetic,
    datetime_fields,
    document_keys,
    documents,
    intervals,
    json_paths,
    letter_case,
    like,
    networks,
    numeric_casts,
    numeric_order,
    ranges,
    regex_functions,
    regular_expressions,
    text_comparisons,
    text_functions,
    time_zones,
    times_of_day,
)
from filtersql.filters.write.writer import Rule
from filtersql.storage import Engine

__all__ = ["rows_of", "rule_of"]

_Form = TypeVar("_Form")

FAMILIES = (
    arrays,
    array_bounds,
    letter_case,
    documents,
    document_keys,
    datetime_fields,
    json_paths,
    datetime_arithmetic,
    intervals,
    times_of_day,
    numeric_casts,
    numeric_order,
    like,
    networks,
    ranges,
    regex_functions,
    regular_expressions,
    text_comparisons,
    text_functions,
    time_zones,
)


def _merged(tables: Sequence[Mapping[str, _Form]]) -> Mapping[str, _Form]:
    counts = Counter(name for table in tables for name in table)
    if twice := sorted(name for name, count in counts.items() if count > 1):
        raise ValueError(f"two families write {', '.join(twice)}")
    # the dictionaries are never written to
    return ChainMap(*tables)  # type: ignore[arg-type]


RULES = _merged([*(family.RULES for family in FAMILIES), *(family.rules for family in RARE)])


@cache
def rows_of(engine: Engine) -> Mapping[str, str]:
    """The engine's table: name or signature of a function, or a piece's name -> text."""
    return _merged([rows(engine), *(family.rows(engine) for family in RARE)])


@cache
def rule_of(function: Function) -> Rule | None:
    """The rule for a function; None where the engine's table has a row for it, or nothing has."""
    return RULES.get(str(function)) or RULES.get(function.name)
