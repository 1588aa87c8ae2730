"""How PostgreSQL gets from one type to another: by a function, relabelling, by text, or not at all.

Example
    ===================== ====================================== ========================
    from, to              in an operator (implicit)              `x::type` (explicit)
    ===================== ====================================== ========================
    int4 to numeric       numeric(int4)                          numeric(int4)
    numeric to int4       none                                   int4(numeric)
    varchar to text       relabelled                             relabelled
    text to int4          none                                   by text: no filter may
    ===================== ====================================== ========================

PostgreSQL
    parse_coerce.c: find_coercion_pathway(), can_coerce_type(), select_common_type().
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

from filtersql.filters.facts import facts

__all__ = [
    "POLYMORPHIC",
    "TAKES_ANYTHING",
    "Context",
    "Pathway",
    "can_coerce",
    "pathway",
    "preferred_type",
]

#: i: implicit, a: assignment, e: explicit; compared by their place in "iae"
Context = Literal["i", "a", "e"]
_RANK = {"i": 0, "a": 1, "e": 2}
TAKES_ANYTHING = {
    "any",
    "anyelement",
    "anynonarray",
    "anycompatible",
    "anycompatiblenonarray",
}
POLYMORPHIC = TAKES_ANYTHING - {"any"} | {
    "anyarray",
    "anyenum",
    "anyrange",
    "anymultirange",
    "anycompatiblearray",
    "anycompatiblerange",
    "anycompatiblemultirange",
}


class Pathway(NamedTuple):
    """How a cast is done: by function, relabelling, text, element by element, or not at all."""

    kind: Literal["none", "function", "relabel", "text", "array"]
    function: int = 0


_NONE = Pathway("none")


@cache
def pathway(source: str, target: str, context: Context) -> Pathway:
    """PostgreSQL's find_coercion_pathway()."""
    if source == target:
        return Pathway("relabel")
    known = facts()
    found = known.cast(source, target)
    if found is not None:
        if _RANK[context] < _RANK[found.context]:
            return _NONE
        kind: dict[str, Literal["function", "relabel", "text"]] = {
            "f": "function",
            "b": "relabel",
            "i": "text",
        }
        return Pathway(kind[found.method], found.function)
    from_type, to_type = known.type(source), known.type(target)
    if from_type.element and to_type.element and target not in ("oidvector", "int2vector"):
        inner = pathway(from_type.element, to_type.element, context)
        return Pathway("array", inner.function) if inner.kind != "none" else _NONE
    if not from_type.oid or not to_type.oid:
        return _NONE
    if context != "i" and to_type.category == "S":
        return Pathway("text")
    if context == "e" and from_type.category == "S":
        return Pathway("text")
    return _NONE


def can_coerce(source: str, target: str, context: Context) -> bool:
    """Whether one value of `source` can become `target`; polymorphic targets are checked later."""
    if source == target or source == "unknown" or target in POLYMORPHIC or target == "any":
        return True
    return pathway(source, target, context).kind != "none"


def preferred_type(names: Sequence[str]) -> tuple[str, int]:
    """The type that several become, and the place of the first of another category; 0: none is."""
    best = facts().type(names[0])
    for place, name in enumerate(names[1:], 1):
        other = facts().type(name)
        if name in ("unknown", best.name):
            continue
        if best.name == "unknown":
            best = other
        elif other.category != best.category:
            return best.name, place
        elif (
            not best.preferred
            and can_coerce(best.name, name, "i")
            and not can_coerce(name, best.name, "i")
        ):
            best = other
    return best.name, 0
