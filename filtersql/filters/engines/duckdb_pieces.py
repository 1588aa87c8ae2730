"""What the rules of this room ask DuckDB for: rows whose names begin with a dot.

Example
    `.add_months` is how whole months are added to a timestamp; `moments` asks for it when an
    interval is added. `_1`, `_2` are the arguments, as in the table itself.
"""

from __future__ import annotations

from filtersql.filters.engines.array_pieces import array_pieces
from filtersql.filters.engines.datetime_pieces import moment_pieces
from filtersql.filters.engines.interval_pieces import interval_pieces
from filtersql.filters.engines.network_types import network_kinds
from filtersql.filters.engines.number_types import number_kinds
from filtersql.filters.engines.templates import table
from filtersql.filters.engines.text_types import quotient, text_kinds

__all__ = ["PIECES"]

_DAY = "EPOCH_US(CAST({} AS TIMESTAMP))"
_DIFFER = "error('time zone databases differ on this day')"


def _first_day(size: int, first: int) -> str:
    """The first moment of so many years, of which one begins with the year `first`."""
    year = f"(YEAR(_1) - ((YEAR(_1) - {first}) % {size} + {size}) % {size})"
    return (
        "CASE WHEN ISINF(_1) THEN _1 "
        f"WHEN {year} < -4712 THEN error('timestamp out of range') "
        f"WHEN _1 IS NOT NULL THEN MAKE_TIMESTAMP({year}, 1, 1, 0, 0, 0) END"
    )


_CIRCLE = ("CAST('0.017453292519943295' AS DOUBLE)", "CAST('Infinity' AS DOUBLE)")
PIECES = table(
    {
        **array_pieces("duckdb"),
        **interval_pieces("duckdb"),
        **network_kinds("duckdb"),
        **number_kinds("duckdb"),
        **moment_pieces("duckdb"),
        **text_kinds("duckdb"),
        # fields of dates and timestamps; those of an infinite one are no DECIMAL
        ".year": "CASE WHEN ISINF(_1) THEN error('a field of an infinite date is infinite') "
        "WHEN YEAR(_1) > 0 THEN YEAR(_1) ELSE YEAR(_1) - 1 END",
        ".month": "MONTH(_1)",
        ".day": "DAY(_1)",
        ".quarter": "QUARTER(_1)",
        ".dow": "DAYOFWEEK(_1)",
        ".isodow": "ISODOW(_1)",
        ".doy": "DAYOFYEAR(_1)",
        ".week": "WEEK(_1)",
        ".hour": "HOUR(_1)",
        ".minute": "MINUTE(_1)",
        ".second": "CAST(MICROSECOND(_1) AS DECIMAL(18, 0)) * CAST('0.000001' AS DECIMAL(6, 6))",
        ".milliseconds": "CAST(MICROSECOND(_1) AS DECIMAL(18, 0)) * CAST('0.001' AS DECIMAL(3, 3))",
        ".microseconds": "MICROSECOND(_1)",
        **{
            f".{name}": "CASE WHEN ISINF(_1) THEN error('a field of an infinite date is infinite') "
            f"WHEN YEAR(_1) > 0 THEN (YEAR(_1) + {size - 1}) // {size} "
            f"WHEN _1 IS NOT NULL THEN 0 - ({size} - YEAR(_1)) // {size} END"
            for name, size in (("century", 100), ("millennium", 1000))
        },
        ".decade": "CASE WHEN ISINF(_1) THEN error('a field of an infinite date is infinite') "
        "WHEN YEAR(_1) >= 0 THEN YEAR(_1) // 10 "
        "WHEN _1 IS NOT NULL THEN 0 - (9 - YEAR(_1)) // 10 END",
        ".julian_of_date": "CASE WHEN ISINF(_1) THEN error('a field of an infinite date is i"
        "nfinite') "
        "ELSE _1 - DATE '1970-01-01' + 2440588 END",
        ".epoch_of_date": "CASE WHEN ISINF(_1) THEN error('a field of an infinite date is in"
        "finite') "
        "ELSE (_1 - DATE '1970-01-01') * 86400 END",
        ".epoch_of_timestamp": "CASE WHEN ISINF(_1) THEN error('a field of an infinite date "
        "is infinite') "
        "ELSE CAST(EPOCH_US(_1) AS DECIMAL(20, 0)) * CAST('0.000001' AS DECIMAL(6, 6)) END",
        # intervals
        ".timestamp_of_date": "CAST(_1 AS TIMESTAMP)",
        ".no_timestamp": "CAST(NULL AS TIMESTAMP)",
        ".add_months": "_1 + TO_MONTHS(_2)",
        ".add_days": "_1 + TO_DAYS(_2)",
        ".add_micros": "_1 + TO_MICROSECONDS(_2)",
        ".micros_between": "CASE WHEN ISINF(_1) AND _1 = _2 THEN error('interval out of range') "
        "WHEN ISINF(_1) OR ISINF(_2) THEN CASE WHEN _1 > _2 "
        "THEN CAST('1000000000000000000000000000000' AS HUGEINT) "
        "WHEN _1 < _2 THEN CAST('-1000000000000000000000000000000' AS HUGEINT) END "
        "ELSE CAST(CAST(EPOCH_US(_1) AS HUGEINT) - EPOCH_US(_2) AS BIGINT) END",
        ".finite_micros_between": "CASE WHEN (ISINF(_1) OR ISINF(_2)) AND NOT _1 IS NULL "
        "AND NOT _2 IS NULL "
        "THEN error('the difference of infinite timestamps') "
        "ELSE CAST(CAST(EPOCH_US(_1) AS HUGEINT) - EPOCH_US(_2) AS BIGINT) END",
        ".interval_length": "CASE WHEN _1 = 'infinity' THEN CAST('10000000000000000000000000"
        "00000' AS DECIMAL(38,"
        " 0)) WHEN _1 = '-infinity' THEN CAST('-1000000000000000000000000000000' AS "
        "DECIMAL(38, 0)) WHEN REGEXP_MATCHES(_1, '^(infinity|-infinity|([-+]?[0-9]+ years?)?("
        " ?[-+]?[0-9]+ mons?)?( ?[-+]?[0-9]+ days?)?( "
        "?[-+]?[0-9]+:[0-9]{2}:[0-9]{2}([.][0-9]+)?)?)$') THEN "
        "CAST(CAST((CAST(COALESCE(NULLIF(REGEXP_EXTRACT(_1, '([-+]?[0-9]+) year', 1), ''), "
        "'0') AS DECIMAL(20, 0)) * 12 + CAST(COALESCE(NULLIF(REGEXP_EXTRACT(_1, "
        "'([-+]?[0-9]+) mon', 1), ''), '0') AS DECIMAL(20, 0))) * 30 + "
        "CAST(COALESCE(NULLIF(REGEXP_EXTRACT(_1, '([-+]?[0-9]+) day', 1), ''), '0') AS "
        "DECIMAL(20, 0)) AS DECIMAL(24, 0)) * 86400000000 + CAST((CASE WHEN "
        "REGEXP_EXTRACT(_1, '([-+]?)([0-9]+):([0-9]+):([0-9]+)[.]?([0-9]*)', 1) = '-' THEN -1"
        " ELSE 1 END) * (((CAST(COALESCE(NULLIF(REGEXP_EXTRACT(_1, "
        "'([-+]?)([0-9]+):([0-9]+):([0-9]+)[.]?([0-9]*)', 2), ''), '0') AS DECIMAL(20, 0)) * "
        "60 + CAST(COALESCE(NULLIF(REGEXP_EXTRACT(_1, "
        "'([-+]?)([0-9]+):([0-9]+):([0-9]+)[.]?([0-9]*)', 3), ''), '0') AS DECIMAL(20, 0))) *"
        " 60 + CAST(COALESCE(NULLIF(REGEXP_EXTRACT(_1, "
        "'([-+]?)([0-9]+):([0-9]+):([0-9]+)[.]?([0-9]*)', 4), ''), '0') AS DECIMAL(20, 0))) *"
        " 1000000 + CAST(RPAD(REGEXP_EXTRACT(_1, "
        "'([-+]?)([0-9]+):([0-9]+):([0-9]+)[.]?([0-9]*)', 5), 6, '0') AS DECIMAL(20, 0))) AS "
        "DECIMAL(24, 0)) AS DECIMAL(38, 0)) WHEN _1 IS NOT NULL THEN CAST(error('an interval "
        "is not in the form of PostgreSQL') AS DECIMAL(38, 0)) END",
        # time zones
        ".no_timestamptz": "CAST(NULL AS TIMESTAMPTZ)",
        ".timestamp_in_utc": "timezone('UTC', _1)",
        ".timestamptz_in_utc": "timezone('UTC', _1)",
        ".timestamp_in_zone": "timezone(_2, _1)",
        ".timestamptz_in_zone": "timezone(_2, _1)",
        ".before_day": f"NOT ISINF(_1) AND EPOCH_US(_1) < {_DAY.format('_2')}",
        ".between_days": f"NOT ISINF(_1) AND EPOCH_US(_1) >= {_DAY.format('_2')} AND "
        f"EPOCH_US(_1) < {_DAY.format('_3')}",
        ".unsure_timestamp": _DIFFER,
        ".unsure_timestamptz": _DIFFER,
        **{
            f".trunc_{unit}": "CASE WHEN ISINF(_1) THEN _1 "
            f"ELSE CAST(DATE_TRUNC('{unit}', _1) AS TIMESTAMP) END"
            for unit in ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
        },
        ".trunc_milliseconds": "CASE WHEN ISINF(_1) THEN _1 "
        "ELSE CAST(DATE_TRUNC('milliseconds', _1) AS TIMESTAMP) END",
        ".trunc_microseconds": "_1",
        ".trunc_decade": _first_day(10, 0),
        ".trunc_century": _first_day(100, 1),
        ".trunc_millennium": _first_day(1000, 1),
        # pieces
        ".text_to_float8": "CASE WHEN _1 IN ('NaN', 'Infinity', '-Infinity') "
        "THEN CAST(_1 AS DOUBLE) WHEN ABS(CAST(_1 AS DOUBLE)) = CAST('Infinity' AS DOUBLE) THEN "
        "error('value out of range: overflow') "
        "WHEN CAST(_1 AS DOUBLE) = 0 AND NOT REGEXP_FULL_MATCH(_1, '-?[0.]+') THEN "
        "error('value out of range: underflow') ELSE CAST(_1 AS DOUBLE) END",
        "degrees(float8)": "CASE WHEN ABS(_1 / {0}) = {1} AND ABS(_1) <> {1} "
        "THEN error('value out of range: overflow') ELSE _1 / {0} END".format(*_CIRCLE),
        "radians(float8)": "CASE WHEN _1 * {0} = 0 AND _1 <> 0 "
        "THEN error('value out of range: underflow') ELSE _1 * {0} END".format(*_CIRCLE),
        "pi()": "CAST('3.141592653589793' AS DOUBLE)",
        ".decimal_mod": "_1 % _2",
        ".product": "_1 * _2",
        ".scaled_up": "CAST(CAST(_1 * _2 AS DECIMAL(38, 0)) AS HUGEINT)",
        ".unscaled": "CAST(REPLACE(CAST(_1 AS TEXT), '.', '') AS HUGEINT)",
        ".quotient_trunc": quotient("({0} // {1})"),
        ".raise": "error(_1)",
        ".collected": "LIST(DISTINCT _1)",
        ".contains": "LIST_CONTAINS(_1, _2)",
        ".varchar": "LEFT(_1, _2)",
        ".bpchar": "RPAD(LEFT(_1, _2), _2, ' ')",
        ".rtrim": "RTRIM(_1, ' ')",
        ".begins": "STARTS_WITH(_1, _2)",
        ".like": "_1 LIKE _2 ESCAPE '\\'",
        ".decimal_to_float8": "CAST(CAST(_1 AS TEXT) AS DOUBLE)",
        ".decimal_to_float4": "CAST(CAST(_1 AS TEXT) AS REAL)",
        ".float8_literal": "CAST(_1 AS DOUBLE)",
        ".float4_literal": "CAST(_1 AS REAL)",
        ".numeric_double": "CAST(REGEXP_EXTRACT(_1, "
        "'^(NaN|-?(Infinity|(0|[1-9][0-9]*)([.][0-9]+)?))$', 0) AS DOUBLE)",
        ".numeric_canonical": "REGEXP_FULL_MATCH(_1, '-?[0-9]+([.][0-9]+)?')",
        ".numeric_zero": "REGEXP_FULL_MATCH(_1, '-?[0.]+')",
        ".numeric_negative": "STARTS_WITH(_1, '-')",
        ".numeric_digits": "LPAD(CAST(LENGTH(LTRIM(SPLIT_PART(LTRIM(_1, '-'), '.', 1), '0')) AS "
        "TEXT), 6, '0') "
        "|| LTRIM(SPLIT_PART(LTRIM(_1, '-'), '.', 1), '0') "
        "|| RTRIM(SPLIT_PART(_1, '.', 2), '0')",
        ".text_rounded": "(CAST(SPLIT_PART(LTRIM(_1, '-'), '.', 1) AS DECIMAL(30, 0)) + "
        "CASE WHEN SUBSTR(SPLIT_PART(_1, '.', 2), 1, 1) IN ('5', '6', '7', '8', '9') "
        "THEN 1 ELSE 0 END) * CASE WHEN STARTS_WITH(_1, '-') THEN -1 ELSE 1 END",
        ".translate": "TRANSLATE(_1, _2, _3)",
        ".regex_extract": "REGEXP_EXTRACT(_1, _2, _3)",
        ".regex_extract_all": "REGEXP_EXTRACT_ALL(_1, _2, _3)",
        ".regex_replace": "REGEXP_REPLACE(_1, _2, _3)",
        ".regex_replace_all": "REGEXP_REPLACE(_1, _2, _3, 'g')",
        ".regex_place": "CASE WHEN _1 THEN CAST(LENGTH(_2) + _3 AS INT) WHEN NOT _1 THEN 0 END",
        ".list_item": "LIST_EXTRACT(_1, _2)",
        ".matches": "REGEXP_MATCHES(_1, _2)",
        ".text": "CAST(_1 AS TEXT)",
        # IS NULL that no optimizer knows beforehand
        ".absent": "COALESCE(LENGTH(CAST(_1 AS TEXT)), -1) < 0",
        ".absent_list": "COALESCE(LEN(_1), -1) < 0",
        ".trunc": "TRUNC(_1, _2)",
        ".round": "ROUND(_1, _2)",
        ".ceil": "CEIL(_1)",
        ".floor": "FLOOR(_1)",
    }
)
