"""Rows chosen to hurt: the nasty values of `three_engines`, equal ones beside them, random ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, datetime, timedelta

from three_engines import NASTY

__all__ = ["sampled"]

_LETTERS = "aAbBcCxz019 ,.%_\\'-{}\n\té"


def sampled(
    random_: random.Random, types: tuple[str, ...], count: int
) -> list[tuple[str | None, ...]]:
    """So many rows of these types."""
    found = []
    for _ in range(count):
        row: dict[str, str | None] = {}
        values: list[str | None] = []
        for kind in types:
            if kind in row and random_.random() < 0.3:
                values.append(row[kind])
                continue
            making = RANDOM.get(kind)
            if making is not None and random_.random() < 0.35:
                value: str | None = making(random_)
            else:
                value = random_.choice(NASTY[kind])
            row[kind] = value
            values.append(value)
        found.append(tuple(values))
    return found


def _whole(bits: int) -> Callable[[random.Random], str]:
    def make(random_: random.Random) -> str:
        size = random_.choice([4, 4, 8, bits])
        return str(random_.randrange(-(2 ** (size - 1)), 2 ** (size - 1)))

    return make


def _numeric(before: int, behind: int) -> Callable[[random.Random], str]:
    def make(random_: random.Random) -> str:
        whole = random_.randrange(10 ** random_.randint(1, before))
        rest = random_.randrange(10 ** random_.randint(1, behind))
        return f"{random_.choice(['', '-'])}{whole}.{rest}"

    return make


def _real(random_: random.Random) -> str:
    size = random_.choice([1.0, 10.0, 1e6, 1e-6, 1e300])
    return repr(random_.uniform(-size, size))


def _text(longest: int) -> Callable[[random.Random], str]:
    def make(random_: random.Random) -> str:
        return "".join(random_.choice(_LETTERS) for _ in range(random_.randint(0, longest)))

    return make


def _date(random_: random.Random) -> str:
    return str(date(1900, 1, 1) + timedelta(days=random_.randrange(80_000)))


def _timestamp(random_: random.Random) -> str:
    moment = datetime(1900, 1, 1) + timedelta(microseconds=random_.randrange(7 * 10**15))
    return str(moment if random_.random() < 0.5 else moment.replace(microsecond=0))


def _interval(random_: random.Random) -> str:
    months, days = random_.randint(-30, 30), random_.randint(-40, 40)
    return f"{months} mons {days} days {random_.randint(-(10**11), 10**11)} microseconds"


def _array(making: Callable[[random.Random], str]) -> Callable[[random.Random], str]:
    def make(random_: random.Random) -> str:
        items = [
            random_.choice([making(random_), making(random_), "NULL"])
            for _ in range(random_.randint(0, 4))
        ]
        return f"{{{','.join(items)}}}"

    return make


def _small(random_: random.Random) -> str:
    return str(random_.randint(-3, 9))


def _document(random_: random.Random, depth: int = 2) -> str:
    choice = random_.randint(0, 6 if depth else 4)
    if choice == 5:
        items = [_document(random_, depth - 1) for _ in range(random_.randint(0, 3))]
        return f"[{', '.join(items)}]"
    if choice == 6:
        keys = random_.sample(["a", "b", "c d", "tags", "0", "e"], random_.randint(0, 3))
        pairs = [f'"{key}": {_document(random_, depth - 1)}' for key in keys]
        return f"{{{', '.join(pairs)}}}"
    return random_.choice(
        ["1", "0", "-2", "1.5", "1.50", "true", "false", "null", '"x"', '"a"', '"1"', '""', "12345"]
    )


def _range(random_: random.Random) -> str:
    first = random_.randint(-5, 10)
    return f"{random_.choice('[(')}{first},{first + random_.randint(1, 6)}{random_.choice(')]')}"


RANDOM: dict[str, Callable[[random.Random], str]] = {
    "int2": _whole(16),
    "int4": _whole(32),
    "int8": _whole(64),
    "numeric(12,3)": _numeric(9, 3),
    "numeric": _numeric(12, 8),
    "float8": _real,
    "text": _text(8),
    "varchar(20)": _text(8),
    "bpchar(5)": _text(5),
    "date": _date,
    "timestamp": _timestamp,
    "timestamptz": lambda random_: f"{_timestamp(random_)}+00",
    "interval": _interval,
    "_int4": _array(_small),
    "_int8": _array(_small),
    "_int2": _array(_small),
    "_text": _array(lambda random_: random_.choice("abcx")),
    "_numeric": _array(_numeric(3, 2)),
    "int4range": _range,
    "numrange": _range,
    "jsonb": _document,
    "json": _document,
}
