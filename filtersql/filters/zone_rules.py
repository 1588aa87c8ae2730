"""Of which zones, and since when, the time zone databases in use agree.

Example
    ===================== ==================================================
    zone                  what holds
    ===================== ==================================================
    `Europe/Berlin`       all agree since 1970
    `Asia/Singapore`      all agree since 1982: its change of 1981 was corrected in 2022
    `America/Winnipeg`    refused: databases of 2026 have another rule for the future
    ===================== ==================================================

    PostgreSQL, Java and DuckDB each carry a database of their own age, and the time of some years
    is corrected long afterwards. Compared were the releases 2021e to 2026f of the tz database, at
    every change of offset since 1970 and on days of the years until 2099 (its NEWS was read beside
    some of what differs, not as a list that is complete); and PostgreSQL 18.6, Java 17 and DuckDB
    2.0 on 2 million moments until 9990: in the zones that are not refused they agree.
    tests/test_zones.py asks PostgreSQL and DuckDB again.

PostgreSQL
    src/timezone/README; data/tzdata.zi. Java: tzdb.dat. DuckDB: ICU's zoneinfo64.
"""

from __future__ import annotations

__all__ = ["CHANGED", "first_sure_day", "first_sure_year"]

#: zones whose rules after 1970 differ between the tz databases of 2022 and later
CHANGED = frozenset(
    """
    africa/cairo africa/casablanca africa/el_aaiun africa/juba africa/khartoum
    america/asuncion america/bahia_banderas america/cancun america/chihuahua
    america/ciudad_juarez america/coyhaique america/ensenada america/godthab america/hermosillo
    america/matamoros america/mazatlan america/merida america/mexico_city america/monterrey
    america/nuuk america/ojinaga america/punta_arenas america/santa_isabel america/santiago
    america/scoresbysund america/thule america/tijuana america/vancouver america/dawson
    america/whitehorse america/inuvik america/iqaluit america/pangnirtung america/rankin_inlet
    america/resolute america/yellowknife america/edmonton america/havana america/rainy_river
    america/winnipeg canada/central
    antarctica/casey antarctica/palmer antarctica/vostok asia/almaty asia/amman asia/aqtau
    asia/aqtobe asia/atyrau asia/beirut asia/choibalsan asia/damascus asia/famagusta asia/gaza
    asia/hebron asia/hovd asia/istanbul asia/manila asia/nicosia asia/oral asia/qostanay
    asia/qyzylorda asia/tehran asia/ulaanbaatar asia/ulan_bator atlantic/azores atlantic/madeira
    chile/continental chile/easterisland egypt europe/chisinau europe/istanbul europe/kiev
    europe/kyiv europe/lisbon europe/tiraspol europe/uzhgorod europe/volgograd europe/zaporozhye
    cuba iran mexico/bajanorte mexico/bajasur mexico/general canada/mountain canada/pacific
    canada/yukon pacific/apia pacific/easter pacific/fiji pacific/tongatapu portugal turkey
    """.split()
)
#: the year from which on they agree, where that is not 1970
_SINCE = {
    "america/bogota": 1994,
    "america/cambridge_bay": 1980,
    "america/nipigon": 1974,
    "america/thunder_bay": 1974,
    "asia/kuala_lumpur": 1982,
    "asia/singapore": 1982,
    "eet": 1981,
    "europe/simferopol": 1996,
    "singapore": 1982,
    "wet": 1997,
}


def first_sure_year(zone: str) -> int:
    """The year from whose second day on all databases say the same, anywhere on Earth."""
    return _SINCE.get(zone.lower(), 1970)


def first_sure_day(zone: str) -> str:
    """That day."""
    return f"{first_sure_year(zone)}-01-02"
