-- intervals and times of day

[both]
-- intervals: the numbers in PostgreSQL's text
{number: pattern; group; type} =
    CAST(COALESCE(NULLIF(REGEXP_EXTRACT(_1, '{pattern}', {group}), ''), '0') AS {type})
{clock} = ([-+]?)([0-9]+):([0-9]+):([0-9]+)[.]?([0-9]*)
{month_count: type} = {number: ([-+]?[0-9]+) year; 1; {type}} * 12 +
    {number: ([-+]?[0-9]+) mon; 1; {type}}
{day_count: type} = {number: ([-+]?[0-9]+) day; 1; {type}}
{clock_micros: type} = (CASE WHEN REGEXP_EXTRACT(_1, '{clock}', 1) = '-' THEN -1 ELSE 1 END) *
    ((({number: {clock}; 2; {type}} * 60 + {number: {clock}; 3; {type}}) * 60 +
    {number: {clock}; 4; {type}}) * 1000000 +
    CAST(RPAD(REGEXP_EXTRACT(_1, '{clock}', 5), 6, '0') AS {type}))
{of_interval: part} = CASE WHEN {matches: _1; {finite_interval}} THEN {part} WHEN _1 IS NOT NULL
    THEN CAST({error}('an infinite interval, or one that is not in the form of PostgreSQL')
    AS BIGINT) END
{finite_interval} = ^([-+]?[0-9]+ years?)?( ?[-+]?[0-9]+ mons?)?( ?[-+]?[0-9]+ days?)?(
    ?[-+]?[0-9]+:[0-9]{2}:[0-9]{2}([.][0-9]+)?)?$
{any_interval} = ^(infinity|-infinity|([-+]?[0-9]+ years?)?( ?[-+]?[0-9]+ mons?)?(
    ?[-+]?[0-9]+ days?)?( ?[-+]?[0-9]+:[0-9]{2}:[0-9]{2}([.][0-9]+)?)?)$
.interval_months = {of_interval: {month_count: BIGINT}}
.interval_days = {of_interval: {day_count: BIGINT}}
.interval_micros = {of_interval: {clock_micros: BIGINT}}
.interval_length = CASE
    WHEN _1 = 'infinity' THEN CAST('1000000000000000000000000000000' AS DECIMAL(38, 0))
    WHEN _1 = '-infinity' THEN CAST('-1000000000000000000000000000000' AS DECIMAL(38, 0))
    WHEN {matches: _1; {any_interval}} THEN CAST(CAST(({month_count: DECIMAL(20, 0)}) * 30 +
    {day_count: DECIMAL(20, 0)} AS DECIMAL(24, 0)) * 86400000000 +
    CAST({clock_micros: DECIMAL(20, 0)} AS DECIMAL(24, 0)) AS DECIMAL(38, 0))
    WHEN _1 IS NOT NULL THEN CAST({error}('an interval is not in the form of PostgreSQL')
    AS DECIMAL(38, 0)) END
-- The least number of months has no positive one of 32 bits: PostgreSQL's wraps around.
.interval_quarter = CASE WHEN _1 >= 0 THEN _1 % 12 {div} 3 + 1 WHEN _1 = -2147483648 THEN 1
    ELSE 0 - ((0 - _1) % 12 {div} 3 + 1) END
.interval_epoch = CAST(1461 * (_1 {div} 12) + 120 * (_1 % 12) + 4 * _2 AS DECIMAL(38, 0)) *
    21600000000 + _3
-- the months, days and microseconds from the smaller to the larger moment, and the sign
{time_of: moment} = (({micros: {moment}} % 86400000000 + 86400000000) % 86400000000)
{short_day} = (CASE WHEN {time_of: GREATEST(_1, _2)} < {time_of: LEAST(_1, _2)} THEN 1 ELSE 0 END)
{days_between} = ({day: GREATEST(_1, _2)} - {day: LEAST(_1, _2)} - {short_day})
{age: part} = CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL {unless_endless}
    ELSE CAST({part} AS BIGINT) * (CASE WHEN _1 < _2 THEN -1 ELSE 1 END) END
.age_months = {age: (YEAR(GREATEST(_1, _2)) - YEAR(LEAST(_1, _2))) * 12 + MONTH(GREATEST(_1, _2)) -
    MONTH(LEAST(_1, _2)) - (CASE WHEN {days_between} < 0 THEN 1 ELSE 0 END)}
.age_days = {age: {days_between} +
    (CASE WHEN {days_between} < 0 THEN {last_day: LEAST(_1, _2)} ELSE 0 END)}
.age_micros = {age: {time_of: GREATEST(_1, _2)} - {time_of: LEAST(_1, _2)} +
    {short_day} * 86400000000}
-- _1 months, _2 days, _3 microseconds; each step carries what is too much, then the signs
{aligned: value; by; high; low; tie} = (CASE
    WHEN {high} > 0 AND ({low} < 0 OR ({low} = 0 AND {tie} < 0)) THEN {value} - {by}
    WHEN {high} < 0 AND ({low} > 0 OR ({low} = 0 AND {tie} > 0)) THEN {value} + {by}
    ELSE {value} END)
{both_aligned: high; low; size; tie} = {aligned: {high}; 1; {high}; {low}; {tie}}
{whole_months} = (_1 + _2 {div} 30)
{rest_days} = (_2 % 30)
{whole_days} = (_2 + _3 {div} 86400000000)
{rest_micros} = (_3 % 86400000000)
{all_months} = (_1 + {whole_days} {div} 30)
{all_days} = ({whole_days} % 30)
{justified_days} = {aligned: {all_days}; -30; {all_months}; {all_days}; {rest_micros}}
{as: type; value} = CAST(CAST({value} AS {type}) AS BIGINT)
.justify_days_months = {as: INT; {aligned: {whole_months}; 1; {whole_months}; {rest_days}; 0}}
.justify_days_days = {as: INT; {aligned: {rest_days}; -30; {whole_months}; {rest_days}; 0}}
.justify_days_micros = {as: BIGINT; _3}
.justify_hours_months = {as: INT; _1}
.justify_hours_days = {as: INT; {aligned: {whole_days}; 1; {whole_days}; {rest_micros}; 0}}
.justify_hours_micros = {as: BIGINT;
    {aligned: {rest_micros}; -86400000000; {whole_days}; {rest_micros}; 0}}
.justify_interval_months = {as: INT;
    {aligned: {all_months}; 1; {all_months}; {all_days}; {rest_micros}}}
.justify_interval_days = {as: INT;
    {aligned: {justified_days}; 1; {justified_days}; {rest_micros}; 0}}
.justify_interval_micros = {as: BIGINT;
    {aligned: {rest_micros}; -86400000000; {justified_days}; {rest_micros}; 0}}
-- each multiplied as a double: whole numbers of months, days and microseconds
{to_micros: value} = ({rounded: ({value}) * 1000000} / 1000000)
{more_days} = {to_micros: (_1 - {int: _1}) * 30}
{seconds} = {to_micros: (_2 - {int: _2} + {more_days} - {int: {more_days}}) * 86400}
{over} = (CASE WHEN ABS({seconds}) >= 86400 THEN {int: {seconds} / 86400} ELSE 0 END)
-- FLOAT8_FITS_IN_INT32 asks before the fraction is cut, the engines' casts behind it
{fitting: value} = CASE WHEN {value} < -2147483648
    THEN CAST({error}('interval out of range') AS INT) ELSE {int: {value}} END
.float* = _1 * _2
.float/ = _1 / _2
.scaled_months = CAST({fitting: _1} AS BIGINT)
.scaled_days =
    CAST(CAST(CAST({fitting: _2} AS BIGINT) + {over} + {int: {more_days}} AS INT) AS BIGINT)
.scaled_micros = {bigint: _3 + ({seconds} - {over} * 86400) * 1000000}
-- _1 the interval's length, 10^30 where it is infinite
{far} = ABS(_1) > 100000000000000000000000000000
{sign_of_both} = THEN CAST(SIGN(_1) AS INT) * CAST(SIGN(_2) AS INT)
    WHEN NOT _1 IS NULL AND NOT _2 IS NULL THEN 0 END
.infinite_interval_mul .infinite_mul_d_interval = CASE
    WHEN ({far} OR ABS(_2) = {inf}) AND _1 <> 0 AND _2 <> 0 AND NOT ISNAN(_2) {sign_of_both}
.infinite_interval_div = CASE
    WHEN {far} AND _2 <> 0 AND NOT ISNAN(_2) AND ABS(_2) <> {inf} {sign_of_both}
-- times of day, held as text, and their microseconds
.quotient = _1 {div} _2
.remainder = _1 % _2
{text_micros: time} = ((CAST(SUBSTRING({time}, 1, 2) AS BIGINT) * 60 +
    CAST(SUBSTRING({time}, 4, 2) AS BIGINT)) * 60 + CAST(SUBSTRING({time}, 7, 2) AS BIGINT)) *
    1000000 + CAST(RPAD(SUBSTRING({time}, 10, 6), 6, '0') AS BIGINT)
.time_micros = {text_micros: _1}
{two: number} = LPAD(CAST({number} AS {text}), 2, '0')
.time_of_micros = {two: _1 {div} 3600000000} || ':' || {two: _1 {div} 60000000 % 60} || ':' ||
    {two: _1 {div} 1000000 % 60} || CASE WHEN _1 % 1000000 = 0 THEN '' ELSE '.' ||
    REGEXP_REPLACE(LPAD(CAST(_1 % 1000000 AS {text}), 6, '0'), '0+$', '') END
.micros_of_seconds = {bigint: _1 * 1000000}
.day_micros = (_1 % 86400000000 + 86400000000) % 86400000000
-- a timetz is one whole number that sorts as PostgreSQL sorts it: the microseconds in UTC, made
-- positive, then the seconds west of it
{timetz: group} = REGEXP_EXTRACT(_1, '^([0-9:.]+)([-+])([0-9]+):?([0-9]*):?([0-9]*)$', {group})
{timetz_number: group} = CAST(COALESCE(NULLIF({timetz: {group}}, ''), '0') AS BIGINT)
{west} = (CASE WHEN {timetz: 2} = '-' THEN 1 ELSE -1 END) *
    ({timetz_number: 3} * 3600 + {timetz_number: 4} * 60 + {timetz_number: 5})
{timetz_key: micros; west} = ({micros} + ({west}) * 1000000 + 1000000000000) * 200000 + ({west}) +
    100000
.timetz = {timetz_key: ({text_micros: {timetz: 1}}); {west}}
.timetz_of = {timetz_key: _1; _2}
{seconds_west} = (_1 % 200000 - 100000)
.timetz_utc = (_1 {div} 200000 - 1000000000000)
.timetz_west = {seconds_west}
.timetz_micros = (_1 {div} 200000 - 1000000000000) - {seconds_west} * 1000000
.timetz_timezone = 0 - {seconds_west}
.timetz_timezone_hour = (0 - {seconds_west}) {div} 3600
.timetz_timezone_minute = (0 - {seconds_west}) {div} 60 % 60
{given_micros} = (CAST(_1 AS BIGINT) * 3600000000 + CAST(_2 AS BIGINT) * 60000000 +
    CAST({rounded: _3 * 1000000} AS BIGINT))
.made_time = CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL
    WHEN _1 NOT BETWEEN 0 AND 24 OR _2 NOT BETWEEN 0 AND 59 OR ISNAN(_3)
    OR {rounded: _3 * 1000000} NOT BETWEEN 0 AND 60000000 OR {given_micros} > 86400000000
    THEN CAST({error}('time field value out of range') AS BIGINT) ELSE {given_micros} END
.rounded_to = CASE WHEN _1 >= 0 THEN (_1 + _2 {div} 2) {div} _2 * _2
    ELSE 0 - ((_2 {div} 2 - _1) {div} _2 * _2) END
.count_of_{months,days} = CAST(_1 AS INT)
.count_of_micros = CAST(_1 AS BIGINT)
-- the day, and as a fraction of one its whole seconds and the rest
{of_day} = ((_1 % 86400000000 + 86400000000) % 86400000000)
.julian_double = CAST((_1 - {of_day}) {div} 86400000000 + 2440588 AS DOUBLE) +
    (CAST({of_day} {div} 1000000 AS DOUBLE) + CAST({of_day} % 1000000 AS DOUBLE) /
    CAST(1000000 AS DOUBLE)) / CAST(86400 AS DOUBLE)
-- arguments that are no date, or one that PostgreSQL does not have; years BC are counted from -1
{no_date} = _1 = 0 OR _1 > 5874897
    OR (_1 < -4713 AND (_1 < -4714 OR _2 < 11 OR (_2 = 11 AND _3 < 24)))
make_date = CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL
    WHEN {no_date} THEN {no_such_date}
    ELSE MAKE_DATE(CASE WHEN _1 < 0 THEN _1 + 1 ELSE _1 END, _2, _3) END
