"""Numbers as PostgreSQL prints them.

Example
    >>> numeric_text("1.50"), numeric_text("1E5"), numeric_text("-0.0"), numeric_text("nan")
    ('1.50', '100000', '0.0', 'NaN')

PostgreSQL
    src/backend/utils/adt/numeric.c, numeric_in() and numeric_out(): the scale that was written is
    kept.
"""

from __future__ import annotations

import re
from decimal import Decimal

from filtersql.filters.values.numbers import to_float4
from filtersql.filters.values.texts import BLANKS

__all__ = ["float_value", "integer_value", "numeric_text"]

_NUMERIC = re.compile(r"\s*([+-]?)(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d{1,6}))?\s*", re.ASCII)
#: what PostgreSQL prints, of ordinary length: nothing to do but to compare with the typmod
_PRINTED = re.compile(r"-?(0|[1-9]\d{0,30})(?:\.(\d{1,30}))?", re.ASCII)
_SPECIAL = {
    "nan": "NaN",
    "inf": "Infinity",
    "infinity": "Infinity",
    "+inf": "Infinity",
    "+infinity": "Infinity",
    "-inf": "-Infinity",
    "-infinity": "-Infinity",
}
_INTEGER_LIMITS = {"int2": 2**15, "int4": 2**31, "int8": 2**63}
_MOST_WHOLE_DIGITS = 131_072
_MOST_SCALE = 16_383


def integer_value(text: str, type_name: str) -> int:
    """The integer of an int2, int4 or int8. Raises ValueError, OverflowError."""
    if not re.fullmatch(r"\s*[+-]?\d+\s*", text, re.ASCII):
        raise ValueError
    value = int(text)
    limit = _INTEGER_LIMITS[type_name]
    if not -limit <= value < limit:
        raise OverflowError
    return value


def numeric_text(text: str, precision_scale: tuple[int, int] | None = None) -> str:
    """A numeric as PostgreSQL prints it, in the scale of its typmod.

    A digit that the typmod would round away is refused: the source cannot have held it.
    """
    if (printed := _PRINTED.fullmatch(text)) and (text[0] != "-" or text.strip("-0.")):
        whole, fraction = printed[1].lstrip("0"), printed[2] or ""
        if precision_scale is None:
            return text
        precision, scale = precision_scale
        if len(fraction) == scale and whole and len(whole) <= precision - scale:
            return text
    if special := _SPECIAL.get(text.strip(BLANKS).lower()):
        if precision_scale is not None and special != "NaN":
            raise OverflowError
        return special
    match = _NUMERIC.fullmatch(text)
    if match is None:
        raise ValueError
    sign, digits, exponent = match[1], match[2], int(match[3] or 0)
    whole, _, fraction = digits.partition(".")
    if abs(exponent) > _MOST_WHOLE_DIGITS:
        raise OverflowError
    if exponent >= 0:
        fraction = fraction.ljust(exponent, "0")
        whole, fraction = whole + fraction[:exponent], fraction[exponent:]
    else:
        whole = whole.rjust(-exponent, "0")
        whole, fraction = whole[:exponent], whole[exponent:] + fraction
    whole = whole.lstrip("0")
    if precision_scale is not None:
        whole, fraction = _typed(whole, fraction, *precision_scale)
    if len(whole) > _MOST_WHOLE_DIGITS or len(fraction) > _MOST_SCALE:
        raise OverflowError
    negative = sign == "-" and (whole or fraction.strip("0"))
    number = (whole or "0") + (f".{fraction}" if fraction else "")
    return f"-{number}" if negative else number


def float_value(text: str, size: int) -> float:
    """The value of a float4 (size 4) or float8 (size 8). Raises ValueError, OverflowError."""
    stripped = text.strip(BLANKS)
    if special := _SPECIAL.get(stripped.lower()):
        return float(special)
    if not _NUMERIC.fullmatch(stripped) and not re.fullmatch(
        r"[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d+", stripped, re.ASCII
    ):
        raise ValueError
    value = float(stripped)
    if size == 4:
        value = to_float4(value, Decimal(stripped))
    if value in (float("inf"), float("-inf")):
        raise OverflowError
    if value == 0 and re.search("[1-9]", re.split("[eE]", stripped)[0]):
        raise OverflowError
    return value


def _typed(whole: str, fraction: str, precision: int, scale: int) -> tuple[str, str]:
    if scale >= 0:
        kept, lost = fraction[:scale].ljust(scale, "0"), fraction[scale:]
    else:
        kept, lost = "", whole[scale:] + fraction
    if lost.strip("0") or len(whole) > max(precision - scale, 0):
        raise OverflowError
    # numeric(3, 5): the first digits behind the point have to be zero.
    if not whole and len(kept.lstrip("0")) > precision:
        raise OverflowError
    return whole, kept
