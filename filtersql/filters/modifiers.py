"""Lengths that no type can have, given by hand to the functions behind `varchar(n)`.

Example
    `c::varchar(3)` calls `varchar(c, 7, true)`. Who writes `varchar(c, 0, true)` gives a length
    that PostgreSQL takes for none at all: it is refused by name.

PostgreSQL
    varchar.c: varchar(), bpchar(); varbit.c: bit(), varbit(); numeric.c: numeric()
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


_NAMES = {function.partition("(")[0] for function in _LEAST}


def check(writer: Writer, nodes: Iterable[Node]) -> None:
    """Refuses a call that no cast makes; raises NotTranslated."""
    for node in nodes:
        if not isinstance(node, Func) or node.function.name not in _NAMES:
            continue
        least = _LEAST.get(str(node.function))
        if least is None:
            continue
        given = fold(node.args[1])
        if given is not None and isinstance(given.value, int) and given.value < least:
            raise writer.refused(node, "No type has this length.")
