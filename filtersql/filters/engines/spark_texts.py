"""How functions of text and bytea that Spark has no equal for are written.

Example
    `overlay(s placing 'X' from 2 for 1)` is SUBSTRING(s, 1, 1) || 'X' || SUBSTRING(s, 3).
"""

from __future__ import annotations

from filtersql.filters.engines.templates import table
from filtersql.filters.engines.text_types import bit_count

__all__ = ["TEXTS"]

_FAR = "raise_error('integer out of range')"
_NEGATIVE = "raise_error('negative substring length not allowed')"
_OVERLAID = (
    "CONCAT(SUBSTRING(_1, 1, _3 - 1), _2, "
    "SUBSTRING(_1, CAST(GREATEST(CAST(_3 AS BIGINT) + {length}, 1) AS INT)))"
)
_LOWER, _UPPER = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


_NO_INDEX = "CAST(raise_error('index out of valid range') AS BINARY)"
_NO_BIT = "CAST(raise_error('new bit must be 0 or 1') AS BINARY)"
_BYTE = "CAST(CONV(HEX(SUBSTRING(_1, CAST(_2 DIV 8 AS INT) + 1, 1)), 16, 10) AS INT)"
_WITH_BIT = (
    f"({_BYTE} & (255 - SHIFTLEFT(1, CAST(_2 % 8 AS INT)))) + SHIFTLEFT(_3, CAST(_2 % 8 AS INT))"
)


def _put(place: str, byte: str) -> str:
    """The bytes with another one at a place."""
    return (
        f"UNHEX(CONCAT(HEX(SUBSTRING(_1, 1, {place})), RIGHT(HEX(({byte}) + 256), 2), "
        f"HEX(SUBSTRING(_1, {place} + 2))))"
    )


def _of_macs(symbol: str) -> str:
    sides = [f"CAST(CONV(REPLACE({one}, ':', ''), 16, 10) AS BIGINT)" for one in ("_1", "_2")]
    digits = f"LPAD(LOWER(HEX({sides[0]} {symbol} {sides[1]})), 12, '0')"
    return f"REGEXP_REPLACE({digits}, '{'(..)' * 6}', '$1:$2:$3:$4:$5:$6')"


def _overlay(length: str, sql_type: str = "STRING") -> str:
    missing = " OR ".join(f"_{place} IS NULL" for place in (1, 2, 3, 4)[: 3 + (length == "_4")])
    return (
        f"CASE WHEN {missing} THEN NULL WHEN _3 <= 0 THEN CAST({_NEGATIVE} AS {sql_type}) "
        f"WHEN CAST(_3 AS BIGINT) + {length} > 2147483647 THEN CAST({_FAR} AS {sql_type}) "
        f"ELSE {_OVERLAID.format(length=length)} END"
    )


def _utf8(lead: int, *shifts: int) -> str:
    """The character of a number as UTF-8: a first byte, then six bits a byte."""
    first = f"({lead} + SHIFTRIGHT(_1, {6 * len(shifts)}))"
    rest = [f"(128 + (SHIFTRIGHT(_1, {6 * shift}) & 63))" for shift in shifts]
    return f"DECODE(UNHEX(CONCAT({', '.join(f'HEX({byte})' for byte in (first, *rest))})), 'UTF-8')"


def _quoted(then: str) -> str:
    return (
        f"CASE {then}WHEN CONTAINS(_1, '\\\\') THEN CONCAT('E', CHR(39), REPLACE(REPLACE(_1, "
        "'\\\\', '\\\\\\\\'), CHR(39), CONCAT(CHR(39), CHR(39))), CHR(39)) "
        "ELSE CONCAT(CHR(39), REPLACE(_1, CHR(39), CONCAT(CHR(39), CHR(39))), CHR(39)) END"
    )


_COMMAS = "REGEXP_REPLACE(HEX({}), '(..)', '$1,')"
_PAIRS = "REGEXP_EXTRACT_ALL(HEX({}), '..', 0)"
TEXTS = table(
    {
        "overlay(text,text,int4) overlay(bit,bit,int4)": _overlay("CHAR_LENGTH(_2)"),
        "overlay(text,text,int4,int4) overlay(bit,bit,int4,int4)": _overlay("_4"),
        "overlay(bytea,bytea,int4)": _overlay("OCTET_LENGTH(_2)", "BINARY"),
        "overlay(bytea,bytea,int4,int4)": _overlay("_4", "BINARY"),
        "set_byte": "CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL "
        f"WHEN _2 < 0 OR _2 >= OCTET_LENGTH(_1) THEN {_NO_INDEX} "
        f"ELSE {_put('_2', '_3 & 255')} END",
        "set_bit(bytea,int8,int4)": "CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL "
        f"WHEN _2 < 0 OR _2 >= CAST(OCTET_LENGTH(_1) AS BIGINT) * 8 THEN {_NO_INDEX} "
        f"WHEN _3 NOT IN (0, 1) THEN {_NO_BIT} "
        f"ELSE {_put('CAST(_2 DIV 8 AS INT)', _WITH_BIT)} END",
        "bit_count(bytea)": bit_count("HEX(_1)"),
        "macaddr_and": _of_macs("&"),
        "macaddr_or": _of_macs("|"),
        "chr": "CASE WHEN _1 < 0 OR _1 > 1114111 OR _1 BETWEEN 55296 AND 57343 OR _1 = 0 "
        "THEN raise_error('requested character is not valid') "
        f"WHEN _1 < 128 THEN CHAR(_1) WHEN _1 < 2048 THEN {_utf8(192, 0)} "
        f"WHEN _1 < 65536 THEN {_utf8(224, 1, 0)} "
        f"WHEN _1 IS NOT NULL THEN {_utf8(240, 2, 1, 0)} END",
        "to_hex(int4)": "LOWER(HEX(_1 & 4294967295))",
        "to_hex(int8)": "LOWER(HEX(_1))",
        "to_bin(int4)": "BIN(_1 & 4294967295)",
        "to_bin(int8)": "BIN(_1)",
        "to_oct(int4)": "CONV(CAST(_1 & 4294967295 AS STRING), 10, 8)",
        "to_oct(int8)": "CONV(HEX(_1), 16, 8)",
        "quote_literal(text)": _quoted(""),
        "quote_nullable(text)": _quoted("WHEN _1 IS NULL THEN 'NULL' "),
        "get_byte": "CASE WHEN _2 < 0 AND _1 IS NOT NULL OR _2 >= OCTET_LENGTH(_1) "
        "THEN raise_error('index out of valid range') "
        "ELSE CAST(CONV(HEX(SUBSTRING(_1, _2 + 1, 1)), 16, 10) AS INT) END",
        "get_bit(bytea,int8)": "CASE WHEN _2 < 0 AND _1 IS NOT NULL "
        "OR _2 >= CAST(OCTET_LENGTH(_1) AS BIGINT) * 8 "
        "THEN raise_error('index out of valid range') ELSE SHIFTRIGHT(CAST(CONV(HEX("
        "SUBSTRING(_1, CAST(_2 DIV 8 AS INT) + 1, 1)), 16, 10) AS INT), CAST(_2 % 8 AS INT)) & 1 "
        "END",
        "substring(bytea,int4) substr(bytea,int4)": "CASE WHEN _2 IS NOT NULL "
        "THEN SUBSTRING(_1, GREATEST(_2, 1)) END",
        "substring(bytea,int4,int4) substr(bytea,int4,int4)": "CASE "
        "WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL "
        f"WHEN _3 < 0 THEN {_NEGATIVE} "
        "ELSE SUBSTRING(_1, GREATEST(_2, 1), "
        "CAST(LEAST(GREATEST(CAST(_2 AS BIGINT) + _3 - GREATEST(_2, 1), 0), 2147483647) AS INT)) "
        "END",
        # bytes with a comma behind each: a place is that of a whole byte
        "position(bytea,bytea)": "CASE WHEN OCTET_LENGTH(_2) = 0 THEN CASE WHEN _1 IS NOT NULL "
        f"THEN 1 END ELSE CAST((LOCATE({_COMMAS.format('_2')}, {_COMMAS.format('_1')}) + 2) DIV 3 "
        "AS INT) END",
        "reverse(bytea)": f"UNHEX(ARRAY_JOIN(REVERSE({_PAIRS.format('_1')}), ''))",
        **{f"sha{bits}": f"UNHEX(SHA2(_1, {bits}))" for bits in (224, 256, 384, 512)},
        "uuid_extract_version": "CASE WHEN SUBSTRING(_1, 20, 1) IN ('8', '9', 'a', 'b') "
        "THEN CAST(CONV(SUBSTRING(_1, 15, 1), 16, 10) AS SMALLINT) END",
        # pieces
        ".initcap": "ARRAY_JOIN(TRANSFORM(REGEXP_EXTRACT_ALL(_1, "
        "'[0-9A-Za-z]+|[^0-9A-Za-z]+', 0), "
        f"w -> CONCAT(TRANSLATE(LEFT(w, 1), '{_LOWER}', '{_UPPER}'), "
        f"TRANSLATE(SUBSTRING(w, 2), '{_UPPER}', '{_LOWER}'))), '')",
        ".hex": "HEX(_1)",
        ".unhex": "UNHEX(_1)",
        ".to_base64": "REGEXP_REPLACE(REPLACE(BASE64(_1), CONCAT(CHR(13), CHR(10)), ''), "
        "'([^=]{76})', CONCAT('$1', CHR(10)))",
        ".to_escape": f"ARRAY_JOIN(TRANSFORM({_PAIRS.format('_1')}, w -> CASE "
        "WHEN w = '00' OR w >= '80' THEN CONCAT('\\\\', LPAD(CONV(w, 16, 8), 3, '0')) "
        "WHEN w = '5C' THEN '\\\\\\\\' ELSE CHAR(CAST(CONV(w, 16, 10) AS INT)) END), '')",
        ".of_base64": "UNBASE64(_1)",
        ".replaced_all": "REGEXP_REPLACE(_1, _2, _3)",
        ".like_pattern": "REGEXP_REPLACE(_1, '(?s)(\\\\\\\\[%_\\\\\\\\])|\\\\\\\\(.)', '$1$2')",
        ".like_unfinished": "_1 RLIKE '(?s)^([^\\\\\\\\]|\\\\\\\\.)*+\\\\\\\\$'",
        ".split": "SPLIT(_1, _2, -1)",
        ".split_plain": "SPLIT(_1, _2, -1)",
        ".no_list": "CAST(NULL AS ARRAY<STRING>)",
        ".empty_list": "CAST(ARRAY() AS ARRAY<STRING>)",
        ".characters": "REGEXP_EXTRACT_ALL(_1, '(?s).', 0)",
        ".nulls_for": "TRANSFORM(_1, e -> NULLIF(e, _2))",
    }
)
