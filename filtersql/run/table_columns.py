"""Whether a target's table can still hold what its definition publishes.

Example
    unfit("s1/public.t1", compiled, (("a", "INTEGER"), ("b", "DECIMAL(10,2)")), "duckdb")

    A table that was altered on the source is altered on the target by hand, as with PostgreSQL's
    subscribers. Until then an engine would round into a narrower column without a word. Columns
    that are published no more may stay: they keep what they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

from sqlglot import exp
from sqlglot.errors import ParseError

from filtersql.errors import Mistake
from filtersql.errors.applying import CHANGED_COLUMNS, SOURCE_COLUMNS, TARGET_COLUMNS
from filtersql.rendering.compiled import CompiledTable, FeedColumn, TargetColumn
from filtersql.storage import Engine

__all__ = ["unfit", "unread", "usual"]

_Column = TypeVar("_Column", TargetColumn, FeedColumn)
#: Iceberg stores the narrower ones as INT.
_INTEGERS = ("TINYINT", "SMALLINT", "INT", "BIGINT")
_TEXTS = exp.DataType.TEXT_TYPES
_WHOLE = exp.DataType.INTEGER_TYPES
_STAMPS = ("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPNTZ", "TIMESTAMP_S", "TIMESTAMP_MS")


def unfit(
    name: str,
    compiled: CompiledTable,
    held: Sequence[tuple[str, str]],
    engine: Engine,
    *,
    changed: bool = False,
) -> list[Mistake]:
    """The mistake that a target's columns are, if some are not there or of another type.

    `changed`: since it was filled the definition did, so a plan says what that moves.
    """
    differing, target = _differing(compiled.columns, held, engine, _holds), compiled.target_sql
    if not differing:
        return []
    if changed:
        return [CHANGED_COLUMNS(name=name, target=target, differing=differing)]
    return [TARGET_COLUMNS(name=name, target=target, differing=differing)]


def unread(
    compiled: CompiledTable, shown: str, held: Sequence[tuple[str, str]], engine: Engine
) -> list[Mistake]:
    """The mistake that a source's columns are, if some are not there or could be changed by a cast.

    An engine would cut a time off a date, or a digit off a number, without a word.
    """
    differing = _differing(compiled.feed_columns, held, engine, _becomes)
    if not differing:
        return []
    return [SOURCE_COLUMNS(name=compiled.unique_id, source=shown, differing=differing)]


def _differing(
    columns: Sequence[_Column],
    held: Sequence[tuple[str, str]],
    engine: Engine,
    fits: Callable[[str, _Column, Engine], bool],
) -> str:
    """What is said of columns that a table lacks, and then of those of a type that does not fit."""
    kinds = {column.lower(): kind for column, kind in held}
    lacking: list[str] = []
    other: list[str] = []
    for column in columns:
        name, wanted = column.name, usual(column.sql_type, engine)
        found = kinds.get(name.lower())
        if found is None:
            lacking.append(f"It has no column {name} ({wanted}).")
        elif not fits(found, column, engine):
            kind = usual(found, engine)
            other.append(f"Its column {name} is {kind}, the definition's is {wanted}.")
    return " ".join([*lacking, *other])


@lru_cache(maxsize=1024)
def usual(text: str, engine: Engine) -> str:
    """A type in the engine's usual words."""
    kind = _kind(text, engine)
    known = kind.this != exp.DataType.Type.UNKNOWN and not _is_collated(text)
    return kind.sql(engine) if known else text


def _is_collated(text: str) -> bool:
    """Whether other texts are equal there than where nothing is said."""
    return " collate " in text.lower()


@lru_cache(maxsize=1024)
def _kind(text: str, engine: Engine) -> exp.DataType:
    """A type; UNKNOWN where it is none that is written in CREATE TABLE."""
    try:
        return exp.DataType.build(text, dialect=engine)
    except ParseError:
        return exp.DataType.build("unknown")


def _holds(held: str, wanted: TargetColumn, engine: Engine) -> bool:
    """Whether the types are the same; an engine may drop lengths, or fill them in."""
    first, second = (_kind(text, engine) for text in (held, wanted.sql_type))
    pair = usual(held, engine), usual(wanted.sql_type, engine)
    if _is_collated(held):
        return False
    if pair[0] == pair[1]:
        return True
    if all(one in _INTEGERS for one in pair):
        return _INTEGERS.index(pair[0]) >= _INTEGERS.index(pair[1])
    if first.this != second.this and not all(one.this in _TEXTS for one in (first, second)):
        return False
    sizes = [[one.sql() for one in kind.expressions] for kind in (first, second)]
    return not all(sizes) or _scaled(sizes[0]) == _scaled(sizes[1])


def _becomes(held: str, wanted: FeedColumn, engine: Engine) -> bool:
    """Whether a cast keeps each value, or raises."""
    first, second = (_kind(text, engine) for text in (held, wanted.sql_type))
    pg_type = wanted.pg_type.base or wanted.pg_type
    is_number = _is(first, "DECIMAL") or first.this in _WHOLE
    if second.this in _TEXTS:
        is_text = first.this in _TEXTS or _is(first, "ENUM")
        is_same = pg_type.name in ("uuid", "json") and _is(first, pg_type.name.upper())
        return is_text or is_same or (pg_type.name == "numeric" and is_number)
    if _is(second, "DECIMAL") or second.this in _WHOLE:
        return is_number and _scale(first) <= _scale(second)
    if all(_is(one, *_STAMPS) for one in (first, second)):
        return True  # sessions are in UTC
    return first.this == second.this or (_is(first, "FLOAT") and _is(second, "DOUBLE"))


def _is(kind: exp.DataType, *names: str) -> bool:
    return kind.this in {exp.DataType.Type[name] for name in names}


def _scale(kind: exp.DataType) -> int:
    return int(kind.expressions[1].name) if len(kind.expressions) > 1 else 0


def _scaled(sizes: list[str]) -> list[str]:
    """DECIMAL(10) is DECIMAL(10, 0)."""
    return sizes if len(sizes) > 1 else [*sizes, "0"]
