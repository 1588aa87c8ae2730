"""What the rules of jsonb, json and jsonpath ask DuckDB for.

Example
    `.marked` turns `{"a": 1.50}` into `{"sa":"n1.50"}`: see `document_values`.
"""

from __future__ import annotations

from filtersql.filters.engines import containing
from filtersql.filters.engines.json_escapes import DOUBTFUL, SURE
from filtersql.filters.engines.templates import table

__all__ = ["DOCUMENTS"]

_IN_QUOTES = r'"((?:[^"\\]|\\.)*)"'
_MARKED_TOKENS = _IN_QUOTES + "|([-+0-9A-Za-z.]+)"
#: without the zeros at the end of a number
_PLAIN_TOKENS = _IN_QUOTES + "|(-?[0-9]+(?:[.][0-9]*[1-9])?|[a-z]+)(?:[.]0+|0*)"
#: a document's scalars and separators
_UNMARKED_TOKENS = r'"s((?:[^"\\]|\\.)*)"|"n([^"]*)"|([:,])'


def _replaced(text: str, *pairs: tuple[str, str]) -> str:
    """REPLACE, one after the other; `#` stands for the control character between the steps."""
    for old, new in pairs:
        parts = [f"'{part}'" if part else "" for part in old.split("#")]
        signs = [sign for part in parts for sign in (part, "CHR(1)") if sign][:-1]
        text = f"REPLACE({text}, {' || '.join(signs)}, '{new}')"
    return text


def _marked(tokens: str) -> str:
    """Each scalar in quotes behind its mark."""
    # a string becomes `"s…""n"`, a number `"s""n…"`: quotes stand side by side nowhere else
    found = rf"""REGEXP_REPLACE(_1, '{tokens}', '"s\1""n\2"', 'g')"""
    return _replaced(found, ('""n"', '"'), ('"s""n', '"n'))


def _unmarked(raw: str, behind: str = " ") -> str:
    """A document as jsonb's text, with that behind colons and commas."""
    found = (
        f"REGEXP_REPLACE({raw}, '{_UNMARKED_TOKENS}', "
        r"""'"\1"' || CHR(1) || '\2' || CHR(1) || '\3' || CHR(1), 'g')"""
    )
    return _replaced(found, ("###", ""), ('""##', ""), ('""#', ""), ("##", ""), ("#", behind))


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


#: json's text keeps what stands between its tokens: known where the whole is as jsonb's, or close
_KEPT_TEXT = (
    "CASE WHEN LEFT(r, 1) NOT IN ('{', '[') THEN CASE WHEN r <> 'nnull' THEN SUBSTRING(r, 2) END "
    f"WHEN _2 = {_unmarked(_lower_escapes('_3'))} THEN {_unmarked(_lower_escapes('r'))} "
    f"WHEN _2 = {_unmarked(_lower_escapes('_3'), '')} THEN {_unmarked(_lower_escapes('r'), '')} "
    "WHEN r IS NOT NULL THEN error('the text of an object or an array of json') END"
)


def _real_of_digits(kind: str) -> str:
    return (
        f"[CASE WHEN CAST(r AS {kind}) = 0 AND REGEXP_MATCHES(r, '[1-9]') "
        f"THEN error('out of range') WHEN ISINF(CAST(r AS {kind})) THEN error('out of range') "
        f"ELSE CAST(r AS {kind}) END FOR r IN [_1]][1]"
    )


_ITEMS = (
    "FLATTEN([CASE WHEN JSON_TYPE(x) = 'ARRAY' THEN JSON_EXTRACT(x, '$[*]') ELSE [x] END "
    "FOR x IN _1])"
)


_INSIDE = (
    "FLATTEN([CASE JSON_TYPE(x) WHEN 'ARRAY' THEN JSON_EXTRACT(x, '$[*]') "
    "WHEN 'OBJECT' THEN JSON_EXTRACT(x, '$.*') ELSE CAST([] AS JSON[]) END FOR x IN {}])"
)
#: the documents of each level
_LEVELS = (
    "LIST_REDUCE([CAST([] AS JSON[][]) FOR i IN RANGE(_2)], "
    f"LAMBDA s, i : LIST_APPEND(s, {_INSIDE.format('LIST_EXTRACT(s, -1)')}), [_1])"
)
_ELEMENTS = "JSON_EXTRACT({}, '$[*]')"


def _member(document: str, key: str) -> str:
    return (
        f"JSON_EXTRACT({document}, '$.\"' || REPLACE(REPLACE({key}, '\\', '\\\\'), '\"', '\\\"') "
        "|| '\"')"
    )


def _merged(first: str, second: str) -> str:
    """The members of two objects in jsonb's order; the second's count."""
    value = f"COALESCE({_member(second, 'q.k')}, {_member(first, 'q.k')})"
    return (
        "CAST('{' || ARRAY_TO_STRING([CAST(TO_JSON(q.k) AS TEXT) || ':' || "
        f"CAST({value} AS TEXT) FOR q IN LIST_SORT([{{'n': STRLEN(k), 'k': k}} FOR k IN "
        f"LIST_DISTINCT(LIST_CONCAT(JSON_KEYS({first}), JSON_KEYS({second})))])], ',') || '}}' "
        "AS JSON)"
    )


def _items_of(document: str) -> str:
    return (
        f"CASE WHEN JSON_TYPE({document}) = 'ARRAY' THEN {_ELEMENTS.format(document)} "
        f"ELSE [{document}] END"
    )


_CHANGES = {
    ".document_concat": "CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL "
    "WHEN JSON_TYPE(_1) = 'OBJECT' AND JSON_TYPE(_2) = 'OBJECT' "
    f"THEN {_merged('_1', '_2')} "
    f"ELSE TO_JSON(LIST_CONCAT({_items_of('_1')}, {_items_of('_2')})) END",
    ".list_document": "TO_JSON(_1)",
}


DOCUMENTS = table(
    _CHANGES
    | containing.DUCKDB
    | {
        # jsonb and json, held as PostgreSQL's text; a document is JSON whose scalars are marked
        ".marked": _marked(_MARKED_TOKENS),
        ".marked_plain": _marked(_PLAIN_TOKENS),
        ".json_sure": f"CASE WHEN REGEXP_MATCHES(_1, '{DOUBTFUL}') AND REGEXP_MATCHES("
        f"REGEXP_REPLACE(_1, '{SURE}', '', 'g'), '{DOUBTFUL}') "
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
        # a path goes through all values of a key that stands several times
        ".json_values": "FLATTEN([[v FOR v, i IN JSON_EXTRACT(x, '$.*') "
        "IF LIST_EXTRACT(JSON_KEYS(x), i) = _2] FOR x IN _1])",
        ".json_values_at": "FLATTEN([CASE JSON_TYPE(x) WHEN 'OBJECT' THEN "
        "[v FOR v, i IN JSON_EXTRACT(x, '$.*') IF LIST_EXTRACT(JSON_KEYS(x), i) = _2] "
        "ELSE [z FOR z IN LIST_SLICE(JSON_EXTRACT(x, '$[*]'), _3, _3)] END FOR x IN _1])",
        ".json_field_once": "CASE WHEN LEN([k FOR k IN JSON_KEYS(_1) IF k = _2]) > 1 "
        "THEN CAST(error('a key of the path stands twice in json') AS JSON) ELSE _3 END",
        ".document_item": "JSON_EXTRACT(_1, _2)",
        ".document_item_at": "JSON_EXTRACT(_1, CASE WHEN _2 < 0 THEN '$[#' ELSE '$[' END "
        "|| _2 || ']')",
        ".document_alone": "CASE WHEN JSON_TYPE(_1) NOT IN ('OBJECT', 'ARRAY') THEN _1 END",
        ".document_alone_at": "CASE WHEN _2 IN (0, -1) "
        "AND JSON_TYPE(_1) NOT IN ('OBJECT', 'ARRAY') THEN _1 END",
        ".document_items": "JSON_EXTRACT(_1, '$[*]')",
        ".document_holds": "LIST_CONTAINS(JSON_EXTRACT_STRING(_1, '$[*]'), _2)",
        ".document_keys_among": "LIST_HAS_ALL(_2, JSON_KEYS(_1))",
        ".document_without": "CASE JSON_TYPE(_1) WHEN 'OBJECT' THEN CAST('{' || ARRAY_TO_STRING("
        "[CAST(TO_JSON(k) AS TEXT) || ':' || CAST(JSON_EXTRACT(_1, '$.\"' || "
        "REPLACE(REPLACE(k, '\\', '\\\\'), '\"', '\\\"') || '\"') AS TEXT) "
        "FOR k IN JSON_KEYS(_1) IF NOT LIST_CONTAINS(_2, k)], ',') || '}' AS JSON) "
        "WHEN 'ARRAY' THEN TO_JSON([e FOR e IN JSON_EXTRACT(_1, '$[*]') "
        "IF NOT LIST_CONTAINS(_2, JSON_EXTRACT_STRING(e, '$'))]) "
        "ELSE CASE WHEN _1 IS NOT NULL THEN CAST(error('cannot delete from scalar') AS JSON) END "
        "END",
        ".document_number_or_none": "CASE WHEN REGEXP_MATCHES(_1, '^n[-0-9]') "
        "THEN SUBSTRING(_1, 2) END",
        ".document_order": "CASE WHEN _1 = '[]' THEN '0' WHEN _1 = 'nnull' THEN '1' "
        "WHEN _1 LIKE 's%' THEN '2' WHEN _1 = 'nfalse' THEN '40' WHEN _1 = 'ntrue' THEN '41' "
        "WHEN _1 LIKE 'n%' THEN '3' || _2 WHEN _1 LIKE '[%' THEN '5' WHEN _1 = '{}' THEN '6' "
        "WHEN _1 IS NOT NULL THEN '7' END",
        ".document_has": "CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL "
        "ELSE CASE JSON_TYPE(_1) WHEN 'OBJECT' THEN _3 IS NOT NULL "
        "WHEN 'ARRAY' THEN LIST_CONTAINS(JSON_EXTRACT_STRING(_1, '$[*]'), _2) "
        "ELSE JSON_EXTRACT_STRING(_1, '$') = _2 END END",
        ".document_text": f"[{_DOCUMENT_TEXT} FOR r IN [_1]][1]",
        ".document_scalar": "[CASE WHEN LEFT(r, 1) IN ('{', '[') "
        "THEN error('the text of an object or an array of json') "
        "WHEN r <> 'nnull' THEN SUBSTRING(r, 2) END FOR r IN [_1]][1]",
        ".document_kept": f"[{_KEPT_TEXT} FOR r IN [_1]][1]",
        ".document_close": "_1",
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
        # jsonpath: lists of documents; arrays are unwrapped where a step asks for something else
        ".path_start": "[_1]",
        ".path_items": _ITEMS,
        ".path_key": "[z FOR z IN [JSON_EXTRACT(y, _2) FOR y IN " + _ITEMS + "] IF z IS NOT NULL]",
        ".path_values": "FLATTEN([JSON_EXTRACT(y, '$.*') FOR y IN " + _ITEMS + "])",
        ".path_item": "[z FOR z IN [LIST_EXTRACT(CASE WHEN JSON_TYPE(x) = 'ARRAY' "
        "THEN JSON_EXTRACT(x, '$[*]') ELSE [x] END, _2) FOR x IN _1] IF z IS NOT NULL]",
        ".path_slice": "FLATTEN([LIST_SLICE(CASE WHEN JSON_TYPE(x) = 'ARRAY' "
        "THEN JSON_EXTRACT(x, '$[*]') ELSE [x] END, _2, _3) FOR x IN _1])",
        ".path_levels": f"FLATTEN(LIST_SLICE({_LEVELS}, _3, _4))",
        ".path_all_levels": "[CASE WHEN LEN(LIST_EXTRACT(s, -1)) > 0 "
        "THEN CAST(error('a document of more than 60 levels') AS JSON[]) "
        f"ELSE FLATTEN(LIST_SLICE(s, _3, LEN(s))) END FOR s IN [{_LEVELS}]][1]",
        ".path_size": "[TO_JSON('n' || CASE WHEN JSON_TYPE(x) = 'ARRAY' "
        "THEN JSON_ARRAY_LENGTH(x) ELSE 1 END) FOR x IN _1]",
        ".path_type": "[CASE WHEN r LIKE '{%' THEN CAST('\"sobject\"' AS JSON) "
        "WHEN r LIKE '[%' THEN CAST('\"sarray\"' AS JSON) "
        "WHEN r LIKE 's%' THEN CAST('\"sstring\"' AS JSON) "
        "WHEN r IN ('ntrue', 'nfalse') THEN CAST('\"sboolean\"' AS JSON) "
        "WHEN r = 'nnull' THEN CAST('\"snull\"' AS JSON) ELSE CAST('\"snumber\"' AS JSON) END "
        "FOR r IN [JSON_EXTRACT_STRING(x, '$') FOR x IN _1]]",
        ".path_truth": "CASE WHEN LIST_EXTRACT(_1, 2) IS NULL THEN "
        "CASE WHEN JSON_EXTRACT_STRING(LIST_EXTRACT(_1, 1), '$') = 'ntrue' THEN TRUE "
        "WHEN JSON_EXTRACT_STRING(LIST_EXTRACT(_1, 1), '$') = 'nfalse' THEN FALSE END END",
        ".list_filled": "LEN(_1) > 0",
        ".list_size": "LEN(_1)",
        ".list_begins": "LEN([x FOR x IN _1 IF JSON_TYPE(x) = "
        "CASE WHEN _2 = '{' THEN 'OBJECT' ELSE 'ARRAY' END]) = LEN(_1)",
        ".list_all_known": "[CASE WHEN LIST_COUNT(t) = LEN(t) THEN LIST_CONTAINS(t, TRUE) END "
        "FOR t IN [_1]][1]",
        ".list_any": "[CASE WHEN LIST_CONTAINS(t, TRUE) THEN TRUE "
        "WHEN LIST_COUNT(t) = LEN(t) THEN FALSE END FOR t IN [_1]][1]",
    }
)
