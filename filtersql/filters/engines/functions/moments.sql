-- dates, timestamps, time zones

[both]
.trunc_microseconds = _1
timestamp(date) .timestamp_of_date = CAST(_1 AS {timestamp})
date(timestamp) = CAST(_1 AS DATE)
.month = MONTH(_1)
.quarter = QUARTER(_1)
.doy = DAYOFYEAR(_1)
.hour = HOUR(_1)
.minute = MINUTE(_1)
.no_timestamp = CAST(NULL AS {timestamp})
.no_timestamptz = CAST(NULL AS {timestamptz})
-- the microseconds of a stride of months, days and microseconds; _4 raises
{stride} = (CAST(_2 AS BIGINT) * 86400000000 + _3)
.stride = CASE WHEN _1 = 0 AND {stride} > 0 THEN {stride} WHEN NOT _3 IS NULL THEN _4 END
-- two spans of time; the second of each pair begins first
{end: one; other} = CASE WHEN {one} IS NOT NULL AND {other} IS NOT NULL THEN GREATEST({one}, {other}) END
{begins_later: start; end; other_start; other_end} = WHEN {start} > {other_start} THEN CASE WHEN ({other_end}) IS NULL THEN NULL
    WHEN {start} < ({other_end}) THEN TRUE WHEN ({end}) IS NULL THEN NULL ELSE FALSE END
.overlaps = CASE WHEN LEAST(_1, _2) IS NULL OR LEAST(_3, _4) IS NULL THEN NULL
    {begins_later: LEAST(_1, _2); {end: _1; _2}; LEAST(_3, _4); {end: _3; _4}}
    {begins_later: LEAST(_3, _4); {end: _3; _4}; LEAST(_1, _2); {end: _1; _2}}
    WHEN ({end: _1; _2}) IS NULL OR ({end: _3; _4}) IS NULL THEN NULL ELSE TRUE END

[spark]
{no_such_date} = CAST(raise_error('date field value out of range') AS DATE)
date_eq_timestamp = CAST(_1 AS TIMESTAMP_NTZ) = _2
date_ne_timestamp = CAST(_1 AS TIMESTAMP_NTZ) <> _2
date_lt_timestamp = CAST(_1 AS TIMESTAMP_NTZ) < _2
date_le_timestamp = CAST(_1 AS TIMESTAMP_NTZ) <= _2
date_gt_timestamp = CAST(_1 AS TIMESTAMP_NTZ) > _2
date_ge_timestamp = CAST(_1 AS TIMESTAMP_NTZ) >= _2
timestamp_eq_date = _1 = CAST(_2 AS TIMESTAMP_NTZ)
timestamp_ne_date = _1 <> CAST(_2 AS TIMESTAMP_NTZ)
timestamp_lt_date .before_day = _1 < CAST(_2 AS TIMESTAMP_NTZ)
timestamp_le_date = _1 <= CAST(_2 AS TIMESTAMP_NTZ)
timestamp_gt_date = _1 > CAST(_2 AS TIMESTAMP_NTZ)
timestamp_ge_date = _1 >= CAST(_2 AS TIMESTAMP_NTZ)
isfinite(date) isfinite(timestamp) isfinite(timestamptz) = CASE WHEN _1 IS NOT NULL THEN TRUE END
date_pli = CASE WHEN UNIX_DATE(_1) + CAST(_2 AS BIGINT) NOT BETWEEN -2440588 AND 2145042905
    THEN raise_error('date out of range') ELSE DATE_FROM_UNIX_DATE(CAST(UNIX_DATE(_1) +
    CAST(_2 AS BIGINT) AS INT)) END
date_mii = CASE WHEN UNIX_DATE(_1) - CAST(_2 AS BIGINT) NOT BETWEEN -2440588 AND 2145042905
    THEN raise_error('date out of range') ELSE DATE_FROM_UNIX_DATE(CAST(UNIX_DATE(_1) -
    CAST(_2 AS BIGINT) AS INT)) END
integer_pl_date = CASE WHEN UNIX_DATE(_2) + CAST(_1 AS BIGINT) NOT BETWEEN -2440588 AND 2145042905
    THEN raise_error('date out of range') ELSE DATE_FROM_UNIX_DATE(CAST(UNIX_DATE(_2) +
    CAST(_1 AS BIGINT) AS INT)) END
date_mi = DATEDIFF(_1, _2)
-- Spark takes `0044-03-15 BC` for a date after Christ
.moment_text = CASE WHEN _1 LIKE '% BC' THEN FORMAT_STRING('%05d%s', 1 -
    CAST(SPLIT_PART(_1, '-', 1) AS INT), REGEXP_EXTRACT(_1, '^[0-9]+(.*) BC$', 1)) ELSE _1 END
.next_date = DATE_ADD(_1, _2)
.epoch_micros .micros_or_null = UNIX_MICROS(CAST(_1 AS TIMESTAMP))
.unless_infinite = _2
.binned = _3
.timestamp_of_micros = CAST(TIMESTAMP_MICROS(_1) AS TIMESTAMP_NTZ)
.timestamptz_of_micros = TIMESTAMP_MICROS(_1)
.timestamp_in_range = CASE WHEN UNIX_MICROS(CAST(_1 AS TIMESTAMP)) < -210866803200000000 THEN
    CAST(raise_error('timestamp out of range') AS TIMESTAMP_NTZ) ELSE _1 END
.isoyear = EXTRACT(YEAROFWEEK FROM _1)
to_timestamp(float8) = CASE WHEN _1 < -210866803200 THEN CAST(raise_error('timestamp out of range')
    AS TIMESTAMP) WHEN NOT ISNAN(_1) THEN TIMESTAMP_MICROS(CAST(RINT((_1 - 946684800) * 1000000) AS
    BIGINT) + 946684800000000) WHEN _1 IS NOT NULL THEN CAST(raise_error('timestamp cannot be NaN')
    AS TIMESTAMP) END
.year = CASE WHEN YEAR(_1) > 0 THEN YEAR(_1) ELSE YEAR(_1) - 1 END
.day = DAYOFMONTH(_1)
.dow = DAYOFWEEK(_1) - 1
.isodow = WEEKDAY(_1) + 1
.week = WEEKOFYEAR(_1)
.second = EXTRACT(SECOND FROM _1)
.milliseconds = EXTRACT(SECOND FROM _1) * 1000
.microseconds = EXTRACT(SECOND FROM _1) * 1000000
.julian_of_date = UNIX_DATE(_1) + 2440588
.epoch_of_date = CAST(UNIX_DATE(_1) AS BIGINT) * 86400
.epoch_of_timestamp = CAST(UNIX_MICROS(CAST(_1 AS TIMESTAMP)) AS DECIMAL(20, 0)) *
    CAST('0.000001' AS DECIMAL(6, 6))
.add_months = _1 + MAKE_YM_INTERVAL(0, _2)
.add_days = _1 + MAKE_DT_INTERVAL(_2)
.add_micros = TIMESTAMPADD(MICROSECOND, _2, _1)
.micros_between .finite_micros_between = TIMESTAMPDIFF(MICROSECOND, _2, _1)
.timestamp_in_utc = CAST(_1 AS TIMESTAMP_NTZ)
.timestamptz_in_utc = CAST(_1 AS TIMESTAMP)
.timestamp_in_zone = CONVERT_TIMEZONE('UTC', _2, CAST(_1 AS TIMESTAMP_NTZ))
.between_days = _1 >= CAST(_2 AS TIMESTAMP_NTZ) AND _1 < CAST(_3 AS TIMESTAMP_NTZ)
.trunc_milliseconds = CAST(DATE_TRUNC('MILLISECOND', _1) AS TIMESTAMP_NTZ)
-- moments
{micros: moment} = UNIX_MICROS(CAST({moment} AS TIMESTAMP))
{day: moment} = DAYOFMONTH({moment})
{last_day: moment} = DAYOFMONTH(LAST_DAY({moment}))
{unless_endless} =
{years_bc} = WHEN _1 IS NOT NULL THEN raise_error('years before Christ are not handled')
{first_day: year} = CASE WHEN YEAR(_1) > 0 THEN
    CAST(MAKE_DATE(CASE WHEN {year} > 0 THEN {year} ELSE 0 END, 1, 1) AS TIMESTAMP_NTZ)
    WHEN _1 IS NOT NULL
    THEN CAST(raise_error('years before Christ are not handled') AS TIMESTAMP_NTZ) END
.trunc_decade = {first_day: YEAR(_1) DIV 10 * 10}
.trunc_century = {first_day: (YEAR(_1) - 1) DIV 100 * 100 + 1}
.trunc_millennium = {first_day: (YEAR(_1) - 1) DIV 1000 * 1000 + 1}
.trunc_{second,minute,hour,day,week,month,quarter,year} =
    CAST(DATE_TRUNC('{WHICH}', _1) AS TIMESTAMP_NTZ)
.century = CASE WHEN YEAR(_1) > 0 THEN (YEAR(_1) + 99) DIV 100 {years_bc} END
.millennium = CASE WHEN YEAR(_1) > 0 THEN (YEAR(_1) + 999) DIV 1000 {years_bc} END
.decade = CASE WHEN YEAR(_1) > 0 THEN YEAR(_1) DIV 10 {years_bc} END
-- time zones: a local time that exists twice is the later moment, where Spark takes the earlier
-- one; three hours later the new offset is in force
{moment} = CONVERT_TIMEZONE(_2, 'UTC', _1)
{after} = TIMESTAMPADD(HOUR, 3, {moment})
-- the local time as a moment with the offset that is in force three hours later
{later} = TIMESTAMPADD(MICROSECOND,
    TIMESTAMPDIFF(MICROSECOND, CONVERT_TIMEZONE('UTC', _2, {after}), {after}), _1)
.timestamptz_in_zone = CASE WHEN CONVERT_TIMEZONE('UTC', _2, {later}) = _1
    THEN CAST(GREATEST({moment}, {later}) AS TIMESTAMP) ELSE CAST({moment} AS TIMESTAMP) END
.unsure_timestamp = CAST(raise_error('time zone databases differ on this day') AS TIMESTAMP_NTZ)
.unsure_timestamptz = CAST(raise_error('time zone databases differ on this day') AS TIMESTAMP)

[duckdb]
{no_such_date} = error('date field value out of range')
isfinite(date) isfinite(timestamp) isfinite(timestamptz) = ISFINITE(_1)
date_pli = CASE WHEN _2 IS NULL THEN NULL WHEN ISINF(_1) THEN _1 WHEN _1
    + _2 BETWEEN DATE '4714-11-24 (BC)' AND DATE '5874897-12-31' THEN _1 + _2 WHEN _1 IS NOT NULL
    THEN error('date out of range') END
date_mii = CASE WHEN _2 IS NULL THEN NULL WHEN ISINF(_1) THEN _1
    WHEN _1 - _2 BETWEEN DATE '4714-11-24 (BC)' AND DATE '5874897-12-31' THEN _1 - _2
    WHEN _1 IS NOT NULL THEN error('date out of range') END
integer_pl_date = CASE WHEN _1 IS NULL THEN NULL WHEN ISINF(_2) THEN _2 WHEN _2
    + _1 BETWEEN DATE '4714-11-24 (BC)' AND DATE '5874897-12-31' THEN _2 + _1 WHEN _2 IS NOT NULL
    THEN error('date out of range') END
date_mi = CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL WHEN ISINF(_1) OR ISINF(_2)
    THEN error('cannot subtract infinite dates') ELSE CAST(_1 - _2 AS INT) END
.moment_text = REGEXP_REPLACE(_1, '^([-0-9]+)(.*) BC$', '\1 (BC)\2')
.next_date = CASE WHEN ISINF(_1) THEN _1 WHEN _2 > 0 AND _1 = CAST('5874897-12-31' AS DATE)
    THEN error('date out of range') ELSE CAST(_1 + _2 AS DATE) END
.epoch_micros = CASE WHEN ISINF(_1) THEN error('an infinite timestamp') ELSE EPOCH_US(_1) END
.micros_or_null = CASE WHEN NOT ISINF(_1) THEN EPOCH_US(_1) END
.unless_infinite = CASE WHEN ISINF(_1) THEN _1 ELSE _2 END
.binned = CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL WHEN ISINF(_1) THEN _1 WHEN ISINF(_2)
    THEN error('origin out of range') ELSE _3 END
.timestamp_of_micros = MAKE_TIMESTAMP(_1)
.timestamptz_of_micros = CAST(MAKE_TIMESTAMP(_1) AS TIMESTAMPTZ)
.timestamp_in_range = CASE WHEN _1 < CAST('4714-11-24 (BC)' AS TIMESTAMP) AND NOT ISINF(_1)
    THEN error('timestamp out of range') ELSE _1 END
.isoyear = CASE {endless} WHEN ISOYEAR(_1) > 0 THEN ISOYEAR(_1) ELSE ISOYEAR(_1) - 1 END
to_timestamp(float8) = CASE WHEN ISNAN(_1) THEN error('timestamp cannot be NaN') WHEN ISINF(_1)
    THEN CASE WHEN _1 > 0 THEN CAST('infinity' AS TIMESTAMPTZ) ELSE
    CAST('-infinity' AS TIMESTAMPTZ) END WHEN _1 < -210866803200
    THEN error('timestamp out of range') WHEN _1 IS NOT NULL THEN
    CAST(MAKE_TIMESTAMP(CAST(ROUND_EVEN((_1 - 946684800) * 1000000, 0) AS BIGINT)
    + 946684800000000) AS TIMESTAMPTZ) END
.year = CASE {endless} WHEN YEAR(_1) > 0 THEN YEAR(_1) ELSE YEAR(_1) - 1 END
.day = DAY(_1)
.dow = DAYOFWEEK(_1)
.isodow = ISODOW(_1)
.week = WEEK(_1)
.second = CAST(MICROSECOND(_1) AS DECIMAL(18, 0)) * CAST('0.000001' AS DECIMAL(6, 6))
.milliseconds = CAST(MICROSECOND(_1) AS DECIMAL(18, 0)) * CAST('0.001' AS DECIMAL(3, 3))
.microseconds = MICROSECOND(_1)
.decade = CASE {endless} WHEN YEAR(_1) >= 0 THEN YEAR(_1) // 10 WHEN _1 IS NOT NULL
    THEN 0 - (9 - YEAR(_1)) // 10 END
.julian_of_date = CASE {endless} ELSE _1 - DATE '1970-01-01' + 2440588 END
.epoch_of_date = CASE {endless} ELSE (_1 - DATE '1970-01-01') * 86400 END
.epoch_of_timestamp = CASE {endless} ELSE CAST(EPOCH_US(_1) AS DECIMAL(20, 0)) *
    CAST('0.000001' AS DECIMAL(6, 6)) END
.add_months = _1 + TO_MONTHS(_2)
.add_days = _1 + TO_DAYS(_2)
.add_micros = _1 + TO_MICROSECONDS(_2)
.micros_between = CASE WHEN ISINF(_1) AND _1 = _2 THEN error('interval out of range') WHEN ISINF(_1)
    OR ISINF(_2) THEN CASE WHEN _1 > _2 THEN CAST('1000000000000000000000000000000' AS HUGEINT)
    WHEN _1 < _2 THEN CAST('-1000000000000000000000000000000' AS HUGEINT) END ELSE
    CAST(CAST(EPOCH_US(_1) AS HUGEINT) - EPOCH_US(_2) AS BIGINT) END
.finite_micros_between = CASE WHEN (ISINF(_1) OR ISINF(_2)) AND NOT _1 IS NULL AND NOT _2 IS NULL
    THEN error('the difference of infinite timestamps') ELSE CAST(CAST(EPOCH_US(_1) AS HUGEINT) -
    EPOCH_US(_2) AS BIGINT) END
.timestamp_in_utc .timestamptz_in_utc = timezone('UTC', _1)
.timestamp_in_zone .timestamptz_in_zone = timezone(_2, _1)
.moved_to_infinity = CASE WHEN _1 IS NULL THEN NULL WHEN ISINF(_1) THEN CASE WHEN (_1 >
    CAST('2000-01-01' AS TIMESTAMP) AND _2 < 0) OR (_1 < CAST('2000-01-01' AS TIMESTAMP) AND _2 > 0)
    THEN error('timestamp out of range') ELSE _1 END WHEN _2 > 0 THEN CAST('infinity' AS TIMESTAMP)
    WHEN _2 < 0 THEN CAST('-infinity' AS TIMESTAMP) ELSE _3 END
.infinite_between = CASE WHEN NOT _1 IS NULL AND NOT _2 IS NULL THEN (CASE WHEN ISINF(_1) THEN CASE
    WHEN _1 > CAST('2000-01-01' AS TIMESTAMP) THEN 1 ELSE -1 END ELSE 0 END) - (CASE WHEN ISINF(_2)
    THEN CASE WHEN _2 > CAST('2000-01-01' AS TIMESTAMP) THEN 1 ELSE -1 END ELSE 0 END) END
-- moments
{micros: moment} = EPOCH_US({moment})
{day: moment} = DAY({moment})
{last_day: moment} = DAY(LAST_DAY({moment}))
{unless_endless} = WHEN ISINF(_1) OR ISINF(_2) THEN error('an infinite age')
-- a field of an infinite moment is infinite, which is no DECIMAL
{endless} = WHEN ISINF(_1) THEN error('a field of an infinite date is infinite')
.century = CASE {endless} WHEN YEAR(_1) > 0 THEN (YEAR(_1) + 99) // 100
    WHEN _1 IS NOT NULL THEN 0 - (100 - YEAR(_1)) // 100 END
.millennium = CASE {endless} WHEN YEAR(_1) > 0 THEN (YEAR(_1) + 999) // 1000
    WHEN _1 IS NOT NULL THEN 0 - (1000 - YEAR(_1)) // 1000 END
-- the first moment of so many years, of which one begins with the year `first`
{first_day: size; first} = {first_of: (YEAR(_1) - ((YEAR(_1) - {first}) % {size} + {size}) % {size})}
{first_of: year} = CASE WHEN ISINF(_1) THEN _1
    WHEN {year} < -4712 THEN error('timestamp out of range')
    WHEN _1 IS NOT NULL THEN MAKE_TIMESTAMP({year}, 1, 1, 0, 0, 0) END
.trunc_decade = {first_day: 10; 0}
.trunc_century = {first_day: 100; 1}
.trunc_millennium = {first_day: 1000; 1}
.trunc_{second,minute,hour,day,week,month,quarter,year,milliseconds} =
    CASE WHEN ISINF(_1) THEN _1 ELSE CAST(DATE_TRUNC('{which}', _1) AS TIMESTAMP) END
.unsure_{timestamp,timestamptz} = error('time zone databases differ on this day')
{start_of: day} = EPOCH_US(CAST({day} AS TIMESTAMP))
.before_day = NOT ISINF(_1) AND EPOCH_US(_1) < {start_of: _2}
.between_days = NOT ISINF(_1) AND EPOCH_US(_1) >= {start_of: _2} AND EPOCH_US(_1) < {start_of: _3}
-- a date beside a timestamp: a day that TIMESTAMP does not hold is before infinity alone
{compared: moment; day; test; beyond} = CASE WHEN {moment} IS NULL THEN NULL
    WHEN {day} > CAST('294247-01-10' AS DATE) AND NOT ISINF({day}) THEN {beyond} ELSE {test} END
{date_first: sign; beyond} = {compared: _2; _1; CAST(_1 AS TIMESTAMP) {sign} _2; {beyond}}
{date_last: sign; beyond} = {compared: _1; _2; _1 {sign} CAST(_2 AS TIMESTAMP); {beyond}}
date_eq_timestamp = {date_first: =; FALSE}
date_ne_timestamp = {date_first: <>; TRUE}
date_lt_timestamp = {date_first: <; _2 = CAST('infinity' AS TIMESTAMP)}
date_le_timestamp = {date_first: <=; _2 = CAST('infinity' AS TIMESTAMP)}
date_gt_timestamp = {date_first: >; _2 <> CAST('infinity' AS TIMESTAMP)}
date_ge_timestamp = {date_first: >=; _2 <> CAST('infinity' AS TIMESTAMP)}
timestamp_eq_date = {date_last: =; FALSE}
timestamp_ne_date = {date_last: <>; TRUE}
timestamp_lt_date = {date_last: <; _1 <> CAST('infinity' AS TIMESTAMP)}
timestamp_le_date = {date_last: <=; _1 <> CAST('infinity' AS TIMESTAMP)}
timestamp_gt_date = {date_last: >; _1 = CAST('infinity' AS TIMESTAMP)}
timestamp_ge_date = {date_last: >=; _1 = CAST('infinity' AS TIMESTAMP)}
