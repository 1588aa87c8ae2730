"""Whether the texts of a source table are those that PostgreSQL prints.

Example
    ========= ================== ==================
    type      the table's text   what a feed tells
    ========= ================== ==================
    inet      10.0.0.1/32        10.0.0.1
    int4range [1,4]              [1,5)
    interval  PT36H              36:00:00
    ========= ================== ==================

Filters and keys compare texts, and a feed tells them as PostgreSQL prints them: another one is
refused. Documents are read by their filters, however they are spaced.
"""

from __future__ import annotations

from sqlglot import exp, select

from filtersql.errors import Mistake
from filtersql.errors.applying import SOURCE_TEXT
from filtersql.feeds.readers import family, is_plain
from filtersql.feeds.values import canonical_text, type_title
from filtersql.rendering.compiled import CompiledTable, FeedColumn
from filtersql.storage import is_text
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_rows

__all__ = ["source_written_otherwise"]

#: what the copy itself brings into its form, or what may be written in several
_FREE = ("varchar", "bpchar", "uuid", "json", "jsonb")


def source_written_otherwise(engine: Engine, compiled: CompiledTable, shown: str) -> list[Mistake]:
    """The first such text of each column in the view that the initial copy reads."""
    view = named_rows(compiled.source_view)
    mistakes: list[Mistake] = []
    for column in filter(_has_one_text, compiled.feed_columns):
        value = exp.column(column.name, quoted=True)
        query = select(value).distinct().from_(view.copy())
        query = query.where(exp.not_(value.copy().is_(exp.null())))
        wrong = None
        for (text,) in engine.stream(query.sql(engine.dialect)):  # all are taken, as it asks
            if wrong is None and (printed := _printed(column, text)) != text:
                wrong = SOURCE_TEXT(
                    source=shown,
                    name=compiled.unique_id,
                    column=column.name,
                    text=text,
                    kind=type_title(column.pg_type.base or column.pg_type),
                    printed=printed,
                )
        mistakes += [wrong] if wrong else []
    return mistakes


def _has_one_text(column: FeedColumn) -> bool:
    pg_type = column.pg_type.base or column.pg_type
    is_free = pg_type.name in _FREE or is_plain(pg_type)
    return is_text(column.sql_type) and family(pg_type).holds == "text" and not is_free


def _printed(column: FeedColumn, text: object) -> str | None:
    """PostgreSQL's text; None where it reads none."""
    try:
        return canonical_text(column.pg_type, text)
    except (ValueError, OverflowError):
        return None
