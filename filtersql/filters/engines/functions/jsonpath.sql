-- jsonpath: lists of documents

[both]
.whole_of_digits = {with: _1; r; CAST(SPLIT_PART(r, '.', 1) AS DECIMAL(38, 0)) +
    CASE WHEN {matches: r; [.][5-9]} THEN CASE WHEN {starts}(r, '-') THEN -1 ELSE 1 END
    ELSE 0 END}
{too_deep} = CAST({error}('a jsonb of more than 4 levels beside another') AS BOOLEAN)
{contained} = {level: 1; c.a; c.b; {level: 2; w1; p1.value; {level: 3; w2; p2.value;
    {level: 4; w3; p3.value; {too_deep}}}}}

[spark]
.list_size = SIZE(_1)
.path_start = ARRAY(_1)
.path_item = FILTER(TRANSFORM(_1, x -> TRY_ELEMENT_AT({items_of: x}, _2)), z -> z IS NOT NULL)
.path_slice = FLATTEN(TRANSFORM(_1, x -> SLICE({items_of: x}, _2, _3 - _2 + 1)))
.path_size = TRANSFORM(_1, x -> CONCAT('n', CASE WHEN STARTSWITH(x, '[') THEN SIZE({elements: x})
    ELSE 1 END))
.path_type = TRANSFORM(_1, x -> CASE WHEN x LIKE '{%' THEN 'sobject' WHEN x LIKE '[%' THEN 'sarray'
    WHEN x LIKE 's%' THEN 'sstring' WHEN x IN ('ntrue', 'nfalse') THEN 'sboolean' WHEN x = 'nnull'
    THEN 'snull' ELSE 'snumber' END)
.path_truth = CASE WHEN TRY_ELEMENT_AT(_1, 2) IS NULL THEN CASE TRY_ELEMENT_AT(_1, 1) WHEN 'ntrue'
    THEN TRUE WHEN 'nfalse' THEN FALSE END END
.list_filled = SIZE(_1) > 0
.list_begins = FORALL(_1, x -> STARTSWITH(x, _2))
.list_all_known = TRANSFORM(ARRAY(_1), t -> CASE WHEN FORALL(t, z -> z IS NOT NULL)
    THEN EXISTS(t, z -> z) END)[0]
{real_of_digits: type} = {with: _1; r; CASE WHEN ABS(CAST(r AS {type})) =
    CAST('Infinity' AS {type}) THEN raise_error('out of range')
    WHEN CAST(r AS {type}) = 0 AND r RLIKE '[1-9]' THEN raise_error('out of range')
    ELSE CAST(r AS {type}) END}
.float8_of_digits = {real_of_digits: DOUBLE}
.float4_of_digits = {real_of_digits: FLOAT}
{items} = FLATTEN(TRANSFORM(_1, x -> {items_of: x}))
{levels: result} = AGGREGATE(SEQUENCE(1, GREATEST(_2, 1)), ARRAY(_1), (s, i) ->
    CONCAT(s, ARRAY(FLATTEN(TRANSFORM(ELEMENT_AT(s, -1), x -> CASE WHEN STARTSWITH(x, '[')
    THEN {elements: x} WHEN STARTSWITH(x, '{') THEN MAP_VALUES({members: x})
    ELSE {nothing} END)))), s -> {result})
.path_levels = {levels: FLATTEN(SLICE(s, _3, _4 - _3 + 1))}
.path_all_levels = {levels: CASE WHEN SIZE(ELEMENT_AT(s, -1)) > 0
    THEN CAST(raise_error('a document of more than 60 levels') AS ARRAY<STRING>)
    ELSE FLATTEN(SLICE(s, _3, SIZE(s))) END}
.path_items = {items}
.path_key = FILTER(TRANSFORM({items}, y -> TRY_ELEMENT_AT({members: y}, _2)), z -> z IS NOT NULL)
.path_values = FLATTEN(TRANSFORM({items}, y -> COALESCE(MAP_VALUES({members: y}), {nothing})))
-- the values of a key in an object, none of anything else
{of_key} = COALESCE(TRANSFORM(FILTER(MAP_ENTRIES({members: x}), p -> p.key = _2), p -> p.value),
    {nothing})
-- a path goes through all values of a key that stands several times
.json_values = FLATTEN(TRANSFORM(_1, x -> {of_key}))
.json_values_at = FLATTEN(TRANSFORM(_1, x -> CASE WHEN STARTSWITH(x, '[')
    THEN SLICE({elements: x}, _3, 1) ELSE {of_key} END))
-- `@>` of two documents that rows have, level by level, the last of which raises: each member of
-- the second has an equal one in the first, a list or object one that contains it
{level: n; a; b; inner} = FORALL(CASE WHEN STARTSWITH({b}, '{') THEN MAP_ENTRIES({members: {b}})
    WHEN STARTSWITH({b}, '[') THEN TRANSFORM({elements: {b}},
    w{n} -> STRUCT(CAST(NULL AS STRING) AS key, w{n} AS value)) END,
    p{n} -> EXISTS(CASE WHEN p{n}.key IS NULL THEN {elements: {a}}
    ELSE ARRAY(TRY_ELEMENT_AT({members: {a}}, p{n}.key)) END,
    w{n} -> CASE WHEN LEFT(p{n}.value, 1) NOT IN ('{', '[') THEN w{n} = p{n}.value
    ELSE LEFT(w{n}, 1) = LEFT(p{n}.value, 1) AND {inner} END))
.document_deep = TRANSFORM(ARRAY(STRUCT(_1 AS a, _2 AS b)), c -> CASE
    WHEN c.a IS NULL OR c.b IS NULL THEN NULL WHEN LEFT(c.b, 1) NOT IN ('{', '[') THEN c.a = c.b
    OR (STARTSWITH(c.a, '[') AND COALESCE(ARRAY_CONTAINS({elements: c.a}, c.b), FALSE))
    ELSE LEFT(c.a, 1) = LEFT(c.b, 1) AND COALESCE({contained}, FALSE) END)[0]

[duckdb]
.path_start = [_1]
-- a path goes through all values of a key that stands several times
.json_values = FLATTEN([[v FOR v, i IN JSON_EXTRACT(x, '$.*') IF LIST_EXTRACT(JSON_KEYS(x), i) = _2]
    FOR x IN _1])
.json_values_at = FLATTEN([CASE JSON_TYPE(x) WHEN 'OBJECT' THEN [v
    FOR v, i IN JSON_EXTRACT(x, '$.*') IF LIST_EXTRACT(JSON_KEYS(x), i) = _2] ELSE [z
    FOR z IN LIST_SLICE({elements: x}, _3, _3)] END FOR x IN _1])
.path_item = [z FOR z IN [LIST_EXTRACT({items_of: x}, _2) FOR x IN _1] IF z IS NOT NULL]
.path_slice = FLATTEN([LIST_SLICE({items_of: x}, _2, _3) FOR x IN _1])
.path_size = [TO_JSON('n' || CASE WHEN JSON_TYPE(x) = 'ARRAY' THEN JSON_ARRAY_LENGTH(x) ELSE 1 END)
    FOR x IN _1]
.path_type = [CASE WHEN r LIKE '{%' THEN CAST('"sobject"' AS JSON) WHEN r LIKE '[%' THEN
    CAST('"sarray"' AS JSON) WHEN r LIKE 's%' THEN CAST('"sstring"' AS JSON)
    WHEN r IN ('ntrue', 'nfalse') THEN CAST('"sboolean"' AS JSON) WHEN r = 'nnull' THEN
    CAST('"snull"' AS JSON) ELSE CAST('"snumber"' AS JSON) END FOR r IN [JSON_EXTRACT_STRING(x, '$')
    FOR x IN _1]]
.path_truth = CASE WHEN LIST_EXTRACT(_1, 2) IS NULL THEN CASE WHEN
    JSON_EXTRACT_STRING(LIST_EXTRACT(_1, 1), '$') = 'ntrue' THEN TRUE
    WHEN JSON_EXTRACT_STRING(LIST_EXTRACT(_1, 1), '$') = 'nfalse' THEN FALSE END END
.list_filled = LEN(_1) > 0
.list_size = LEN(_1)
.list_begins = LEN([x FOR x IN _1 IF JSON_TYPE(x) = CASE WHEN _2 = '{' THEN 'OBJECT'
    ELSE 'ARRAY' END]) = LEN(_1)
.list_all_known = [CASE WHEN LIST_COUNT(t) = LEN(t) THEN LIST_CONTAINS(t, TRUE) END
    FOR t IN [_1]][1]
.list_any = [CASE WHEN LIST_CONTAINS(t, TRUE) THEN TRUE WHEN LIST_COUNT(t) = LEN(t) THEN FALSE END
    FOR t IN [_1]][1]
{real_of_digits: type} = {with: _1; r; CASE WHEN CAST(r AS {type}) = 0
    AND REGEXP_MATCHES(r, '[1-9]') THEN error('out of range') WHEN ISINF(CAST(r AS {type}))
    THEN error('out of range') ELSE CAST(r AS {type}) END}
.float8_of_digits = {real_of_digits: DOUBLE}
.float4_of_digits = {real_of_digits: REAL}
{items} = FLATTEN([{items_of: x} FOR x IN _1])
-- the documents of each level
{levels} = LIST_REDUCE([CAST([] AS JSON[][]) FOR i IN RANGE(_2)],
    LAMBDA s, i : LIST_APPEND(s, FLATTEN([CASE JSON_TYPE(x) WHEN 'ARRAY' THEN {elements: x}
    WHEN 'OBJECT' THEN JSON_EXTRACT(x, '$.*') ELSE CAST([] AS JSON[]) END
    FOR x IN LIST_EXTRACT(s, -1)])), [_1])
.path_levels = FLATTEN(LIST_SLICE({levels}, _3, _4))
.path_all_levels = {with: {levels}; s; CASE WHEN LEN(LIST_EXTRACT(s, -1)) > 0
    THEN CAST(error('a document of more than 60 levels') AS JSON[])
    ELSE FLATTEN(LIST_SLICE(s, _3, LEN(s))) END}
.path_items = {items}
.path_key = [z FOR z IN [JSON_EXTRACT(y, _2) FOR y IN {items}] IF z IS NOT NULL]
.path_values = FLATTEN([JSON_EXTRACT(y, '$.*') FOR y IN {items}])
-- `@>` of two documents that rows have, level by level, the last of which raises: each member of
-- the second has an equal one in the first, a list or object one that contains it
{level: n; a; b; inner} = LEN([0 FOR p{n} IN CASE JSON_TYPE({b}) WHEN 'OBJECT' THEN
    [{'key': w{n}, 'value': {member: {b}; w{n}}} FOR w{n} IN JSON_KEYS({b})] ELSE
    [{'key': CAST(NULL AS TEXT), 'value': w{n}} FOR w{n} IN {elements: {b}}] END
    IF LEN([0 FOR w{n} IN CASE WHEN p{n}.key IS NULL THEN {elements: {a}}
    ELSE [{member: {a}; p{n}.key}] END IF COALESCE(CASE
    WHEN JSON_TYPE(p{n}.value) NOT IN ('OBJECT', 'ARRAY')
    THEN JSON_TYPE(w{n}) NOT IN ('OBJECT', 'ARRAY')
    AND JSON_EXTRACT_STRING(w{n}, '$') = JSON_EXTRACT_STRING(p{n}.value, '$')
    ELSE JSON_TYPE(w{n}) = JSON_TYPE(p{n}.value) AND {inner} END, FALSE)]) = 0]) = 0
.document_deep = LIST_EXTRACT([CASE WHEN c.a IS NULL OR c.b IS NULL THEN NULL
    WHEN JSON_TYPE(c.b) NOT IN ('OBJECT', 'ARRAY') THEN CASE WHEN JSON_TYPE(c.a) = 'ARRAY'
    THEN LIST_CONTAINS(JSON_EXTRACT_STRING(c.a, '$[*]'), JSON_EXTRACT_STRING(c.b, '$'))
    ELSE JSON_TYPE(c.a) <> 'OBJECT'
    AND JSON_EXTRACT_STRING(c.a, '$') = JSON_EXTRACT_STRING(c.b, '$') END
    ELSE JSON_TYPE(c.a) = JSON_TYPE(c.b) AND {contained} END
    FOR c IN [{'a': _1, 'b': _2}]], 1)
