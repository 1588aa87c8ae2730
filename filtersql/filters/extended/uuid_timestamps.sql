-- the time in a uuid: of version 1 the tenths of microseconds since 1582, of version 7 milliseconds

[both]
{of_version: version; moment} = CASE WHEN SUBSTRING(_1, 20, 1) IN ('8', '9', 'a', 'b')
    AND SUBSTRING(_1, 15, 1) = '{version}' THEN {moment} END
{tenths} = {number: SUBSTRING(_1, 16, 3) || SUBSTRING(_1, 10, 4) || SUBSTRING(_1, 1, 8)}
{millis} = {number: SUBSTRING(_1, 1, 8) || SUBSTRING(_1, 10, 4)}
.moment_in_uuid = {of_version: 1; {moment: {tenths} {div} 10 - 12219292800000000}}
.moment_in_uuid_7 = {of_version: 7; {moment: {millis} * 1000}}

[spark]
{number: digits} = CAST(CONV({digits}, 16, 10) AS BIGINT)
{moment: micros} = TIMESTAMP_MICROS({micros})

[duckdb]
{number: digits} = CAST('0x' || {digits} AS BIGINT)
{moment: micros} = CAST(MAKE_TIMESTAMP({micros}) AS TIMESTAMPTZ)
