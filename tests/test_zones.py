"""In every zone that is not refused PostgreSQL and DuckDB give the same local times.

Every noon of a year that has every rule in force, and of one that was corrected afterwards, as
far as `zone_rules` takes them for sure.
"""

from __future__ import annotations

from zoneinfo import available_timezones

import duckdb
import pytest
from servers import Server

from filtersql.filters.zone_rules import CHANGED, first_sure_day

#: of (zone, first day): what is added to UTC, every day, all in one text
_OFFSETS = """
SELECT z, string_agg(CAST(timezone(z, t) - timezone('UTC', t) AS {text}), ',' ORDER BY t)
FROM {zones} CROSS JOIN (SELECT {days} AS t) AS days
WHERE t >= CAST(since AS TIMESTAMPTZ) GROUP BY z ORDER BY z
"""
_YEARS = (1992, 2027)


def _zones() -> list[str]:
    skipped = ("etc/", "posix/", "right/", "systemv/")
    return sorted(
        zone
        for zone in available_timezones()
        if "/" in zone and not zone.lower().startswith(skipped) and zone.lower() not in CHANGED
    )


def _days(year: int) -> str:
    return (
        f"generate_series(TIMESTAMPTZ '{year}-01-01 12:00:00+00', "
        f"TIMESTAMPTZ '{year}-12-31 12:00:00+00', INTERVAL '1 day')"
    )


@pytest.mark.postgres
def test_databases_agree_on_the_zones_that_are_written(postgres: Server) -> None:
    """PostgreSQL's own time zone database and the one of DuckDB's ICU."""
    zones = _zones()
    since = [first_sure_day(zone) for zone in zones]
    with postgres.connect(postgres.create_database()) as connection, duckdb.connect() as duck:
        connection.execute("SET TimeZone = 'UTC'")
        duck.execute("SET TimeZone = 'UTC'")
        for year in _YEARS:
            theirs = connection.execute(
                _OFFSETS.format(  # type: ignore[arg-type]
                    text="text", days=_days(year),
                    zones="unnest(%s::text[], %s::text[]) AS zones (z, since)",
                ), (zones, since),
            ).fetchall()  # fmt: skip
            ours = duck.execute(
                _OFFSETS.format(
                    text="VARCHAR", days=f"unnest({_days(year)})",
                    zones="(SELECT unnest($1) AS z, unnest($2) AS since)",
                ), [zones, since],
            ).fetchall()  # fmt: skip

            assert len(theirs) > 350
            assert {zone for zone, _ in set(theirs) ^ set(ours)} == set()


def test_a_zone_that_was_changed_is_one_that_exists() -> None:
    """A slip of the pen would refuse nothing."""
    slashed = {zone for zone in CHANGED if "/" in zone}

    assert slashed - {zone.lower() for zone in available_timezones()} == set()
