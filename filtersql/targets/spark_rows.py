"""The rows of a query of Spark, with all days that Spark has, and moments in UTC.

Example
    ================================= ============================================================
    Spark's value                     the row has
    ================================= ============================================================
    the moment 2026-06-01 10:00:00+00 datetime(2026, 6, 1, 10, 0); PySpark's rows have the hour of
                                      the process's zone, which nobody could tell
    the moment 0001-01-01 00:00:00+00 datetime(1, 1, 1, 0, 0); PySpark makes no row of it
    ================================= ============================================================
"""

from __future__ import annotations

import pyarrow
from pyspark.sql import DataFrame
from pyspark.sql.types import TimestampNTZType, TimestampType

from filtersql.feeds.datetimes import python_values

__all__ = ["arrow_rows", "frame_rows"]

_MOMENTS = (TimestampType, TimestampNTZType)


def frame_rows(frame: DataFrame) -> list[tuple[object, ...]]:
    """The rows of a frame of this process."""
    if any(isinstance(column.dataType, _MOMENTS) for column in frame.schema):
        return arrow_rows(frame)
    return [tuple(row) for row in frame.collect()]


def arrow_rows(frame: DataFrame) -> list[tuple[object, ...]]:
    """The rows, by way of Arrow."""
    columns = (
        column.cast(pyarrow.timestamp("us")) if pyarrow.types.is_timestamp(column.type) else column
        for column in frame.toArrow().columns
    )
    return list(zip(*map(python_values, columns), strict=True))
