"""Numbers, times and texts next to the constants of a filter, and texts near to them.

Example
    int4 and the constant 5: 5, 6, 4, 7. text and `N%`: N%, other, Nx, N, n%, N%x, …

    A filter that looks into values (`near`) gets more: numbers around zero, days that are a few
    days, a month or a year away, years that are written as numbers, texts with the constants
    further inside or joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, localcontext
from itertools import pairwise, permutations

from filtersql.catalog import PgType
from filtersql.filters.tree.nodes import Const
from filtersql.filters.values import show

__all__ = [
    "INTEGERS",
    "NUMBERS",
    "TEXTS",
    "TIMES",
    "moment_texts",
    "moments",
    "number_texts",
    "numbers",
    "text_values",
]

INTEGERS = {"int2": 16, "int4": 32, "int8": 64}
NUMBERS = frozenset({*INTEGERS, "numeric", "float4", "float8"})
TIMES = frozenset({"date", "timestamp", "timestamptz"})
TEXTS = frozenset({"text", "varchar", "bpchar"})
_MOST_DAYS = 2_900_000
_DAY = 86_400_000_000
_MICROSECONDS = 6
_MOST_TEXTS = 24
_MOST_PADDED = 64
#: a day in 2026, where no constant says one
_SOME_DAY = 9497
#: numbers that may mean a year, and the days of one
_YEARS = range(1900, 2200)
_YEAR = 365.2425
_SUMMER = 180
_NUMBERS_NEAR = (0, 1, -1, 1000)
_DAYS_NEAR = (2, 3, 4, 5, 32, -32, 366, -366)


def number_texts(pg_type: PgType, constants: Sequence[Const], *, near: bool) -> list[str]:
    """Numbers at, below, between and above the constants."""
    found = sorted({number for each in constants for number in numbers(each)})
    with localcontext(prec=2100):
        more = [Decimal(number) for number in _NUMBERS_NEAR]
        more += [other for number in found for other in (number + 1, number - 1)]
        digits = pg_type.numeric_precision_scale
        if pg_type.name in INTEGERS or digits is not None:
            return _whole_units(pg_type, found, more if near else [])
        found = found or [Decimal(0)]
        between = [(one + other) / 2 for one, other in pairwise(found)]
        every = [*found, *between, found[0] - 1, found[-1] + 1, *(more if near else [])]
    if pg_type.name in {"float4", "float8"}:
        return [show(pg_type.name, float(number)) for number in every]
    return [show(pg_type.name, number) for number in every]


def _whole_units(pg_type: PgType, constants: list[Decimal], more: list[Decimal]) -> list[str]:
    """Of an integer, or a numeric with a scale: those that the type takes."""
    digits = pg_type.numeric_precision_scale
    unit = Decimal(1).scaleb(0 if digits is None else -digits[1])
    most = (
        Decimal(2) ** (INTEGERS[pg_type.name] - 1) - 1
        if digits is None
        else (Decimal(10) ** digits[0] - 1) * unit
    )
    least = -most - (1 if digits is None else 0)
    steps: list[Decimal] = []
    for constant in constants or [Decimal(0)]:
        floor = (constant / unit).to_integral_value("ROUND_FLOOR") * unit
        steps += [floor, floor + unit, floor - unit, floor + 2 * unit]
    steps += ((number / unit).to_integral_value("ROUND_FLOOR") * unit for number in more)
    inside = [step for step in steps if least <= step <= most]
    return [f"{step:f}" for step in (inside or [least, most])]


def numbers(constant: Const) -> Iterator[Decimal]:
    """The finite numbers of a constant, or of an array."""
    if constant.type.removeprefix("_") in {*NUMBERS, "oid"}:
        for value in _flat(constant.value):
            number = _number(value)
            if number is not None and abs(number.adjusted()) < 1000:
                yield number


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    # A float is the shortest text that PostgreSQL prints for it.
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return number if number.is_finite() else None


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, tuple | list):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def moment_texts(pg_type: PgType, constants: Sequence[Const], *, near: bool) -> list[str]:
    """Dates or times at, before and after the constants."""
    kind = pg_type.name
    found = sorted({value for each in constants for value in moments(each, kind)})
    fine = kind == "date" or not 0 <= pg_type.typmod < _MICROSECONDS
    unit = 1 if fine else 10 ** (_MICROSECONDS - pg_type.typmod)
    every = [*_around(found or [_SOME_DAY * (1 if kind == "date" else _DAY)], unit)]
    if near:
        every += _days_away(every[0], constants, 1 if kind == "date" else _DAY)
    return [show(kind, value) for value in every]


def _days_away(moment: int, constants: Iterable[Const], day: int) -> Iterator[int]:
    """Moments as many days away as a constant says, in years that one says, and further away."""
    said = [int(number) for each in constants for number in numbers(each)]
    for number in said:
        if number in _YEARS:
            yield from (
                round((year - 2000) * _YEAR + _SUMMER) * day for year in (number, number - 1)
            )
        elif abs(number) <= _MOST_PADDED:
            yield from (moment + (number + 1) * day, moment - (number + 1) * day)
    yield from (moment + days * day for days in _DAYS_NEAR)


def moments(constant: Const, kind: str) -> Iterator[int]:
    """What a constant says of time, as days or microseconds since 2000."""
    for value in _flat(constant.value):
        if not isinstance(value, int) or isinstance(value, bool):
            continue
        days = value if constant.type.removeprefix("_") == "date" else value // _DAY
        if constant.type.removeprefix("_") not in TIMES or abs(days) > _MOST_DAYS:
            continue
        if constant.type.removeprefix("_") == kind:
            yield value
        else:
            yield days if kind == "date" else days * _DAY


def _around(values: Iterable[int], unit: int) -> Iterator[int]:
    for value in values:
        floor = value // unit * unit
        yield from (floor, floor + unit, floor - unit)
        if floor != value:
            yield floor + 2 * unit


def _texts(constant: Const) -> Iterator[str]:
    if constant.type.removeprefix("_") in {*TEXTS, "unknown", "name"}:
        yield from (value for value in _flat(constant.value) if isinstance(value, str))


def text_values(
    pg_type: PgType, constants: Sequence[Const], samples: Iterable[str], *, near: bool
) -> list[str]:
    """The constants, what patterns among them match, and texts near to them."""
    found = [*dict.fromkeys(text for each in constants for text in _texts(each))]
    inside = [text.replace("%", "x").replace("_", "x") for text in found if {"%", "_"} & {*text}]
    inside += [text.replace("%", "").replace("_", "x") for text in found if "%" in text]
    inside += [other for text in found for other in (f"{text}x", text.swapcase(), text[:-1])]
    other = "other"
    while other in found:
        other += "x"
    every = [*found, other, *samples, *(_deep(found, constants) if near else ()), *inside, ""]
    every = [*dict.fromkeys(every)][: max(_MOST_TEXTS, len(found) + 1)]
    length = pg_type.length
    if length is not None:
        every = [text for text in every if len(text) <= length]
        if pg_type.name == "bpchar":
            every = [text.ljust(length) for text in every]
    return [text for text in every if "\0" not in text]


def _deep(texts: Sequence[str], constants: Iterable[Const]) -> Iterator[str]:
    """The constants at the places that numbers say, and one behind another."""
    said = {int(number) for each in constants for number in numbers(each)}
    for place in sorted(number for number in said if 1 < number <= _MOST_PADDED):
        yield from ("x" * (place - 1) + text for text in texts[:2])
        yield "x" * (place + 1)
    for first, second in permutations(texts[:2], 2):
        yield f"x{first}{second}"
