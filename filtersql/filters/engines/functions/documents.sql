-- json and jsonb

[both]
-- json and jsonb: objects and arrays begin so; the other documents stand behind a mark
{is_scalar: document} = LEFT({document}, 1) NOT IN ('{', '[')
{scalar_text} = CASE WHEN r <> 'nnull' THEN SUBSTRING(r, 2) END
-- escapes of control characters as PostgreSQL writes them: the engines take capital letters
{lower_escapes: raw} = {backslash: {lower_escape: {lower_escape: {lower_escape: {lower_escape:
    {lower_escape: {lower_escape: {lower_escape: {lower_escape: {lower_escape:
    {no_backslash: {raw}}; 0B; 0b}; 0E; 0e}; 0F; 0f}; 1A; 1a}; 1B; 1b}; 1C; 1c}; 1D; 1d}; 1E; 1e};
    1F; 1f}}
-- json's text keeps what stands between its tokens: known where the whole is as jsonb's, or close
.document_kept = {with: _1; r; CASE WHEN {is_scalar: r} THEN {scalar_text}
    WHEN _2 = {unmarked: {lower_escapes: _3};  } THEN {unmarked: {lower_escapes: r};  }
    WHEN _2 = {unmarked: {lower_escapes: _3}; } THEN {unmarked: {lower_escapes: r}; }
    WHEN r IS NOT NULL THEN {error}('the text of an object or an array of json') END}
.document_scalar = {with: _1; r; CASE WHEN {is_whole: r}
    THEN {error}('the text of an object or an array of json')
    WHEN r <> 'nnull' THEN SUBSTRING(r, 2) END}
{is_whole: document} = LEFT({document}, 1) IN ('{', '[')
.document_loose = {with: _1; r; CASE WHEN {is_whole: r} THEN r
    WHEN r <> 'nnull' THEN SUBSTRING(r, 2) END}
.document_kind = {with: LEFT(_1, 2); r; CASE WHEN {begins: r; {open}} THEN 'object'
    WHEN r LIKE '[%' THEN 'array' WHEN r LIKE 's%' THEN 'string'
    WHEN r IN ('nt', 'nf') THEN 'boolean' WHEN r = 'nn' THEN 'null'
    WHEN r IS NOT NULL THEN 'number' END}
{open} = {
{begins: text; sign} = {text} LIKE '{sign}%'
.document_number = {with: _1; r; CASE WHEN r = 'nnull' THEN NULL WHEN {matches: r; ^n[-0-9]}
    THEN SUBSTRING(r, 2) WHEN r IS NOT NULL THEN {error}('cannot cast jsonb to a number') END}
.document_null = COALESCE(_1, 'nnull') = 'nnull'
.document_number_or_none = CASE WHEN {matches: _1; ^n[-0-9]} THEN SUBSTRING(_1, 2) END

[spark]
.json_sure = CASE WHEN _1 RLIKE '\\\\u(0000|[dD][89a-fA-F])' AND REGEXP_REPLACE(_1,
    '\\\\\\\\|\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}', '') RLIKE
    '\\\\u(0000|[dD][89a-fA-F])' THEN raise_error('an escaped surrogate or zero in json')
    ELSE _1 END
.document = TRY_ELEMENT_AT(FROM_JSON(CONCAT('[', _1, ']'), 'array<string>', MAP('mode',
    'FAILFAST')), 1)
.no_document = CAST(NULL AS STRING)
.document_raw = _1
.document_key = CONCAT('s', _1)
.document_field = TRY_ELEMENT_AT({members: _1}, _2)
-- of equal keys json's last one counts
.json_field = TRY_ELEMENT_AT(TRANSFORM(FILTER(MAP_ENTRIES({members: _1}), p -> p.key = _2), p ->
    p.value), -1)
.json_field_once = CASE WHEN SIZE(FILTER(MAP_KEYS({members: _1}), k -> k = _2)) > 1
    THEN raise_error('a key of the path stands twice in json') ELSE _3 END
.document_item = TRY_ELEMENT_AT({elements: _1}, _2)
.document_item_at = CASE WHEN _2 <> -2147483648 AND _2 <> 2147483647
    THEN TRY_ELEMENT_AT({elements: _1}, CASE WHEN _2 < 0 THEN _2 ELSE _2 + 1 END) END
.document_alone = CASE WHEN {is_scalar: _1} THEN _1 END
.document_alone_at = CASE WHEN _2 IN (0, -1) AND {is_scalar: _1} THEN _1 END
.document_items = {elements: _1}
.document_holds = ARRAY_CONTAINS({elements: _1}, _2)
.document_keys_among = SIZE(ARRAY_EXCEPT(MAP_KEYS({members: _1}), _2)) = 0
.document_order = CASE WHEN _1 = '[]' THEN '0' WHEN _1 = 'nnull' THEN '1' WHEN _1 LIKE 's%' THEN '2'
    WHEN _1 = 'nfalse' THEN '40' WHEN _1 = 'ntrue' THEN '41' WHEN _1 LIKE 'n%' THEN CONCAT('3', _2)
    WHEN _1 LIKE '[%' THEN '5' WHEN _1 = '{}' THEN '6' WHEN _1 IS NOT NULL THEN '7' END
.document_has = CASE WHEN _2 IS NULL THEN NULL WHEN STARTSWITH(_1, '{') THEN _3 IS NOT NULL
    WHEN STARTSWITH(_1, '[') THEN ARRAY_CONTAINS({elements: _1}, _2) ELSE _1 = _2 END
-- an inner document loses the blanks between its tokens
.document_close = FROM_JSON(CONCAT('{"w":', _1, '}'), 'map<string,string>')['w']
.document_length = CASE WHEN STARTSWITH(_1, '[') THEN SIZE({elements: _1}) WHEN _1 IS NOT NULL
    THEN raise_error('cannot get array length of what is no array') END
.document_truth = TRANSFORM(ARRAY(_1), r -> CASE r WHEN 'ntrue' THEN TRUE WHEN 'nfalse' THEN FALSE
    WHEN 'nnull' THEN NULL ELSE CASE WHEN r IS NOT NULL THEN
    CAST(raise_error('cannot cast jsonb to boolean') AS BOOLEAN) END END)[0]
-- json and jsonb: a document is the text of an array or object, or that of a scalar behind its mark
{in_quotes} = "([^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+)"
{replaced_pair: text; old; new} = REPLACE({text}, {old}, '{new}')
-- a string becomes `"s…""n"`, a number `"s""n…"`: quotes stand side by side nowhere else
{marked: token} = REPLACE(REPLACE(REGEXP_REPLACE(_1, '{in_quotes}|{token}', '"s$1""n$2"'), '""n"',
    '"'), '"s""n', '"n')
.marked = {marked: ([-+0-9A-Za-z.]++)}
-- without the zeros at the end of a number
.marked_plain = {marked: (-?[0-9]++(?:[.][0-9]*[1-9])?|[a-z]++)(?:[.]0+|0*)}
-- a document as jsonb's text, with that behind colons and commas
{unmarked: raw; behind} = REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REGEXP_REPLACE({raw},
    '"s([^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+)"|"n([^"]*+)"|([:,])',
    CONCAT('"$1"', CHR(1), '$2', CHR(1), '$3', CHR(1))), CONCAT(CHR(1), CHR(1), CHR(1)), ''),
    CONCAT('""', CHR(1), CHR(1)), ''), CONCAT('""', CHR(1)), ''), CONCAT(CHR(1), CHR(1)), ''),
    CHR(1), '{behind}')
{no_backslash: raw} = REPLACE({raw}, '\\\\', CHR(5))
{backslash: text} = REPLACE({text}, CHR(5), '\\\\')
{lower_escape: text; capitals; small} = REPLACE({text}, '\\u00{capitals}', '\\u00{small}')
-- the engine's copy of an object or array escapes what is beyond U+FFFF: pairs of surrogates become
-- the characters that they are again; a string of JSON has no other escape
{unescaped_pairs: text} = CASE WHEN {text} RLIKE '\\\\uD[89AB]'
    THEN REPLACE(REPLACE(REPLACE(FROM_JSON(CONCAT('["',
    REGEXP_REPLACE(REPLACE(REPLACE(REPLACE({text}, '\\\\', CHR(5)), '\\', CHR(6)), '"', CHR(7)),
    '\\x06(uD[89AB][0-9A-F]{2})\\x06(uD[C-F][0-9A-F]{2})', '\\\\$1\\\\$2'), '"]'),
    'array<string>', MAP('allowUnquotedControlChars', 'true'))[0], CHR(7), '"'), CHR(6), '\\'),
    CHR(5), '\\\\') ELSE {text} END
{document_text} = {with: {unmarked: {lower_escapes: r};  }; t; {unescaped_pairs: t}}
.document_text = {with: _1; r; CASE WHEN {is_scalar: r} THEN {scalar_text} ELSE {document_text} END}
{elements: json} = FROM_JSON({json}, 'array<string>')
{members: json} = FROM_JSON({json}, 'map<string,string>')
{nothing} = CAST(ARRAY() AS ARRAY<STRING>)
-- a text as a string of JSON
{quoted_json: text} =
    SUBSTRING(TO_JSON(ARRAY({text})), 2, CHAR_LENGTH(TO_JSON(ARRAY({text}))) - 2)
-- a document that was put together, escaped as the engine's copies of its parts are
{copied: made} = FROM_JSON(CONCAT('[', {made}, ']'), 'array<string>')[0]
-- a raw text inside of an array or object
{member: raw} = CASE WHEN LEFT({raw}, 1) IN ('{', '[') THEN {raw} ELSE {quoted_json: {raw}} END
{listed: elements} = {copied: CONCAT('[', ARRAY_JOIN(TRANSFORM({elements}, e -> {member: e}),
    ','), ']')}
{items_of: json} = CASE WHEN STARTSWITH({json}, '[') THEN {elements: {json}} ELSE ARRAY({json}) END
-- the members of two objects in jsonb's order; the second's count
{merged} = CONCAT('{', ARRAY_JOIN(TRANSFORM(ARRAY_SORT(TRANSFORM(CONCAT(FILTER(
    MAP_ENTRIES({members: w.a}), p -> NOT ARRAY_CONTAINS(MAP_KEYS({members: w.b}), p.key)),
    MAP_ENTRIES({members: w.b})),
    p -> STRUCT(OCTET_LENGTH(p.key) AS n, p.key AS k, p.value AS v))),
    q -> CONCAT({quoted_json: q.k}, ':', {member: q.v})), ','), '}')
-- once: what stands for an argument may be long
.document_concat = TRANSFORM(ARRAY(STRUCT(_1 AS a, _2 AS b)), w -> CASE
    WHEN w.a IS NULL OR w.b IS NULL THEN NULL
    WHEN STARTSWITH(w.a, '{') AND STARTSWITH(w.b, '{') THEN {copied: {merged}}
    ELSE {listed: CONCAT({items_of: w.a}, {items_of: w.b})} END)[0]
.list_document = {listed: _1}
{object_without} = CONCAT('{', ARRAY_JOIN(TRANSFORM(FILTER(MAP_ENTRIES({members: _1}),
    p -> NOT ARRAY_CONTAINS(_2, p.key)), p -> CONCAT({quoted_json: p.key}, ':',
    {member: p.value})), ','), '}')
.document_without = CASE WHEN STARTSWITH(_1, '{') THEN {copied: {object_without}}
    WHEN STARTSWITH(_1, '[') THEN {listed: FILTER({elements: _1}, e -> NOT ARRAY_CONTAINS(_2, e))}
    WHEN _1 IS NOT NULL THEN raise_error('cannot delete from scalar') END

[duckdb]
.document_close = _1
.list_document = TO_JSON(_1)
.json_sure = CASE WHEN REGEXP_MATCHES(_1, '\\u(0000|[dD][89a-fA-F])')
    AND REGEXP_MATCHES(REGEXP_REPLACE(_1,
    '\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}', '', 'g'),
    '\\u(0000|[dD][89a-fA-F])') THEN error('an escaped surrogate or zero in json') ELSE _1 END
.document = CAST(_1 AS JSON)
.no_document = CAST(NULL AS JSON)
.document_raw = JSON_EXTRACT_STRING(_1, '$')
.document_key = 's' || _1
.document_field .document_item = JSON_EXTRACT(_1, _2)
-- of equal keys json's last one counts
.json_field = (LIST_REVERSE(JSON_EXTRACT(_1, '$.*')))[LIST_POSITION(LIST_REVERSE(JSON_KEYS(_1)),
    _2)]
.json_field_once = CASE WHEN LEN([k FOR k IN JSON_KEYS(_1) IF k = _2]) > 1 THEN
    CAST(error('a key of the path stands twice in json') AS JSON) ELSE _3 END
.document_item_at = JSON_EXTRACT(_1, CASE WHEN _2 < 0 THEN '$[#' ELSE '$[' END || _2 || ']')
.document_alone = CASE WHEN JSON_TYPE(_1) NOT IN ('OBJECT', 'ARRAY') THEN _1 END
.document_alone_at = CASE WHEN _2 IN (0, -1) AND JSON_TYPE(_1) NOT IN ('OBJECT', 'ARRAY')
    THEN _1 END
.document_items = {elements: _1}
.document_holds = LIST_CONTAINS(JSON_EXTRACT_STRING(_1, '$[*]'), _2)
.document_keys_among = LIST_HAS_ALL(_2, JSON_KEYS(_1))
.document_order = CASE WHEN _1 = '[]' THEN '0' WHEN _1 = 'nnull' THEN '1' WHEN _1 LIKE 's%' THEN '2'
    WHEN _1 = 'nfalse' THEN '40' WHEN _1 = 'ntrue' THEN '41' WHEN _1 LIKE 'n%' THEN '3' || _2
    WHEN _1 LIKE '[%' THEN '5' WHEN _1 = '{}' THEN '6' WHEN _1 IS NOT NULL THEN '7' END
.document_has = CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL ELSE CASE JSON_TYPE(_1) WHEN 'OBJECT'
    THEN _3 IS NOT NULL WHEN 'ARRAY' THEN LIST_CONTAINS(JSON_EXTRACT_STRING(_1, '$[*]'), _2)
    ELSE JSON_EXTRACT_STRING(_1, '$') = _2 END END
.document_length = CASE WHEN JSON_TYPE(_1) = 'ARRAY' THEN CAST(JSON_ARRAY_LENGTH(_1) AS INT)
    WHEN _1 IS NOT NULL THEN error('cannot get array length of what is no array') END
.document_truth = [CASE WHEN r = 'ntrue' THEN TRUE WHEN r = 'nfalse' THEN FALSE WHEN r <> 'nnull'
    THEN error('cannot cast jsonb to boolean') END FOR r IN [_1]][1]
.document_path = '$."s' || REPLACE(REPLACE(_1, '\', '\\'), '"', '\"') || '"'
-- json and jsonb, held as PostgreSQL's text; a document is JSON whose scalars are marked
{in_quotes} = "((?:[^"\\]|\\.)*)"
-- a string becomes `"s…""n"`, a number `"s""n…"`: quotes stand side by side nowhere else
{marked: token} = REPLACE(REPLACE(REGEXP_REPLACE(_1, '{in_quotes}|{token}', '"s\1""n\2"', 'g'),
    '""n"', '"'), '"s""n', '"n')
.marked = {marked: ([-+0-9A-Za-z.]+)}
-- without the zeros at the end of a number
.marked_plain = {marked: (-?[0-9]+(?:[.][0-9]*[1-9])?|[a-z]+)(?:[.]0+|0*)}
-- a document as jsonb's text, with that behind colons and commas
{unmarked: raw; behind} = REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REGEXP_REPLACE({raw},
    '"s((?:[^"\\]|\\.)*)"|"n([^"]*)"|([:,])', '"\1"' || CHR(1) || '\2' || CHR(1) || '\3' || CHR(1),
    'g'), CHR(1) || CHR(1) || CHR(1), ''), '""' || CHR(1) || CHR(1), ''), '""' || CHR(1), ''),
    CHR(1) || CHR(1), ''), CHR(1), '{behind}')
{no_backslash: raw} = REPLACE({raw}, '\\', CHR(5))
{backslash: text} = REPLACE({text}, CHR(5), '\\')
{lower_escape: text; capitals; small} = REPLACE({text}, '\u00{capitals}', '\u00{small}')
.document_text = {with: _1; r; CASE WHEN {is_scalar: r} THEN {scalar_text}
    ELSE {unmarked: {lower_escapes: r};  } END}
{elements: json} = JSON_EXTRACT({json}, '$[*]')
{path_of: key} = '$."' || REPLACE(REPLACE({key}, '\', '\\'), '"', '\"') || '"'
{member: json; key} = JSON_EXTRACT({json}, {path_of: {key}})
{items_of: json} = CASE WHEN JSON_TYPE({json}) = 'ARRAY' THEN {elements: {json}} ELSE [{json}] END
-- the members of two objects in jsonb's order; the second's count
{merged} = CAST('{' || ARRAY_TO_STRING([CAST(TO_JSON(q.k) AS TEXT) || ':' ||
    CAST(COALESCE({member: _2; q.k}, {member: _1; q.k}) AS TEXT)
    FOR q IN LIST_SORT([{'n': STRLEN(k), 'k': k}
    FOR k IN LIST_DISTINCT(LIST_CONCAT(JSON_KEYS(_1), JSON_KEYS(_2)))])], ',') || '}' AS JSON)
.document_concat = CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL
    WHEN JSON_TYPE(_1) = 'OBJECT' AND JSON_TYPE(_2) = 'OBJECT' THEN {merged}
    ELSE TO_JSON(LIST_CONCAT({items_of: _1}, {items_of: _2})) END
.document_without = CASE JSON_TYPE(_1) WHEN 'OBJECT' THEN CAST('{' || ARRAY_TO_STRING(
    [CAST(TO_JSON(k) AS TEXT) || ':' || CAST({member: _1; k} AS TEXT) FOR k IN JSON_KEYS(_1)
    IF NOT LIST_CONTAINS(_2, k)], ',') || '}' AS JSON)
    WHEN 'ARRAY' THEN TO_JSON([e FOR e IN {elements: _1}
    IF NOT LIST_CONTAINS(_2, JSON_EXTRACT_STRING(e, '$'))])
    ELSE CASE WHEN _1 IS NOT NULL THEN CAST(error('cannot delete from scalar') AS JSON) END END
