"""Rows of Spark: each moment is told in UTC, also the first one, whatever zone the process has."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator

import pytest

from filtersql.targets.spark_rows import arrow_rows, frame_rows

pytestmark = pytest.mark.spark

_MOMENTS = ("0001-01-01 00:00:00", "2026-06-01 10:00:00.000001", "9999-12-31 23:59:59.999999")


@pytest.fixture(params=["UTC", "America/New_York", "Asia/Tokyo"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The zone of the process, as of a machine that is not set to UTC."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("rows", [frame_rows, arrow_rows])
def test_a_moment_is_told_in_utc(rows, zone: str, spark) -> None:  # type: ignore[no-untyped-def]
    """PySpark's own rows have the hour of the process's zone, and none of the first day."""
    for text in _MOMENTS:
        moments = f"TIMESTAMP '{text}+00:00', TIMESTAMP_NTZ '{text}'"
        query = f"SELECT {moments}, 'x', NULL, DATE '{text[:10]}'"
        moment = datetime.datetime.fromisoformat(text)
        assert rows(spark.sql(query)) == [(moment, moment, "x", None, moment.date())], zone


def test_a_time_without_zone_stays_as_it_is(zone: str, spark) -> None:  # type: ignore[no-untyped-def]
    """Alone in its row, too."""
    for text in _MOMENTS:
        found = frame_rows(spark.sql(f"SELECT TIMESTAMP_NTZ '{text}'"))
        assert found == [(datetime.datetime.fromisoformat(text),)], zone
