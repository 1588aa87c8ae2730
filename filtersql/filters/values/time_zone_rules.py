"""Where the time zone databases in use agree: in most zones ever, in others outside a window.

Example
    ===================== ==================================================================
    zone                  what holds
    ===================== ==================================================================
    `Europe/Berlin`       all agree on every moment, from the sun's time on
    `America/Sao_Paulo`   all agree, but for 1965-03-30 until 1966-03-03
    `Europe/Amsterdam`    all agree since 1946-10-09: before it is Brussels in some of them
    `America/Winnipeg`    refused: databases of 2026 have another rule for the future
    ===================== ==================================================================

    PostgreSQL, Java and DuckDB each carry a database of their own age and build, and the time of
    some years is corrected long afterwards. `tests/recorders/time_zones.py` compares them: before
    1970 all releases of the tz database since 2018d, each as it is given out and with one history
    and with all histories of places whose clocks are one since 1970 (as Debian has them), since
    1970 those since 2021e; Java 17 and 25, DuckDB 2.0 and PostgreSQL 18, whose answers for local
    times that the clocks skip or show twice are asked, too.

PostgreSQL
    src/timezone/README; data/tzdata.zi. Java: tzdb.dat. DuckDB: ICU's zoneinfo64.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

__all__ = ["is_sure", "known_zone", "window", "zones"]

_FILE = Path(__file__).parents[1] / "catalog_facts" / "time_zones.json"


@cache
def zones() -> Mapping[str, Sequence[str] | None]:
    """By the name of a zone: the first day on which databases differ and the one after the last."""
    found: dict[str, list[str] | None] = msgspec.json.decode(_FILE.read_bytes())
    return found


@cache
def _names() -> dict[str, str]:
    return {name.lower(): name for name in zones()}


def known_zone(written: str) -> str | None:
    """The name of a zone as engines want it; PostgreSQL does not look at its case."""
    return _names().get(written.lower())


def window(zone: str) -> Sequence[str]:
    """The two days between which databases differ, if any; the first one is empty: since ever."""
    return zones()[zone] or ()


def is_sure(written: str, day: str) -> bool:
    """Whether all databases say the same of a zone on a day."""
    name = known_zone(written)
    days = zones()[name] if name is not None else None
    if days is None:
        return False
    return not days or not days[0] <= day < days[1]
