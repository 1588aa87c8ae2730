"""In every zone that is not refused PostgreSQL and DuckDB give the same local times and moments.

Every few months of two hundred years, as far as `zone_rules` takes them for sure, and a day on
which many clocks skip an hour. The recorder of these rules asks on each change of each clock.
"""

from __future__ import annotations

import duckdb
import pytest
from servers import Server

from filtersql.filters.values.time_zone_rules import is_sure, known_zone, zones
from filtersql.filters.write.rules.time_zones import _east

#: of (zone, first and last day): what is added to UTC on every day, all in one text
_OFFSETS = """
SELECT z, string_agg(CAST(timezone(z, t) - timezone('UTC', t) AS {text}), ',' ORDER BY t),
       string_agg(CAST(timezone(z, l) - timezone('UTC', l) AS {text}), ',' ORDER BY t)
FROM {zones} CROSS JOIN (SELECT t, timezone('UTC', t) AS l FROM (SELECT {days} AS t)) AS days
WHERE NOT (t >= CAST(since AS TIMESTAMPTZ) AND t < CAST(until AS TIMESTAMPTZ))
GROUP BY z ORDER BY z
"""
_DAYS = (
    "generate_series(TIMESTAMPTZ '1850-01-01 12:00:00+00', TIMESTAMPTZ '2050-01-01 00:00:00+00', "
    "INTERVAL '150 days 01:00:00')"
)
_SPRING = (
    "generate_series(TIMESTAMPTZ '2027-03-27 23:15:00+00', TIMESTAMPTZ '2027-03-28 03:15:00+00', "
    "INTERVAL '30 minutes')"
)


@pytest.mark.postgres
def test_databases_agree_on_the_zones_that_are_written(postgres: Server) -> None:
    """PostgreSQL's own time zone database and the one of DuckDB's ICU."""
    none = ("2000-01-01", "2000-01-01")
    windows = {zone: days or none for zone, days in zones().items() if days is not None}
    since = [days[0] or "0001-01-01" for days in windows.values()]
    until = [days[1] for days in windows.values()]
    with postgres.connect(postgres.create_database()) as connection, duckdb.connect() as duck:
        connection.execute("SET TimeZone = 'UTC'")
        duck.execute("SET TimeZone = 'UTC'")
        for days in (_DAYS, _SPRING):
            theirs = connection.execute(
                _OFFSETS.format(  # type: ignore[arg-type]
                    text="text", days=days,
                    zones="unnest(%s::text[], %s::text[], %s::text[]) AS zones (z, since, until)",
                ), (list(windows), since, until),
            ).fetchall()  # fmt: skip
            ours = duck.execute(
                _OFFSETS.format(
                    text="VARCHAR", days=f"unnest({days})",
                    zones="(SELECT unnest($1) AS z, unnest($2) AS since, unnest($3) AS until)",
                ), [list(windows), since, until],
            ).fetchall()  # fmt: skip

            assert len(theirs) > 530
            assert {zone for zone, *_ in set(theirs) ^ set(ours)} == set()


def test_a_day_is_sure_outside_of_the_window_of_its_zone() -> None:
    """The window's first day is within it, and its last is not."""
    assert is_sure("europe/berlin", "0001-01-01")
    assert is_sure("AMERICA/SAO_PAULO", "1965-03-29")
    assert not is_sure("America/Sao_Paulo", "1965-03-30")
    assert [is_sure("Europe/Oslo", day) for day in ("1965-09-20", "1965-09-21")] == [False, True]
    assert not is_sure("America/Winnipeg", "2024-01-01")
    assert not is_sure("Nowhere", "2024-01-01")


@pytest.mark.postgres
def test_offsets_of_posix_are_those_of_postgresql(postgres: Server) -> None:
    """A zone's file is before a name with an offset, and an abbreviation before both."""
    names = ["UTC+3", "utc-3", "<+03>-3", "5", "-5:30", "Foo/Bar+12:34:56", "+167", "EST", "Zulu",
             "EST5", "CET", "<a-1>4", "+05", "-00:30", "x 3"]  # fmt: skip
    asked = "SELECT extract(epoch FROM timezone(z, to_timestamp(0)))::int FROM unnest(%s::text[]) z"
    refused = ["+168", "UTC+3:60", "+05:30:61", "+5:", "", "+", "a+b", "<>", "0530x", "EST5EDT"]
    with postgres.connect(postgres.create_database()) as connection:
        found = [row[0] for row in connection.execute(asked, [names]).fetchall()]

    assert [_east(name) for name in names] == found
    assert [_east(name) for name in refused] == [None] * len(refused)
    assert known_zone("est5edt") == "EST5EDT"
