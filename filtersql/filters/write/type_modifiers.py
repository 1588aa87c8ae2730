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

from collections.abc import Callable, Iterable
from functools import partial
from operator import le

from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node
from filtersql.filters.write.rules import interval_fields
from filtersql.filters.write.writer import Writer

__all__ = ["check"]

_INTERVAL = "interval(interval,int4)"
#: whether a type's declaration makes a modifier: for lengths, from the least one on
_FITS: dict[str, Callable[[int], bool]] = {
    "varchar(varchar,int4,bool)": partial(le, 5),
    "bpchar(bpchar,int4,bool)": partial(le, 5),
    "bit(bit,int4,bool)": partial(le, 1),
    "varbit(varbit,int4,bool)": partial(le, 1),
    "bit(int4,int4)": partial(le, 1),
    "bit(int8,int4)": partial(le, 1),
    "numeric(numeric,int4)": partial(le, (1 << 16) + 4),
    _INTERVAL: interval_fields.fits,
}
_NAMES = {function.partition("(")[0] for function in _FITS}


def check(writer: Writer, nodes: Iterable[Node]) -> None:
    """Refuses a call that no cast makes; raises NotTranslated."""
    for node in nodes:
        if not isinstance(node, Func) or node.function.name not in _NAMES:
            continue
        function = str(node.function)
        fits = _FITS.get(function)
        if fits is None:
            continue
        given = fold(node.args[1])
        if given is not None and isinstance(given.value, int) and not fits(given.value):
            what = "these fields" if function == _INTERVAL else "this length"
            raise writer.refused(node, f"No type has {what}.")
