-- bytea and the numbers in bytes

[both]
textcat byteacat bitcat = _1 || _2
md5(text) md5(bytea) = MD5(_1)
to_hex(int8) = LOWER(HEX(_1))
.hex = HEX(_1)
.unhex = UNHEX(_1)

[spark]
octet_length(text) octet_length(bpchar) octet_length(bytea) length(bytea) = OCTET_LENGTH(_1)
bit_length(text) bit_length(bytea) = BIT_LENGTH(_1)
substring(text,int4,int4) substr(text,int4,int4) substring(bytea,int4,int4) substr(bytea,int4,int4)
    = CASE WHEN {missing_3} THEN NULL WHEN _3 < 0 THEN
    raise_error('negative substring length not allowed') ELSE SUBSTRING(_1, GREATEST(_2, 1),
    CAST(LEAST(GREATEST(CAST(_2 AS BIGINT) + _3 - GREATEST(_2, 1), 0), 2147483647) AS INT)) END
to_hex(int4) = LOWER(HEX(_1 & 4294967295))
to_oct(int8) = CONV(HEX(_1), 16, 8)
get_byte = CASE WHEN _2 < 0 AND _1 IS NOT NULL OR _2 >= OCTET_LENGTH(_1)
    THEN raise_error('index out of valid range') ELSE CAST(CONV(HEX(SUBSTRING(_1, _2
    + 1, 1)), 16, 10) AS INT) END
get_bit(bytea,int8) = CASE WHEN _2 < 0 AND _1 IS NOT NULL OR _2 >=
    CAST(OCTET_LENGTH(_1) AS BIGINT) * 8 THEN raise_error('index out of valid range')
    ELSE SHIFTRIGHT(CAST(CONV(HEX(SUBSTRING(_1, CAST(_2 DIV 8 AS INT) + 1, 1)), 16, 10) AS INT),
    CAST(_2 % 8 AS INT)) & 1 END
substring(bytea,int4) substr(bytea,int4) = CASE WHEN _2 IS NOT NULL
    THEN SUBSTRING(_1, GREATEST(_2, 1)) END
-- bytes with a comma behind each: a place is that of a whole byte
position(bytea,bytea) = CASE WHEN OCTET_LENGTH(_2) = 0 THEN CASE WHEN _1 IS NOT NULL THEN 1 END ELSE
    CAST((LOCATE(REGEXP_REPLACE(HEX(_2), '(..)', '$1,'), REGEXP_REPLACE(HEX(_1), '(..)', '$1,'))
    + 2) DIV 3 AS INT) END
reverse(bytea) = UNHEX(ARRAY_JOIN(REVERSE(REGEXP_EXTRACT_ALL(HEX(_1), '..', 0)), ''))
sha224 = UNHEX(SHA2(_1, 224))
sha256 = UNHEX(SHA2(_1, 256))
sha384 = UNHEX(SHA2(_1, 384))
sha512 = UNHEX(SHA2(_1, 512))
.to_escape = ARRAY_JOIN(TRANSFORM(REGEXP_EXTRACT_ALL(HEX(_1), '..', 0), w -> CASE WHEN w = '00'
    OR w >= '80' THEN CONCAT('\\', LPAD(CONV(w, 16, 8), 3, '0')) WHEN w = '5C' THEN '\\\\'
    ELSE CHAR(CAST(CONV(w, 16, 10) AS INT)) END), '')
overlay(bytea,bytea,int4) =
    CASE WHEN {missing_3} THEN NULL {overlaid: OCTET_LENGTH(_2); BINARY}
overlay(bytea,bytea,int4,int4) =
    CASE WHEN {missing_3} OR _4 IS NULL THEN NULL {overlaid: _4; BINARY}
-- the bytes with another one at a place
{with_byte: place; byte} = UNHEX(CONCAT(HEX(SUBSTRING(_1, 1, {place})),
    RIGHT(HEX(({byte}) + 256), 2), HEX(SUBSTRING(_1, {place} + 2))))
{byte} = CAST(CONV(HEX(SUBSTRING(_1, CAST(_2 DIV 8 AS INT) + 1, 1)), 16, 10) AS INT)
set_byte = CASE WHEN {missing_3} THEN NULL WHEN _2 < 0 OR _2 >= OCTET_LENGTH(_1)
    THEN CAST(raise_error('index out of valid range') AS BINARY)
    ELSE {with_byte: _2; _3 & 255} END
set_bit(bytea,int8,int4) = CASE WHEN {missing_3} THEN NULL
    WHEN _2 < 0 OR _2 >= CAST(OCTET_LENGTH(_1) AS BIGINT) * 8
    THEN CAST(raise_error('index out of valid range') AS BINARY)
    WHEN _3 NOT IN (0, 1) THEN CAST(raise_error('new bit must be 0 or 1') AS BINARY)
    ELSE {with_byte: CAST(_2 DIV 8 AS INT); ({byte} & (255 - SHIFTLEFT(1, CAST(_2 % 8 AS INT))))
    + SHIFTLEFT(_3, CAST(_2 % 8 AS INT))} END
{mac_of: number} = REGEXP_REPLACE(LPAD(LOWER(HEX({number})), 12, '0'), '(..)(..)(..)(..)(..)(..)',
    '$1:$2:$3:$4:$5:$6')
-- the character of a number as UTF-8: a first byte, then six bits a byte
{utf8: bytes} = DECODE(UNHEX(CONCAT({bytes})), 'UTF-8')
{first: lead; shift} = HEX(({lead} + SHIFTRIGHT(_1, {shift})))
{next: shift} = HEX((128 + (SHIFTRIGHT(_1, {shift}) & 63)))

[duckdb]
octet_length(bytea) length(bytea) = CAST(OCTET_LENGTH(_1) AS INT)
bit_length(bytea) = CAST(OCTET_LENGTH(_1) * 8 AS INT)
to_hex(int4) = LOWER(HEX(CAST(_1 AS BIGINT) & 4294967295))
get_byte = CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL WHEN _2 < 0 OR _2 >= OCTET_LENGTH(_1)
    THEN error('index out of valid range') ELSE CAST('0x' || SUBSTRING(HEX(_1), 2 * _2
    + 1, 2) AS INT) END
get_bit(bytea,int8) = CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL WHEN _2 < 0
    OR _2 >= OCTET_LENGTH(_1) * 8 THEN error('index out of valid range') ELSE (CAST('0x'
    || SUBSTRING(HEX(_1), 2 * (_2 // 8) + 1, 2) AS INT) >> CAST(_2 % 8 AS INT)) & 1 END
substring(bytea,int4) substr(bytea,int4) = CASE WHEN _2 IS NOT NULL
    THEN UNHEX(SUBSTRING(HEX(_1), 2 * GREATEST(CAST(_2 AS BIGINT), 1) - 1)) END
substring(bytea,int4,int4) substr(bytea,int4,int4) = CASE WHEN {missing_3} THEN NULL WHEN _3 < 0
    THEN error('negative substring length not allowed') ELSE UNHEX(SUBSTRING(HEX(_1), 2 *
    GREATEST(CAST(_2 AS BIGINT), 1) - 1, 2 * GREATEST(CAST(_2 AS BIGINT)
    + _3 - GREATEST(_2, 1), 0))) END
-- bytes with a comma behind each: a place is that of a whole byte
position(bytea,bytea) = CASE WHEN OCTET_LENGTH(_2) = 0 THEN CASE WHEN _1 IS NOT NULL THEN 1 END ELSE
    CAST((INSTR(REGEXP_REPLACE(HEX(_1), '(..)', '\1,', 'g'), REGEXP_REPLACE(HEX(_2), '(..)', '\1,',
    'g')) + 2) // 3 AS INT) END
reverse(bytea) = UNHEX(ARRAY_TO_STRING(LIST_REVERSE(REGEXP_EXTRACT_ALL(HEX(_1), '..')), ''))
sha256 = UNHEX(SHA256(_1))
.to_escape = CASE WHEN _1 IS NOT NULL THEN ARRAY_TO_STRING([CASE WHEN w = '00' OR w >= '80' THEN
    FORMAT('\{:03o}', CAST('0x' || w AS INT)) WHEN w = '5C' THEN '\\' ELSE CHR(CAST('0x'
    || w AS INT)) END FOR w IN REGEXP_EXTRACT_ALL(HEX(_1), '..')], '') END
{joined_bytes: length} = UNHEX(LEFT(HEX(_1), 2 * (CAST(_3 AS BIGINT) - 1)) || HEX(_2) ||
    SUBSTRING(HEX(_1), 2 * GREATEST({behind: {length}}, 1) - 1))
overlay(bytea,bytea,int4) =
    CASE WHEN {missing_3} THEN NULL {overlaid: OCTET_LENGTH(_2); {joined_bytes: OCTET_LENGTH(_2)}}
overlay(bytea,bytea,int4,int4) =
    CASE WHEN {missing_3} OR _4 IS NULL THEN NULL {overlaid: _4; {joined_bytes: _4}}
-- the bytes with another one at a place
{with_byte: place; byte} = UNHEX(LEFT(HEX(_1), 2 * {place}) || RIGHT(HEX(({byte}) + 256), 2) ||
    SUBSTRING(HEX(_1), 2 * {place} + 3))
{byte} = CAST('0x' || SUBSTRING(HEX(_1), 2 * (_2 // 8) + 1, 2) AS INT)
set_byte = CASE WHEN {missing_3} THEN NULL WHEN _2 < 0 OR _2 >= OCTET_LENGTH(_1)
    THEN error('index out of valid range') ELSE {with_byte: _2; _3 & 255} END
set_bit(bytea,int8,int4) = CASE WHEN {missing_3} THEN NULL
    WHEN _2 < 0 OR _2 >= OCTET_LENGTH(_1) * 8 THEN error('index out of valid range')
    WHEN _3 NOT IN (0, 1) THEN error('new bit must be 0 or 1')
    ELSE {with_byte: (_2 // 8); ({byte} & (255 - (1 << CAST(_2 % 8 AS INT))))
    + (_3 << CAST(_2 % 8 AS INT))} END
{mac_of: number} = REGEXP_REPLACE(LPAD(LOWER(HEX({number})), 12, '0'), '(..)(..)(..)(..)(..)(..)',
    '\1:\2:\3:\4:\5:\6')
