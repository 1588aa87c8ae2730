"""Functions that PostgreSQL calls once where all arguments are constants.

Example
    FOLDED["int4pl(int4,int4)"](2, 3)    5
    FOLDED["float8(numeric)"]            a double of a numeric; OverflowError where it has none

What cannot be computed raises an OverflowError, a BadLiteral or an ArithmeticError: the engine is
left to raise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from operator import add, mul, neg, sub

from filtersql.catalog import numeric_parts
from filtersql.filters.values import calendar
from filtersql.filters.values.numbers import EXACT, fits_scale, to_float4

__all__ = ["FOLDED"]


def _whole(bits: int) -> Callable[[int | float | Decimal], int]:
    limit = 1 << (bits - 1)

    def convert(value: int | float | Decimal) -> int:
        exact = EXACT.quantize(value, Decimal(1)) if isinstance(value, Decimal) else value
        number = round(exact)
        if not -limit <= number < limit:
            raise OverflowError
        return number

    return convert


def _double(value: int | float | Decimal) -> float:
    converted = float(value)
    # not by isinf() of a Decimal, which makes a double of it first
    endless = value.is_infinite() if isinstance(value, Decimal) else value == converted
    if math.isinf(converted) and not endless:
        raise OverflowError
    if converted == 0.0 and value != 0:
        raise OverflowError
    return converted


def _single(value: int | float | Decimal) -> float:
    # A numeric becomes a real from its text: one rounding, not two.
    exact = _double(value)
    single = to_float4(exact, value if isinstance(value, (int, Decimal)) else exact)
    if (math.isinf(single) and not math.isinf(exact)) or (single == 0.0 and exact != 0.0):
        raise OverflowError
    return single


def _negated(value: float | Decimal) -> object:
    if isinstance(value, Decimal):
        return value.copy_negate() if value else value
    return -value if value else value


def _midnight(day: int) -> int:
    if day in calendar.INFINITE["date"]:
        return calendar.TIMES_INFINITY if day > 0 else calendar.MINUS_TIMES_INFINITY
    return day * calendar.USECS_PER_DAY


def _day(moment: int) -> int:
    if moment in calendar.INFINITE["timestamp"]:
        return calendar.DATE_INFINITY if moment > 0 else calendar.MINUS_DATE_INFINITY
    return moment // calendar.USECS_PER_DAY


def _quotient(left: int, right: int) -> int:
    # Division by zero is an ArithmeticError: nothing is folded, the engine raises.
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "pl": add,
    "mi": sub,
    "mul": mul,
    "div": _quotient,
    "mod": lambda left, right: left - _quotient(left, right) * right,
}


def _fitting(bits: int, compute: Callable[..., int]) -> Callable[..., int]:
    """The computation, whose result must fit an integer of so many bits."""
    fits = _whole(bits)
    return lambda *values: fits(compute(*values))


def _rounded(direction: str) -> Callable[..., object]:
    return lambda value: value.to_integral_value(direction) if value.is_finite() else value


#: by its signature
FOLDED: dict[str, Callable[..., object]] = {
    **{f"int2({kind})": _whole(16) for kind in ("int4", "int8", "float4", "float8", "numeric")},
    **{f"int4({kind})": _whole(32) for kind in ("int2", "int8", "float4", "float8", "numeric")},
    **{f"int8({kind})": _whole(64) for kind in ("int2", "int4", "float4", "float8", "numeric")},
    **{f"float8({kind})": _double for kind in ("int2", "int4", "int8", "float4", "numeric")},
    **{f"float4({kind})": _single for kind in ("int2", "int4", "int8", "float8", "numeric")},
    **{f"numeric({kind})": Decimal for kind in ("int2", "int4", "int8")},
    **{
        f"int{kind}{name}(int{kind[0]},int{kind[-1]})": _fitting(8 * int(max(kind)), compute)
        for kind in ("2", "4", "8", "24", "42", "28", "82", "48", "84")
        for name, compute in _ARITHMETIC.items()
    },
    "numeric(numeric,int4)": lambda value, typmod: fits_scale(value, *numeric_parts(typmod)),
    **{f"int{size}um(int{size})": _fitting(8 * size, neg) for size in (2, 4, 8)},
    **{f"int{size}abs(int{size})": _fitting(8 * size, abs) for size in (2, 4, 8)},
    **{f"abs(int{size})": _fitting(8 * size, abs) for size in (2, 4, 8)},
    "numeric_uminus(numeric)": _negated,
    "numeric_add(numeric,numeric)": EXACT.add,
    "numeric_sub(numeric,numeric)": EXACT.subtract,
    "numeric_mul(numeric,numeric)": EXACT.multiply,
    "ceil(numeric)": _rounded(ROUND_CEILING),
    "floor(numeric)": _rounded(ROUND_FLOOR),
    "varchar(varchar,int4,bool)": lambda value, typmod, explicit: value[: typmod - 4],
    "bpchar(bpchar,int4,bool)": lambda value, typmod, explicit: value[: typmod - 4].ljust(
        typmod - 4
    ),
    "text(bpchar)": lambda value: value.rstrip(" "),
    "timestamp(date)": _midnight,
    "date(timestamp)": _day,
}
