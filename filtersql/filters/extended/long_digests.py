"""sha224, sha384 and sha512 for DuckDB, which has sha256 alone.

The message, padded to whole blocks, is folded into eight words: each block's sixteen words grow
to a schedule of 64 or 80, which is folded in turn. Words are HUGEINTs below 2^32 or 2^64.

Example
    `sha512('')` begins with cf83e1357eefb8bd.

Source: FIPS 180-4, sections 4.1, 5.1 and 6: the constants are fractions of roots of primes.
"""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

from filtersql.filters.write.writer import Family

__all__ = ["FAMILY"]


class _Kind(NamedTuple):
    """The bits of a word, the rounds, and by how much words are turned."""

    bits: int
    rounds: int
    big: tuple[tuple[int, int, int], tuple[int, int, int]]
    small: tuple[tuple[int, int, int], tuple[int, int, int]]


_SHORT = _Kind(32, 64, ((2, 13, 22), (6, 11, 25)), ((7, 18, 3), (17, 19, 10)))
_LONG = _Kind(64, 80, ((28, 34, 39), (14, 18, 41)), ((1, 8, 7), (19, 61, 6)))
_PRIMES = [
    number
    for number in range(2, 410)
    if all(number % small for small in range(2, isqrt(number) + 1))
]


def _square_root(prime: int) -> int:
    """64 bits behind the point."""
    return isqrt(prime << 128) % (1 << 64)


def _cube_root(prime: int) -> int:
    low, high = 0, 1 << 70
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**3 <= prime << 192 else (low, middle)
    return low % (1 << 64)


#: made once for all three: the constants of each are their first bits
_CUBE_ROOTS = [_cube_root(prime) for prime in _PRIMES]


def _turned(kind: _Kind, word: str, by: int) -> str:
    return f"(({word} >> {by}) | (({word} & {(1 << by) - 1}) << {kind.bits - by}))"


def _sigma(kind: _Kind, word: str, turns: tuple[int, int, int], *, shifts: bool) -> str:
    first, second = (_turned(kind, word, by) for by in turns[:2])
    last = f"({word} >> {turns[2]})" if shifts else _turned(kind, word, turns[2])
    return f"XOR(XOR({first}, {second}), {last})"


def _words(numbers: list[int]) -> str:
    return f"[{', '.join(f'CAST({number} AS HUGEINT)' for number in numbers)}]"


def _schedule(kind: _Kind) -> str:
    """Of the sixteen words `w`."""
    old, new = (
        _sigma(kind, word, turns, shifts=True)
        for word, turns in zip(("s[-15]", "s[-2]"), kind.small, strict=True)
    )
    word = f"({new} + s[-7] + {old} + s[-16]) % {1 << kind.bits}"
    steps = f"LIST_TRANSFORM(RANGE(16, {kind.rounds}), t -> [CAST(t AS HUGEINT)])"
    return f"LIST_REDUCE({steps}, (s, t) -> LIST_APPEND(s, {word}), w)"


def _rounds(kind: _Kind) -> str:
    """The words after a block `w`, from the words `h` before it."""
    a, b, c, d, e, f, g, last = (f"v[{place}]" for place in range(1, 9))
    chosen = f"XOR({e} & {f}, ({(1 << kind.bits) - 1} - {e}) & {g})"
    most = f"XOR(XOR({a} & {b}, {a} & {c}), {b} & {c})"
    first = f"{last} + {_sigma(kind, e, kind.big[1], shifts=False)} + {chosen} + k[1] + k[2]"
    second = f"{_sigma(kind, a, kind.big[0], shifts=False)} + {most}"
    size = 1 << kind.bits
    step = (
        f"[({first} + {second}) % {size}, {a}, {b}, {c}, ({d} + {first}) % {size}, {e}, {f}, {g}]"
    )
    constants = [root >> (64 - kind.bits) for root in _CUBE_ROOTS[: kind.rounds]]
    pairs = f"LIST_TRANSFORM(LIST_ZIP({_words(constants)}, {_schedule(kind)}), z -> [z[1], z[2]])"
    return f"LIST_REDUCE({pairs}, (v, k) -> {step}, h)"


def _digest(kind: _Kind, begin: list[int], length: int) -> str:
    """The hash of `_1`, of so many bytes."""
    block, counted = kind.bits * 2, kind.bits // 4
    zeros = f"({block} - (OCTET_LENGTH(_1) + {1 + counted}) % {block}) % {block}"
    digits = f"LPAD(HEX(OCTET_LENGTH(_1) * 8), {2 * counted}, '0')"
    message = f"HEX(_1) || '80' || REPEAT('00', {zeros}) || {digits}"
    count = f"(OCTET_LENGTH(_1) + {1 + counted} + {zeros}) // {block}"
    size = kind.bits // 4
    word = f"SUBSTRING(m, CAST({2 * block} * i + {size} * j + 1 AS BIGINT), {size})"
    block_words = (
        f"LIST_TRANSFORM(RANGE(0, 16), j -> CAST(CAST('0x' || {word} AS UBIGINT) AS HUGEINT))"
    )
    blocks = f"LIST_TRANSFORM(RANGE(0, {count}), i -> {block_words})"
    added = f"LIST_TRANSFORM(LIST_ZIP(h, {_rounds(kind)}), z -> (z[1] + z[2]) % {1 << kind.bits})"
    words = f"LIST_REDUCE({blocks}, (h, w) -> {added}, {_words(begin)})"
    shown = f"LIST_TRANSFORM({words}, x -> LPAD(HEX(CAST(x AS UBIGINT)), {size}, '0'))"
    text = f"LEFT(ARRAY_TO_STRING({shown}, ''), {2 * length})"
    return f"CASE WHEN _1 IS NOT NULL THEN UNHEX([{text} FOR m IN [{message}]][1]) END"


_FIRST, _NEXT = ([_square_root(prime) for prime in _PRIMES[at : at + 8]] for at in (0, 8))
_ROWS = {
    "sha224": _digest(_SHORT, [word % (1 << 32) for word in _NEXT], 28),
    "sha384": _digest(_LONG, _NEXT, 48),
    "sha512": _digest(_LONG, _FIRST, 64),
}


FAMILY = Family(rows={"duckdb": _ROWS})
