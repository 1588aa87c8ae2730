-- numbers

[both]
{degree} = CAST('0.017453292519943295' AS DOUBLE)
degrees(float8) = CASE WHEN ABS(_1 / {degree}) = {inf} AND ABS(_1) <> {inf} THEN {too_big}
    ELSE _1 / {degree} END
radians(float8) = CASE WHEN _1 * {degree} = 0 AND _1 <> 0 THEN {too_small} ELSE _1 * {degree} END
{signed_quotient: quotient} = CAST(SIGN(_1) * SIGN(_2) AS INT) * {quotient}
-- a number's bytes, the highest first, and the number that some bytes are
{bytes_of: digits} = UNHEX(RIGHT('000000000000000' || HEX(CAST(_1 AS BIGINT)), {digits}))
bytea(int2) = {bytes_of: 4}
bytea(int4) = {bytes_of: 8}
bytea(int8) = {bytes_of: 16}
{of_bytes: size; type; name; half; whole} = CASE WHEN OCTET_LENGTH(_1) > {size}
    THEN CAST({error}('{name} out of range') AS {type}) ELSE
    CAST((CAST({hex_number} AS {huge}) + CAST('{half}' AS {huge})) % CAST('{whole}' AS {huge})
    - CAST('{half}' AS {huge}) AS {type}) END
int2(bytea) = {of_bytes: 2; SMALLINT; smallint; 32768; 65536}
int4(bytea) = {of_bytes: 4; INT; int; 2147483648; 4294967296}
int8(bytea) = {of_bytes: 8; BIGINT; bigint; 9223372036854775808; 18446744073709551616}
gcd(int4,int4) = CASE WHEN NOT _1 IS NULL AND NOT _2 IS NULL THEN CAST({gcd} AS INT) END
gcd(int8,int8) = CASE WHEN NOT _1 IS NULL AND NOT _2 IS NULL THEN CAST({gcd} AS BIGINT) END
{multiple: type} = CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL WHEN _1 = 0 OR _2 = 0 THEN 0
    ELSE CAST({lcm} AS {type}) END
lcm(int4,int4) = {multiple: INT}
lcm(int8,int8) = {multiple: BIGINT}
-- the bits that are set in bytes, by their hexadecimal digits
{set_bits: count; digits; others} =
    LENGTH(TRANSLATE(HEX(_1), '{digits}{others}', '{digits}')) * {count}
bit_count(bytea) = CAST({set_bits: 1; 1248; 035679ABCDEF} + {set_bits: 2; 3569AC; 012478BDEF} +
    {set_bits: 3; 7BDE; 012345689ACF} + {set_bits: 4; F; 0123456789ABCDE} AS BIGINT)
-- which of _4 buckets between _2 and _3 holds _1; 0 before the first
{share: value; from; low; high} = CASE WHEN {high} - {low} < {inf}
    THEN ({value} - {from}) / ({high} - {low})
    ELSE ({value} / 2 - {from} / 2) / ({high} / 2 - {low} / 2) END
{bucket: share} = CAST(LEAST(CAST(FLOOR(_4 * {share}) AS BIGINT), CAST(_4 AS BIGINT) - 1) + 1 AS INT)
width_bucket(float8,float8,float8,int4) = CASE
    WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL OR _4 IS NULL THEN NULL
    WHEN _4 <= 0 THEN CAST({error}('count must be greater than zero') AS INT)
    WHEN ISNAN(_1) OR ISNAN(_2) OR ISNAN(_3) OR ABS(_2) = {inf} OR ABS(_3) = {inf}
    THEN CAST({error}('bounds must be finite and nothing may be NaN') AS INT)
    WHEN _2 = _3 THEN CAST({error}('lower bound cannot equal upper bound') AS INT)
    WHEN _2 < _3 AND _1 < _2 OR _2 > _3 AND _1 > _2 THEN 0
    WHEN _2 < _3 AND _1 >= _3 OR _2 > _3 AND _1 <= _3 THEN CAST(CAST(_4 AS BIGINT) + 1 AS INT)
    WHEN _2 < _3 THEN {bucket: {share: _1; _2; _2; _3}} ELSE {bucket: {share: _2; _1; _3; _2}} END
.scale = CASE WHEN NOT _1 IN ('NaN', 'Infinity', '-Infinity')
    THEN CAST(LENGTH(SPLIT_PART(_1, '.', 2)) AS INT) END
.min_scale = CASE WHEN NOT _1 IN ('NaN', 'Infinity', '-Infinity')
    THEN CAST(LENGTH({rtrim: SPLIT_PART(_1, '.', 2); 0}) AS INT) END
int{2,4,8}up float{4,8}up = _1
int{4,8}abs abs(int4) abs(int8) float{4,8}abs abs(float4) abs(float8) = ABS(_1)
int{2,4,8}not = ~_1
float{4,8}um = -_1
int2(int4) int2(int8) = CAST(_1 AS SMALLINT)
int4(int2) int4(int8) int4(bool) = CAST(_1 AS INT)
int8(int2) int8(int4) = CAST(_1 AS BIGINT)
bool(int4) = _1 <> 0
float4(int2) .float4_literal = CAST(_1 AS {real})
float8(int2) float8(int4) float8(int8) float8(float4) .float8_literal = CAST(_1 AS DOUBLE)
dsqrt = CASE WHEN _1 < 0 THEN {error}('cannot take square root of a negative number')
    ELSE SQRT(_1) END
pi() = CAST('3.141592653589793' AS DOUBLE)
.decimal_mod = _1 % _2
.product = _1 * _2
.numeric_double = CAST(REGEXP_EXTRACT(_1, '^(NaN|-?(Infinity|(0|[1-9][0-9]*)([.][0-9]+)?))$', 0) AS
    DOUBLE)
.numeric_negative = {starts}(_1, '-')
.round = ROUND(_1, _2)
.ceil = CEIL(_1)
.floor = FLOOR(_1)

[spark]
int{2,4,8,24,42,28,82,48,84}pl = _1 + _2
int{2,4,8,24,42,28,82,48,84}mi = _1 - _2
int{2,4,8,24,42,28,82,48,84}mul = _1 * _2
int2div = CAST(_1 DIV _2 AS SMALLINT)
int{4,24,42}div = CAST(_1 DIV _2 AS INT)
int{8,28,82,48,84}div = CAST(_1 AS BIGINT) DIV CAST(_2 AS BIGINT)
int{2,4,8}mod mod(int2,int2) mod(int4,int4) mod(int8,int8) = _1 % _2
int{2,4,8}um = -_1
int2abs abs(int2) = ABS(_1)
int{2,4,8}and = _1 & _2
int{2,4,8}or = _1 | _2
int{2,4,8}xor = _1 ^ _2
int2(float4) int2(float8) = CAST(RINT(_1) AS SMALLINT)
int4(float4) int4(float8) = CAST(RINT(_1) AS INT)
-- 2^63 is not a bigint, but Spark's cast takes it for the largest one
int8(float4) int8(float8) = CASE WHEN _1 >= 9223372036854775808D THEN
    CAST(raise_error('bigint out of range') AS BIGINT) ELSE CAST(RINT(_1) AS BIGINT) END
-- of two casts in a row, the second to DOUBLE, Spark leaves the first out: it looks wider
float4(int4) float4(int8) = CAST(_1 AS FLOAT) + CAST(0 AS FLOAT)
float4(float8) = CASE WHEN ABS(CAST(_1 AS FLOAT)) = {inf} AND ABS(_1) <> {inf} THEN {too_big} WHEN
    CAST(_1 AS FLOAT) = 0 AND _1 <> 0 THEN {too_small} ELSE CAST(_1 AS FLOAT) END
dround round(float8) = RINT(_1)
floor(float8) = CASE WHEN ABS(_1) < 4503599627370496D THEN CAST(FLOOR(_1) AS DOUBLE) ELSE _1 END
ceil(float8) ceiling(float8) = CASE WHEN ABS(_1) < 4503599627370496D THEN CAST(CEIL(_1) AS DOUBLE)
    ELSE _1 END
dtrunc trunc(float8) = CASE WHEN ABS(_1) < 4503599627370496D THEN CASE WHEN _1 < 0 THEN
    CAST(CEIL(_1) AS DOUBLE) ELSE CAST(FLOOR(_1) AS DOUBLE) END ELSE _1 END
sign(float8) = CASE WHEN ISNAN(_1) THEN 0D ELSE SIGN(_1) END
int{4,8}shl = SHIFTLEFT(_1, _2)
int{4,8}shr = SHIFTRIGHT(_1, _2)
int2shl = CAST(((SHIFTLEFT(CAST(_1 AS INT), _2) & 65535) ^ 32768) - 32768 AS SMALLINT)
int2shr = CAST(SHIFTRIGHT(CAST(_1 AS INT), _2) AS SMALLINT)
.text_to_float8 = CASE WHEN _1 IN ('NaN', 'Infinity', '-Infinity') THEN CAST(_1 AS DOUBLE)
    WHEN ABS(CAST(_1 AS DOUBLE)) = {inf} THEN {too_big} WHEN CAST(_1 AS DOUBLE) = 0
    AND NOT _1 RLIKE '^-?[0.]+$' THEN {too_small} ELSE CAST(_1 AS DOUBLE) END
.scaled_up = CAST(_1 * _2 AS DECIMAL(38, 0))
.unscaled = CAST(REPLACE(CAST(_1 AS STRING), '.', '') AS DECIMAL(38, 0))
.decimal_to_float8 = CAST(_1 AS DOUBLE)
.decimal_to_float4 = CAST(_1 AS FLOAT)
.numeric_canonical = _1 RLIKE '^-?[0-9]+([.][0-9]+)?$'
.numeric_zero = _1 RLIKE '^-?[0.]+$'
.numeric_digits = LPAD(CHAR_LENGTH(LTRIM('0', SPLIT_PART(LTRIM('-', _1), '.', 1))), 6, '0')
    || LTRIM('0', SPLIT_PART(LTRIM('-', _1), '.', 1)) || RTRIM('0', SPLIT_PART(_1, '.', 2))
.text_rounded = (CAST(SPLIT_PART(LTRIM('-', _1), '.', 1) AS DECIMAL(30, 0)) + CASE
    WHEN SUBSTR(SPLIT_PART(_1, '.', 2), 1, 1) IN ('5', '6', '7', '8', '9') THEN 1 ELSE 0 END) * CASE
    WHEN STARTSWITH(_1, '-') THEN -1 ELSE 1 END
.trunc = CASE WHEN _1 < 0 THEN CEIL(_1, _2) ELSE FLOOR(_1, _2) END
{hex_number} = CONV('0' || HEX(_1), 16, 10)
-- floating point: PostgreSQL raises where IEEE gives an infinity, a zero or NaN
{beyond: result} = ABS({result}) = {inf} AND ABS(_1) <> {inf}
{sum: result} = CASE WHEN {beyond: {result}} AND ABS(_2) <> {inf} THEN {too_big} ELSE {result} END
{product: result} = CASE WHEN {beyond: {result}} AND ABS(_2) <> {inf} THEN {too_big}
    WHEN {result} = 0 AND _1 <> 0 AND _2 <> 0 THEN {too_small} ELSE {result} END
{fraction: result} = CASE WHEN ISNAN(_1) AND _2 = 0 THEN _1
    WHEN _2 <> 0 AND {beyond: {result}} THEN {too_big}
    WHEN _2 <> 0 AND {result} = 0 AND _1 <> 0 AND ABS(_2) <> {inf} THEN {too_small}
    ELSE {result} END
float4pl = {sum: CAST(_1 + _2 AS FLOAT)}
float4mi = {sum: CAST(_1 - _2 AS FLOAT)}
float4mul = {product: CAST(_1 * _2 AS FLOAT)}
float4div = {fraction: CAST(_1 / _2 AS FLOAT)}
float{8,48,84}pl = {sum: _1 + _2}
float{8,48,84}mi = {sum: _1 - _2}
float{8,48,84}mul = {product: _1 * _2}
float{8,48,84}div = {fraction: _1 / _2}
-- Euclid's steps, of which 64 bits need 94 at the most
{gcd} = AGGREGATE(SEQUENCE(1, 94), NAMED_STRUCT('a', CAST(_1 AS BIGINT), 'b', CAST(_2 AS BIGINT)),
    (acc, step) -> CASE WHEN acc.b = 0 THEN acc
    ELSE NAMED_STRUCT('a', acc.b, 'b', acc.a % acc.b) END,
    acc -> ABS(CAST(acc.a AS DECIMAL(20, 0))))
{lcm} = ABS(CAST(_1 AS DECIMAL(19, 0)) DIV {gcd} * CAST(_2 AS DECIMAL(19, 0)))
.quotient_trunc = {signed_quotient: CAST((ABS(_1) - ABS(_1) % ABS(_2)) / ABS(_2) AS DECIMAL(38, 0))}

[duckdb]
-- integers: in the next wider type, so that no rewriting loses the overflow
int2pl = CAST(CAST(_1 AS INT) + _2 AS SMALLINT)
int{4,24,42}pl = CAST(CAST(_1 AS BIGINT) + _2 AS INT)
int{8,28,82,48,84}pl = CAST(CAST(_1 AS HUGEINT) + _2 AS BIGINT)
int2mi = CAST(CAST(_1 AS INT) - _2 AS SMALLINT)
int{4,24,42}mi = CAST(CAST(_1 AS BIGINT) - _2 AS INT)
int{8,28,82,48,84}mi = CAST(CAST(_1 AS HUGEINT) - _2 AS BIGINT)
int2mul = CAST(CAST(_1 AS INT) * _2 AS SMALLINT)
int{4,24,42}mul = CAST(CAST(_1 AS BIGINT) * _2 AS INT)
int{8,28,82,48,84}mul = CAST(CAST(_1 AS HUGEINT) * _2 AS BIGINT)
int2div = CAST(CAST(_1 AS INT) // CAST(_2 AS INT) AS SMALLINT)
int{4,24,42}div = CAST(CAST(_1 AS BIGINT) // CAST(_2 AS BIGINT) AS INT)
int{8,28,82,48,84}div = CAST(CAST(_1 AS HUGEINT) // CAST(_2 AS HUGEINT) AS BIGINT)
int2mod mod(int2,int2) = CAST(CAST(_1 AS INT) % CAST(_2 AS INT) AS SMALLINT)
int4mod mod(int4,int4) = CAST(CAST(_1 AS BIGINT) % CAST(_2 AS BIGINT) AS INT)
int8mod mod(int8,int8) = CAST(CAST(_1 AS HUGEINT) % CAST(_2 AS HUGEINT) AS BIGINT)
int2um = CAST(-CAST(_1 AS INT) AS SMALLINT)
int4um = CAST(-CAST(_1 AS BIGINT) AS INT)
int8um = CAST(-CAST(_1 AS HUGEINT) AS BIGINT)
int2abs abs(int2) = CAST(ABS(CAST(_1 AS INT)) AS SMALLINT)
int2and = CAST(CAST(_1 AS INT) & CAST(_2 AS INT) AS SMALLINT)
int4and = CAST(CAST(_1 AS BIGINT) & CAST(_2 AS BIGINT) AS INT)
int8and = CAST(_1 AS BIGINT) & CAST(_2 AS BIGINT)
int2or = CAST(CAST(_1 AS INT) | CAST(_2 AS INT) AS SMALLINT)
int4or = CAST(CAST(_1 AS BIGINT) | CAST(_2 AS BIGINT) AS INT)
int8or = CAST(_1 AS BIGINT) | CAST(_2 AS BIGINT)
int2xor = CAST(XOR(CAST(_1 AS INT), CAST(_2 AS INT)) AS SMALLINT)
int4xor = CAST(XOR(CAST(_1 AS BIGINT), CAST(_2 AS BIGINT)) AS INT)
int8xor = XOR(CAST(_1 AS BIGINT), CAST(_2 AS BIGINT))
float{4,8,48,84}pl = CASE WHEN ISINF(_1 + _2) AND NOT ISINF(_1) AND NOT ISINF(_2) THEN {too_big}
    ELSE _1 + _2 END
float{4,8,48,84}mi = CASE WHEN ISINF(_1 - _2) AND NOT ISINF(_1) AND NOT ISINF(_2) THEN {too_big}
    ELSE _1 - _2 END
float{4,8,48,84}mul = CASE WHEN ISINF(_1 * _2) AND NOT ISINF(_1) AND NOT ISINF(_2) THEN {too_big}
    WHEN _1 * _2 = 0 AND _1 <> 0 AND _2 <> 0 THEN {too_small} ELSE _1 * _2 END
float{4,8,48,84}div = CASE WHEN ISNAN(_1) THEN _1 + _2 WHEN _2 = 0 AND _1 IS NOT NULL
    THEN error('division by zero') WHEN ISINF(_1 / _2) AND NOT ISINF(_1) THEN {too_big}
    WHEN _1 / _2 = 0 AND _1 <> 0 AND NOT ISINF(_2) THEN {too_small} ELSE _1 / _2 END
int2(float4) int2(float8) = CAST(ROUND_EVEN(_1, 0) AS SMALLINT)
int4(float4) int4(float8) = CAST(ROUND_EVEN(_1, 0) AS INT)
int8(float4) int8(float8) = CAST(ROUND_EVEN(_1, 0) AS BIGINT)
float4(int4) float4(int8) = CAST(_1 AS REAL)
float4(float8) = CASE WHEN CAST(_1 AS REAL) = 0 AND _1 <> 0 THEN {too_small} ELSE
    CAST(_1 AS REAL) END
dround round(float8) = ROUND_EVEN(_1, 0)
floor(float8) = FLOOR(_1)
ceil(float8) ceiling(float8) = CEIL(_1)
dtrunc trunc(float8) = TRUNC(_1)
sign(float8) = CASE WHEN ISNAN(_1) THEN CAST(0 AS DOUBLE) ELSE CAST(SIGN(_1) AS DOUBLE) END
.text_to_float8 = CASE WHEN _1 IN ('NaN', 'Infinity', '-Infinity') THEN CAST(_1 AS DOUBLE)
    WHEN ABS(CAST(_1 AS DOUBLE)) = {inf} THEN {too_big} WHEN CAST(_1 AS DOUBLE) = 0
    AND NOT REGEXP_FULL_MATCH(_1, '-?[0.]+') THEN {too_small} ELSE CAST(_1 AS DOUBLE) END
.scaled_up = CAST(CAST(_1 * _2 AS DECIMAL(38, 0)) AS HUGEINT)
.unscaled = CAST(REPLACE(CAST(_1 AS TEXT), '.', '') AS HUGEINT)
.decimal_to_float8 = CAST(CAST(_1 AS TEXT) AS DOUBLE)
.decimal_to_float4 = CAST(CAST(_1 AS TEXT) AS REAL)
.numeric_canonical = REGEXP_FULL_MATCH(_1, '-?[0-9]+([.][0-9]+)?')
.numeric_zero = REGEXP_FULL_MATCH(_1, '-?[0.]+')
.numeric_digits = LPAD(CAST(LENGTH(LTRIM(SPLIT_PART(LTRIM(_1, '-'), '.', 1), '0')) AS TEXT), 6, '0')
    || LTRIM(SPLIT_PART(LTRIM(_1, '-'), '.', 1), '0') || RTRIM(SPLIT_PART(_1, '.', 2), '0')
.text_rounded = (CAST(SPLIT_PART(LTRIM(_1, '-'), '.', 1) AS DECIMAL(30, 0)) + CASE
    WHEN SUBSTR(SPLIT_PART(_1, '.', 2), 1, 1) IN ('5', '6', '7', '8', '9') THEN 1 ELSE 0 END) * CASE
    WHEN STARTS_WITH(_1, '-') THEN -1 ELSE 1 END
.trunc = TRUNC(_1, _2)
{hex_number} = '0x0' || HEX(_1)
-- shifts: PostgreSQL's machine takes the count modulo the width, bits fall off
{power: most} = (CAST(1 AS HUGEINT) << (_2 & {most}))
{shifted_left: most; half; full} = ((CAST(_1 AS HUGEINT) * {power: {most}} + {half}) % {full}
    + {full}) % {full} - {half}
{shifted_right: most} = (CAST(_1 AS HUGEINT)
    - (CAST(_1 AS HUGEINT) % {power: {most}} + {power: {most}}) % {power: {most}})
    // {power: {most}}
int4shl = CAST({shifted_left: 31; 2147483648; 4294967296} AS INT)
int4shr = CAST({shifted_right: 31} AS INT)
int8shl = CAST({shifted_left: 63; 9223372036854775808; 18446744073709551616} AS BIGINT)
int8shr = CAST({shifted_right: 63} AS BIGINT)
int2shl = CAST({shifted_left: 31; 32768; 65536} AS SMALLINT)
int2shr = CAST({shifted_right: 31} AS SMALLINT)
.quotient_trunc = {signed_quotient: (ABS(_1) // ABS(_2))}
{gcd} = GCD(CAST(_1 AS HUGEINT), CAST(_2 AS HUGEINT))
{lcm} = LCM(CAST(_1 AS HUGEINT), CAST(_2 AS HUGEINT))
