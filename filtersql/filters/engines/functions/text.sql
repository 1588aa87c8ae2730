-- text

[both]
quote_literal(text) = CASE {quoted}
quote_nullable(text) = CASE WHEN _1 IS NULL THEN 'NULL' {quoted}
macaddr_and = {mac_of: {mac: _1} & {mac: _2}}
macaddr_or = {mac_of: {mac: _1} | {mac: _2}}
macaddr_not = TRANSLATE(_1, '0123456789abcdef', 'fedcba9876543210')
trunc(macaddr) = LEFT(_1, 8) || ':00:00:00'
text(bool) = CASE WHEN _1 THEN 'true' WHEN NOT _1 THEN 'false' END
starts_with .begins = {starts}(_1, _2)
sqrt(float8) = CASE WHEN _1 < 0 THEN {error}('cannot take square root of a negative number')
    ELSE SQRT(_1) END
substring(text,int4) substr(text,int4) = CASE WHEN _2 IS NOT NULL
    THEN SUBSTRING(_1, GREATEST(_2, 1)) END
translate .translate = TRANSLATE(_1, _2, _3)
ascii = ASCII(_1)
lpad(text,int4) = CASE WHEN _2 > 100000000 AND _1 IS NOT NULL THEN {too_long}
    ELSE LPAD(_1, {count}, ' ') END
rpad(text,int4) = CASE WHEN _2 > 100000000 AND _1 IS NOT NULL THEN {too_long}
    ELSE RPAD(_1, {count}, ' ') END
.varchar = LEFT(_1, _2)
.bpchar = RPAD(LEFT(_1, _2), _2, ' ')
.regex_extract = REGEXP_EXTRACT(_1, _2, _3)
.regex_extract_all = REGEXP_EXTRACT_ALL(_1, _2, _3)
.regex_replace = REGEXP_REPLACE(_1, _2, _3)
.text = CAST(_1 AS {text})
-- IS NULL that no optimizer knows beforehand
.absent = COALESCE(LENGTH(CAST(_1 AS {text})), -1) < 0
to_bin(int8) = BIN(_1)

[spark]
text(bpchar) rtrim(text) .rtrim = RTRIM(_1)
length(text) char_length(text) character_length(text) textlen = CHAR_LENGTH(_1)
length(bpchar) char_length(bpchar) character_length(bpchar) = CHAR_LENGTH(RTRIM(_1))
btrim(text) = BTRIM(_1)
ltrim(text) = LTRIM(_1)
btrim(text,text) = BTRIM(_1, _2)
ltrim(text,text) = LTRIM(_2, _1)
rtrim(text,text) = RTRIM(_2, _1)
strpos position(text,text) = LOCATE(_2, _1)
replace = CASE WHEN _2 = '' AND _3 IS NOT NULL THEN _1 ELSE REPLACE(_1, _2, _3) END
reverse(text) = REVERSE(_1)
left(text,int4) = CASE WHEN _2 < 0 THEN SUBSTRING(_1, 1, GREATEST(CHAR_LENGTH(_1) +
    CAST(_2 AS BIGINT), 0)) ELSE LEFT(_1, _2) END
right(text,int4) = CASE WHEN _2 = -2147483648 THEN _1 WHEN _2 < 0 THEN SUBSTRING(_1, CAST(1 -
    CAST(_2 AS BIGINT) AS INT)) ELSE RIGHT(_1, _2) END
bpchar_pattern_lt = RTRIM(_1) < RTRIM(_2)
bpchar_pattern_le = RTRIM(_1) <= RTRIM(_2)
bpchar_pattern_gt = RTRIM(_1) > RTRIM(_2)
bpchar_pattern_ge = RTRIM(_1) >= RTRIM(_2)
split_part = CASE WHEN {missing_3} THEN NULL WHEN _3 = -2147483648 THEN ''
    ELSE SPLIT_PART(_1, _2, _3) END
repeat = CASE WHEN CAST(OCTET_LENGTH(_1) AS BIGINT) * _2 > 100000000 THEN {too_long} WHEN _1 = ''
    AND _2 IS NOT NULL THEN '' ELSE REPEAT(_1, {count}) END
lpad(text,int4,text) = CASE WHEN {missing_3} THEN NULL WHEN _3 = ''
    THEN SUBSTRING(_1, 1, GREATEST(_2, 0)) WHEN _2 > 100000000 THEN {too_long}
    ELSE LPAD(_1, GREATEST(_2, 0), _3) END
rpad(text,int4,text) = CASE WHEN {missing_3} THEN NULL WHEN _3 = ''
    THEN SUBSTRING(_1, 1, GREATEST(_2, 0)) WHEN _2 > 100000000 THEN {too_long}
    ELSE RPAD(_1, GREATEST(_2, 0), _3) END
.raise = RAISE_ERROR(_1)
.like = _1 LIKE _2
.regex_place = CASE WHEN _1 THEN CHAR_LENGTH(_2) + _3 WHEN NOT _1 THEN 0 END
.matches = _1 RLIKE _2
to_bin(int4) = BIN(_1 & 4294967295)
to_oct(int4) = CONV(CAST(_1 & 4294967295 AS STRING), 10, 8)
uuid_extract_version = CASE WHEN SUBSTRING(_1, 20, 1) IN ('8', '9', 'a', 'b') THEN
    CAST(CONV(SUBSTRING(_1, 15, 1), 16, 10) AS SMALLINT) END
.initcap = ARRAY_JOIN(TRANSFORM(REGEXP_EXTRACT_ALL(_1, '[0-9A-Za-z]+|[^0-9A-Za-z]+', 0), w ->
    CONCAT(TRANSLATE(LEFT(w, 1), 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'),
    TRANSLATE(SUBSTRING(w, 2), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'))), '')
.to_base64 = REGEXP_REPLACE(REPLACE(BASE64(_1), CONCAT(CHR(13), CHR(10)), ''), '([^=]{76})',
    CONCAT('$1', CHR(10)))
.of_base64 = UNBASE64(_1)
.replaced_all = REGEXP_REPLACE(_1, _2, _3)
.like_pattern = REGEXP_REPLACE(_1, '(?s)(\\\\[%_\\\\])|\\\\(.)', '$1$2')
.like_unfinished = _1 RLIKE '(?s)^([^\\\\]|\\\\.)*+\\\\$'
{overlaid: length; type} = WHEN _3 <= 0
    THEN CAST(raise_error('negative substring length not allowed') AS {type})
    WHEN CAST(_3 AS BIGINT) + {length} > 2147483647
    THEN CAST(raise_error('integer out of range') AS {type})
    ELSE CONCAT(SUBSTRING(_1, 1, _3 - 1), _2,
    SUBSTRING(_1, CAST(GREATEST(CAST(_3 AS BIGINT) + {length}, 1) AS INT))) END
overlay(text,text,int4) overlay(bit,bit,int4) =
    CASE WHEN {missing_3} THEN NULL {overlaid: CHAR_LENGTH(_2); STRING}
overlay(text,text,int4,int4) overlay(bit,bit,int4,int4) =
    CASE WHEN {missing_3} OR _4 IS NULL THEN NULL {overlaid: _4; STRING}
{mac: address} = CAST(CONV(REPLACE({address}, ':', ''), 16, 10) AS BIGINT)
chr = CASE WHEN _1 < 0 OR _1 > 1114111 OR _1 BETWEEN 55296 AND 57343 OR _1 = 0
    THEN raise_error('requested character is not valid') WHEN _1 < 128 THEN CHAR(_1)
    WHEN _1 < 2048 THEN {utf8: {first: 192; 6}, {next: 0}}
    WHEN _1 < 65536 THEN {utf8: {first: 224; 12}, {next: 6}, {next: 0}}
    WHEN _1 IS NOT NULL THEN {utf8: {first: 240; 18}, {next: 12}, {next: 6}, {next: 0}} END
{quoted} = WHEN CONTAINS(_1, '\\') THEN CONCAT('E', CHR(39), REPLACE(REPLACE(_1, '\\', '\\\\'),
    CHR(39), CONCAT(CHR(39), CHR(39))), CHR(39))
    ELSE CONCAT(CHR(39), REPLACE(_1, CHR(39), CONCAT(CHR(39), CHR(39))), CHR(39)) END

[duckdb]
text(bpchar) rtrim(text) .rtrim = RTRIM(_1, ' ')
length(text) char_length(text) character_length(text) textlen = CAST(LENGTH(_1) AS INT)
length(bpchar) char_length(bpchar) character_length(bpchar) = CAST(LENGTH(RTRIM(_1, ' ')) AS INT)
octet_length(text) octet_length(bpchar) = CAST(STRLEN(_1) AS INT)
bit_length(text) = CAST(STRLEN(_1) * 8 AS INT)
btrim(text) = TRIM(_1, ' ')
ltrim(text) = LTRIM(_1, ' ')
btrim(text,text) = TRIM(_1, _2)
ltrim(text,text) = LTRIM(_1, _2)
rtrim(text,text) = RTRIM(_1, _2)
strpos position(text,text) = CAST(INSTR(_1, _2) AS INT)
replace = CASE WHEN _2 = '' THEN CASE WHEN _3 IS NOT NULL THEN _1 END ELSE REPLACE(_1, _2, _3) END
-- REVERSE leaves an accent behind its letter
reverse(text) = ARRAY_TO_STRING(LIST_REVERSE(STRING_SPLIT(_1, '')), '')
left(text,int4) = LEFT(_1, _2)
right(text,int4) = CASE WHEN _2 = -2147483648 THEN _1 ELSE RIGHT(_1, _2) END
bpchar_pattern_lt = RTRIM(_1, ' ') < RTRIM(_2, ' ')
bpchar_pattern_le = RTRIM(_1, ' ') <= RTRIM(_2, ' ')
bpchar_pattern_gt = RTRIM(_1, ' ') > RTRIM(_2, ' ')
bpchar_pattern_ge = RTRIM(_1, ' ') >= RTRIM(_2, ' ')
substring(text,int4,int4) substr(text,int4,int4) = CASE WHEN {missing_3} THEN NULL WHEN _3 < 0
    THEN error('negative substring length not allowed') ELSE SUBSTRING(_1, GREATEST(_2, 1),
    GREATEST(CAST(_2 AS BIGINT) + _3 - GREATEST(_2, 1), 0)) END
split_part = CASE WHEN {missing_3} THEN NULL WHEN _3 = 0 THEN
    error('field position must not be zero') WHEN _2 = '' AND _3 IN (1, -1) THEN _1 WHEN _2 = ''
    OR _3 = -2147483648 THEN '' ELSE SPLIT_PART(_1, _2, _3) END
repeat = CASE WHEN CAST(STRLEN(_1) AS BIGINT) * _2 > 100000000 THEN {too_long} WHEN _1 = ''
    AND _2 IS NOT NULL THEN '' ELSE REPEAT(_1, {count}) END
lpad(text,int4,text) = CASE WHEN {missing_3} THEN NULL WHEN _3 = '' THEN LEFT(_1, GREATEST(_2, 0))
    WHEN _2 > 100000000 THEN {too_long} ELSE LPAD(_1, GREATEST(_2, 0), _3) END
rpad(text,int4,text) = CASE WHEN {missing_3} THEN NULL WHEN _3 = '' THEN LEFT(_1, GREATEST(_2, 0))
    WHEN _2 > 100000000 THEN {too_long} ELSE RPAD(_1, GREATEST(_2, 0), _3) END
.raise = error(_1)
.like = _1 LIKE _2 ESCAPE '\'
.regex_place = CASE WHEN _1 THEN CAST(LENGTH(_2) + _3 AS INT) WHEN NOT _1 THEN 0 END
.matches = REGEXP_MATCHES(_1, _2)
chr = CASE WHEN _1 < 0 OR _1 > 1114111 OR _1 BETWEEN 55296 AND 57343 OR _1 = 0
    THEN error('requested character is not valid') ELSE CHR(_1) END
to_bin(int4) = BIN(CAST(_1 AS BIGINT) & 4294967295)
to_oct(int4) = FORMAT('{:o}', CAST(_1 AS BIGINT) & 4294967295)
-- 64 bits are 21 digits and the sign
to_oct(int8) = CASE WHEN _1 >= 0 THEN FORMAT('{:o}', _1) WHEN _1 < 0 THEN '1'
    || LPAD(FORMAT('{:o}', _1 & 9223372036854775807), 21, '0') END
uuid_extract_version = CASE WHEN SUBSTRING(_1, 20, 1) IN ('8', '9', 'a', 'b') THEN CAST('0x'
    || SUBSTRING(_1, 15, 1) AS SMALLINT) END
.initcap = CASE WHEN _1 IS NOT NULL THEN ARRAY_TO_STRING([TRANSLATE(LEFT(w, 1),
    'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')
    || TRANSLATE(SUBSTRING(w, 2), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')
    FOR w IN REGEXP_EXTRACT_ALL(_1, '[0-9A-Za-z]+|[^0-9A-Za-z]+')], '') END
.to_base64 = REGEXP_REPLACE(BASE64(_1), '([^=]{76})', '\1' || CHR(10), 'g')
.of_base64 = FROM_BASE64(_1)
.regex_replace_all .replaced_all = REGEXP_REPLACE(_1, _2, _3, 'g')
.like_pattern = REGEXP_REPLACE(_1, '(?s)(\\[%_\\])|\\(.)', '\1\2', 'g')
.like_unfinished = REGEXP_MATCHES(_1, '(?s)^([^\\]|\\.)*\\$')
{behind: length} = CAST(_3 AS BIGINT) + {length}
{overlaid: length; made} = WHEN _3 <= 0 THEN error('negative substring length not allowed')
    WHEN {behind: {length}} > 2147483647 THEN error('integer out of range') ELSE {made} END
{joined_texts: length} = LEFT(_1, _3 - 1) || _2 || SUBSTRING(_1, GREATEST({behind: {length}}, 1))
overlay(text,text,int4) overlay(bit,bit,int4) =
    CASE WHEN {missing_3} THEN NULL {overlaid: LENGTH(_2); {joined_texts: LENGTH(_2)}}
overlay(text,text,int4,int4) overlay(bit,bit,int4,int4) =
    CASE WHEN {missing_3} OR _4 IS NULL THEN NULL {overlaid: _4; {joined_texts: _4}}
{mac: address} = CAST('0x' || REPLACE({address}, ':', '') AS BIGINT)
{quoted} = WHEN CONTAINS(_1, '\') THEN 'E''' ||
    REPLACE(REPLACE(_1, '\', '\\'), '''', '''''') || ''''
    ELSE '''' || REPLACE(_1, '''', '''''') || '''' END
