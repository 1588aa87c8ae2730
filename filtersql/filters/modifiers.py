"""Lengths and fields that no type can have, given by hand to the functions behind `varchar(n)`.

Example
    `c::varchar(3)` calls `varchar(c, 7, true)`. Who writes `varchar(c, 0, true)` gives a length
    that PostgreSQL takes for none at all: it is refused by name. So is `"interval"(c, 1)`, which
    raises there, as a type has all fields or some that stand together.

PostgreSQL
    varchar.c: varchar(), bpchar(); varbit.c: bit(), varbit(); numeric.c: numeric();
    timestamp.c: AdjustIntervalForTypmod()
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from filtersql.filters.folding import fold
from filtersql.filters.nodes import Func, Node

if TYPE_CHECKING:
    from filtersql.filters.writing import Writer

__all__ = ["check"]

#: the least modifier that a type's declaration makes
_LEAST = {
    "varchar(varchar,int4,bool)": 5,
    "bpchar(bpchar,int4,bool)": 5,
    "bit(bit,int4,bool)": 1,
    "varbit(varbit,int4,bool)": 1,
    "bit(int4,int4)": 1,
    "bit(int8,int4)": 1,
    "numeric(numeric,int4)": (1 << 16) + 4,
}

_INTERVAL = "interval(interval,int4)"
#: timestamp.h: the fields of INTERVAL YEAR TO MONTH and the like, and all
_YEAR, _MONTH, _DAY, _HOUR, _MINUTE, _SECOND = (1 << bit for bit in (2, 1, 3, 10, 11, 12))
_TIMES = (_DAY, _HOUR, _MINUTE, _SECOND)
_FIELDS = {0x7FFF, _YEAR, _MONTH, _YEAR | _MONTH} | {
    sum(_TIMES[begin : end + 1]) for begin in range(4) for end in range(begin, 4)
}
_NAMES = {function.partition("(")[0] for function in (*_LEAST, _INTERVAL)}


def check(writer: Writer, nodes: Iterable[Node]) -> None:
    """Refuses a call that no cast makes; raises NotTranslated."""
    for node in nodes:
        if not isinstance(node, Func) or node.function.name not in _NAMES:
            continue
        function = str(node.function)
        if function not in _LEAST and function != _INTERVAL:
            continue
        given = fold(node.args[1])
        if given is not None and isinstance(given.value, int) and not _fits(function, given.value):
            what = "these fields" if function == _INTERVAL else "this length"
            raise writer.refused(node, f"No type has {what}.")


def _fits(function: str, modifier: int) -> bool:
    if function != _INTERVAL:
        return modifier >= _LEAST[function]
    places = modifier & 0xFFFF
    return modifier < 0 or (modifier >> 16 in _FIELDS and (places <= 6 or places == 0xFFFF))
