"""Numbers: smallint, integer, bigint, numeric, real, double precision.

Example
    >>> read_numeric("1.50e1", -1, Clock()), show_float8(1e15), show_float8(0.1)
    (Decimal('15.0'), '1e+15', '0.1')

PostgreSQL
    numutils.c, pg_strtoint32_safe(); numeric.c, numeric_in(); float.c, float8in_internal() and
    float8out_internal(): the shortest digits, of which `shortest` says more.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import cast

from filtersql.errors.filters import BadLiteral
from filtersql.filters.values.clock import Clock
from filtersql.filters.values.shortest_digits import shortest
from filtersql.filters.values.texts import BLANKS

__all__ = [
    "EXACT",
    "fits_scale",
    "integer",
    "read_float4",
    "read_float8",
    "read_numeric",
    "read_oid",
    "show_float4",
    "show_float8",
    "show_numeric",
    "to_float4",
    "unsigned",
]

#: a context in which no sum or product of PostgreSQL's numerics is ever rounded
EXACT = Context(prec=300_000, rounding=ROUND_HALF_UP, Emax=999_999, Emin=-999_999)
_DECIMAL = re.compile(r"[+-]?(\d+(_\d+)*)\Z", re.ASCII)
_BASED = re.compile(r"([+-]?)0(?:([xX])(?=_?[0-9a-fA-F])|([oO])|([bB]))((?:_?[0-9a-fA-F]+)+)\Z")
_NUMERIC = re.compile(
    r"[+-]?((\d+(_\d+)*)(\.(\d+(_\d+)*)?)?|\.\d+(_\d+)*)([eE][+-]?\d+(_\d+)*)?\Z", re.ASCII
)
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)
#: strtod() takes a sign and, between parentheses, what is called its payload
_NAN = re.compile(r"[+-]?nan(\([0-9a-z_]*\))?", re.ASCII)
_FLOAT_HEX = re.compile(
    r"[+-]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)([pP][+-]?\d+)?\Z", re.ASCII
)
_INFINITE = {"inf", "+inf", "infinity", "+infinity", "-inf", "-infinity"}


def integer(type_name: str, bits: int) -> Callable[[str, int, Clock], int]:
    """The reader of an integer type."""
    limit = 1 << (bits - 1)

    def read(text: str, modifier: int, clock: Clock) -> int:
        value = _whole(text.strip(BLANKS), clock)
        if value is None:
            raise BadLiteral.syntax(type_name, text)
        if not -limit <= value < limit:
            raise BadLiteral.too_big(type_name, text)
        return value

    return read


def read_oid(text: str, modifier: int, clock: Clock) -> int:
    """An object identifier: 32 bits without a sign, but a minus sign wraps."""
    value = _whole(text.strip(BLANKS), clock)
    if value is None:
        raise BadLiteral.syntax("oid", text)
    if not -(1 << 31) <= value < 1 << 32:
        raise BadLiteral.too_big("oid", text)
    return value % (1 << 32)


def unsigned(type_name: str) -> Callable[[str, int, Clock], int]:
    """A transaction's or command's number: read as an object identifier is."""

    def read(text: str, modifier: int, clock: Clock) -> int:
        try:
            return read_oid(text, modifier, clock)
        except BadLiteral:
            raise BadLiteral.syntax(type_name, text) from None

    return read


def _whole(text: str, clock: Clock) -> int | None:
    if _DECIMAL.match(text) and text.isascii():
        # int() of a text takes 4,300 digits.
        return int(Decimal(text)) if "_" not in text or clock.postgres_version >= 16 else None
    based = _BASED.match(text)
    if not based or clock.postgres_version < 16:
        return None
    base = 16 if based[2] else 8 if based[3] else 2
    digits = based[5].replace("_", "")
    if not set(digits.lower()) <= set("0123456789abcdef"[:base]):  # Python reads a second 0b
        return None
    return int(based[1] + digits, base)


def read_numeric(text: str, modifier: int, clock: Clock) -> Decimal:
    """A numeric; its Decimal keeps the digits behind the point that were written."""
    bare = text.strip(BLANKS)
    folded = bare.lower()
    if folded == "nan" or folded in _INFINITE:
        return Decimal(folded)
    whole = _whole(bare, clock)
    if whole is not None:
        return Decimal(whole)
    if not _NUMERIC.match(bare) or not bare.isascii():
        raise BadLiteral.syntax("numeric", text)
    if "_" in bare and clock.postgres_version < 16:
        raise BadLiteral.syntax("numeric", text)
    value = Decimal(bare.replace("_", ""))
    exponent = cast(int, value.as_tuple().exponent)
    if value.adjusted() >= 131072 or exponent < -16383:
        raise BadLiteral("value overflows numeric format")
    plain = value if exponent <= 0 else EXACT.quantize(value, Decimal(1))
    return plain if plain else plain.copy_abs()


def fits_scale(value: Decimal, precision: int, scale: int) -> Decimal:
    """The value rounded as numeric(precision, scale) rounds; raises when it does not fit."""
    if value.is_nan():
        return value
    if value.is_infinite():
        raise BadLiteral(
            "numeric field overflow",
            f"A field with precision {precision}, scale {scale} cannot hold an infinite value.",
        )
    unit = Decimal((0, (1,), -scale))
    rounded = EXACT.quantize(value, unit)
    if scale < 0:
        rounded = EXACT.quantize(rounded, Decimal(1))
    if rounded and rounded.adjusted() >= precision - scale:
        limit = f"10^{precision - scale}" if precision != scale else "1"
        raise BadLiteral(
            "numeric field overflow",
            f"A field with precision {precision}, scale {scale} must round to an absolute value "
            f"less than {limit}.",
        )
    return rounded


def show_numeric(value: object) -> str:
    """All digits, no exponent."""
    assert isinstance(value, Decimal)
    return str(value) if not value.is_finite() else format(value, "f")


def read_float8(text: str, modifier: int, clock: Clock) -> float:
    """A double; too large and too small values are errors."""
    return _float("double precision", text)


def read_float4(text: str, modifier: int, clock: Clock) -> float:
    """A real, held as the double of the same value."""
    value = _float("real", text)
    single = to_float4(value, _exact(text.strip(BLANKS)) if math.isfinite(value) else value)
    if math.isinf(single) != math.isinf(value) or (single == 0.0 and value != 0.0):
        raise BadLiteral.float_too_big("real", text.strip(BLANKS))
    return single


def to_float4(value: float, exact: float | Decimal | Fraction) -> float:
    """The real nearest to an exact number, of which the double is given; infinite when too large.

    A number rounded to a double and then to a real may end at the farther real: where the double
    lies halfway between two, and the number beside it.
    """
    try:
        (single,) = struct.unpack("<f", struct.pack("<f", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    first = float(single)
    if value == first or not math.isfinite(value):
        return first
    # A real's neighbours are the numbers whose bits, taken as a whole number, are one away.
    (bits,) = struct.unpack("<I", struct.pack("<f", abs(first)))
    bits += 1 if abs(value) > abs(first) else -1
    other = math.copysign(struct.unpack("<f", struct.pack("<I", bits))[0], value)
    if (first + other) / 2 != value or exact == value:
        return first
    return max(first, other) if exact > value else min(first, other)


def _exact(text: str) -> Decimal | Fraction:
    """The number that a text says, unrounded."""
    if not _FLOAT_HEX.match(text):
        return Decimal(text)
    figures, _, power = text.lower().partition("p")
    whole, _, part = figures.partition(".")
    return int(whole + part, 16) * Fraction(2) ** (int(power or 0) - 4 * len(part))


def _float(type_name: str, text: str) -> float:
    bare = text.strip(BLANKS)
    folded = bare.lower()
    if _NAN.fullmatch(folded):
        return math.nan
    if folded in _INFINITE:
        return float(folded)
    if _FLOAT_HEX.match(bare):
        value = float.fromhex(bare)
    elif _FLOAT.match(bare) and bare.isascii():
        value = float(bare)
    else:
        raise BadLiteral.syntax(type_name, text)
    digits = re.split("[eEpP]", bare, maxsplit=1)[0].lstrip("+-").removeprefix("0x")
    if math.isinf(value) or (value == 0.0 and digits.strip("0.")):
        raise BadLiteral.float_too_big(type_name, bare)
    return value


def show_float8(value: object) -> str:
    """The shortest digits that stand for the same double."""
    assert isinstance(value, float)
    return _shown(value, 8, 15)


def show_float4(value: object) -> str:
    """The shortest digits that stand for the same real."""
    assert isinstance(value, float)
    return _shown(value, 4, 6)


def _shown(value: float, size: int, widest: int) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0.0:
        return "-0" if math.copysign(1.0, value) < 0 else "0"
    number = EXACT.normalize(Decimal(shortest(value, size)))
    sign, digits, exponent = number.as_tuple()
    place = len(digits) + cast(int, exponent) - 1
    figures = "".join(map(str, digits))
    minus = "-" if sign else ""
    if -4 <= place < widest:
        return format(number, "f")
    point = f".{figures[1:]}" if len(figures) > 1 else ""
    return f"{minus}{figures[0]}{point}e{'-' if place < 0 else '+'}{abs(place):02d}"
