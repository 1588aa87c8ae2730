"""Arrays, held as PostgreSQL's text, as the engines' lists.

Example
    `.array_tokens` cuts `{1,"a b",NULL}` into its elements, quoted ones and plain ones;
    `.array_shape` is empty for an array of one dimension that begins at 1, else what says more.

PostgreSQL
    arrayfuncs.c, array_out(): bounds stand in front where one is not 1; `NULL` without quotes.
"""

from __future__ import annotations

from filtersql.storage import Engine

__all__ = ["array_pieces"]

# Possessive: Java's stack must not grow with the text.
_SPARK_TOKENS = r"""'"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|[^{},"]++'"""
_DUCKDB_TOKENS = r"""'"(?:[^"\\]|\\.)*"|[^{},"]+'"""
_SEVERAL = "an array of several dimensions"


def array_pieces(engine: Engine) -> dict[str, str]:
    """The pieces of an engine."""
    return _ALIKE[engine] | (_SPARK if engine == "spark" else _DUCKDB)


def _alike(skeleton: str, error: str, starts: str) -> dict[str, str]:
    """What both write alike, but for a few words."""
    braces = f"LENGTH(REGEXP_REPLACE({skeleton}, '[^{{]', '', 'g'))"
    if error == "raise_error":
        braces = braces.replace(", 'g')", ")")
    text = "STRING" if error == "raise_error" else "TEXT"
    div = "DIV" if error == "raise_error" else "//"
    rows = f"({braces} - 1)"
    return {
        ".array_shape": "CASE WHEN _1 LIKE '[%' THEN SPLIT_PART(_1, '=', 1) "
        f"WHEN _1 LIKE '{{{{%' THEN {skeleton} WHEN _1 IS NOT NULL THEN '' END",
        ".array_first": "CASE WHEN _1 LIKE '[%' THEN CAST(REGEXP_EXTRACT(_1, '^.(-?[0-9]+)', 1) "
        "AS INT) WHEN _1 IS NOT NULL THEN 1 END",
        ".array_is_deep": "_1 LIKE '{{%' OR (_1 LIKE '[%' AND "
        "CONTAINS(SPLIT_PART(_1, '=', 1), ']['))",
        ".array_bounds": "CASE WHEN _1 LIKE '[%' THEN SPLIT_PART(_1, '=', 1) "
        f"WHEN _1 LIKE '{{{{{{%' THEN {error}('an array of more than two dimensions') "
        f"WHEN _1 LIKE '{{{{%' THEN '[1:' || CAST({rows} AS {text}) || '][1:' "
        f"|| CAST(_2 {div} {rows} AS {text}) || ']' "
        f"WHEN _2 > 0 THEN '[1:' || CAST(_2 AS {text}) || ']' END",
        ".bounds_from": f"CASE WHEN _2 > 0 THEN '[' || CAST(_1 AS {text}) || ':' || "
        f"CAST(_1 + _2 - 1 AS {text}) || ']' END",
        ".shape_from": f"CASE WHEN _1 = 1 OR _2 = 0 THEN '' ELSE '[' || CAST(_1 AS {text}) || ':' "
        f"|| CAST(_1 + _2 - 1 AS {text}) || ']' END",
        ".bound": "CAST(NULLIF(REGEXP_EXTRACT(_1, _2, 1), '') AS INT)",
        ".dimensions": "CAST(NULLIF(LENGTH(_1) - LENGTH(REPLACE(_1, ':', '')), 0) AS INT)",
    }


_ALIKE: dict[Engine, dict[str, str]] = {
    "spark": _alike(f"REGEXP_REPLACE(_1, {_SPARK_TOKENS}, '')", "raise_error", "STARTSWITH"),
    "duckdb": _alike(f"REGEXP_REPLACE(_1, {_DUCKDB_TOKENS}, '', 'g')", "error", "STARTS_WITH"),
}
_SPARK_PARTS = "NAMED_STRUCT('w', _1, 'e', _2, 'l', _3, 'u', _4, 'li', _5, 'ui', _6)"
_DUCKDB_PARTS = "{'w': _1, 'e': _2, 'l': _3, 'u': _4, 'li': _5, 'ui': _6}"
_SPARK = {
    ".array_tokens": f"REGEXP_EXTRACT_ALL(REGEXP_REPLACE(_1, '^[^{{]*', ''), {_SPARK_TOKENS}, 0)",
    ".list_of_text": "TRANSFORM(_1, e -> CASE WHEN e = 'NULL' THEN NULL WHEN e LIKE '\"%' THEN "
    r"REGEXP_REPLACE(SUBSTRING(e, 2, CHAR_LENGTH(e) - 2), '\\\\(.)', '$1') ELSE e END)",
    ".list_length": "SIZE(_1)",
    ".list_holds": "CASE WHEN SIZE(_1) = 0 THEN FALSE ELSE ARRAY_CONTAINS(_1, _2) END",
    ".list_holds_value": "ARRAY_CONTAINS(_1, _2)",
    ".list_contains": "SIZE(ARRAY_EXCEPT(_2, ARRAY_COMPACT(_1))) = 0",
    ".list_contains_values": "SIZE(ARRAY_EXCEPT(_2, ARRAY_COMPACT(_1))) = 0",
    ".lists_overlap": "ARRAYS_OVERLAP(ARRAY_COMPACT(_1), ARRAY_COMPACT(_2))",
    ".list_map": "TRANSFORM(_1, item -> _2)",
    ".let_bound": "TRY_ELEMENT_AT(TRANSFORM(ARRAY(_1), bound -> _2), 1)",
    ".let_range_a": "TRY_ELEMENT_AT(TRANSFORM(ARRAY(_1), range_a -> _2), 1)",
    ".let_range_b": "TRY_ELEMENT_AT(TRANSFORM(ARRAY(_1), range_b -> _2), 1)",
    ".let_parts_a": f"TRY_ELEMENT_AT(TRANSFORM(ARRAY({_SPARK_PARTS}), parts_a -> _7), 1)",
    ".let_parts_b": f"TRY_ELEMENT_AT(TRANSFORM(ARRAY({_SPARK_PARTS}), parts_b -> _7), 1)",
    ".let_element": "TRY_ELEMENT_AT(TRANSFORM(ARRAY(_1), element -> _2), 1)",
    ".items_any": "EXISTS(_1, item -> _2)",
    ".items_all": "FORALL(_1, item -> _2)",
    ".list_without": "FILTER(_1, item -> NOT item <=> _2)",
    ".list_replaced": "TRANSFORM(_1, item -> CASE WHEN item <=> _2 THEN _3 ELSE item END)",
    ".list_concat": "CONCAT(_1, _2)",
    ".list_of_one": "ARRAY(_1)",
    ".list_head": "SLICE(_1, 1, _2)",
    ".list_reverse": "REVERSE(_1)",
    ".list_repeat": "ARRAY_REPEAT(_1, _2)",
    ".list_nulls": "SIZE(FILTER(_1, item -> item IS NULL))",
    ".list_sorted": "ARRAY_SORT(_1)",
    ".list_sorted_nulls_first": "SORT_ARRAY(_1, TRUE)",
    ".list_sorted_down": "REVERSE(ARRAY_SORT(_1))",
    ".list_sorted_down_nulls_last": "SORT_ARRAY(_1, FALSE)",
    # PostgreSQL's order has NULL behind everything
    ".list_in_order": "TRANSFORM(_1, item -> STRUCT(item IS NULL AS a, item AS b))",
    ".list_places": "FILTER(TRANSFORM(_1, (item, place) -> CASE WHEN item <=> _2 THEN place + _3 "
    "END), item -> item IS NOT NULL)",
    ".list_at_most": "SIZE(FILTER(_1, item -> item <= _2))",
    ".list_at_least": "SIZE(FILTER(_1, item -> item >= _2))",
    ".first_from": "TRY_ELEMENT_AT(FILTER(_1, item -> item >= _2), 1)",
}
_SPARK |= {
    # Spark takes `0044-03-15 BC` for a date after Christ
    ".moment_text": "CASE WHEN _1 LIKE '% BC' THEN FORMAT_STRING('%05d%s', 1 - CAST(SPLIT_PART(_1, "
    "'-', 1) AS INT), REGEXP_EXTRACT(_1, '^[0-9]+(.*) BC$', 1)) ELSE _1 END",
}
_BOOLEANS = "[_2 FOR item IN _1]"
_DUCKDB = {
    ".array_tokens": f"REGEXP_EXTRACT_ALL(REGEXP_REPLACE(_1, '^[^{{]*', ''), {_DUCKDB_TOKENS})",
    ".list_of_text": "[CASE WHEN e = 'NULL' THEN NULL WHEN e LIKE '\"%' THEN "
    "REGEXP_REPLACE(SUBSTRING(e, 2, LENGTH(e) - 2), '(?s)\\\\(.)', '\\1', 'g') ELSE e END "
    "FOR e IN _1]",
    ".list_length": "CAST(LEN(_1) AS INT)",
    ".list_holds": "CASE WHEN LEN(_1) = 0 THEN FALSE WHEN _1 IS NULL OR _2 IS NULL THEN NULL "
    "WHEN LIST_CONTAINS(_1, _2) THEN TRUE WHEN LIST_COUNT(_1) = LEN(_1) THEN FALSE END",
    ".list_holds_value": "LIST_EXTRACT([CASE WHEN LIST_CONTAINS(l, _2) THEN TRUE "
    "WHEN LIST_COUNT(l) = LEN(l) THEN FALSE END FOR l IN [_1]], 1)",
    ".list_contains": "CASE WHEN _1 IS NOT NULL "
    "THEN LIST_HAS_ALL(_1, _2) AND LIST_COUNT(_2) = LEN(_2) END",
    ".list_contains_values": "LIST_HAS_ALL(_1, _2)",
    ".lists_overlap": "LIST_HAS_ANY(_1, _2)",
    ".moment_text": "REGEXP_REPLACE(_1, '^([-0-9]+)(.*) BC$', '\\1 (BC)\\2')",
    ".list_map": _BOOLEANS,
    ".let_range_a": "LIST_EXTRACT([_2 FOR range_a IN [_1]], 1)",
    ".let_range_b": "LIST_EXTRACT([_2 FOR range_b IN [_1]], 1)",
    ".let_parts_a": f"LIST_EXTRACT([_7 FOR parts_a IN [{_DUCKDB_PARTS}]], 1)",
    ".let_parts_b": f"LIST_EXTRACT([_7 FOR parts_b IN [{_DUCKDB_PARTS}]], 1)",
    ".let_element": "LIST_EXTRACT([_2 FOR element IN [_1]], 1)",
    ".items_any": f"CASE WHEN LIST_CONTAINS({_BOOLEANS}, TRUE) THEN TRUE "
    f"WHEN LIST_COUNT({_BOOLEANS}) = LEN(_1) THEN FALSE END",
    ".items_all": f"CASE WHEN LIST_CONTAINS({_BOOLEANS}, FALSE) THEN FALSE "
    f"WHEN LIST_COUNT({_BOOLEANS}) = LEN(_1) THEN TRUE END",
    ".list_without": "[item FOR item IN _1 IF item IS DISTINCT FROM _2]",
    ".list_replaced": "[CASE WHEN item IS NOT DISTINCT FROM _2 THEN _3 ELSE item END "
    "FOR item IN _1]",
    ".list_concat": "LIST_CONCAT(_1, _2)",
    ".list_of_one": "[_1]",
    ".list_head": "ARRAY_SLICE(_1, 1, _2)",
    ".list_reverse": "LIST_REVERSE(_1)",
    ".list_repeat": "[_1 FOR item IN RANGE(_2)]",
    ".list_nulls": "CAST(LEN(_1) - LIST_COUNT(_1) AS INT)",
    ".list_sorted": "LIST_SORT(_1, 'ASC', 'NULLS LAST')",
    ".list_sorted_nulls_first": "LIST_SORT(_1, 'ASC', 'NULLS FIRST')",
    ".list_sorted_down": "LIST_SORT(_1, 'DESC', 'NULLS FIRST')",
    ".list_sorted_down_nulls_last": "LIST_SORT(_1, 'DESC', 'NULLS LAST')",
    ".list_in_order": "_1",
    ".list_places": "[CAST(place - 1 + _3 AS INT) FOR item, place IN _1 "
    "IF item IS NOT DISTINCT FROM _2]",
    ".list_at_most": "CAST(LEN([item FOR item IN _1 IF item <= _2]) AS INT)",
    ".list_at_least": "CAST(LEN([item FOR item IN _1 IF item >= _2]) AS INT)",
    ".first_from": "LIST_EXTRACT([item FOR item IN _1 IF item >= _2], 1)",
}
