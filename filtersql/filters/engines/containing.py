"""`@>` of two documents that rows have: level by level, as far as they may go down.

Example
    `.document_deep` of `{"a": [1, 2]}` and `{"a": [2]}`: each member of the second has an equal one
    in the first, a list or object one that contains it. The levels stand inside one another, since
    no engine's expression can call itself; a second document that goes deeper raises.
"""

from __future__ import annotations

__all__ = ["DEEPEST", "DUCKDB", "SPARK"]

#: levels of the document that is contained
DEEPEST = 4
_TOO_DEEP = f"a jsonb of more than {DEEPEST} levels beside another"

_SPARK_LEVEL = (
    "FORALL(CASE WHEN STARTSWITH({b}, '{{') THEN MAP_ENTRIES(FROM_JSON({b}, 'map<string,string>')) "
    "WHEN STARTSWITH({b}, '[') THEN TRANSFORM(FROM_JSON({b}, 'array<string>'), "
    "w{n} -> STRUCT(CAST(NULL AS STRING) AS key, w{n} AS value)) END, "
    "p{n} -> EXISTS(CASE WHEN p{n}.key IS NULL THEN FROM_JSON({a}, 'array<string>') "
    "ELSE ARRAY(TRY_ELEMENT_AT(FROM_JSON({a}, 'map<string,string>'), p{n}.key)) END, "
    "w{n} -> CASE WHEN LEFT(p{n}.value, 1) NOT IN ('{{', '[') THEN w{n} = p{n}.value "
    "ELSE LEFT(w{n}, 1) = LEFT(p{n}.value, 1) AND {inner} END))"
)
_DUCKDB_LEVEL = (
    "LEN([0 FOR p{n} IN CASE JSON_TYPE({b}) WHEN 'OBJECT' THEN "
    "[{{'key': w{n}, 'value': {member_b}}} FOR w{n} IN JSON_KEYS({b})] ELSE "
    "[{{'key': CAST(NULL AS TEXT), 'value': w{n}}} FOR w{n} IN JSON_EXTRACT({b}, '$[*]')] END "
    "IF LEN([0 FOR w{n} IN CASE WHEN p{n}.key IS NULL THEN JSON_EXTRACT({a}, '$[*]') "
    "ELSE [{member_a}] END IF COALESCE(CASE WHEN JSON_TYPE(p{n}.value) NOT IN ('OBJECT', 'ARRAY') "
    "THEN JSON_TYPE(w{n}) NOT IN ('OBJECT', 'ARRAY') AND "
    "JSON_EXTRACT_STRING(w{n}, '$') = JSON_EXTRACT_STRING(p{n}.value, '$') "
    "ELSE JSON_TYPE(w{n}) = JSON_TYPE(p{n}.value) AND {inner} END, FALSE)]) = 0]) = 0"
)


def _member(document: str, key: str) -> str:
    return (
        f"JSON_EXTRACT({document}, '$.\"' || REPLACE(REPLACE({key}, '\\', '\\\\'), '\"', '\\\"') "
        "|| '\"')"
    )


def _levels(level: str, error: str, names: tuple[str, str]) -> str:
    """The levels inside one another, the last of which raises."""
    text = error
    for number in range(DEEPEST, 0, -1):
        outer = number - 1
        a, b = (f"w{outer}", f"p{outer}.value") if outer else names
        text = level.format(
            a=a,
            b=b,
            n=number,
            inner=text,
            member_a=_member(a, f"p{number}.key"),
            member_b=_member(b, f"w{number}"),
        )
    return text


_SPARK_DEEP = _levels(_SPARK_LEVEL, f"CAST(raise_error('{_TOO_DEEP}') AS BOOLEAN)", ("c.a", "c.b"))
_DUCKDB_DEEP = _levels(_DUCKDB_LEVEL, f"CAST(error('{_TOO_DEEP}') AS BOOLEAN)", ("c.a", "c.b"))
SPARK = {
    ".document_deep": "TRANSFORM(ARRAY(STRUCT(_1 AS a, _2 AS b)), c -> "
    "CASE WHEN c.a IS NULL OR c.b IS NULL THEN NULL "
    "WHEN LEFT(c.b, 1) NOT IN ('{', '[') THEN c.a = c.b OR (STARTSWITH(c.a, '[') AND "
    "COALESCE(ARRAY_CONTAINS(FROM_JSON(c.a, 'array<string>'), c.b), FALSE)) "
    f"ELSE LEFT(c.a, 1) = LEFT(c.b, 1) AND COALESCE({_SPARK_DEEP}, FALSE) END)[0]",
}
DUCKDB = {
    ".document_deep": "LIST_EXTRACT([CASE WHEN c.a IS NULL OR c.b IS NULL THEN NULL "
    "WHEN JSON_TYPE(c.b) NOT IN ('OBJECT', 'ARRAY') THEN CASE WHEN JSON_TYPE(c.a) = 'ARRAY' "
    "THEN LIST_CONTAINS(JSON_EXTRACT_STRING(c.a, '$[*]'), JSON_EXTRACT_STRING(c.b, '$')) "
    "ELSE JSON_TYPE(c.a) <> 'OBJECT' "
    "AND JSON_EXTRACT_STRING(c.a, '$') = JSON_EXTRACT_STRING(c.b, '$') END "
    f"ELSE JSON_TYPE(c.a) = JSON_TYPE(c.b) AND {_DUCKDB_DEEP} END "
    "FOR c IN [{'a': _1, 'b': _2}]], 1)",
}
