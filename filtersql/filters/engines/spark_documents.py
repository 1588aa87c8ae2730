"""What the rules of jsonb, json and jsonpath ask Spark SQL for.

Example
    `.marked` turns `{"a": 1.50}` into `{"sa":"n1.50"}`: see `document_values`.
"""

from __future__ import annotations

from filtersql.filters.engines import containing
from filtersql.filters.engines.json_escapes import DOUBTFUL, SURE
from filtersql.filters.engines.templates import table

__all__ = ["DOCUMENTS"]

_IN_QUOTES = r'"([^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+)"'
_MARKED_TOKENS = _IN_QUOTES + "|([-+0-9A-Za-z.]++)"
#: without the zeros at the end of a number
_PLAIN_TOKENS = _IN_QUOTES + "|(-?[0-9]++(?:[.][0-9]*[1-9])?|[a-z]++)(?:[.]0+|0*)"
#: a document's scalars and separators
_UNMARKED_TOKENS = r'"s([^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+)"|"n([^"]*+)"|([:,])'


def _replaced(text: str, *pairs: tuple[str, str]) -> str:
    """REPLACE, one after the other; `#` stands for the control character between the steps."""
    for old, new in pairs:
        parts = [f"'{part}'" if part else "" for part in old.split("#")]
        signs = [sign for part in parts for sign in (part, "CHR(1)") if sign][:-1]
        found = signs[0] if len(signs) == 1 else f"CONCAT({', '.join(signs)})"
        text = f"REPLACE({text}, {found}, '{new}')"
    return text


def _marked(tokens: str) -> str:
    """Each scalar in quotes behind its mark."""
    # a string becomes `"s…""n"`, a number `"s""n…"`: quotes stand side by side nowhere else
    found = f"REGEXP_REPLACE(_1, '{tokens}', '\"s$1\"\"n$2\"')"
    return _replaced(found, ('""n"', '"'), ('"s""n', '"n'))


def _unmarked(raw: str, behind: str = " ") -> str:
    """A document as jsonb's text, with that behind colons and commas."""
    found = (
        f"REGEXP_REPLACE({raw}, '{_UNMARKED_TOKENS}', "
        "CONCAT('\"$1\"', CHR(1), '$2', CHR(1), '$3', CHR(1)))"
    )
    return _replaced(found, ("###", ""), ('""##', ""), ('""#', ""), ("##", ""), ("#", behind))


#: control characters whose escapes the engine writes with capital letters
_CAPITALS = ("0B", "0E", "0F", "1A", "1B", "1C", "1D", "1E", "1F")


def _lower_escapes(raw: str) -> str:
    """Escapes of control characters as PostgreSQL writes them."""
    found = f"REPLACE({raw}, '\\\\\\\\', CHR(5))"
    for code in _CAPITALS:
        found = f"REPLACE({found}, '\\\\u00{code}', '\\\\u00{code.lower()}')"
    return f"REPLACE({found}, CHR(5), '\\\\\\\\')"


#: the engine's copy of an object or array escapes what is beyond U+FFFF
_PAIR = "\\\\x06(uD[89AB][0-9A-F]{2})\\\\x06(uD[C-F][0-9A-F]{2})"


def _unescaped_pairs(text: str) -> str:
    """Pairs of surrogates as the characters that they are: a string of JSON has no other escape."""
    steps = ("'\\\\\\\\', CHR(5)", "'\\\\', CHR(6)", "'\"', CHR(7)")
    back = ("CHR(7), '\"'", "CHR(6), '\\\\'", "CHR(5), '\\\\\\\\'")
    found = text
    for step in steps:
        found = f"REPLACE({found}, {step})"
    found = f"REGEXP_REPLACE({found}, '{_PAIR}', '\\\\\\\\$1\\\\\\\\$2')"
    found = (
        f"FROM_JSON(CONCAT('[\"', {found}, '\"]'), 'array<string>', "
        "MAP('allowUnquotedControlChars', 'true'))[0]"
    )
    for step in back:
        found = f"REPLACE({found}, {step})"
    return f"CASE WHEN {text} RLIKE '\\\\\\\\uD[89AB]' THEN {found} ELSE {text} END"


_DOCUMENT_TEXT = (
    "CASE WHEN LEFT(r, 1) NOT IN ('{', '[') THEN CASE WHEN r <> 'nnull' THEN SUBSTRING(r, 2) END "
    f"ELSE TRANSFORM(ARRAY({_unmarked(_lower_escapes('r'))}), "
    f"t -> {_unescaped_pairs('t')})[0] END"
)


#: json's text keeps what stands between its tokens: known where the whole is as jsonb's, or close
_KEPT_TEXT = (
    "CASE WHEN LEFT(r, 1) NOT IN ('{', '[') THEN CASE WHEN r <> 'nnull' THEN SUBSTRING(r, 2) END "
    f"WHEN _2 = {_unmarked(_lower_escapes('_3'))} THEN {_unmarked(_lower_escapes('r'))} "
    f"WHEN _2 = {_unmarked(_lower_escapes('_3'), '')} THEN {_unmarked(_lower_escapes('r'), '')} "
    "WHEN r IS NOT NULL THEN raise_error('the text of an object or an array of json') END"
)


def _real_of_digits(kind: str) -> str:
    return (
        f"TRANSFORM(ARRAY(_1), r -> CASE WHEN ABS(CAST(r AS {kind})) = CAST('Infinity' AS {kind}) "
        f"THEN raise_error('out of range') WHEN CAST(r AS {kind}) = 0 AND r RLIKE '[1-9]' "
        f"THEN raise_error('out of range') ELSE CAST(r AS {kind}) END)[0]"
    )


_ITEMS = (
    "FLATTEN(TRANSFORM(_1, x -> CASE WHEN STARTSWITH(x, '[') "
    "THEN FROM_JSON(x, 'array<string>') ELSE ARRAY(x) END))"
)


#: what is inside of the documents of a list
_INSIDE = (
    "FLATTEN(TRANSFORM({}, x -> CASE WHEN STARTSWITH(x, '[') THEN FROM_JSON(x, 'array<string>') "
    "WHEN STARTSWITH(x, '{{') THEN MAP_VALUES(FROM_JSON(x, 'map<string,string>')) "
    "ELSE CAST(ARRAY() AS ARRAY<STRING>) END))"
)
_LEVELS = (
    "AGGREGATE(SEQUENCE(1, GREATEST(_2, 1)), ARRAY(_1), "
    f"(s, i) -> CONCAT(s, ARRAY({_INSIDE.format('ELEMENT_AT(s, -1)')})), s -> _levels)"
)


def _in_quotes(text: str) -> str:
    """A text as a string of JSON."""
    return f"SUBSTRING(TO_JSON(ARRAY({text})), 2, CHAR_LENGTH(TO_JSON(ARRAY({text}))) - 2)"


def _copied(made: str) -> str:
    """A document that was put together, escaped as the engine's copies of its parts are."""
    return f"FROM_JSON(CONCAT('[', {made}, ']'), 'array<string>')[0]"


def _as_member(raw: str) -> str:
    """A raw text inside of an array or object."""
    return f"CASE WHEN LEFT({raw}, 1) IN ('{{', '[') THEN {raw} ELSE {_in_quotes(raw)} END"


_ELEMENTS = "FROM_JSON({}, 'array<string>')"
_MEMBERS = "FROM_JSON({}, 'map<string,string>')"
#: the values of a key in an object, none of anything else
_OF_KEY = (
    f"COALESCE(TRANSFORM(FILTER(MAP_ENTRIES({_MEMBERS.format('x')}), p -> p.key = _2), "
    "p -> p.value), CAST(ARRAY() AS ARRAY<STRING>))"
)


def _listed(elements: str) -> str:
    """The document of an array's elements."""
    listed = f"ARRAY_JOIN(TRANSFORM({elements}, e -> {_as_member('e')}), ',')"
    return _copied(f"CONCAT('[', {listed}, ']')")


def _merged(first: str, second: str) -> str:
    """The members of two objects in jsonb's order; the second's count."""
    left, right = _MEMBERS.format(first), _MEMBERS.format(second)
    return _copied(
        "CONCAT('{', ARRAY_JOIN(TRANSFORM(ARRAY_SORT(TRANSFORM(CONCAT(FILTER("
        f"MAP_ENTRIES({left}), p -> NOT ARRAY_CONTAINS(MAP_KEYS({right}), p.key)), "
        f"MAP_ENTRIES({right})), "
        "p -> STRUCT(OCTET_LENGTH(p.key) AS n, p.key AS k, p.value AS v))), "
        f"q -> CONCAT({_in_quotes('q.k')}, ':', {_as_member('q.v')})), ','), '}}')"
    )


def _items_of(document: str) -> str:
    return (
        f"CASE WHEN STARTSWITH({document}, '[') THEN {_ELEMENTS.format(document)} "
        f"ELSE ARRAY({document}) END"
    )


_CHANGES = {
    # once: what stands for an argument may be long
    ".document_concat": "TRANSFORM(ARRAY(STRUCT(_1 AS a, _2 AS b)), w -> CASE "
    "WHEN w.a IS NULL OR w.b IS NULL THEN NULL WHEN STARTSWITH(w.a, '{') AND STARTSWITH(w.b, '{') "
    f"THEN {_merged('w.a', 'w.b')} ELSE "
    + _listed(f"CONCAT({_items_of('w.a')}, {_items_of('w.b')})")
    + " END)[0]",
    ".list_document": _listed("_1"),
}

#: as Spark's literals write a backslash
_DOUBTFUL, _SURE = (text.replace("\\", "\\\\") for text in (DOUBTFUL, SURE))

DOCUMENTS = table(
    _CHANGES
    | containing.SPARK
    | {
        # jsonb and json, held as PostgreSQL's text; a document is the text of an array or object,
        # or that of a scalar behind its mark
        ".marked": _marked(_MARKED_TOKENS),
        ".marked_plain": _marked(_PLAIN_TOKENS),
        ".json_sure": f"CASE WHEN _1 RLIKE '{_DOUBTFUL}' AND "
        f"REGEXP_REPLACE(_1, '{_SURE}', '') RLIKE '{_DOUBTFUL}' "
        "THEN raise_error('an escaped surrogate or zero in json') ELSE _1 END",
        ".document": "TRY_ELEMENT_AT(FROM_JSON(CONCAT('[', _1, ']'), 'array<string>', "
        "MAP('mode', 'FAILFAST')), 1)",
        ".no_document": "CAST(NULL AS STRING)",
        ".document_raw": "_1",
        ".document_key": "CONCAT('s', _1)",
        ".document_field": "TRY_ELEMENT_AT(FROM_JSON(_1, 'map<string,string>'), _2)",
        # of equal keys json's last one counts
        ".json_field": "TRY_ELEMENT_AT(TRANSFORM(FILTER(MAP_ENTRIES(FROM_JSON(_1, "
        "'map<string,string>')), p -> p.key = _2), p -> p.value), -1)",
        # a path goes through all values of a key that stands several times
        ".json_values": f"FLATTEN(TRANSFORM(_1, x -> {_OF_KEY}))",
        ".json_values_at": f"FLATTEN(TRANSFORM(_1, x -> CASE WHEN STARTSWITH(x, '[') "
        f"THEN SLICE({_ELEMENTS.format('x')}, _3, 1) ELSE {_OF_KEY} END))",
        ".json_field_once": "CASE WHEN SIZE(FILTER(MAP_KEYS(FROM_JSON(_1, 'map<string,string>')), "
        "k -> k = _2)) > 1 THEN raise_error('a key of the path stands twice in json') ELSE _3 END",
        ".document_item": "TRY_ELEMENT_AT(FROM_JSON(_1, 'array<string>'), _2)",
        ".document_item_at": "CASE WHEN _2 <> -2147483648 AND _2 <> 2147483647 THEN "
        "TRY_ELEMENT_AT(FROM_JSON(_1, 'array<string>'), CASE WHEN _2 < 0 THEN _2 ELSE _2 + 1 END) "
        "END",
        ".document_alone": "CASE WHEN LEFT(_1, 1) NOT IN ('{', '[') THEN _1 END",
        ".document_alone_at": "CASE WHEN _2 IN (0, -1) AND LEFT(_1, 1) NOT IN ('{', '[') "
        "THEN _1 END",
        ".document_items": "FROM_JSON(_1, 'array<string>')",
        ".document_holds": "ARRAY_CONTAINS(FROM_JSON(_1, 'array<string>'), _2)",
        ".document_keys_among": "SIZE(ARRAY_EXCEPT(MAP_KEYS(FROM_JSON(_1, 'map<string,string>')), "
        "_2)) = 0",
        ".document_without": "CASE WHEN STARTSWITH(_1, '{') THEN "
        + _copied(
            "CONCAT('{', ARRAY_JOIN(TRANSFORM(FILTER(MAP_ENTRIES(FROM_JSON(_1, "
            "'map<string,string>')), p -> NOT ARRAY_CONTAINS(_2, p.key)), "
            f"p -> CONCAT({_in_quotes('p.key')}, ':', {_as_member('p.value')})), ','), '}}')"
        )
        + " WHEN STARTSWITH(_1, '[') THEN "
        + _listed("FILTER(FROM_JSON(_1, 'array<string>'), e -> NOT ARRAY_CONTAINS(_2, e))")
        + " WHEN _1 IS NOT NULL THEN raise_error('cannot delete from scalar') END",
        ".document_number_or_none": "CASE WHEN _1 RLIKE '^n[-0-9]' THEN SUBSTRING(_1, 2) END",
        ".document_order": "CASE WHEN _1 = '[]' THEN '0' WHEN _1 = 'nnull' THEN '1' "
        "WHEN _1 LIKE 's%' THEN '2' WHEN _1 = 'nfalse' THEN '40' WHEN _1 = 'ntrue' THEN '41' "
        "WHEN _1 LIKE 'n%' THEN CONCAT('3', _2) WHEN _1 LIKE '[%' THEN '5' WHEN _1 = '{}' THEN '6' "
        "WHEN _1 IS NOT NULL THEN '7' END",
        ".document_has": "CASE WHEN _2 IS NULL THEN NULL WHEN STARTSWITH(_1, '{') "
        "THEN _3 IS NOT NULL WHEN STARTSWITH(_1, '[') "
        "THEN ARRAY_CONTAINS(FROM_JSON(_1, 'array<string>'), _2) ELSE _1 = _2 END",
        ".document_text": f"TRANSFORM(ARRAY(_1), r -> {_DOCUMENT_TEXT})[0]",
        ".document_scalar": "TRANSFORM(ARRAY(_1), r -> CASE WHEN LEFT(r, 1) IN ('{', '[') "
        "THEN raise_error('the text of an object or an array of json') "
        "WHEN r <> 'nnull' THEN SUBSTRING(r, 2) END)[0]",
        ".document_kept": f"TRANSFORM(ARRAY(_1), r -> {_KEPT_TEXT})[0]",
        # an inner document loses the blanks between its tokens
        ".document_close": "FROM_JSON(CONCAT('{\"w\":', _1, '}'), 'map<string,string>')['w']",
        ".document_loose": "TRANSFORM(ARRAY(_1), r -> CASE WHEN LEFT(r, 1) IN ('{', '[') THEN r "
        "WHEN r <> 'nnull' THEN SUBSTRING(r, 2) END)[0]",
        ".document_null": "COALESCE(_1, 'nnull') = 'nnull'",
        ".document_kind": "TRANSFORM(ARRAY(LEFT(_1, 2)), r -> CASE WHEN r LIKE '{%' THEN 'object' "
        "WHEN r LIKE '[%' THEN 'array' WHEN r LIKE 's%' THEN 'string' "
        "WHEN r IN ('nt', 'nf') THEN 'boolean' WHEN r = 'nn' THEN 'null' "
        "WHEN r IS NOT NULL THEN 'number' END)[0]",
        ".document_length": "CASE WHEN STARTSWITH(_1, '[') THEN "
        "SIZE(FROM_JSON(_1, 'array<string>')) WHEN _1 IS NOT NULL "
        "THEN raise_error('cannot get array length of what is no array') END",
        ".document_number": "TRANSFORM(ARRAY(_1), r -> CASE WHEN r = 'nnull' THEN NULL "
        "WHEN r RLIKE '^n[-0-9]' THEN SUBSTRING(r, 2) WHEN r IS NOT NULL "
        "THEN raise_error('cannot cast jsonb to a number') END)[0]",
        ".document_truth": "TRANSFORM(ARRAY(_1), r -> CASE r WHEN 'ntrue' THEN TRUE "
        "WHEN 'nfalse' THEN FALSE WHEN 'nnull' THEN NULL ELSE CASE WHEN r IS NOT NULL "
        "THEN CAST(raise_error('cannot cast jsonb to boolean') AS BOOLEAN) END END)[0]",
        ".whole_of_digits": "TRANSFORM(ARRAY(_1), r -> "
        "CAST(SPLIT_PART(r, '.', 1) AS DECIMAL(38, 0)) "
        "+ CASE WHEN r RLIKE '[.][5-9]' THEN CASE WHEN STARTSWITH(r, '-') THEN -1 ELSE 1 END "
        "ELSE 0 END)[0]",
        ".float8_of_digits": _real_of_digits("DOUBLE"),
        ".float4_of_digits": _real_of_digits("FLOAT"),
        # jsonpath: lists of documents; arrays are unwrapped where a step asks for something else
        ".path_start": "ARRAY(_1)",
        ".path_items": _ITEMS,
        ".path_key": "FILTER(TRANSFORM(" + _ITEMS + ", y -> "
        "TRY_ELEMENT_AT(FROM_JSON(y, 'map<string,string>'), _2)), z -> z IS NOT NULL)",
        ".path_values": "FLATTEN(TRANSFORM(" + _ITEMS + ", y -> "
        "COALESCE(MAP_VALUES(FROM_JSON(y, 'map<string,string>')), "
        "CAST(ARRAY() AS ARRAY<STRING>))))",
        ".path_item": "FILTER(TRANSFORM(_1, x -> TRY_ELEMENT_AT(CASE WHEN STARTSWITH(x, '[') "
        "THEN FROM_JSON(x, 'array<string>') ELSE ARRAY(x) END, _2)), z -> z IS NOT NULL)",
        ".path_slice": "FLATTEN(TRANSFORM(_1, x -> SLICE(CASE WHEN STARTSWITH(x, '[') "
        "THEN FROM_JSON(x, 'array<string>') ELSE ARRAY(x) END, _2, _3 - _2 + 1)))",
        ".path_levels": _LEVELS.replace("_levels", "FLATTEN(SLICE(s, _3, _4 - _3 + 1))"),
        ".path_all_levels": _LEVELS.replace(
            "_levels",
            "CASE WHEN SIZE(ELEMENT_AT(s, -1)) > 0 "
            "THEN CAST(raise_error('a document of more than 60 levels') AS ARRAY<STRING>) "
            "ELSE FLATTEN(SLICE(s, _3, SIZE(s))) END",
        ),
        ".path_size": "TRANSFORM(_1, x -> CONCAT('n', CASE WHEN STARTSWITH(x, '[') "
        "THEN SIZE(FROM_JSON(x, 'array<string>')) ELSE 1 END))",
        ".path_type": "TRANSFORM(_1, x -> CASE WHEN x LIKE '{%' THEN 'sobject' "
        "WHEN x LIKE '[%' THEN 'sarray' WHEN x LIKE 's%' THEN 'sstring' "
        "WHEN x IN ('ntrue', 'nfalse') THEN 'sboolean' WHEN x = 'nnull' THEN 'snull' "
        "ELSE 'snumber' END)",
        ".path_truth": "CASE WHEN TRY_ELEMENT_AT(_1, 2) IS NULL THEN CASE TRY_ELEMENT_AT(_1, 1) "
        "WHEN 'ntrue' THEN TRUE WHEN 'nfalse' THEN FALSE END END",
        ".list_filled": "SIZE(_1) > 0",
        ".list_size": "SIZE(_1)",
        ".list_begins": "FORALL(_1, x -> STARTSWITH(x, _2))",
        ".list_all_known": "TRANSFORM(ARRAY(_1), t -> CASE WHEN FORALL(t, z -> z IS NOT NULL) "
        "THEN EXISTS(t, z -> z) END)[0]",
    }
)
