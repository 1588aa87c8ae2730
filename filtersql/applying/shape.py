"""Whether a target's table can still hold what its definition publishes.

Example
    unfit("s1/public.t1", compiled, (("a", "INTEGER"), ("b", "DECIMAL(10,2)")), "duckdb")

    A table that was altered on the source is altered on the target by hand, as with PostgreSQL's
    subscribers. Until then an engine would round into a narrower column without a word. Columns
    that are published no more may stay: they keep what they hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.errors import Mistake
from filtersql.errors.applying import TargetColumns
from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import Engine

__all__ = ["unfit", "usual"]

#: Iceberg stores the narrower ones as INT.
_INTEGERS = ("TINYINT", "SMALLINT", "INT", "BIGINT")
_TEXTS = exp.DataType.TEXT_TYPES


def unfit(
    name: str, compiled: CompiledTable, held: Sequence[tuple[str, str]], engine: Engine
) -> list[Mistake]:
    """The mistake that a target's columns are, if some are not there or of another type."""
    kinds = {column.lower(): kind for column, kind in held}
    lacking: list[tuple[str, str]] = []
    other: list[tuple[str, str, str]] = []
    for column in compiled.columns:
        found = kinds.get(column.name.lower())
        if found is None:
            lacking.append((column.name, usual(column.sql_type, engine)))
        elif not _holds(found, column.sql_type, engine):
            pair = (usual(found, engine), usual(column.sql_type, engine))
            other.append((column.name, *pair))
    return [TargetColumns(name, compiled.target_sql, lacking, other)] if lacking or other else []


def usual(text: str, engine: Engine) -> str:
    """A type in the engine's usual words."""
    return exp.DataType.build(text, dialect=engine).sql(engine)


def _holds(held: str, wanted: str, engine: Engine) -> bool:
    """Whether the types are the same; an engine may drop lengths, or fill them in."""
    first, second = (exp.DataType.build(text, dialect=engine) for text in (held, wanted))
    pair = usual(held, engine), usual(wanted, engine)
    if pair[0] == pair[1]:
        return True
    if all(one in _INTEGERS for one in pair):
        return _INTEGERS.index(pair[0]) >= _INTEGERS.index(pair[1])
    if first.this != second.this and not all(one.this in _TEXTS for one in (first, second)):
        return False
    sizes = [[one.sql() for one in kind.expressions] for kind in (first, second)]
    return not all(sizes) or _scaled(sizes[0]) == _scaled(sizes[1])


def _scaled(sizes: list[str]) -> list[str]:
    """DECIMAL(10) is DECIMAL(10, 0)."""
    return sizes if len(sizes) > 1 else [*sizes, "0"]
