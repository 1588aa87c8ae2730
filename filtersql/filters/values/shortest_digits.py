"""The digits with which PostgreSQL prints a real or a double precision.

Example
    >>> shortest(0.1, 8), shortest(1e22, 8), shortest(2.0**87, 4)
    ('0.1', '1e+22', '15474251e+19')

    The fewest digits that are nearer to the value than to any other of the type, and of those the
    nearest. Python's repr() takes as many, but for two kinds of values: digits right in the middle
    between two values are none for PostgreSQL (`-1.1869569812761661e+17`), and where the value
    below is nearer than the one above, at the powers of two, Python rounds first.

PostgreSQL
    d2s.c and f2s.c (Ryu), acceptBounds and mmShift.
"""

from __future__ import annotations

import math

__all__ = ["shortest"]

#: bits of the mantissa, the exponent of the smallest value: of a real, of a double precision
_SHAPES = {4: (24, -149), 8: (53, -1074)}


def shortest(value: float, size: int) -> str:
    """The digits of a finite value of so many bytes, with an exponent."""
    bits, smallest = _SHAPES[size]
    mantissa, exponent = math.frexp(abs(value))
    if size == 8 and exponent <= bits and mantissa != 0.5:
        # a middle has more digits than 17 there
        return repr(value)
    whole, exponent = int(math.ldexp(mantissa, bits)), exponent - bits
    if exponent < smallest:
        whole, exponent = whole >> (smallest - exponent), smallest
    # four times the value and the middles to both sides of it
    below = 1 if whole == 1 << (bits - 1) and exponent > smallest else 2
    middle, low, high = 4 * whole, 4 * whole - below, 4 * whole + 2
    place = math.floor(math.log10(high) + (exponent - 2) * math.log10(2)) + 1
    while True:
        unit, scale = 10 ** max(place, 0), 10 ** max(-place, 0)
        unit <<= max(2 - exponent, 0)
        scale <<= max(exponent - 2, 0)
        under, over = low * scale // unit, (high * scale - 1) // unit
        if over > under:
            break
        place -= 1
    digits, rest = divmod(middle * scale, unit)
    if digits == under or 2 * rest + (digits & 1) > unit:
        digits += 1
    return f"{'-' * (value < 0)}{digits}e{place:+d}"
