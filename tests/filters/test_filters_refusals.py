"""What has no exact form is refused by name, and what may raise says so before it runs."""

from __future__ import annotations

import duckdb
import pytest
from three_engines import Rows

from filtersql.errors.filters import NotTranslated
from filtersql.filters.resolving import resolve
from filtersql.source import Passage, Source

REFUSED = [
    ("timestamptz", "c1 AT TIME ZONE 'America/Mexico_City' > '2024-01-01'", "changed since 2021"),
    ("timestamptz", "c1 AT TIME ZONE 'Nowhere/City' > '2024-01-01'", "databases know"),
    ("timestamp", "date_trunc('fortnight', c1) = '2024-01-01'", 'no unit "fortnight"'),
    ("text", "c1 ILIKE 'Σ%'", "outside ASCII"),
    ("text", "c1 ~ 'x(?<=a+)b'", "look"),
    ("text", "regexp_replace(c1, 'a|ab', 'x') = 'x'", "the longest match"),
    ("text", "regexp_match(c1, '(a|ab)(b?)') = '{a,b}'", ""),
    ("text", "regexp_replace(c1, '(a|(b))+', '\\2') = 'x'", "an earlier round"),
    ("jsonb", "c1 @? '$.a.datetime()'", "does not read this jsonpath"),
    ("jsonb", "c1 @? '$.a.floor() ? (@ > 1)'", "does not read this jsonpath"),
    ("jsonb", "c1 @@ '$.a + 1 > 2'", "does not read this jsonpath"),
    ("jsonb", "c1 @@ '-$.a > 2'", "does not read this jsonpath"),
    ("jsonb", "c1 @@ '$.a like_regex \"^x\"'", "does not read this jsonpath"),
    ("jsonb", "jsonb_set(c1, '{a}', '1') = c1", "a document made this way"),
    ("jsonb", "jsonb_strip_nulls(c1) = c1", "a document made this way"),
    ("jsonb", "c1 - 0 = '[]'", "a document made this way"),
    ("jsonb", "c1 #- '{a}' = '{}'", "a document made this way"),
    ("_text", "greatest(c1, '{a,b}') = c1", "no exact form"),
    ("text", "c1::varchar(2) COLLATE \"tr-x-icu\" ILIKE 'i'", "rules of its own"),
    ("text", "lower(c1 COLLATE \"lt-x-icu\") = 'i'", "rules of its own"),
    ("json", "c1 #>> '{a,-1}' = '1'", "A place from the end, behind another step"),
    ("numeric(12,3)", "c1 / 7 * 3 > 1", "rounds the quotient"),
    ("numeric(38,10)", "c1 * c1 > 1", "DECIMAL ends at 38"),
    ("numeric(12,3)", "ln(c1) > 0", "no exact form"),
    ("numeric(12,3)", "c1 ^ 2 > 100", "no exact form"),
    ("float8", "exp(c1) > 1", "no exact form"),
    ("float8", "sin(c1) IS NULL", "no exact form"),
    ("int8", "factorial(c1) > 100", "no exact form"),
]
RAISING = [
    ("timestamptz", "c1 AT TIME ZONE 'Europe/Amsterdam' > '2024-01-01'", "databases differ"),
    ("text", "c1 ~ '^\\d+$'", "a class that depends on the database's locale"),
    ("text", "lower(c1) = 'k'", "case depends on the database's locale"),
    ("json", "c1 ->> 'a' = 'x'", "an object or an array"),
    ("jsonb", "(c1 -> 'a')::int = 1", "the value is no number"),
    ("jsonb", "jsonb_array_length(c1) = 1", "the value is no array"),
    ("interval timestamp", "date_bin(c1, c2, '2000-01-01') = c2", "the stride has months"),
    ("int8", "c1 % 0 = 0", "the divisor is 0"),
    ("numeric(12,3)", "c1 / 3 = 3.3333333333333333", "last digits decide"),
    ("date", "coalesce(extract(year FROM c1), 0) % 4 = 0", "a value is infinite"),
    ("timestamp", "date_trunc('decade', c1) = '2020-01-01'", "years before Christ"),
]


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
@pytest.mark.parametrize(("type_name", "text", "reason"), REFUSED)
def test_without_an_exact_form_the_filter_is_refused(
    type_name: str, text: str, reason: str, engine: str
) -> None:
    """The mistake names the engine and says why."""
    with pytest.raises(NotTranslated) as raised:
        Rows((type_name,)).written(text, "spark" if engine == "spark" else "duckdb")
    assert reason in str(raised.value)


@pytest.mark.parametrize(("type_name", "text", "reason"), RAISING)
def test_what_may_raise_is_a_warning(type_name: str, text: str, reason: str) -> None:
    """One notice, with the values on which a row raises."""
    found = resolve(Passage(text, Source("f", text)), Rows(tuple(type_name.split())).table)

    assert [reason in notice.message for notice in found.notices] == [True]


@pytest.mark.parametrize(
    ("type_name", "text"),
    [
        ("timestamptz", "c1 AT TIME ZONE 'UTC' > '2024-01-01'"),
        ("text", "c1 COLLATE \"C\" ~ '^\\d+$'"),
        ("_int4", "1 = ANY (c1)"),
        ("int8", "c1 % 2 = 0"),
        ("int8", "c1 / 3 > 2"),
        ("jsonb", "c1 @> '{\"a\": 1}'"),
    ],
)
def test_what_cannot_raise_has_no_warning(type_name: str, text: str) -> None:
    """No notice where no value makes a row raise."""
    assert (
        resolve(Passage(text, Source("f", text)), Rows(tuple(type_name.split())).table).notices
        == ()
    )


@pytest.mark.parametrize(
    ("text", "value", "told"),
    [
        ("c1 * 0.001 > 0", f"0.{'0' * 16382}1", "too many digits"),
        ("c1 * 500 > 3", "9" * 131072, "too many digits"),
        ("c1 * 500 > 3", "9" * 16000, ""),
    ],
)
def test_digits_that_postgresql_cuts_off_decide_nothing(text: str, value: str, told: str) -> None:
    """Results of numerics have so many digits: a number of which more would be needed raises."""
    sql = Rows(("numeric",)).written(text, "duckdb")
    query = f"SELECT {sql} FROM (SELECT ?::VARCHAR AS c1) r"
    if not told:
        assert duckdb.execute(query, [value]).fetchall() == [(True,)]
        return
    with pytest.raises(duckdb.InvalidInputException, match=told):
        duckdb.execute(query, [value])
