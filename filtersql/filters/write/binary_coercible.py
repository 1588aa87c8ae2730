"""Values that PostgreSQL takes for another type's without a function.

Example
    =================== ==================================================
    `v::text`           of varchar: the same text
    `x::text`           of xml: with a declaration that is never printed
    `o::int4`           of oid: another number from 2147483648 on
    =================== ==================================================

    The target holds what is printed of a value. Where the types print the same bytes differently,
    that is not a value of the other type.

PostgreSQL
    pg_cast.castmethod = 'b'; xml.c, xml_out_internal().
"""

from __future__ import annotations

from filtersql.filters.facts import facts

__all__ = ["NOT_HELD", "is_held_alike"]

NOT_HELD = "The target holds what PostgreSQL prints of the value, which is not what it casts."
#: types that print the same bytes alike, or whose rules read the one as the other
_ALIKE = ({"text", "varchar", "bpchar"}, {"bit", "varbit"}, {"cidr", "inet"})


def is_held_alike(source: str, target: str) -> bool:
    """Whether a value of one type is held as the same value of the other would be."""
    first, second = (facts().type(name).element or name for name in (source, target))
    return first == second or any({first, second} <= alike for alike in _ALIKE)
