"""What the rules of this room ask DuckDB for: rows whose names begin with a dot.

Example
    `.add_months` is how whole months are added to a timestamp; `moments` asks for it when an
    interval is added. `_1`, `_2` are the arguments, as in the table itself.
"""

from __future__ import annotations

from filtersql.filters.engines.interval_pieces import interval_pieces
from filtersql.filters.engines.moment_pieces import moment_pieces
from filtersql.filters.engines.templates import table
from filtersql.filters.engines.text_kinds import text_kinds

__all__ = ["PIECES"]

_UNSURE = "NOT ISINF(_1) AND EPOCH_US(_1) < 86400000000"
_EARLY = "error('time zone databases differ before 1970')"

_IN_QUOTES = r'"((?:[^"\\]|\\.)*)"'
_MARKED_TOKENS = _IN_QUOTES + "|([-+0-9A-Za-z.]+)"
#: without the zeros at the end of a number
_PLAIN_TOKENS = _IN_QUOTES + "|(-?[0-9]+(?:[.][0-9]*[1-9])?|[a-z]+)(?:[.]0+|0*)"
#: a document's scalars and separators
_UNMARKED_TOKENS = r'"s((?:[^"\\]|\\.)*)"|"n([^"]*)"|([:,])'


def _replaced(text: str, *pairs: tuple[str, str]) -> str:
    """REPLACE of marks, one after the other."""
    for old, new in pairs:
        signs = " || ".join(f"CHR({sign})" for sign in old)
        text = f"REPLACE({text}, {signs}, '{new}')"
    return text


def _marked(tokens: str) -> str:
    """Each scalar in quotes behind its mark; control characters stand between the steps."""
    found = (
        f"REGEXP_REPLACE(_1, '{tokens}', "
        r"CHR(1) || '\1' || CHR(2) || '\2' || CHR(3), 'g')"
    )
    return _replaced(found, ("23", '"'), ("12", '"n'), ("3", '"'), ("1", '"s'))


def _unmarked(raw: str) -> str:
    """A document as jsonb's text."""
    found = (
        f"REGEXP_REPLACE({raw}, '{_UNMARKED_TOKENS}', "
        r"CHR(1) || '\1' || CHR(2) || '\2' || CHR(3) || '\3' || CHR(4), 'g')"
    )
    return _replaced(
        found, ("234", '"'), ("123", ""), ("12", ""), ("34", ""), ("1", '"'), ("4", " ")
    )


#: control characters whose escapes the engine writes with capital letters
_CAPITALS = ("0B", "0E", "0F", "1A", "1B", "1C", "1D", "1E", "1F")


def _lower_escapes(raw: str) -> str:
    """Escapes of control characters as PostgreSQL writes them."""
    found = f"REPLACE({raw}, '\\\\', CHR(5))"
    for code in _CAPITALS:
        found = f"REPLACE({found}, '\\u00{code}', '\\u00{code.lower()}')"
    return f"REPLACE({found}, CHR(5), '\\\\')"


_DOCUMENT_TEXT = (
    "CASE WHEN LEFT(r, 1) NOT IN ('{', '[') THEN CASE WHEN r <> 'nnull' THEN SUBSTRING(r, 2) END "
    f"ELSE {_unmarked(_lower_escapes('r'))} END"
)


def _real_of_digits(kind: str) -> str:
    return (
        f"[CASE WHEN CAST(r AS {kind}) = 0 AND REGEXP_MATCHES(r, '[1-9]') "
        f"THEN error('out of range') WHEN ISINF(CAST(r AS {kind})) THEN error('out of range') "
        f"ELSE CAST(r AS {kind}) END FOR r IN [_1]][1]"
    )


def _first_day(year: str) -> str:
    return (
        "CASE WHEN ISINF(_1) THEN _1 "
        f"WHEN YEAR(_1) > 0 THEN MAKE_TIMESTAMP({year}, 1, 1, 0, 0, 0) "
        "WHEN _1 IS NOT NULL THEN error('years before Christ are not handled') END"
    )


PIECES = table(
    {
        **interval_pieces("duckdb"),
        **moment_pieces("duckdb"),
        **text_kinds("duckdb"),
        # fields of dates and timestamps; those of an infinite one are no DECIMAL
        ".year": "CASE WHEN ISINF(_1) THEN error('a field of an infinite date is infinite') "
        "WHEN YEAR(_1) > 0 THEN YEAR(_1) ELSE YEAR(_1) - 1 END",
        ".month": "MONTH(_1)",
        ".day": "DAY(_1)",
        ".quarter": "QUARTER(_1)",
        ".dow": "DAYOFWEEK(_1)",
        ".isodow": "ISODOW(_1)",
        ".doy": "DAYOFYEAR(_1)",
        ".week": "WEEK(_1)",
        ".hour": "HOUR(_1)",
        ".minute": "MINUTE(_1)",
        ".second": "CAST(MICROSECOND(_1) AS DECIMAL(18, 0)) * CAST('0.000001' AS DECIMAL(6, 6))",
        ".milliseconds": "CAST(MICROSECOND(_1) AS DECIMAL(18, 0)) * CAST('0.001' AS DECIMAL(3, 3))",
        ".microseconds": "MICROSECOND(_1)",
        **{
            f".{name}": "CASE WHEN ISINF(_1) THEN error('a field of an infinite date is infinite') "
            f"WHEN YEAR(_1) > 0 THEN (YEAR(_1) + {size - 1}) // {size} "
            f"WHEN _1 IS NOT NULL THEN 0 - ({size} - YEAR(_1)) // {size} END"
            for name, size in (("century", 100), ("millennium", 1000))
        },
        ".decade": "CASE WHEN ISINF(_1) THEN error('a field of an infinite date is infinite') "
        "WHEN YEAR(_1) >= 0 THEN YEAR(_1) // 10 "
        "WHEN _1 IS NOT NULL THEN 0 - (9 - YEAR(_1)) // 10 END",
        ".julian_of_date": "CASE WHEN ISINF(_1) THEN error('a field of an infinite date is i"
        "nfinite') "
        "ELSE _1 - DATE '1970-01-01' + 2440588 END",
        ".epoch_of_date": "CASE WHEN ISINF(_1) THEN error('a field of an infinite date is in"
        "finite') "
        "ELSE (_1 - DATE '1970-01-01') * 86400 END",
        ".epoch_of_timestamp": "CASE WHEN ISINF(_1) THEN error('a field of an infinite date "
        "is infinite') "
        "ELSE CAST(EPOCH_US(_1) AS DECIMAL(20, 0)) * CAST('0.000001' AS DECIMAL(6, 6)) END",
        # intervals
        ".timestamp_of_date": "CAST(_1 AS TIMESTAMP)",
        ".no_timestamp": "CAST(NULL AS TIMESTAMP)",
        ".add_months": "_1 + TO_MONTHS(_2)",
        ".add_days": "_1 + TO_DAYS(_2)",
        ".add_micros": "_1 + TO_MICROSECONDS(_2)",
        ".micros_between": "CASE WHEN ISINF(_1) AND _1 = _2 THEN error('interval out of range') "
        "WHEN ISINF(_1) OR ISINF(_2) THEN CASE WHEN _1 > _2 "
        "THEN CAST('1000000000000000000000000000000' AS HUGEINT) "
        "WHEN _1 < _2 THEN CAST('-1000000000000000000000000000000' AS HUGEINT) END "
        "ELSE CAST(EPOCH_US(_1) AS HUGEINT) - EPOCH_US(_2) END",
        ".finite_micros_between": "CASE WHEN (ISINF(_1) OR ISINF(_2)) AND NOT _1 IS NULL "
        "AND NOT _2 IS NULL "
        "THEN error('the difference of infinite timestamps') ELSE EPOCH_US(_1) - EPOCH_US(_2) END",
        ".interval_length": "CASE WHEN _1 = 'infinity' THEN CAST('10000000000000000000000000"
        "00000' AS DECIMAL(38,"
        " 0)) WHEN _1 = '-infinity' THEN CAST('-1000000000000000000000000000000' AS "
        "DECIMAL(38, 0)) WHEN REGEXP_MATCHES(_1, '^(infinity|-infinity|([-+]?[0-9]+ years?)?("
        " ?[-+]?[0-9]+ mons?)?( ?[-+]?[0-9]+ days?)?( "
        "?[-+]?[0-9]+:[0-9]{2}:[0-9]{2}([.][0-9]+)?)?)$') THEN "
        "CAST(CAST((CAST(COALESCE(NULLIF(REGEXP_EXTRACT(_1, '([-+]?[0-9]+) year', 1), ''), "
        "'0') AS DECIMAL(20, 0)) * 12 + CAST(COALESCE(NULLIF(REGEXP_EXTRACT(_1, "
        "'([-+]?[0-9]+) mon', 1), ''), '0') AS DECIMAL(20, 0))) * 30 + "
        "CAST(COALESCE(NULLIF(REGEXP_EXTRACT(_1, '([-+]?[0-9]+) day', 1), ''), '0') AS "
        "DECIMAL(20, 0)) AS DECIMAL(24, 0)) * 86400000000 + CAST((CASE WHEN "
        "REGEXP_EXTRACT(_1, '([-+]?)([0-9]+):([0-9]+):([0-9]+)[.]?([0-9]*)', 1) = '-' THEN -1"
        " ELSE 1 END) * (((CAST(COALESCE(NULLIF(REGEXP_EXTRACT(_1, "
        "'([-+]?)([0-9]+):([0-9]+):([0-9]+)[.]?([0-9]*)', 2), ''), '0') AS DECIMAL(20, 0)) * "
        "60 + CAST(COALESCE(NULLIF(REGEXP_EXTRACT(_1, "
        "'([-+]?)([0-9]+):([0-9]+):([0-9]+)[.]?([0-9]*)', 3), ''), '0') AS DECIMAL(20, 0))) *"
        " 60 + CAST(COALESCE(NULLIF(REGEXP_EXTRACT(_1, "
        "'([-+]?)([0-9]+):([0-9]+):([0-9]+)[.]?([0-9]*)', 4), ''), '0') AS DECIMAL(20, 0))) *"
        " 1000000 + CAST(RPAD(REGEXP_EXTRACT(_1, "
        "'([-+]?)([0-9]+):([0-9]+):([0-9]+)[.]?([0-9]*)', 5), 6, '0') AS DECIMAL(20, 0))) AS "
        "DECIMAL(24, 0)) AS DECIMAL(38, 0)) WHEN _1 IS NOT NULL THEN CAST(error('an interval "
        "is not in the form of PostgreSQL') AS DECIMAL(38, 0)) END",
        # time zones
        ".no_timestamptz": "CAST(NULL AS TIMESTAMPTZ)",
        ".timestamp_in_utc": "timezone('UTC', _1)",
        ".timestamptz_in_utc": "timezone('UTC', _1)",
        ".timestamp_in_zone": f"CASE WHEN {_UNSURE} THEN {_EARLY} ELSE timezone(_2, _1) END",
        ".timestamptz_in_zone": f"CASE WHEN {_UNSURE} THEN {_EARLY} ELSE timezone(_2, _1) END",
        **{
            f".trunc_{unit}": "CASE WHEN ISINF(_1) THEN _1 "
            f"ELSE CAST(DATE_TRUNC('{unit}', _1) AS TIMESTAMP) END"
            for unit in ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
        },
        ".trunc_milliseconds": "CASE WHEN ISINF(_1) THEN _1 "
        "ELSE CAST(DATE_TRUNC('milliseconds', _1) AS TIMESTAMP) END",
        ".trunc_microseconds": "_1",
        ".trunc_decade": _first_day("YEAR(_1) // 10 * 10"),
        ".trunc_century": _first_day("(YEAR(_1) - 1) // 100 * 100 + 1"),
        ".trunc_millennium": _first_day("(YEAR(_1) - 1) // 1000 * 1000 + 1"),
        # arrays, held as PostgreSQL's text: quoted elements and plain ones
        ".array_tokens": "REGEXP_EXTRACT_ALL(REGEXP_REPLACE(_1, '^[^{]*', ''), "
        '\'"(?:[^"\\\\]|\\\\.)*"|[^{},"]+\')',
        ".list_of_text": "[CASE WHEN e = 'NULL' THEN NULL WHEN e LIKE '\"%' THEN "
        "REGEXP_REPLACE(SUBSTRING(e, 2, LENGTH(e) - 2), '\\\\(.)', '\\1', 'g') ELSE e END "
        "FOR e IN _1]",
        **{
            f".list_of_{name}": f"[CASE WHEN e <> 'NULL' THEN CAST(e AS {kind}) END FOR e IN _1]"
            for name, kind in (("int2", "SMALLINT"), ("int4", "INT"), ("int8", "BIGINT"))
        },
        ".list_length": "CAST(LEN(_1) AS INT)",
        ".array_length": "CASE WHEN STARTS_WITH(_1, '{{') OR STARTS_WITH(_1, '[') "
        "THEN error('an array of several dimensions or other bounds') "
        "ELSE NULLIF(CAST(LEN(_2) AS INT), 0) END",
        ".list_holds": "CASE WHEN LEN(_1) = 0 THEN FALSE WHEN _1 IS NULL OR _2 IS NULL THEN NULL "
        "WHEN LIST_CONTAINS(_1, _2) THEN TRUE WHEN LIST_COUNT(_1) = LEN(_1) THEN FALSE END",
        ".list_contains": "CASE WHEN _1 IS NOT NULL "
        "THEN LIST_HAS_ALL(_1, _2) AND LIST_COUNT(_2) = LEN(_2) END",
        ".lists_overlap": "LIST_HAS_ANY(_1, _2)",
        # jsonb and json, held as PostgreSQL's text; a document is JSON whose scalars are marked
        ".marked": _marked(_MARKED_TOKENS),
        ".marked_plain": _marked(_PLAIN_TOKENS),
        ".json_sure": "CASE WHEN REGEXP_MATCHES(_1, '\\\\u(0000|[dD][89abAB])') "
        "THEN error('an escaped surrogate or zero in json') ELSE _1 END",
        ".document": "CAST(_1 AS JSON)",
        ".no_document": "CAST(NULL AS JSON)",
        ".document_raw": "JSON_EXTRACT_STRING(_1, '$')",
        ".document_key": "'s' || _1",
        ".document_path": "'$.\"s' || REPLACE(REPLACE(_1, '\\', '\\\\'), '\"', '\\\"') || '\"'",
        ".document_field": "JSON_EXTRACT(_1, _2)",
        # of equal keys json's last one counts
        ".json_field": "(LIST_REVERSE(JSON_EXTRACT(_1, '$.*')))["
        "LIST_POSITION(LIST_REVERSE(JSON_KEYS(_1)), _2)]",
        ".document_item": "JSON_EXTRACT(_1, _2)",
        ".document_item_at": "JSON_EXTRACT(_1, CASE WHEN _2 < 0 THEN '$[#' ELSE '$[' END "
        "|| _2 || ']')",
        ".document_alone": "CASE WHEN JSON_TYPE(_1) NOT IN ('OBJECT', 'ARRAY') THEN _1 END",
        ".document_alone_at": "CASE WHEN _2 IN (0, -1) "
        "AND JSON_TYPE(_1) NOT IN ('OBJECT', 'ARRAY') THEN _1 END",
        ".document_items": "JSON_EXTRACT(_1, '$[*]')",
        ".document_holds": "LIST_CONTAINS(JSON_EXTRACT_STRING(_1, '$[*]'), _2)",
        ".document_keys_among": "LIST_HAS_ALL(_2, JSON_KEYS(_1))",
        ".document_has": "CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL "
        "ELSE CASE JSON_TYPE(_1) WHEN 'OBJECT' THEN _3 IS NOT NULL "
        "WHEN 'ARRAY' THEN LIST_CONTAINS(JSON_EXTRACT_STRING(_1, '$[*]'), _2) "
        "ELSE JSON_EXTRACT_STRING(_1, '$') = _2 END END",
        ".document_text": f"[{_DOCUMENT_TEXT} FOR r IN [_1]][1]",
        ".document_scalar": "[CASE WHEN LEFT(r, 1) IN ('{', '[') "
        "THEN error('the text of an object or an array of json') "
        "WHEN r <> 'nnull' THEN SUBSTRING(r, 2) END FOR r IN [_1]][1]",
        ".document_loose": "[CASE WHEN LEFT(r, 1) IN ('{', '[') THEN r "
        "WHEN r <> 'nnull' THEN SUBSTRING(r, 2) END FOR r IN [_1]][1]",
        ".document_null": "COALESCE(_1, 'nnull') = 'nnull'",
        ".document_kind": "[CASE WHEN r LIKE '{%' THEN 'object' "
        "WHEN r LIKE '[%' THEN 'array' WHEN r LIKE 's%' THEN 'string' "
        "WHEN r IN ('nt', 'nf') THEN 'boolean' WHEN r = 'nn' THEN 'null' "
        "WHEN r IS NOT NULL THEN 'number' END FOR r IN [LEFT(_1, 2)]][1]",
        ".document_length": "CASE WHEN JSON_TYPE(_1) = 'ARRAY' THEN "
        "CAST(JSON_ARRAY_LENGTH(_1) AS INT) WHEN _1 IS NOT NULL "
        "THEN error('cannot get array length of what is no array') END",
        ".document_number": "[CASE WHEN r = 'nnull' THEN NULL "
        "WHEN REGEXP_MATCHES(r, '^n[-0-9]') THEN SUBSTRING(r, 2) WHEN r IS NOT NULL "
        "THEN error('cannot cast jsonb to a number') END FOR r IN [_1]][1]",
        ".document_truth": "[CASE WHEN r = 'ntrue' THEN TRUE "
        "WHEN r = 'nfalse' THEN FALSE WHEN r <> 'nnull' "
        "THEN error('cannot cast jsonb to boolean') END FOR r IN [_1]][1]",
        ".whole_of_digits": "[CAST(SPLIT_PART(r, '.', 1) AS DECIMAL(38, 0)) "
        "+ CASE WHEN REGEXP_MATCHES(r, '[.][5-9]') THEN CASE WHEN STARTS_WITH(r, '-') THEN -1 "
        "ELSE 1 END ELSE 0 END FOR r IN [_1]][1]",
        ".float8_of_digits": _real_of_digits("DOUBLE"),
        ".float4_of_digits": _real_of_digits("REAL"),
        # pieces
        ".decimal_mod": "_1 % _2",
        ".raise": "error(_1)",
        ".varchar": "LEFT(_1, _2)",
        ".bpchar": "RPAD(LEFT(_1, _2), _2, ' ')",
        ".rtrim": "RTRIM(_1, ' ')",
        ".begins": "STARTS_WITH(_1, _2)",
        ".like": "_1 LIKE _2 ESCAPE '\\'",
        ".decimal_to_float8": "CAST(CAST(_1 AS TEXT) AS DOUBLE)",
        ".decimal_to_float4": "CAST(CAST(_1 AS TEXT) AS REAL)",
        ".float8_literal": "CAST(_1 AS DOUBLE)",
        ".float4_literal": "CAST(_1 AS REAL)",
        ".numeric_canonical": "REGEXP_FULL_MATCH(_1, '-?[0-9]+([.][0-9]+)?')",
        ".numeric_zero": "REGEXP_FULL_MATCH(_1, '-?[0.]+')",
        ".numeric_negative": "STARTS_WITH(_1, '-')",
        ".numeric_digits": "LPAD(CAST(LENGTH(LTRIM(SPLIT_PART(LTRIM(_1, '-'), '.', 1), '0')) AS "
        "TEXT), 6, '0') "
        "|| LTRIM(SPLIT_PART(LTRIM(_1, '-'), '.', 1), '0') "
        "|| RTRIM(SPLIT_PART(_1, '.', 2), '0')",
        ".translate": "TRANSLATE(_1, _2, _3)",
        ".regex_extract": "REGEXP_EXTRACT(_1, _2, _3)",
        ".regex_extract_all": "REGEXP_EXTRACT_ALL(_1, _2, _3)",
        ".regex_replace": "REGEXP_REPLACE(_1, _2, _3)",
        ".regex_replace_all": "REGEXP_REPLACE(_1, _2, _3, 'g')",
        ".regex_place": "CASE WHEN _1 THEN CAST(LENGTH(_2) + _3 AS INT) WHEN NOT _1 THEN 0 END",
        ".list_item": "LIST_EXTRACT(_1, _2)",
        ".matches": "REGEXP_MATCHES(_1, _2)",
        ".text": "CAST(_1 AS TEXT)",
        ".trunc": "TRUNC(_1, _2)",
        ".round": "ROUND(_1, _2)",
        ".ceil": "CEIL(_1)",
        ".floor": "FLOOR(_1)",
    }
)
