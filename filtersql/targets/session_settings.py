"""Settings of a Spark session of this process: for one statement, or for a session beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from pyspark.sql import SparkSession

from filtersql.errors import Mistakes
from filtersql.targets import delta, iceberg
from filtersql.targets.raised import spark_refusals

__all__ = ["MARKS", "copied", "during", "put"]

#: they are never set but for one statement
MARKS = (*delta.MARK_SETTINGS, *iceberg.MARK_SETTINGS)


@contextmanager
def during(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Settings for one statement: they would silence or stamp any other."""
    with spark_refusals():
        before = {name: spark.conf.get(name, None) for name in settings if name not in MARKS}
    try:
        for name, value in settings.items():
            put(spark, name, value)
        yield
    finally:
        for name, known in {**dict.fromkeys(MARKS), **before}.items():
            put(spark, name, known)


def copied(spark: SparkSession) -> SparkSession:
    """A new session with the same settings, but for marks, which would stamp its statements."""
    with spark_refusals():
        other = spark.newSession()
        settings = spark.conf.getAll
    for name, value in settings.items():
        # A setting of the whole Spark cannot be set, and is the same.
        if name.startswith("spark."):
            with suppress(Mistakes), spark_refusals():
                other.conf.set(name, value)
    with spark_refusals():
        for name in MARKS:
            other.conf.unset(name)
    return other


def put(spark: SparkSession, name: str, value: str | None) -> None:
    """Set a setting, or take it away. Raises Mistakes."""
    with spark_refusals():
        if value is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, value)
