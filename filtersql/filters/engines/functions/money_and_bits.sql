-- money, bit strings, bounds of ranges

[both]
-- money
.money = CASE WHEN {matches: _1; ^-?[$][0-9]{1,3}(,[0-9]{3})*[.][0-9]{2}$}
    THEN CAST(REPLACE(REPLACE(REPLACE(_1, '$', ''), ',', ''), '.', '') AS BIGINT)
    WHEN _1 IS NOT NULL
    THEN CAST({error}('money is not in the form of the locales C and en_US') AS BIGINT) END
cash_pl = CAST(CAST(_1 AS DECIMAL(38, 0)) + _2 AS BIGINT)
cash_mi = CAST(CAST(_1 AS DECIMAL(38, 0)) - _2 AS BIGINT)
cash_mul_int{2,4,8} int{2,4,8}_mul_cash =
    CAST(CAST(_1 AS DECIMAL(19, 0)) * CAST(_2 AS DECIMAL(19, 0)) AS BIGINT)
cash_mul_flt{4,8} flt{4,8}_mul_cash = {bigint: CAST(_1 AS DOUBLE) * CAST(_2 AS DOUBLE)}
cash_div_int{2,4,8} = _1 {div} CAST(_2 AS BIGINT)
cash_div_flt{4,8} = CASE WHEN _1 IS NULL THEN NULL
    WHEN _2 = 0 THEN CAST({error}('division by zero') AS BIGINT)
    ELSE {bigint: CAST(_1 AS DOUBLE) / CAST(_2 AS DOUBLE)} END
cash_div_cash = CASE WHEN _1 IS NULL THEN NULL
    WHEN _2 = 0 THEN CAST({error}('division by zero') AS DOUBLE)
    ELSE CAST(_1 AS DOUBLE) / CAST(_2 AS DOUBLE) END
-- bit strings, held as text
{bits_in_range: bits; type; half} = CASE WHEN LENGTH(_1) > {bits}
    THEN CAST({error}('{type} out of range') AS {type}) WHEN _1 = '' THEN 0
    WHEN LENGTH(_1) = {bits} AND LEFT(_1, 1) = '1'
    THEN CAST({as_number: _1} - {half} AS {type}) ELSE CAST({as_number: _1} AS {type}) END
int4(bit) = {bits_in_range: 32; INT; 4294967296}
int8(bit) = {bits_in_range: 64; BIGINT; 18446744073709551616}
bitnot = TRANSLATE(_1, '01', '10')
length(bit) bit_length(bit) = CAST(LENGTH(_1) AS INT)
octet_length(bit) = CAST((LENGTH(_1) + 7) {div} 8 AS INT)
bit_count(bit) = CAST(LENGTH(REPLACE(_1, '0', '')) AS BIGINT)
get_bit(bit,int4) = CASE WHEN _1 IS NULL THEN NULL WHEN _2 < 0 OR _2 >= LENGTH(_1)
    THEN CAST({error}('bit index out of valid range') AS INT)
    ELSE CAST(SUBSTRING(_1, _2 + 1, 1) AS INT) END
set_bit(bit,int4,int4) = CASE WHEN {missing_3} THEN NULL WHEN _2 < 0 OR _2 >= LENGTH(_1)
    THEN {error}('bit index out of valid range')
    WHEN _3 NOT IN (0, 1) THEN {error}('new bit must be 0 or 1')
    ELSE LEFT(_1, _2) || CAST(_3 AS {text}) || SUBSTRING(_1, _2 + 2) END
.bits_of_int = LPAD(RIGHT(LPAD(BIN(CAST(_1 AS BIGINT)), 64, '0'), LEAST(_2, 64)), _2,
    CASE WHEN _1 < 0 THEN '1' ELSE '0' END)
.bit = RPAD(LEFT(_1, _2), _2, '0')
.varbit = LEFT(_1, _2)
position(bit,bit) = CAST(INSTR(_1, _2) AS INT)
substring(bit,int4,int4) = CASE WHEN {missing_3} THEN NULL
    WHEN _3 < 0 THEN {error}('negative substring length not allowed')
    ELSE SUBSTRING(_1, GREATEST(_2, 1),
    CAST(LEAST(GREATEST(CAST(_2 AS BIGINT) + _3 - GREATEST(_2, 1), 0), 2147483647) AS INT)) END
substring(bit,int4) = CASE WHEN _2 IS NOT NULL THEN SUBSTRING(_1, GREATEST(_2, 1)) END
-- of two bit strings of one length
{pairwise: test; native} = CASE WHEN LENGTH(_1) <> LENGTH(_2)
    THEN {error}('cannot combine bit strings of different sizes')
    WHEN _1 = '' AND _2 IS NOT NULL THEN '' WHEN _1 IS NOT NULL AND _2 IS NOT NULL
    THEN {each_bit: _1; _2; {test}; {native}} END
bitand = {pairwise: SUBSTRING(_1, i, 1) = '1' AND SUBSTRING(_2, i, 1) = '1';
    CAST(_1 AS BIT) & CAST(_2 AS BIT)}
bitor = {pairwise: SUBSTRING(_1, i, 1) = '1' OR SUBSTRING(_2, i, 1) = '1';
    CAST(_1 AS BIT) | CAST(_2 AS BIT)}
bitxor = {pairwise: SUBSTRING(_1, i, 1) <> SUBSTRING(_2, i, 1);
    XOR(CAST(_1 AS BIT), CAST(_2 AS BIT))}
-- A negative count shifts the other way; what falls off is lost. The length of NULL is no least
-- one: one more than the largest integer must not be asked for.
{left_by: count} = RPAD(SUBSTRING(_1, LEAST({count}, CAST(LENGTH(_1) AS INT), 2147483646) + 1),
    CAST(LENGTH(_1) AS INT), '0')
{right_by: count} = LPAD(LEFT(_1, GREATEST(CAST(LENGTH(_1) AS INT) - {count}, 0)),
    CAST(LENGTH(_1) AS INT), '0')
{back} = CAST(LEAST(0 - CAST(_2 AS BIGINT), 2147483647) AS INT)
bitshiftleft = CASE WHEN _2 >= 0 THEN {left_by: _2} WHEN _2 < 0 THEN {right_by: {back}} END
bitshiftright = CASE WHEN _2 >= 0 THEN {right_by: _2} WHEN _2 < 0 THEN {left_by: {back}} END
-- ranges: a bound with a blank stands in quotes; no bound of these types has a comma
{in_quotes_where_blank: bound} = CASE WHEN CONTAINS({bound}, ' ') THEN '"' || {bound} || '"'
    ELSE {bound} END
.range_lower = NULLIF(REGEXP_EXTRACT(_1, '^."?([^",]*)"?,', 1), '')
.range_upper = NULLIF(REGEXP_EXTRACT(_1, ',"?([^",]*)"?.$', 1), '')
.range_text = CASE WHEN _2 IS NULL THEN '(' ELSE _1 END || COALESCE({in_quotes_where_blank: _2}, '')
    || ',' || COALESCE({in_quotes_where_blank: _3}, '') || CASE WHEN _3 IS NULL THEN ')' ELSE _4 END
.next_int4 = CAST(CAST(_1 AS BIGINT) + _2 AS INT)
.next_int8 = CAST(CAST(_1 AS DECIMAL(38, 0)) + _2 AS BIGINT)
