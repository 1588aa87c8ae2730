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

    Values are compared where PostgreSQL's order is known here: numbers, dates, moments, booleans;
    texts and others only for being equal. What cannot be compared is not refused.

PostgreSQL
    partbounds.c, check_new_partition_bound(); parse_utilcmd.c, transformPartitionBound()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

from filtersql.definitions.bounds import Bounds, printed
from filtersql.errors import partitions as refusals
from filtersql.source import Span

__all__ = ["check_bounds", "check_shape"]

#: a number, date, moment, truth value or text: those of one type sort among themselves
_Key: TypeAlias = Any
_NUMBERS = {"int2", "int4", "int8", "numeric"}
_EXACT = {"text", "varchar", "uuid"}
_TRUE, _FALSE = {"true", "t", "yes", "on", "1"}, {"false", "f", "no", "off", "0"}


def check_shape(new: Bounds, strategy: str, keys: Sequence[str], span: Span) -> None:
    """Raises where the bounds are wrong whatever partitions there are."""
    if new.strategy == "default":
        if strategy == "hash":
            raise refusals.HASH_DEFAULT(span)
    elif new.strategy != strategy:
        raise refusals.OTHER_STRATEGY(span, strategy=strategy)
    elif strategy == "hash":
        _check_modulus(int(new.lower[0]), int(new.upper[0]), span)
    elif strategy == "range":
        sides = {"FROM": new.lower, "TO": new.upper}
        for side, values in sides.items():
            if len(values) != len(keys):
                raise refusals.BOUND_COUNT(span, side=side)
        if any("NULL" in values for values in sides.values()):
            raise refusals.BOUND_NULL(span)


def _check_modulus(modulus: int, remainder: int, span: Span) -> None:
    if modulus <= 0:
        raise refusals.MODULUS_TOO_SMALL(span)
    if remainder < 0:
        raise refusals.REMAINDER_TOO_SMALL(span)
    if remainder >= modulus:
        raise refusals.REMAINDER_TOO_LARGE(span)


def check_bounds(
    name: str,
    new: Bounds,
    there: Mapping[str, Bounds],
    strategy: str,
    types: Sequence[str],
    span: Span,
) -> None:
    """Raises on an overlap; `there` are the partitions' bounds by name, `types` the key's."""
    if new.strategy == "default":
        for other, bounds in there.items():
            if bounds.strategy == "default":
                raise refusals.SECOND_DEFAULT(span, name=name, other=other)
        return
    others = {other: one for other, one in there.items() if one.strategy == strategy}
    rules = {"hash": _hash, "list": _list, "range": _range}
    rules[strategy](name, new, others, types, span)


def _hash(
    name: str, new: Bounds, others: Mapping[str, Bounds], types: Sequence[str], span: Span
) -> None:
    modulus, remainder = int(new.lower[0]), int(new.upper[0])
    known = sorted((int(one.lower[0]), int(one.upper[0]), other) for other, one in others.items())
    smaller = [one for one in known if one[:2] <= (modulus, remainder)]
    larger = known[len(smaller) :]
    if smaller and modulus % smaller[-1][0]:
        raise refusals.MODULUS_UNFIT(
            span, modulus=modulus, lacks="divisible by", known=smaller[-1][0], other=smaller[-1][2]
        )
    if larger and larger[0][0] % modulus:
        raise refusals.MODULUS_UNFIT(
            span, modulus=modulus, lacks="a factor of", known=larger[0][0], other=larger[0][2]
        )
    if not known:
        return
    greatest = known[-1][0]
    place = remainder % greatest
    while True:
        for each, rest, other in known:
            if place % each == rest:
                raise refusals.OVERLAP(span, name=name, other=other)
        place += modulus
        if place >= greatest:
            return


def _list(
    name: str, new: Bounds, others: Mapping[str, Bounds], types: Sequence[str], span: Span
) -> None:
    kind = types[0] if types else ""
    held = {
        key: other
        for other, one in others.items()
        for key in (_equal(value, kind) for value in one.lower)
    }
    for value in new.lower:
        other = held.get(_equal(value, kind))
        if other is not None:
            raise refusals.OVERLAP(span, name=name, other=other)


def _range(
    name: str, new: Bounds, others: Mapping[str, Bounds], types: Sequence[str], span: Span
) -> None:
    lower, upper = (_ordered(side, types) for side in (new.lower, new.upper))
    if lower is None or upper is None:
        return
    if lower >= upper:
        shown = printed(Bounds("range", new.lower, new.upper), types)
        sides = shown.removeprefix("FOR VALUES FROM ").split(" TO ")
        raise refusals.EMPTY_RANGE(span, name=name, lower=sides[0], upper=sides[-1])
    known = []
    for other, one in others.items():
        begin, end = _ordered(one.lower, types), _ordered(one.upper, types)
        if begin is not None and end is not None:
            known.append((begin, end, other))
    for first, last, other in sorted(known):
        if first < upper and lower < last:
            raise refusals.OVERLAP(span, name=name, other=other)


def _ordered(values: Sequence[str], types: Sequence[str]) -> tuple[tuple[int, _Key], ...] | None:
    """A bound as something that sorts like it; None where the order is not known here."""
    found: list[tuple[int, _Key]] = []
    for value, kind in zip(values, types, strict=True):
        if value in ("MINVALUE", "MAXVALUE"):
            found.append((-1 if value == "MINVALUE" else 1, 0))
            continue
        key = None if kind in _EXACT else _value(value, kind)
        if key is None:
            return None
        found.append((0, key))
    return tuple(found)


def _equal(value: str, kind: str) -> object:
    known = _value(value, kind)
    return (value == "NULL", value) if known is None else known


def _value(value: str, kind: str) -> _Key | None:
    if value == "NULL":
        return None
    try:
        if kind in _NUMBERS:
            number = Decimal(value)
            return number if number.is_finite() else None
        if kind == "date":
            return date.fromisoformat(value)
        if kind == "timestamp":
            moment = datetime.fromisoformat(value)
            return moment if moment.tzinfo is None else None
    except (InvalidOperation, ValueError):
        return None
    if kind == "bool":
        word = value.lower()
        return word in _TRUE if word in _TRUE | _FALSE else None
    if kind == "uuid":
        return value.lower()
    return value if kind in _EXACT else None
