"""How each of PostgreSQL's functions is written for DuckDB.

One row for one meaning: on the left the functions (by name, or by signature where a name has
several), on the right the text, `_1`, `_2` being the arguments. Names with a dot are pieces that
the rules of `writing` and `numerics` ask for. Every row is run against PostgreSQL by
tests/filters/test_filters_engines.py. Settings: time zone UTC.

Example
    `int4pl` is added in BIGINT and cast back: DuckDB's optimizer would turn `i + 1 > 0` into
    `i > -1` and lose the overflow.
"""

from __future__ import annotations

from filtersql.filters.engines.duckdb_documents import DOCUMENTS
from filtersql.filters.engines.duckdb_pieces import PIECES
from filtersql.filters.engines.duckdb_texts import TEXTS
from filtersql.filters.engines.templates import table
from filtersql.filters.facts import SYMBOLS

__all__ = ["TABLE"]

_INTS = ("2", "4", "8", "24", "42", "28", "82", "48", "84")
_FLOATS = ("4", "8", "48", "84")
_TO_INT4 = ("4", "24", "42")
_TO_INT8 = ("8", "28", "82", "48", "84")


def _named(pattern: str, kinds: tuple[str, ...]) -> str:
    return " ".join(pattern.replace("#", kind) for kind in kinds)


#: bytes; PostgreSQL itself raises at 1 GB
_LONGEST = 100_000_000
_TOO_LONG = "error('requested length too large')"
_COUNT = "CASE WHEN _2 IS NOT NULL THEN GREATEST(_2, 0) END"
_TOO_BIG = "error('value out of range: overflow')"
_TOO_SMALL = "error('value out of range: underflow')"


def _shifts(kind: str, sql_type: str, bits: int) -> dict[str, str]:
    """<< and >> in HUGEINT, wrapped to `bits`."""
    half, full = 1 << (bits - 1), 1 << bits
    power = f"(CAST(1 AS HUGEINT) << (_2 & {bits - 1}))"
    wide = "CAST(_1 AS HUGEINT)"
    return {
        f"int{kind}shl": f"CAST((({wide} * {power} + {half}) % {full} + {full}) % {full} - {half} "
        f"AS {sql_type})",
        f"int{kind}shr": f"CAST(({wide} - ({wide} % {power} + {power}) % {power}) // {power} "
        f"AS {sql_type})",
    }


#: the last day that begins within TIMESTAMP
_LAST_DAY = "CAST('294247-01-10' AS DATE)"
_ENDLESS = "CAST('infinity' AS TIMESTAMP)"


def _with_dates() -> dict[str, str]:
    """A date beside a timestamp: a day that TIMESTAMP does not hold is before infinity alone."""
    rows = {}
    for name, day, moment in (("date_{}_timestamp", "_1", "_2"), ("timestamp_{}_date", "_2", "_1")):
        before, behind = f"{moment} = {_ENDLESS}", f"{moment} <> {_ENDLESS}"
        if day == "_2":
            before, behind = behind, before
        beyond = {"eq": "FALSE", "ne": "TRUE", "lt": before, "le": before}
        for word, symbol in SYMBOLS.items():
            midnight = [f"CAST({one} AS TIMESTAMP)" if one == day else one for one in ("_1", "_2")]
            rows[name.format(word)] = (
                f"CASE WHEN {moment} IS NULL THEN NULL "
                f"WHEN {day} > {_LAST_DAY} AND NOT ISINF({day}) THEN {beyond.get(word, behind)} "
                f"ELSE {f' {symbol} '.join(midnight)} END"
            )
    return rows


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
        **_with_dates(),
        # integers: in the next wider type, so that no rewriting loses the overflow
        "int2pl": "CAST(CAST(_1 AS INT) + _2 AS SMALLINT)",
        "int2mi": "CAST(CAST(_1 AS INT) - _2 AS SMALLINT)",
        "int2mul": "CAST(CAST(_1 AS INT) * _2 AS SMALLINT)",
        _named("int#pl", _TO_INT4): "CAST(CAST(_1 AS BIGINT) + _2 AS INT)",
        _named("int#mi", _TO_INT4): "CAST(CAST(_1 AS BIGINT) - _2 AS INT)",
        _named("int#mul", _TO_INT4): "CAST(CAST(_1 AS BIGINT) * _2 AS INT)",
        _named("int#pl", _TO_INT8): "CAST(CAST(_1 AS HUGEINT) + _2 AS BIGINT)",
        _named("int#mi", _TO_INT8): "CAST(CAST(_1 AS HUGEINT) - _2 AS BIGINT)",
        _named("int#mul", _TO_INT8): "CAST(CAST(_1 AS HUGEINT) * _2 AS BIGINT)",
        "int2div": "CAST(CAST(_1 AS INT) // CAST(_2 AS INT) AS SMALLINT)",
        _named("int#div", _TO_INT4): "CAST(CAST(_1 AS BIGINT) // CAST(_2 AS BIGINT) AS INT)",
        _named("int#div", _TO_INT8): "CAST(CAST(_1 AS HUGEINT) // CAST(_2 AS HUGEINT) AS BIGINT)",
        "int2mod mod(int2,int2)": "CAST(CAST(_1 AS INT) % CAST(_2 AS INT) AS SMALLINT)",
        "int4mod mod(int4,int4)": "CAST(CAST(_1 AS BIGINT) % CAST(_2 AS BIGINT) AS INT)",
        "int8mod mod(int8,int8)": "CAST(CAST(_1 AS HUGEINT) % CAST(_2 AS HUGEINT) AS BIGINT)",
        "int2um": "CAST(-CAST(_1 AS INT) AS SMALLINT)",
        "int4um": "CAST(-CAST(_1 AS BIGINT) AS INT)",
        "int8um": "CAST(-CAST(_1 AS HUGEINT) AS BIGINT)",
        "int2up int4up int8up float4up float8up": "_1",
        "int2abs abs(int2)": "CAST(ABS(CAST(_1 AS INT)) AS SMALLINT)",
        "int4abs abs(int4)": "ABS(_1)",
        "int8abs abs(int8)": "ABS(_1)",
        "int2and": "CAST(CAST(_1 AS INT) & CAST(_2 AS INT) AS SMALLINT)",
        "int4and": "CAST(CAST(_1 AS BIGINT) & CAST(_2 AS BIGINT) AS INT)",
        "int8and": "CAST(_1 AS BIGINT) & CAST(_2 AS BIGINT)",
        "int2or": "CAST(CAST(_1 AS INT) | CAST(_2 AS INT) AS SMALLINT)",
        "int4or": "CAST(CAST(_1 AS BIGINT) | CAST(_2 AS BIGINT) AS INT)",
        "int8or": "CAST(_1 AS BIGINT) | CAST(_2 AS BIGINT)",
        "int2xor": "CAST(XOR(CAST(_1 AS INT), CAST(_2 AS INT)) AS SMALLINT)",
        "int4xor": "CAST(XOR(CAST(_1 AS BIGINT), CAST(_2 AS BIGINT)) AS INT)",
        "int8xor": "XOR(CAST(_1 AS BIGINT), CAST(_2 AS BIGINT))",
        "int2not int4not int8not": "~_1",
        # floating point: PostgreSQL raises where IEEE gives an infinity, a zero or NaN
        "float4um float8um": "-_1",
        "float4abs float8abs abs(float4) abs(float8)": "ABS(_1)",
        _named("float#pl", _FLOATS): "CASE WHEN ISINF(_1 + _2) AND NOT ISINF(_1) AND NOT ISINF(_2) "
        f"THEN {_TOO_BIG} ELSE _1 + _2 END",
        _named("float#mi", _FLOATS): "CASE WHEN ISINF(_1 - _2) AND NOT ISINF(_1) AND NOT ISINF(_2) "
        f"THEN {_TOO_BIG} ELSE _1 - _2 END",
        _named(
            "float#mul", _FLOATS
        ): "CASE WHEN ISINF(_1 * _2) AND NOT ISINF(_1) AND NOT ISINF(_2) "
        f"THEN {_TOO_BIG} WHEN _1 * _2 = 0 AND _1 <> 0 AND _2 <> 0 THEN {_TOO_SMALL} "
        "ELSE _1 * _2 END",
        _named("float#div", _FLOATS): "CASE WHEN ISNAN(_1) THEN _1 + _2 "
        "WHEN _2 = 0 AND _1 IS NOT NULL THEN error('division by zero') "
        f"WHEN ISINF(_1 / _2) AND NOT ISINF(_1) THEN {_TOO_BIG} "
        f"WHEN _1 / _2 = 0 AND _1 <> 0 AND NOT ISINF(_2) THEN {_TOO_SMALL} ELSE _1 / _2 END",
        # casts
        "int2(int4) int2(int8)": "CAST(_1 AS SMALLINT)",
        "int4(int2) int4(int8) int4(bool)": "CAST(_1 AS INT)",
        "int8(int2) int8(int4)": "CAST(_1 AS BIGINT)",
        "int2(float4) int2(float8)": "CAST(ROUND_EVEN(_1, 0) AS SMALLINT)",
        "int4(float4) int4(float8)": "CAST(ROUND_EVEN(_1, 0) AS INT)",
        "int8(float4) int8(float8)": "CAST(ROUND_EVEN(_1, 0) AS BIGINT)",
        "bool(int4)": "_1 <> 0",
        "float4(int2) float4(int4) float4(int8)": "CAST(_1 AS REAL)",
        "float8(int2) float8(int4) float8(int8) float8(float4)": "CAST(_1 AS DOUBLE)",
        "float4(float8)": "CASE WHEN CAST(_1 AS REAL) = 0 AND _1 <> 0 "
        f"THEN {_TOO_SMALL} ELSE CAST(_1 AS REAL) END",
        "timestamp(date)": "CAST(_1 AS TIMESTAMP)",
        "date(timestamp)": "CAST(_1 AS DATE)",
        "text(bpchar)": "RTRIM(_1, ' ')",
        "text(bool)": "CASE WHEN _1 THEN 'true' WHEN NOT _1 THEN 'false' END",
        # text
        "length(text) char_length(text) character_length(text) textlen": "CAST(LENGTH(_1) AS INT)",
        "length(bpchar)": "CAST(LENGTH(RTRIM(_1, ' ')) AS INT)",
        "char_length(bpchar)": "CAST(LENGTH(RTRIM(_1, ' ')) AS INT)",
        "character_length(bpchar)": "CAST(LENGTH(RTRIM(_1, ' ')) AS INT)",
        "octet_length(text) octet_length(bpchar)": "CAST(STRLEN(_1) AS INT)",
        "octet_length(bytea) length(bytea)": "CAST(OCTET_LENGTH(_1) AS INT)",
        "bit_length(text)": "CAST(STRLEN(_1) * 8 AS INT)",
        "bit_length(bytea)": "CAST(OCTET_LENGTH(_1) * 8 AS INT)",
        "textcat": "_1 || _2",
        "byteacat": "_1 || _2",
        "btrim(text)": "TRIM(_1, ' ')",
        "ltrim(text)": "LTRIM(_1, ' ')",
        "rtrim(text)": "RTRIM(_1, ' ')",
        "btrim(text,text)": "TRIM(_1, _2)",
        "ltrim(text,text)": "LTRIM(_1, _2)",
        "rtrim(text,text)": "RTRIM(_1, _2)",
        "starts_with": "STARTS_WITH(_1, _2)",
        "strpos position(text,text)": "CAST(INSTR(_1, _2) AS INT)",
        "replace": "CASE WHEN _2 = '' THEN CASE WHEN _3 IS NOT NULL THEN _1 END ELSE REPLACE(_1, "
        "_2, _3) END",
        # REVERSE leaves an accent behind its letter
        "reverse(text)": "ARRAY_TO_STRING(LIST_REVERSE(STRING_SPLIT(_1, '')), '')",
        "md5(text) md5(bytea)": "MD5(_1)",
        "left(text,int4)": "LEFT(_1, _2)",
        "right(text,int4)": "CASE WHEN _2 = -2147483648 THEN _1 ELSE RIGHT(_1, _2) END",
        # orders that are always those of the bytes
        "text_pattern_lt": "_1 < _2",
        "text_pattern_le": "_1 <= _2",
        "text_pattern_gt": "_1 > _2",
        "text_pattern_ge": "_1 >= _2",
        "bpchar_pattern_lt": "RTRIM(_1, ' ') < RTRIM(_2, ' ')",
        "bpchar_pattern_le": "RTRIM(_1, ' ') <= RTRIM(_2, ' ')",
        "bpchar_pattern_gt": "RTRIM(_1, ' ') > RTRIM(_2, ' ')",
        "bpchar_pattern_ge": "RTRIM(_1, ' ') >= RTRIM(_2, ' ')",
        # rounding of doubles
        "dround round(float8)": "ROUND_EVEN(_1, 0)",
        "floor(float8)": "FLOOR(_1)",
        "ceil(float8) ceiling(float8)": "CEIL(_1)",
        "dtrunc trunc(float8)": "TRUNC(_1)",
        "dsqrt sqrt(float8)": "CASE WHEN _1 < 0 THEN "
        "error('cannot take square root of a negative number') ELSE SQRT(_1) END",
        "sign(float8)": "CASE WHEN ISNAN(_1) THEN CAST(0 AS DOUBLE) ELSE CAST(SIGN(_1) AS "
        "DOUBLE) END",
        "isfinite(date) isfinite(timestamp) isfinite(timestamptz)": "ISFINITE(_1)",
        # shifts: PostgreSQL's machine takes the count modulo the width, bits fall off
        **_shifts("4", "INT", 32),
        **_shifts("8", "BIGINT", 64),
        # pieces of text
        "substring(text,int4) substr(text,int4)": "CASE WHEN _2 IS NOT NULL "
        "THEN SUBSTRING(_1, GREATEST(_2, 1)) END",
        "substring(text,int4,int4) substr(text,int4,int4)": "CASE "
        "WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL "
        "WHEN _3 < 0 THEN error('negative substring length not allowed') "
        "ELSE SUBSTRING(_1, GREATEST(_2, 1), "
        "GREATEST(CAST(_2 AS BIGINT) + _3 - GREATEST(_2, 1), 0)) END",
        "split_part": "CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL "
        "WHEN _3 = 0 THEN error('field position must not be zero') "
        "WHEN _2 = '' AND _3 IN (1, -1) THEN _1 WHEN _2 = '' OR _3 = -2147483648 THEN '' "
        "ELSE SPLIT_PART(_1, _2, _3) END",
        "translate": "TRANSLATE(_1, _2, _3)",
        "ascii": "ASCII(_1)",
        "repeat": f"CASE WHEN CAST(STRLEN(_1) AS BIGINT) * _2 > {_LONGEST} THEN {_TOO_LONG} "
        f"WHEN _1 = '' AND _2 IS NOT NULL THEN '' ELSE REPEAT(_1, {_COUNT}) END",
        **{
            f"{name.lower()}(text,int4)": f"CASE WHEN _2 > {_LONGEST} AND _1 IS NOT NULL "
            f"THEN {_TOO_LONG} ELSE {name}(_1, {_COUNT}, ' ') END"
            for name in ("LPAD", "RPAD")
        },
        **{
            f"{name.lower()}(text,int4,text)": "CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL "
            "THEN NULL WHEN _3 = '' THEN LEFT(_1, GREATEST(_2, 0)) "
            f"WHEN _2 > {_LONGEST} THEN {_TOO_LONG} ELSE {name}(_1, GREATEST(_2, 0), _3) END"
            for name in ("LPAD", "RPAD")
        },
        # dates
        "date_pli": "CASE WHEN _2 IS NULL THEN NULL WHEN ISINF(_1) THEN _1 "
        "WHEN _1 + _2 BETWEEN DATE '4714-11-24 (BC)' AND DATE '5874897-12-31' "
        "THEN _1 + _2 WHEN _1 IS NOT NULL THEN error('date out of range') END",
        "date_mii": "CASE WHEN _2 IS NULL THEN NULL WHEN ISINF(_1) THEN _1 "
        "WHEN _1 - _2 BETWEEN DATE '4714-11-24 (BC)' AND DATE '5874897-12-31' "
        "THEN _1 - _2 WHEN _1 IS NOT NULL THEN error('date out of range') END",
        "integer_pl_date": "CASE WHEN _1 IS NULL THEN NULL WHEN ISINF(_2) THEN _2 "
        "WHEN _2 + _1 BETWEEN DATE '4714-11-24 (BC)' AND DATE '5874897-12-31' "
        "THEN _2 + _1 WHEN _2 IS NOT NULL THEN error('date out of range') END",
        "date_mi": "CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL "
        "WHEN ISINF(_1) OR ISINF(_2) THEN error('cannot subtract infinite dates') ELSE CAST(_1 - "
        "_2 AS INT) END",
    }
)

TABLE = _ROWS | PIECES | DOCUMENTS | TEXTS
