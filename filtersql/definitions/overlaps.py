"""Which bounds a new partition cannot have beside those that are there.

Example
    =================================== =========================== ==========================
    there                               new                         refused because
    =================================== =========================== ==========================
    FROM (0) TO (10)                    FROM (5) TO (15)            it would overlap the first
    –                                   FROM (20) TO (20)           it is empty
    IN (1, 2)                           IN (2, 3)                   it would overlap the first
    modulus 4, remainder 0              modulus 2, remainder 0      it would overlap the first
    modulus 4, remainder 0              modulus 3, remainder 1      3 is not a factor of 4
    DEFAULT                             DEFAULT                     there is one already
    =================================== =========================== ==========================

    Values are compared where PostgreSQL's order is known here: numbers, dates, moments; texts and
    others only for being equal. What cannot be compared is not refused.

PostgreSQL
    partbounds.c, check_new_partition_bound(); parse_utilcmd.c, transformPartitionBound()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

from filtersql.definitions.bounds import Bounds, printed
from filtersql.errors import partitions as refusals
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.source import Span

__all__ = ["check_bounds", "check_shape"]

#: a number, date or moment: those of one type sort among themselves
_Key: TypeAlias = Any
_NUMBERS = {"int2", "int4", "int8", "numeric"}


def check_shape(new: Bounds, strategy: str, keys: Sequence[str], span: Span) -> None:
    """Raises where the bounds are wrong whatever partitions there are."""
    if new.strategy == "default" and strategy == "hash":
        raise refusals.HASH_DEFAULT(span)
    if new.strategy not in ("default", strategy):
        raise refusals.OTHER_STRATEGY(span, strategy=strategy)
    if new.strategy == "hash" and not 0 <= int(new.upper[0]) < int(new.lower[0]):
        raise UnsupportedStatement("a remainder that is not below its modulus", span)
    if new.strategy == "range":
        for side, values in (("FROM", new.lower), ("TO", new.upper)):
            if len(values) != len(keys):
                raise refusals.BOUND_COUNT(span, side=side)
            if "NULL" in values:
                raise refusals.BOUND_NULL(span)


def check_bounds(
    name: str,
    new: Bounds,
    there: Mapping[str, Bounds],
    types: Sequence[str],
    span: Span,
) -> None:
    """Raises on an overlap; `there` are the partitions' bounds by name, `types` the key's."""
    if new.strategy == "range":
        lower, upper = _ordered(new.lower, types), _ordered(new.upper, types)
        if lower is not None and upper is not None and lower >= upper:
            shown = printed(new, types).removeprefix("FOR VALUES FROM ").split(" TO ")
            raise refusals.EMPTY_RANGE(span, name=name, lower=shown[0], upper=shown[-1])
    others = [
        (other, bounds_there)
        for other, bounds_there in there.items()
        if bounds_there.strategy == new.strategy
    ]
    for other, bounds_there in sorted(others, key=lambda each: _place(each[1], types)):
        if new.strategy == "default":
            raise refusals.SECOND_DEFAULT(span, name=name, other=other)
        if new.strategy == "hash":
            _check_factor(new, bounds_there, other, span)
        if _overlap(new, bounds_there, types):
            raise refusals.OVERLAP(span, name=name, other=other)


def _place(bounds: Bounds, types: Sequence[str]) -> tuple[object, ...]:
    """What PostgreSQL looks at first: the lower range."""
    return (_ordered(bounds.lower, types) if bounds.strategy == "range" else None) or ()


def _check_factor(new: Bounds, there: Bounds, other: str, span: Span) -> None:
    modulus, known = int(new.lower[0]), int(there.lower[0])
    if max(modulus, known) % min(modulus, known):
        lacks = "divisible by" if known < modulus else "a factor of"
        raise refusals.MODULUS_UNFIT(span, modulus=modulus, lacks=lacks, known=known, other=other)


def _overlap(new: Bounds, there: Bounds, types: Sequence[str]) -> bool:
    """Of two of one strategy; False where the order of their values is not known here."""
    if new.strategy == "hash":
        modulus = min(int(new.lower[0]), int(there.lower[0]))
        return (int(new.upper[0]) - int(there.upper[0])) % modulus == 0
    if new.strategy == "list":
        kind = types[0] if types else ""
        held = {_equal(value, kind) for value in there.lower}
        return any(_equal(value, kind) in held for value in new.lower)
    sides = [_ordered(bound, types) for bound in (new.lower, new.upper, there.lower, there.upper)]
    lower, upper, first, last = sides
    if lower is None or upper is None or first is None or last is None:
        return False
    return first < upper and lower < last


def _ordered(values: Sequence[str], types: Sequence[str]) -> tuple[tuple[int, _Key], ...] | None:
    """A bound as something that sorts like it; None where the order is not known here."""
    places: list[tuple[int, _Key]] = []
    for value, kind in zip(values, types, strict=True):
        key = 0 if value in ("MINVALUE", "MAXVALUE") else _value(value, kind)
        if key is None:
            return None
        places.append(({"MINVALUE": -1, "MAXVALUE": 1}.get(value, 0), key))
    return tuple(places)


def _equal(value: str, kind: str) -> object:
    known = _value(value, kind)
    if known is None and kind == "bool":
        known = {"t": True, "f": False}.get(value[:1].lower())
    return (value == "NULL", value) if known is None else known


def _value(value: str, kind: str) -> _Key | None:
    """A number, date or moment."""
    try:
        if kind in _NUMBERS:
            number = Decimal(value)
            return number if number.is_finite() else None
        if kind in ("date", "timestamp"):
            moment = datetime.fromisoformat(value)
            return moment if moment.tzinfo is None else None
    except (InvalidOperation, ValueError):
        pass
    return None
