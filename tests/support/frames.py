"""Rows of a test as Spark has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["frame_of"]


def frame_of(session: SparkSession, rows: Iterable[Sequence[Any]], schema: str) -> DataFrame:
    """The rows under a schema as Spark's DDL writes it.

    They go there as Arrow: for rows of Python Spark starts Pythons of its own, which take longer
    than what a test asks.
    """
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    columns = StructType.fromDDL(schema)
    named = [dict(zip(columns.names, row, strict=True)) for row in rows]
    return session.createDataFrame(pyarrow.Table.from_pylist(named, to_arrow_schema(columns)))
