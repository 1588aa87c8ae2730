"""Functions over any type: `array_length(anyarray, int4)`, `anyarray @> anyarray`.

Example
    `ai @> '{1}'` with `ai int4[]`: anyarray is int4[], so the literal is read as int4[].

PostgreSQL
    parse_coerce.c, check_generic_type_consistency() and enforce_generic_type_consistency().
"""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.filters.facts import facts
from filtersql.filters.resolve.pathways import POLYMORPHIC, can_coerce, preferred_type

__all__ = ["consistent", "enforce"]


def consistent(actual: Sequence[str], declared: Sequence[str]) -> bool:
    """Whether the actual types can stand for the declared ones."""
    return _bindings(actual, declared) is not None


def enforce(
    actual: Sequence[str], declared: Sequence[str], result: str
) -> tuple[list[str], str] | None:
    """The declared types with the polymorphic ones filled in, and the result's; None: cannot."""
    if POLYMORPHIC.isdisjoint(declared):
        return list(declared), result
    bindings = _bindings(actual, declared)
    if bindings is None:
        return None
    filled = [_filled(name, bindings) for name in declared]
    outcome = _filled(result, bindings)
    return (filled, outcome) if "" not in (*filled, outcome) else None


def _bindings(actual: Sequence[str], declared: Sequence[str]) -> dict[str, str] | None:
    """{'1': element type of the first family, '2': of the anycompatible family, ranges…}."""
    found: dict[str, str] = {}
    compatible: list[str] = []
    known = facts()
    for have, want in zip(actual, declared, strict=True):
        if want not in POLYMORPHIC or have == "unknown":
            continue
        family, role = _role(want)
        kind = known.type(have)
        match role:
            case "anyarray":
                if not kind.element:
                    return None
                element = kind.element
            case "anyrange":
                if kind.kind != "r" or found.setdefault("r" + family, have) != have:
                    return None
                element = kind.subtype
            case "anymultirange":
                if kind.kind != "m" or found.setdefault("r" + family, kind.subtype) != kind.subtype:
                    return None
                element = known.type(kind.subtype).subtype
            case "anyenum":
                return None
            case _:
                if role == "anynonarray" and kind.element:
                    return None
                element = have
        if family == "2":
            compatible.append(element)
        elif found.setdefault("1", element) != element:
            return None
    if any(want == "anynonarray" for want in declared) and known.type(found.get("1", "")).element:
        return None
    if compatible:
        common, other = preferred_type(compatible)
        if other or not all(can_coerce(name, common, "i") for name in compatible):
            return None
        found["2"] = common
    return found


def _role(name: str) -> tuple[str, str]:
    """Which family a polymorphic type is of, and what the type of the first one is called."""
    if name.startswith("anycompatible"):
        return "2", f"any{name.removeprefix('anycompatible') or 'element'}"
    return "1", name


def _filled(name: str, bindings: dict[str, str]) -> str:
    if name not in POLYMORPHIC:
        return name
    family, role = _role(name)
    known = facts()
    if role in ("anyrange", "anymultirange"):
        found = bindings.get("r" + family, "")
        if role == "anyrange" or not found:
            return found
        return next((kind for kind in known.multiranges() if known.type(kind).subtype == found), "")
    element = bindings.get(family, "text" if family == "2" else "")
    return known.type(element).array if role == "anyarray" else element
