-- arrays and lists

[both]
-- arrays, held as PostgreSQL's text
{braces} = LENGTH(REGEXP_REPLACE({skeleton}, '[^{]', ''{all}))
.array_shape = CASE WHEN _1 LIKE '[%' THEN SPLIT_PART(_1, '=', 1)
    WHEN _1 LIKE '{{%' THEN {skeleton} WHEN _1 IS NOT NULL THEN '' END
.array_first = CASE WHEN _1 LIKE '[%' THEN CAST(REGEXP_EXTRACT(_1, '^.(-?[0-9]+)', 1) AS INT)
    WHEN _1 IS NOT NULL THEN 1 END
.array_is_deep = _1 LIKE '{{%' OR (_1 LIKE '[%' AND CONTAINS(SPLIT_PART(_1, '=', 1), ']['))
.array_bounds = CASE WHEN _1 LIKE '[%' THEN SPLIT_PART(_1, '=', 1)
    WHEN _1 LIKE '{{{%' THEN {error}('an array of more than two dimensions')
    WHEN _1 LIKE '{{%' THEN '[1:' || CAST(({braces} - 1) AS {text}) || '][1:' ||
    CAST(_2 {div} ({braces} - 1) AS {text}) || ']'
    WHEN _2 > 0 THEN '[1:' || CAST(_2 AS {text}) || ']' END
{from_to} = '[' || CAST(_1 AS {text}) || ':' || CAST(_1 + _2 - 1 AS {text}) || ']' END
.bounds_from = CASE WHEN _2 > 0 THEN {from_to}
.shape_from = CASE WHEN _1 = 1 OR _2 = 0 THEN '' ELSE {from_to}
.bound = CAST(NULLIF(REGEXP_EXTRACT(_1, _2, 1), '') AS INT)
.dimensions = CAST(NULLIF(LENGTH(_1) - LENGTH(REPLACE(_1, ':', '')), 0) AS INT)
.let_{range_a,range_b,element} = {let: _1; {which}; _2}
.let_parts_{a,b} = {let: {parts}; parts_{which}; _7}

[spark]
.list_reverse = REVERSE(_1)
.array_tokens = REGEXP_EXTRACT_ALL(REGEXP_REPLACE(_1, '^[^{]*', ''),
    '"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|[^{},"]++', 0)
.list_of_text = TRANSFORM(_1, e -> CASE WHEN e = 'NULL' THEN NULL WHEN e LIKE '"%'
    THEN REGEXP_REPLACE(SUBSTRING(e, 2, CHAR_LENGTH(e) - 2), '\\\\(.)', '$1') ELSE e END)
.list_length = SIZE(_1)
.list_holds = CASE WHEN SIZE(_1) = 0 THEN FALSE ELSE ARRAY_CONTAINS(_1, _2) END
.list_holds_value .contains = ARRAY_CONTAINS(_1, _2)
.list_contains .list_contains_values = SIZE(ARRAY_EXCEPT(_2, ARRAY_COMPACT(_1))) = 0
.lists_overlap = ARRAYS_OVERLAP(ARRAY_COMPACT(_1), ARRAY_COMPACT(_2))
.list_map = TRANSFORM(_1, item -> _2)
.let_bound = TRY_ELEMENT_AT(TRANSFORM(ARRAY(_1), bound -> _2), 1)
.items_any = EXISTS(_1, item -> _2)
.items_all = FORALL(_1, item -> _2)
.list_without = FILTER(_1, item -> NOT item <=> _2)
.list_replaced = TRANSFORM(_1, item -> CASE WHEN item <=> _2 THEN _3 ELSE item END)
.list_concat = CONCAT(_1, _2)
.list_of_one = ARRAY(_1)
.list_head = SLICE(_1, 1, _2)
.list_repeat = ARRAY_REPEAT(_1, _2)
.list_nulls = SIZE(FILTER(_1, item -> item IS NULL))
.list_sorted = ARRAY_SORT(_1)
.list_sorted_nulls_first = SORT_ARRAY(_1, TRUE)
.list_sorted_down = REVERSE(ARRAY_SORT(_1))
.list_sorted_down_nulls_last = SORT_ARRAY(_1, FALSE)
-- PostgreSQL's order has NULL behind everything
.list_in_order = TRANSFORM(_1, item -> STRUCT(item IS NULL AS a, item AS b))
.list_places = FILTER(TRANSFORM(_1, (item, place) -> CASE WHEN item <=> _2 THEN place
    + _3 END), item -> item IS NOT NULL)
.list_at_most = SIZE(FILTER(_1, item -> item <= _2))
.list_at_least = SIZE(FILTER(_1, item -> item >= _2))
.first_from = TRY_ELEMENT_AT(FILTER(_1, item -> item >= _2), 1)
.collected = COLLECT_SET(_1)
.list_item = TRY_ELEMENT_AT(_1, _2)
.absent_list = COALESCE(SIZE(_1), -1) < 0
.split .split_plain = SPLIT(_1, _2, -1)
.no_list = CAST(NULL AS ARRAY<STRING>)
.empty_list = CAST(ARRAY() AS ARRAY<STRING>)
.characters = REGEXP_EXTRACT_ALL(_1, '(?s).', 0)
.nulls_for = TRANSFORM(_1, e -> NULLIF(e, _2))
-- arrays, held as PostgreSQL's text; possessive, since Java's stack must not grow with the text
{tokens} = '"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|[^{},"]++'
{skeleton} = REGEXP_REPLACE(_1, {tokens}, '')
{parts} = NAMED_STRUCT('w', _1, 'e', _2, 'l', _3, 'u', _4, 'li', _5, 'ui', _6)

[duckdb]
.array_tokens = REGEXP_EXTRACT_ALL(REGEXP_REPLACE(_1, '^[^{]*', ''), '"(?:[^"\\]|\\.)*"|[^{},"]+')
.list_of_text = [CASE WHEN e = 'NULL' THEN NULL WHEN e LIKE '"%'
    THEN REGEXP_REPLACE(SUBSTRING(e, 2, LENGTH(e) - 2), '(?s)\\(.)', '\1', 'g') ELSE e END
    FOR e IN _1]
.list_length = CAST(LEN(_1) AS INT)
.list_holds = CASE WHEN LEN(_1) = 0 THEN FALSE WHEN _1 IS NULL OR _2 IS NULL THEN NULL
    WHEN LIST_CONTAINS(_1, _2) THEN TRUE WHEN LIST_COUNT(_1) = LEN(_1) THEN FALSE END
.list_holds_value = LIST_EXTRACT([CASE WHEN LIST_CONTAINS(l, _2) THEN TRUE
    WHEN LIST_COUNT(l) = LEN(l) THEN FALSE END FOR l IN [_1]], 1)
.list_contains = CASE WHEN _1 IS NOT NULL THEN LIST_HAS_ALL(_1, _2) AND LIST_COUNT(_2) = LEN(_2) END
.list_contains_values = LIST_HAS_ALL(_1, _2)
.lists_overlap = LIST_HAS_ANY(_1, _2)
.list_map = [_2 FOR item IN _1]
.items_any = CASE WHEN LIST_CONTAINS({tests}, TRUE) THEN TRUE WHEN LIST_COUNT({tests}) = LEN(_1)
    THEN FALSE END
.items_all = CASE WHEN LIST_CONTAINS({tests}, FALSE) THEN FALSE WHEN LIST_COUNT({tests}) = LEN(_1)
    THEN TRUE END
.list_without = [item FOR item IN _1 IF item IS DISTINCT FROM _2]
.list_replaced = [CASE WHEN item IS NOT DISTINCT FROM _2 THEN _3 ELSE item END FOR item IN _1]
.list_concat = LIST_CONCAT(_1, _2)
.list_of_one = [_1]
.list_head = ARRAY_SLICE(_1, 1, _2)
.list_reverse = LIST_REVERSE(_1)
.list_repeat = [_1 FOR item IN RANGE(_2)]
.list_nulls = CAST(LEN(_1) - LIST_COUNT(_1) AS INT)
.list_sorted = LIST_SORT(_1, 'ASC', 'NULLS LAST')
.list_sorted_nulls_first = LIST_SORT(_1, 'ASC', 'NULLS FIRST')
.list_sorted_down = LIST_SORT(_1, 'DESC', 'NULLS FIRST')
.list_sorted_down_nulls_last = LIST_SORT(_1, 'DESC', 'NULLS LAST')
.list_in_order = _1
.list_places = [CAST(place - 1 + _3 AS INT) FOR item, place IN _1 IF item IS NOT DISTINCT FROM _2]
.list_at_most = CAST(LEN([item FOR item IN _1 IF item <= _2]) AS INT)
.list_at_least = CAST(LEN([item FOR item IN _1 IF item >= _2]) AS INT)
.first_from = LIST_EXTRACT([item FOR item IN _1 IF item >= _2], 1)
.collected = LIST(DISTINCT _1)
.contains = LIST_CONTAINS(_1, _2)
.list_item = LIST_EXTRACT(_1, _2)
.absent_list = COALESCE(LEN(_1), -1) < 0
.split = STRING_SPLIT_REGEX(_1, _2)
.split_plain = STRING_SPLIT(_1, _2)
.no_list = CAST(NULL AS TEXT[])
.empty_list = CAST([] AS TEXT[])
.characters = CASE WHEN _1 = '' THEN CAST([] AS TEXT[]) ELSE STRING_SPLIT(_1, '') END
.nulls_for = [NULLIF(e, _2) FOR e IN _1]
-- arrays, held as PostgreSQL's text
{tokens} = '"(?:[^"\\]|\\.)*"|[^{},"]+'
{skeleton} = REGEXP_REPLACE(_1, {tokens}, '', 'g')
{parts} = {'w': _1, 'e': _2, 'l': _3, 'u': _4, 'li': _5, 'ui': _6}
{tests} = [_2 FOR item IN _1]
