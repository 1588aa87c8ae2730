"""What the rules of this room ask Spark SQL for: rows whose names begin with a dot.

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

_DIFFER = "raise_error('time zone databases differ on this day')"
_MOMENT = "CONVERT_TIMEZONE(_2, 'UTC', _1)"
_AFTER = f"TIMESTAMPADD(HOUR, 3, {_MOMENT})"
#: the local time as a moment with the offset that is in force three hours later
_LATER = (
    "TIMESTAMPADD(MICROSECOND, TIMESTAMPDIFF(MICROSECOND, "
    f"CONVERT_TIMEZONE('UTC', _2, {_AFTER}), {_AFTER}), _1)"
)


def _first_day(year: str) -> str:
    return (
        "CASE WHEN YEAR(_1) > 0 THEN "
        f"CAST(MAKE_DATE(CASE WHEN {year} > 0 THEN {year} ELSE 0 END, 1, 1) AS TIMESTAMP_NTZ) "
        "WHEN _1 IS NOT NULL "
        "THEN CAST(raise_error('years before Christ are not handled') AS TIMESTAMP_NTZ) END"
    )


_CIRCLE = ("CAST('0.017453292519943295' AS DOUBLE)", "CAST('Infinity' AS DOUBLE)")
PIECES = table(
    {
        **array_pieces("spark"),
        **interval_pieces("spark"),
        **network_kinds("spark"),
        **number_kinds("spark"),
        **moment_pieces("spark"),
        **text_kinds("spark"),
        # fields of dates and timestamps
        ".year": "CASE WHEN YEAR(_1) > 0 THEN YEAR(_1) ELSE YEAR(_1) - 1 END",
        ".month": "MONTH(_1)",
        ".day": "DAYOFMONTH(_1)",
        ".quarter": "QUARTER(_1)",
        ".dow": "DAYOFWEEK(_1) - 1",
        ".isodow": "WEEKDAY(_1) + 1",
        ".doy": "DAYOFYEAR(_1)",
        ".week": "WEEKOFYEAR(_1)",
        ".hour": "HOUR(_1)",
        ".minute": "MINUTE(_1)",
        ".second": "EXTRACT(SECOND FROM _1)",
        ".milliseconds": "EXTRACT(SECOND FROM _1) * 1000",
        ".microseconds": "EXTRACT(SECOND FROM _1) * 1000000",
        ".decade": "CASE WHEN YEAR(_1) > 0 THEN YEAR(_1) DIV 10 "
        "WHEN _1 IS NOT NULL THEN raise_error('years before Christ are not handled') END",
        ".century": "CASE WHEN YEAR(_1) > 0 THEN (YEAR(_1) + 99) DIV 100 "
        "WHEN _1 IS NOT NULL THEN raise_error('years before Christ are not handled') END",
        ".millennium": "CASE WHEN YEAR(_1) > 0 THEN (YEAR(_1) + 999) DIV 1000 "
        "WHEN _1 IS NOT NULL THEN raise_error('years before Christ are not handled') END",
        ".julian_of_date": "UNIX_DATE(_1) + 2440588",
        ".epoch_of_date": "CAST(UNIX_DATE(_1) AS BIGINT) * 86400",
        ".epoch_of_timestamp": "CAST(UNIX_MICROS(CAST(_1 AS TIMESTAMP)) AS DECIMAL(20, 0)) "
        "* CAST('0.000001' AS DECIMAL(6, 6))",
        # intervals
        ".timestamp_of_date": "CAST(_1 AS TIMESTAMP_NTZ)",
        ".no_timestamp": "CAST(NULL AS TIMESTAMP_NTZ)",
        ".add_months": "_1 + MAKE_YM_INTERVAL(0, _2)",
        ".add_days": "_1 + MAKE_DT_INTERVAL(_2)",
        ".add_micros": "TIMESTAMPADD(MICROSECOND, _2, _1)",
        ".micros_between": "TIMESTAMPDIFF(MICROSECOND, _2, _1)",
        ".finite_micros_between": "TIMESTAMPDIFF(MICROSECOND, _2, _1)",
        ".interval_length": "CASE WHEN _1 = 'infinity' THEN CAST('10000000000000000000000000"
        "00000' AS DECIMAL(38,"
        " 0)) WHEN _1 = '-infinity' THEN CAST('-1000000000000000000000000000000' AS "
        "DECIMAL(38, 0)) WHEN _1 RLIKE '^(infinity|-infinity|([-+]?[0-9]+ years?)?( "
        "?[-+]?[0-9]+ mons?)?( ?[-+]?[0-9]+ days?)?( "
        "?[-+]?[0-9]+:[0-9]{2}:[0-9]{2}([.][0-9]+)?)?)$' THEN "
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
        "DECIMAL(24, 0)) AS DECIMAL(38, 0)) WHEN _1 IS NOT NULL THEN CAST(raise_error('an "
        "interval is not in the form of PostgreSQL') AS DECIMAL(38, 0)) END",
        # time zones: a local time that exists twice is the later moment, where Spark takes the
        # earlier one; three hours later the new offset is in force
        ".no_timestamptz": "CAST(NULL AS TIMESTAMP)",
        ".timestamp_in_utc": "CAST(_1 AS TIMESTAMP_NTZ)",
        ".timestamptz_in_utc": "CAST(_1 AS TIMESTAMP)",
        ".timestamp_in_zone": "CONVERT_TIMEZONE('UTC', _2, CAST(_1 AS TIMESTAMP_NTZ))",
        ".before_day": "_1 < CAST(_2 AS TIMESTAMP_NTZ)",
        ".between_days": "_1 >= CAST(_2 AS TIMESTAMP_NTZ) AND _1 < CAST(_3 AS TIMESTAMP_NTZ)",
        ".unsure_timestamp": f"CAST({_DIFFER} AS TIMESTAMP_NTZ)",
        ".unsure_timestamptz": f"CAST({_DIFFER} AS TIMESTAMP)",
        ".timestamptz_in_zone": "CASE "
        f"WHEN CONVERT_TIMEZONE('UTC', _2, {_LATER}) = _1 THEN CAST(GREATEST({_MOMENT}, {_LATER}) "
        f"AS TIMESTAMP) ELSE CAST({_MOMENT} AS TIMESTAMP) END",
        **{
            f".trunc_{unit}": f"CAST(DATE_TRUNC('{unit.upper()}', _1) AS TIMESTAMP_NTZ)"
            for unit in ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
        },
        ".trunc_milliseconds": "CAST(DATE_TRUNC('MILLISECOND', _1) AS TIMESTAMP_NTZ)",
        ".trunc_microseconds": "_1",
        ".trunc_decade": _first_day("YEAR(_1) DIV 10 * 10"),
        ".trunc_century": _first_day("(YEAR(_1) - 1) DIV 100 * 100 + 1"),
        ".trunc_millennium": _first_day("(YEAR(_1) - 1) DIV 1000 * 1000 + 1"),
        # pieces
        ".text_to_float8": "CASE WHEN _1 IN ('NaN', 'Infinity', '-Infinity') "
        "THEN CAST(_1 AS DOUBLE) WHEN ABS(CAST(_1 AS DOUBLE)) = CAST('Infinity' AS DOUBLE) THEN "
        "raise_error('value out of range: overflow') "
        "WHEN CAST(_1 AS DOUBLE) = 0 AND NOT _1 RLIKE '^-?[0.]+$' THEN "
        "raise_error('value out of range: underflow') ELSE CAST(_1 AS DOUBLE) END",
        "degrees(float8)": "CASE WHEN ABS(_1 / {0}) = {1} AND ABS(_1) <> {1} "
        "THEN raise_error('value out of range: overflow') ELSE _1 / {0} END".format(*_CIRCLE),
        "radians(float8)": "CASE WHEN _1 * {0} = 0 AND _1 <> 0 "
        "THEN raise_error('value out of range: underflow') ELSE _1 * {0} END".format(*_CIRCLE),
        "pi()": "CAST('3.141592653589793' AS DOUBLE)",
        ".decimal_mod": "_1 % _2",
        ".product": "_1 * _2",
        ".scaled_up": "CAST(_1 * _2 AS DECIMAL(38, 0))",
        ".unscaled": "CAST(REPLACE(CAST(_1 AS STRING), '.', '') AS DECIMAL(38, 0))",
        ".quotient_trunc": quotient("CAST(({0} - {0} % {1}) / {1} AS DECIMAL(38, 0))"),
        ".raise": "RAISE_ERROR(_1)",
        ".collected": "COLLECT_SET(_1)",
        ".contains": "ARRAY_CONTAINS(_1, _2)",
        ".varchar": "LEFT(_1, _2)",
        ".bpchar": "RPAD(LEFT(_1, _2), _2, ' ')",
        ".rtrim": "RTRIM(_1)",
        ".begins": "STARTSWITH(_1, _2)",
        ".like": "_1 LIKE _2",
        ".decimal_to_float8": "CAST(_1 AS DOUBLE)",
        ".decimal_to_float4": "CAST(_1 AS FLOAT)",
        ".float8_literal": "CAST(_1 AS DOUBLE)",
        ".float4_literal": "CAST(_1 AS FLOAT)",
        ".numeric_double": "CAST(REGEXP_EXTRACT(_1, "
        "'^(NaN|-?(Infinity|(0|[1-9][0-9]*)([.][0-9]+)?))$', 0) AS DOUBLE)",
        ".numeric_canonical": "_1 RLIKE '^-?[0-9]+([.][0-9]+)?$'",
        ".numeric_zero": "_1 RLIKE '^-?[0.]+$'",
        ".numeric_negative": "STARTSWITH(_1, '-')",
        ".numeric_digits": "LPAD(CHAR_LENGTH(LTRIM('0', SPLIT_PART(LTRIM('-', _1), '.', 1))), 6, "
        "'0') "
        "|| LTRIM('0', SPLIT_PART(LTRIM('-', _1), '.', 1)) "
        "|| RTRIM('0', SPLIT_PART(_1, '.', 2))",
        ".text_rounded": "(CAST(SPLIT_PART(LTRIM('-', _1), '.', 1) AS DECIMAL(30, 0)) + "
        "CASE WHEN SUBSTR(SPLIT_PART(_1, '.', 2), 1, 1) IN ('5', '6', '7', '8', '9') "
        "THEN 1 ELSE 0 END) * CASE WHEN STARTSWITH(_1, '-') THEN -1 ELSE 1 END",
        ".translate": "TRANSLATE(_1, _2, _3)",
        ".regex_extract": "REGEXP_EXTRACT(_1, _2, _3)",
        ".regex_extract_all": "REGEXP_EXTRACT_ALL(_1, _2, _3)",
        ".regex_replace": "REGEXP_REPLACE(_1, _2, _3)",
        ".regex_place": "CASE WHEN _1 THEN CHAR_LENGTH(_2) + _3 WHEN NOT _1 THEN 0 END",
        ".list_item": "TRY_ELEMENT_AT(_1, _2)",
        ".matches": "_1 RLIKE _2",
        ".text": "CAST(_1 AS STRING)",
        # IS NULL that no optimizer knows beforehand
        ".absent": "COALESCE(LENGTH(CAST(_1 AS STRING)), -1) < 0",
        ".absent_list": "COALESCE(SIZE(_1), -1) < 0",
        ".trunc": "CASE WHEN _1 < 0 THEN CEIL(_1, _2) ELSE FLOOR(_1, _2) END",
        ".round": "ROUND(_1, _2)",
        ".ceil": "CEIL(_1)",
        ".floor": "FLOOR(_1)",
    }
)
