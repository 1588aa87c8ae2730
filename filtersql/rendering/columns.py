"""The columns of a target, and those that a change must carry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from filtersql.catalog import Column, Table
from filtersql.changes import Judgements
from filtersql.errors import Mistake
from filtersql.errors.compiling import COLUMNS_DIFFER_BY_CASE
from filtersql.pgtypes import format_type
from filtersql.publications.model import ResolvedTable
from filtersql.rendering.compiled import FeedColumn, TargetColumn
from filtersql.rendering.definition import DefinedColumn
from filtersql.rendering.sql_fragments import quoted
from filtersql.storage import Engine, column_type

__all__ = [
    "column_definitions",
    "defined_columns",
    "differ_by_case",
    "feed_columns",
    "read_columns",
    "target_columns",
]


def read_columns(
    resolved: ResolvedTable, judged: Judgements, key: tuple[str, ...]
) -> tuple[Column, ...]:
    """The columns that a change must carry: published, judged or identifying ones."""
    names = {column.name for column in resolved.columns} | judged.filter_columns | set(key)
    return tuple(column for column in resolved.table.columns if column.name in names)


def feed_columns(
    read: Sequence[Column], types: Sequence[str], table: Table
) -> tuple[FeedColumn, ...]:
    """What a change may carry; `types` are the engine's."""
    return tuple(
        FeedColumn(
            column.name, column.type, kind, column.not_null or column.name in table.primary_key
        )
        for column, kind in zip(read, types, strict=True)
    )


def target_columns(resolved: ResolvedTable, engine: Engine) -> tuple[TargetColumn, ...]:
    """The target's columns in their order."""
    key = resolved.table.primary_key
    return tuple(
        TargetColumn(
            column.name, column_type(column, engine).sql, column.not_null or column.name in key
        )
        for column in resolved.columns
    )


def defined_columns(
    resolved: ResolvedTable, columns: Sequence[TargetColumn]
) -> tuple[DefinedColumn, ...]:
    """The target's columns as its definition has them."""
    return tuple(
        DefinedColumn(made.name, format_type(column.type), made.sql_type, made.not_null)
        for column, made in zip(resolved.columns, columns, strict=True)
    )


def column_definitions(columns: Sequence[TargetColumn], engine: Engine) -> str:
    """The columns of the target for CREATE TABLE."""
    return ",\n  ".join(f"{quoted(column.name, engine)} {column.sql_type}" for column in columns)


def differ_by_case(resolved: ResolvedTable, read: Sequence[Column]) -> Iterator[Mistake]:
    """Mistakes for names that Spark takes for the same."""
    seen: dict[str, str] = {}
    for column in read:
        other = seen.setdefault(column.name.lower(), column.name)
        if other != column.name:
            yield COLUMNS_DIFFER_BY_CASE(
                column.span, relation=resolved.table.name, first=other, second=column.name
            )
