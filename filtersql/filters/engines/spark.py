"""How each of PostgreSQL's functions is written for Spark SQL.

One row for one meaning: on the left the functions (by name, or by signature where a name has
several), on the right the text, `_1`, `_2` being the arguments. Names with a dot are pieces that
the rules of `writing` and `numerics` ask for. Every row is run against PostgreSQL by
tests/filters/test_filters_engines.py. Settings: ANSI mode on, time zone UTC.

Example
    `int4div` needs the CAST: DIV gives a BIGINT, and the smallest integer / -1 must raise.
"""

from __future__ import annotations

from filtersql.filters.engines.spark_documents import DOCUMENTS
from filtersql.filters.engines.spark_pieces import PIECES
from filtersql.filters.engines.spark_texts import TEXTS
from filtersql.filters.engines.templates import table

__all__ = ["TABLE"]

_INTS = ("2", "4", "8", "24", "42", "28", "82", "48", "84")
_FLOATS = ("4", "8", "48", "84")


def _named(pattern: str, kinds: tuple[str, ...]) -> str:
    return " ".join(pattern.replace("#", kind) for kind in kinds)


#: bytes; PostgreSQL itself raises at 1 GB
_LONGEST = 100_000_000
_TOO_LONG = "raise_error('requested length too large')"
_COUNT = "CASE WHEN _2 IS NOT NULL THEN GREATEST(_2, 0) END"
_TOO_BIG = "raise_error('value out of range: overflow')"
_TOO_SMALL = "raise_error('value out of range: underflow')"
_INF = "CAST('Infinity' AS DOUBLE)"


def _float_arithmetic(kinds: str, typed: str) -> dict[str, str]:
    """+, -, * and / of some float types; `typed` gives the result its type."""
    add, subtract, multiply, divide = (typed.replace("#", f"_1 {sign} _2") for sign in "+-*/")

    def row(name: str) -> str:
        return _named(f"float#{name}", tuple(kinds.split()))

    def too_big(result: str) -> str:
        return f"ABS({result}) = {_INF} AND ABS(_1) <> {_INF}"

    return {
        row("pl"): f"CASE WHEN {too_big(add)} AND ABS(_2) <> {_INF} THEN {_TOO_BIG} ELSE {add} END",
        row("mi"): f"CASE WHEN {too_big(subtract)} AND ABS(_2) <> {_INF} THEN {_TOO_BIG} "
        f"ELSE {subtract} END",
        row("mul"): f"CASE WHEN {too_big(multiply)} AND ABS(_2) <> {_INF} THEN {_TOO_BIG} "
        f"WHEN {multiply} = 0 AND _1 <> 0 AND _2 <> 0 THEN {_TOO_SMALL} ELSE {multiply} END",
        row("div"): "CASE WHEN ISNAN(_1) AND _2 = 0 THEN _1 "
        f"WHEN _2 <> 0 AND {too_big(divide)} THEN {_TOO_BIG} "
        f"WHEN _2 <> 0 AND {divide} = 0 AND _1 <> 0 AND ABS(_2) <> {_INF} THEN {_TOO_SMALL} "
        f"ELSE {divide} END",
    }


_ROWS = table(
    {
        # comparisons of plain values
        _named("int#eq", _INTS)
        + " "
        + _named("float#eq", _FLOATS)
        + " booleq date_eq timestamp_eq timestamptz_eq byteaeq uuid_eq time_eq texteq": "_1 = _2",
        _named("int#ne", _INTS)
        + " "
        + _named("float#ne", _FLOATS)
        + " boolne date_ne timestamp_ne timestamptz_ne byteane uuid_ne time_ne textne": "_1 <> _2",
        _named("int#lt", _INTS)
        + " "
        + _named("float#lt", _FLOATS)
        + " boollt date_lt timestamp_lt timestamptz_lt bytealt uuid_lt time_lt text_lt": "_1 < _2",
        _named("int#le", _INTS)
        + " "
        + _named("float#le", _FLOATS)
        + " boolle date_le timestamp_le timestamptz_le byteale uuid_le time_le text_le": "_1 <= _2",
        _named("int#gt", _INTS)
        + " "
        + _named("float#gt", _FLOATS)
        + " boolgt date_gt timestamp_gt timestamptz_gt byteagt uuid_gt time_gt text_gt": "_1 > _2",
        _named("int#ge", _INTS)
        + " "
        + _named("float#ge", _FLOATS)
        + " boolge date_ge timestamp_ge timestamptz_ge byteage uuid_ge time_ge text_ge": "_1 >= _2",
        "date_eq_timestamp": "CAST(_1 AS TIMESTAMP_NTZ) = _2",
        "date_ne_timestamp": "CAST(_1 AS TIMESTAMP_NTZ) <> _2",
        "date_lt_timestamp": "CAST(_1 AS TIMESTAMP_NTZ) < _2",
        "date_le_timestamp": "CAST(_1 AS TIMESTAMP_NTZ) <= _2",
        "date_gt_timestamp": "CAST(_1 AS TIMESTAMP_NTZ) > _2",
        "date_ge_timestamp": "CAST(_1 AS TIMESTAMP_NTZ) >= _2",
        "timestamp_eq_date": "_1 = CAST(_2 AS TIMESTAMP_NTZ)",
        "timestamp_ne_date": "_1 <> CAST(_2 AS TIMESTAMP_NTZ)",
        "timestamp_lt_date": "_1 < CAST(_2 AS TIMESTAMP_NTZ)",
        "timestamp_le_date": "_1 <= CAST(_2 AS TIMESTAMP_NTZ)",
        "timestamp_gt_date": "_1 > CAST(_2 AS TIMESTAMP_NTZ)",
        "timestamp_ge_date": "_1 >= CAST(_2 AS TIMESTAMP_NTZ)",
        # integers: ANSI mode raises where PostgreSQL does
        _named("int#pl", _INTS): "_1 + _2",
        _named("int#mi", _INTS): "_1 - _2",
        _named("int#mul", _INTS): "_1 * _2",
        "int2div": "CAST(_1 DIV _2 AS SMALLINT)",
        "int4div int24div int42div": "CAST(_1 DIV _2 AS INT)",
        "int8div int28div int82div int48div int84div": "CAST(_1 AS BIGINT) DIV CAST(_2 AS BIGINT)",
        "int2mod int4mod int8mod mod(int2,int2) mod(int4,int4) mod(int8,int8)": "_1 % _2",
        "int2um int4um int8um": "-_1",
        "int2up int4up int8up float4up float8up": "_1",
        "int2abs int4abs int8abs abs(int2) abs(int4) abs(int8)": "ABS(_1)",
        "int2and int4and int8and": "_1 & _2",
        "int2or int4or int8or": "_1 | _2",
        "int2xor int4xor int8xor": "_1 ^ _2",
        "int2not int4not int8not": "~_1",
        # floating point: PostgreSQL raises where IEEE gives an infinity, a zero or NaN
        "float4um float8um": "-_1",
        "float4abs float8abs abs(float4) abs(float8)": "ABS(_1)",
        **_float_arithmetic("4", "CAST(# AS FLOAT)"),
        **_float_arithmetic("8 48 84", "#"),
        # casts
        "int2(int4) int2(int8)": "CAST(_1 AS SMALLINT)",
        "int4(int2) int4(int8) int4(bool)": "CAST(_1 AS INT)",
        "int8(int2) int8(int4)": "CAST(_1 AS BIGINT)",
        "int2(float4) int2(float8)": "CAST(RINT(_1) AS SMALLINT)",
        "int4(float4) int4(float8)": "CAST(RINT(_1) AS INT)",
        # 2^63 is not a bigint, but Spark's cast takes it for the largest one
        "int8(float4) int8(float8)": "CASE WHEN _1 >= 9223372036854775808D "
        "THEN CAST(raise_error('bigint out of range') AS BIGINT) ELSE CAST(RINT(_1) AS BIGINT) END",
        "bool(int4)": "_1 <> 0",
        "float4(int2)": "CAST(_1 AS FLOAT)",
        # of two casts in a row, the second to DOUBLE, Spark leaves the first out: it looks wider
        "float4(int4) float4(int8)": "CAST(_1 AS FLOAT) + CAST(0 AS FLOAT)",
        "float8(int2) float8(int4) float8(int8) float8(float4)": "CAST(_1 AS DOUBLE)",
        "float4(float8)": f"CASE WHEN ABS(CAST(_1 AS FLOAT)) = {_INF} AND ABS(_1) <> {_INF} "
        f"THEN {_TOO_BIG} WHEN CAST(_1 AS FLOAT) = 0 AND _1 <> 0 THEN {_TOO_SMALL} "
        "ELSE CAST(_1 AS FLOAT) END",
        "timestamp(date)": "CAST(_1 AS TIMESTAMP_NTZ)",
        "date(timestamp)": "CAST(_1 AS DATE)",
        "text(bpchar)": "RTRIM(_1)",
        "text(bool)": "CASE WHEN _1 THEN 'true' WHEN NOT _1 THEN 'false' END",
        # text
        "length(text) char_length(text) character_length(text) textlen": "CHAR_LENGTH(_1)",
        "length(bpchar) char_length(bpchar) character_length(bpchar)": "CHAR_LENGTH(RTRIM(_1))",
        "octet_length(text) octet_length(bpchar)": "OCTET_LENGTH(_1)",
        "octet_length(bytea) length(bytea)": "OCTET_LENGTH(_1)",
        "bit_length(text) bit_length(bytea)": "BIT_LENGTH(_1)",
        "textcat": "_1 || _2",
        "byteacat": "_1 || _2",
        "btrim(text)": "BTRIM(_1)",
        "ltrim(text)": "LTRIM(_1)",
        "rtrim(text)": "RTRIM(_1)",
        "btrim(text,text)": "BTRIM(_1, _2)",
        "ltrim(text,text)": "LTRIM(_2, _1)",
        "rtrim(text,text)": "RTRIM(_2, _1)",
        "starts_with": "STARTSWITH(_1, _2)",
        "strpos position(text,text)": "LOCATE(_2, _1)",
        "replace": "CASE WHEN _2 = '' AND _3 IS NOT NULL THEN _1 ELSE REPLACE(_1, _2, _3) END",
        "reverse(text)": "REVERSE(_1)",
        "md5(text) md5(bytea)": "MD5(_1)",
        "left(text,int4)": "CASE WHEN _2 < 0 THEN SUBSTRING(_1, 1, GREATEST(CHAR_LENGTH(_1) + "
        "CAST(_2 AS BIGINT), 0)) "
        "ELSE LEFT(_1, _2) END",
        "right(text,int4)": "CASE WHEN _2 = -2147483648 THEN _1 "
        "WHEN _2 < 0 THEN SUBSTRING(_1, CAST(1 - CAST(_2 AS BIGINT) AS INT)) "
        "ELSE RIGHT(_1, _2) END",
        # orders that are always those of the bytes
        "text_pattern_lt": "_1 < _2",
        "text_pattern_le": "_1 <= _2",
        "text_pattern_gt": "_1 > _2",
        "text_pattern_ge": "_1 >= _2",
        "bpchar_pattern_lt": "RTRIM(_1) < RTRIM(_2)",
        "bpchar_pattern_le": "RTRIM(_1) <= RTRIM(_2)",
        "bpchar_pattern_gt": "RTRIM(_1) > RTRIM(_2)",
        "bpchar_pattern_ge": "RTRIM(_1) >= RTRIM(_2)",
        # rounding of doubles: Spark's own give a BIGINT, which large ones do not fit
        "dround round(float8)": "RINT(_1)",
        "floor(float8)": "CASE WHEN ABS(_1) < 4503599627370496D "
        "THEN CAST(FLOOR(_1) AS DOUBLE) ELSE _1 END",
        "ceil(float8) ceiling(float8)": "CASE WHEN ABS(_1) < 4503599627370496D "
        "THEN CAST(CEIL(_1) AS DOUBLE) ELSE _1 END",
        "dtrunc trunc(float8)": "CASE WHEN ABS(_1) < 4503599627370496D THEN CASE WHEN _1 < 0 "
        "THEN CAST(CEIL(_1) AS DOUBLE) ELSE CAST(FLOOR(_1) AS DOUBLE) END ELSE _1 END",
        "dsqrt sqrt(float8)": "CASE WHEN _1 < 0 THEN "
        "raise_error('cannot take square root of a negative number') ELSE SQRT(_1) END",
        "sign(float8)": "CASE WHEN ISNAN(_1) THEN 0D ELSE SIGN(_1) END",
        "isfinite(date)": "CASE WHEN _1 IS NOT NULL THEN TRUE END",
        "isfinite(timestamp) isfinite(timestamptz)": "CASE WHEN _1 IS NOT NULL THEN TRUE END",
        "int4shl": "SHIFTLEFT(_1, _2)",
        "int8shl": "SHIFTLEFT(_1, _2)",
        "int4shr": "SHIFTRIGHT(_1, _2)",
        "int8shr": "SHIFTRIGHT(_1, _2)",
        # pieces of text
        "substring(text,int4) substr(text,int4)": "CASE WHEN _2 IS NOT NULL "
        "THEN SUBSTRING(_1, GREATEST(_2, 1)) END",
        "substring(text,int4,int4) substr(text,int4,int4)": "CASE "
        "WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL "
        "WHEN _3 < 0 THEN raise_error('negative substring length not allowed') "
        "ELSE SUBSTRING(_1, GREATEST(_2, 1), "
        "CAST(LEAST(GREATEST(CAST(_2 AS BIGINT) + _3 - GREATEST(_2, 1), 0), 2147483647) AS INT)) "
        "END",
        "split_part": "CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL "
        "WHEN _3 = -2147483648 THEN '' ELSE SPLIT_PART(_1, _2, _3) END",
        "translate": "TRANSLATE(_1, _2, _3)",
        "ascii": "ASCII(_1)",
        "repeat": f"CASE WHEN CAST(OCTET_LENGTH(_1) AS BIGINT) * _2 > {_LONGEST} THEN {_TOO_LONG} "
        f"WHEN _1 = '' AND _2 IS NOT NULL THEN '' ELSE REPEAT(_1, {_COUNT}) END",
        **{
            f"{name.lower()}(text,int4)": f"CASE WHEN _2 > {_LONGEST} AND _1 IS NOT NULL "
            f"THEN {_TOO_LONG} ELSE {name}(_1, {_COUNT}, ' ') END"
            for name in ("LPAD", "RPAD")
        },
        **{
            f"{name.lower()}(text,int4,text)": "CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL "
            "THEN NULL WHEN _3 = '' THEN SUBSTRING(_1, 1, GREATEST(_2, 0)) "
            f"WHEN _2 > {_LONGEST} THEN {_TOO_LONG} ELSE {name}(_1, GREATEST(_2, 0), _3) END"
            for name in ("LPAD", "RPAD")
        },
        # dates
        "date_pli": "CASE WHEN UNIX_DATE(_1) + CAST(_2 AS BIGINT) NOT BETWEEN -2440588 AND "
        "2145042905 "
        "THEN raise_error('date out of range') "
        "ELSE DATE_FROM_UNIX_DATE(CAST(UNIX_DATE(_1) + CAST(_2 AS BIGINT) AS INT)) END",
        "date_mii": "CASE WHEN UNIX_DATE(_1) - CAST(_2 AS BIGINT) NOT BETWEEN -2440588 AND "
        "2145042905 "
        "THEN raise_error('date out of range') "
        "ELSE DATE_FROM_UNIX_DATE(CAST(UNIX_DATE(_1) - CAST(_2 AS BIGINT) AS INT)) END",
        "integer_pl_date": "CASE WHEN UNIX_DATE(_2) + CAST(_1 AS BIGINT) NOT BETWEEN -2440588 "
        "AND 2145042905 "
        "THEN raise_error('date out of range') "
        "ELSE DATE_FROM_UNIX_DATE(CAST(UNIX_DATE(_2) + CAST(_1 AS BIGINT) AS INT)) END",
        "date_mi": "DATEDIFF(_1, _2)",
    }
)

TABLE = _ROWS | PIECES | DOCUMENTS | TEXTS
