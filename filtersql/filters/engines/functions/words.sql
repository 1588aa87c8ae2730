-- words that the engines spell differently, and fragments of many texts

[both]
{inf} = CAST('Infinity' AS DOUBLE)
{too_big} = {error}('value out of range: overflow')
{too_small} = {error}('value out of range: underflow')
{too_long} = {error}('requested length too large')
{count} = CASE WHEN _2 IS NOT NULL THEN GREATEST(_2, 0) END
{missing_3} = _1 IS NULL OR _2 IS NULL OR _3 IS NULL

[spark]
{error} = raise_error
{text} = STRING
{div} = DIV
{starts} = STARTSWITH
{timestamp} = TIMESTAMP_NTZ
{timestamptz} = TIMESTAMP
{real} = FLOAT
{huge} = DECIMAL(38, 0)
{all} =
{length: text} = CHAR_LENGTH({text})
{matches: text; pattern} = {text} RLIKE '{pattern}'
{rounded: number} = RINT({number})
{int: number} = CAST({number} AS INT)
-- a double as a bigint: Spark's cast of 2^63 gives the largest one
{bigint: number} = {let: {rounded: {number}}; whole; CASE
    WHEN whole >= CAST(9223372036854775808 AS DOUBLE)
    THEN CAST(raise_error('bigint out of range') AS BIGINT) ELSE CAST(whole AS BIGINT) END}
{let: value; name; result} = TRY_ELEMENT_AT(TRANSFORM(ARRAY({value}), {name} -> {result}), 1)
{with: value; name; result} = TRANSFORM(ARRAY({value}), {name} -> {result})[0]
{pair} = ARRAY(_1, _2)
{of_pair: place} = TRY_ELEMENT_AT(ab, {place})
-- without zeros before or behind
{ltrim: text; sign} = LTRIM('{sign}', {text})
{rtrim: text; sign} = RTRIM('{sign}', {text})

[duckdb]
{error} = error
{text} = TEXT
{div} = //
{starts} = STARTS_WITH
{timestamp} = TIMESTAMP
{timestamptz} = TIMESTAMPTZ
{real} = REAL
{huge} = HUGEINT
{all} = , 'g'
{length: text} = LENGTH({text})
{matches: text; pattern} = REGEXP_MATCHES({text}, '{pattern}')
{rounded: number} = ROUND_EVEN({number}, 0)
{int: number} = CAST(TRUNC({number}) AS INT)
{bigint: number} = CAST({rounded: {number}} AS BIGINT)
{let: value; name; result} = LIST_EXTRACT([{result} FOR {name} IN [{value}]], 1)
{with: value; name; result} = [{result} FOR {name} IN [{value}]][1]
{pair} = [_1, _2]
{of_pair: place} = LIST_EXTRACT(ab, {place})
-- without zeros before or behind
{ltrim: text; sign} = LTRIM({text}, '{sign}')
{rtrim: text; sign} = RTRIM({text}, '{sign}')
