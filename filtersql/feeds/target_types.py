"""Whether `target_type` names a type of the engine that holds the column's values.

Example
    `price: {type: numeric, target_type: "decimal(38,9)"}` does; `decimall(38,9)` is no type, and no
    engine's INT holds a text. It is known from the definitions, before anything runs.
"""

from __future__ import annotations

from filtersql.catalog import Catalog
from filtersql.errors import Collector
from filtersql.errors.feeds import UnstorableType
from filtersql.feeds.values import codec
from filtersql.storage import Engine

__all__ = ["check_target_types"]


def check_target_types(catalog: Catalog, engine: Engine) -> None:
    """Raises Mistakes with every column whose target_type the engine cannot store."""
    mistakes = Collector()
    for table in catalog.tables.values():
        for column in table.columns:
            if column.target_type is not None:
                with mistakes:
                    try:
                        codec(column.type, column.target_type, engine)
                    except UnstorableType as mistake:
                        raise mistake.of(column.name, table.name, column.span) from None
    mistakes.raise_all()
