"""money and bit strings: read and shown.

money is held as whole cents, bits as a text of 0 and 1. The form is that of the locales C and
en_US: `$1,234.56`.

PostgreSQL
    cash.c: cash_in(), cash_out(); varbit.c: bit_in(), varbit_in().
"""

from __future__ import annotations

import re

from filtersql.errors.filters import BadLiteral
from filtersql.filters.values.clock import Clock, Types

__all__ = ["TYPES", "show_money"]

_MONEY = re.compile(
    r"\s*(\()?\s*([-+])?\s*\$?\s*([-+])?\s*([\d,]*)(?:\.(\d*))?\s*(\))?\s*\Z", re.ASCII
)
_LIMIT = 2**63


def read_money(text: str, modifier: int, clock: Clock) -> int:
    """Cents; the third digit behind the point rounds."""
    match = _MONEY.match(text)
    if match is None or (match[2] and match[3]) or not (match[4] or match[5]):
        raise BadLiteral.unread("money", text)
    if bool(match[1]) != bool(match[6]) or (match[1] and (match[2] or match[3])):
        raise BadLiteral.unread("money", text)
    digits = match[4].replace(",", "") or "0"
    part = (match[5] or "").ljust(3, "0")
    cents = int(digits) * 100 + int(part[:2]) + (part[2] >= "5")
    if match[1] or "-" in (match[2], match[3]):
        cents = -cents
    if not -_LIMIT <= cents < _LIMIT:
        raise BadLiteral(f'value "{text}" is out of range for type money')
    return cents


def show_money(value: object) -> str:
    """Dollars with commas, and cents."""
    assert isinstance(value, int)
    whole, cents = divmod(abs(value), 100)
    return f"{'-' if value < 0 else ''}${whole:,}.{cents:02d}"


def _read_bits(text: str) -> str:
    kind, digits = text[:1], text[1:]
    if kind in ("x", "X"):
        for digit in digits:
            if digit not in "0123456789abcdefABCDEF":
                raise BadLiteral(f'"{digit}" is not a valid hexadecimal digit')
        return "".join(f"{int(digit, 16):04b}" for digit in digits)
    digits = digits if kind in ("b", "B") else text
    for digit in digits:
        if digit not in "01":
            raise BadLiteral(f'"{digit}" is not a valid binary digit')
    return digits


def read_bit(text: str, modifier: int, clock: Clock) -> str:
    """bit(n): as many digits as are written, and no others than the type has."""
    bits = _read_bits(text)
    if modifier > 0 and len(bits) != modifier:
        raise BadLiteral(f"bit string length {len(bits)} does not match type bit({modifier})")
    return bits


def read_varbit(text: str, modifier: int, clock: Clock) -> str:
    """varbit(n): at most as many digits."""
    bits = _read_bits(text)
    if 0 < modifier < len(bits):
        raise BadLiteral(f"bit string too long for type bit varying({modifier})")
    return bits


TYPES: Types = {
    "money": (read_money, show_money),
    "bit": (read_bit, str),
    "varbit": (read_varbit, str),
}
