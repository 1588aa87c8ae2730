"""How functions of text and bytea that DuckDB has no equal for are written.

Example
    `substring(b from 2 for 1)` of a bytea is a piece of its hexadecimal text.
"""

from __future__ import annotations

from filtersql.filters.engines.templates import table
from filtersql.filters.engines.text_types import bit_count

__all__ = ["TEXTS"]

_FAR = "error('integer out of range')"
_NEGATIVE = "error('negative substring length not allowed')"
_LOWER, _UPPER = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


_TEXT = "LEFT(_1, _3 - 1) || _2 || SUBSTRING(_1, GREATEST({end}, 1))"
_BYTES = (
    "UNHEX(LEFT(HEX(_1), 2 * (CAST(_3 AS BIGINT) - 1)) || HEX(_2) || "
    "SUBSTRING(HEX(_1), 2 * GREATEST({end}, 1) - 1))"
)
_NO_INDEX = "error('index out of valid range')"
_BYTE = "CAST('0x' || SUBSTRING(HEX(_1), 2 * (_2 // 8) + 1, 2) AS INT)"
_WITH_BIT = f"({_BYTE} & (255 - (1 << CAST(_2 % 8 AS INT)))) + (_3 << CAST(_2 % 8 AS INT))"


def _put(place: str, byte: str) -> str:
    """The bytes with another one at a place."""
    return (
        f"UNHEX(LEFT(HEX(_1), 2 * {place}) || RIGHT(HEX(({byte}) + 256), 2) || "
        f"SUBSTRING(HEX(_1), 2 * {place} + 3))"
    )


def _of_macs(symbol: str) -> str:
    sides = [f"CAST('0x' || REPLACE({one}, ':', '') AS BIGINT)" for one in ("_1", "_2")]
    digits = f"LPAD(LOWER(HEX({sides[0]} {symbol} {sides[1]})), 12, '0')"
    return f"REGEXP_REPLACE({digits}, '{'(..)' * 6}', '\\1:\\2:\\3:\\4:\\5:\\6')"


def _overlay(length: str, made: str = _TEXT) -> str:
    missing = " OR ".join(f"_{place} IS NULL" for place in (1, 2, 3, 4)[: 3 + (length == "_4")])
    end = f"CAST(_3 AS BIGINT) + {length}"
    return (
        f"CASE WHEN {missing} THEN NULL WHEN _3 <= 0 THEN {_NEGATIVE} "
        f"WHEN {end} > 2147483647 THEN {_FAR} "
        f"ELSE {made.format(end=end)} END"
    )


def _quoted(then: str) -> str:
    return (
        f"CASE {then}WHEN CONTAINS(_1, '\\') THEN 'E''' || "
        "REPLACE(REPLACE(_1, '\\', '\\\\'), '''', '''''') || '''' "
        "ELSE '''' || REPLACE(_1, '''', '''''') || '''' END"
    )


_COMMAS = "REGEXP_REPLACE(HEX({}), '(..)', '\\1,', 'g')"
TEXTS = table(
    {
        "overlay(text,text,int4) overlay(bit,bit,int4)": _overlay("LENGTH(_2)"),
        "overlay(text,text,int4,int4) overlay(bit,bit,int4,int4)": _overlay("_4"),
        "overlay(bytea,bytea,int4)": _overlay("OCTET_LENGTH(_2)", _BYTES),
        "overlay(bytea,bytea,int4,int4)": _overlay("_4", _BYTES),
        "set_byte": f"CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL "
        f"WHEN _2 < 0 OR _2 >= OCTET_LENGTH(_1) THEN {_NO_INDEX} "
        f"ELSE {_put('_2', '_3 & 255')} END",
        "set_bit(bytea,int8,int4)": "CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL "
        f"WHEN _2 < 0 OR _2 >= OCTET_LENGTH(_1) * 8 THEN {_NO_INDEX} "
        "WHEN _3 NOT IN (0, 1) THEN error('new bit must be 0 or 1') "
        f"ELSE {_put('(_2 // 8)', _WITH_BIT)} END",
        "bit_count(bytea)": bit_count("HEX(_1)"),
        "macaddr_and": _of_macs("&"),
        "macaddr_or": _of_macs("|"),
        "chr": "CASE WHEN _1 < 0 OR _1 > 1114111 OR _1 BETWEEN 55296 AND 57343 OR _1 = 0 "
        "THEN error('requested character is not valid') ELSE CHR(_1) END",
        "to_hex(int4)": "LOWER(HEX(CAST(_1 AS BIGINT) & 4294967295))",
        "to_hex(int8)": "LOWER(HEX(_1))",
        "to_bin(int4)": "BIN(CAST(_1 AS BIGINT) & 4294967295)",
        "to_bin(int8)": "BIN(_1)",
        "to_oct(int4)": "FORMAT('{:o}', CAST(_1 AS BIGINT) & 4294967295)",
        # 64 bits are 21 digits and the sign
        "to_oct(int8)": "CASE WHEN _1 >= 0 THEN FORMAT('{:o}', _1) WHEN _1 < 0 "
        "THEN '1' || LPAD(FORMAT('{:o}', _1 & 9223372036854775807), 21, '0') END",
        "quote_literal(text)": _quoted(""),
        "quote_nullable(text)": _quoted("WHEN _1 IS NULL THEN 'NULL' "),
        "get_byte": "CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL "
        "WHEN _2 < 0 OR _2 >= OCTET_LENGTH(_1) THEN error('index out of valid range') "
        "ELSE CAST('0x' || SUBSTRING(HEX(_1), 2 * _2 + 1, 2) AS INT) END",
        "get_bit(bytea,int8)": "CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL "
        "WHEN _2 < 0 OR _2 >= OCTET_LENGTH(_1) * 8 THEN error('index out of valid range') "
        "ELSE (CAST('0x' || SUBSTRING(HEX(_1), 2 * (_2 // 8) + 1, 2) AS INT) "
        ">> CAST(_2 % 8 AS INT)) & 1 END",
        "substring(bytea,int4) substr(bytea,int4)": "CASE WHEN _2 IS NOT NULL THEN "
        "UNHEX(SUBSTRING(HEX(_1), 2 * GREATEST(CAST(_2 AS BIGINT), 1) - 1)) END",
        "substring(bytea,int4,int4) substr(bytea,int4,int4)": "CASE "
        "WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL "
        f"WHEN _3 < 0 THEN {_NEGATIVE} "
        "ELSE UNHEX(SUBSTRING(HEX(_1), 2 * GREATEST(CAST(_2 AS BIGINT), 1) - 1, "
        "2 * GREATEST(CAST(_2 AS BIGINT) + _3 - GREATEST(_2, 1), 0))) END",
        # bytes with a comma behind each: a place is that of a whole byte
        "position(bytea,bytea)": "CASE WHEN OCTET_LENGTH(_2) = 0 THEN CASE WHEN _1 IS NOT NULL "
        f"THEN 1 END ELSE CAST((INSTR({_COMMAS.format('_1')}, {_COMMAS.format('_2')}) + 2) // 3 "
        "AS INT) END",
        "reverse(bytea)": "UNHEX(ARRAY_TO_STRING(LIST_REVERSE("
        "REGEXP_EXTRACT_ALL(HEX(_1), '..')), ''))",
        "sha256": "UNHEX(SHA256(_1))",
        "uuid_extract_version": "CASE WHEN SUBSTRING(_1, 20, 1) IN ('8', '9', 'a', 'b') "
        "THEN CAST('0x' || SUBSTRING(_1, 15, 1) AS SMALLINT) END",
        # pieces
        ".initcap": "CASE WHEN _1 IS NOT NULL THEN ARRAY_TO_STRING("
        f"[TRANSLATE(LEFT(w, 1), '{_LOWER}', '{_UPPER}') "
        f"|| TRANSLATE(SUBSTRING(w, 2), '{_UPPER}', '{_LOWER}') "
        "FOR w IN REGEXP_EXTRACT_ALL(_1, '[0-9A-Za-z]+|[^0-9A-Za-z]+')], '') END",
        ".hex": "HEX(_1)",
        ".unhex": "UNHEX(_1)",
        ".to_base64": "REGEXP_REPLACE(BASE64(_1), '([^=]{76})', '\\1' || CHR(10), 'g')",
        ".to_escape": "CASE WHEN _1 IS NOT NULL THEN ARRAY_TO_STRING([CASE "
        "WHEN w = '00' OR w >= '80' THEN FORMAT('\\{:03o}', CAST('0x' || w AS INT)) "
        "WHEN w = '5C' THEN '\\\\' ELSE CHR(CAST('0x' || w AS INT)) END "
        "FOR w IN REGEXP_EXTRACT_ALL(HEX(_1), '..')], '') END",
        ".of_base64": "FROM_BASE64(_1)",
        ".replaced_all": "REGEXP_REPLACE(_1, _2, _3, 'g')",
        ".like_pattern": "REGEXP_REPLACE(_1, '(?s)(\\\\[%_\\\\])|\\\\(.)', '\\1\\2', 'g')",
        ".like_unfinished": "REGEXP_MATCHES(_1, '(?s)^([^\\\\]|\\\\.)*\\\\$')",
        ".split": "STRING_SPLIT_REGEX(_1, _2)",
        ".split_plain": "STRING_SPLIT(_1, _2)",
        ".no_list": "CAST(NULL AS TEXT[])",
        ".empty_list": "CAST([] AS TEXT[])",
        ".characters": "CASE WHEN _1 = '' THEN CAST([] AS TEXT[]) ELSE STRING_SPLIT(_1, '') END",
        ".nulls_for": "[NULLIF(e, _2) FOR e IN _1]",
    }
)
