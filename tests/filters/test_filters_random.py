"""Random typed filters mean on DuckDB what they mean on PostgreSQL, errors and NULL included.

Expressions of several levels over a few types by hand-written rules, and over all types by
`filter_grammar`; Hypothesis shrinks one that differs to the smallest. The matrix in
`test_filters_engines` compares function by function; this compares how they stand together.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import duckdb
import pytest
from filter_corpus import create_table
from filter_grammar import expression
from filter_grammar import shown as filter_shown
from filter_soak import Soak
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from servers import Server
from three_engines import ERROR, Duck, Postgres, Rows, same, shown

from filtersql.errors.filters import NotTranslated

ROWS = Rows(("int4", "int4", "numeric(12,3)", "date"))
DOCUMENT_ROWS = Rows(("jsonb",))
TEXT_ROWS = Rows(("text", "bpchar(5)", "float8"))
EXAMPLES = int(os.environ.get("FILTERSQL_RANDOM_FILTERS", "50"))
#: outcomes that no filter may have; `filter_soak` says what the others are
_WRONG = {"DIFFERS", "SILENT", "CRASH", "ACCEPTED HERE", "null for an error"}


def _call(name: str, *args: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*args).map(lambda parts: f"{name}({', '.join(parts)})")


def _infix(left: st.SearchStrategy[str], signs: list[str], right: st.SearchStrategy[str]):  # type: ignore[no-untyped-def]
    return st.tuples(left, st.sampled_from(signs), right).map(lambda parts: f"({' '.join(parts)})")


def _either(condition: st.SearchStrategy[str], value: st.SearchStrategy[str]):  # type: ignore[no-untyped-def]
    return st.tuples(condition, value, value).map(
        lambda parts: "(CASE WHEN {} THEN {} ELSE {} END)".format(*parts)
    )


_COMPARED = ["=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"]


def _conditions(atoms: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            _infix(inner, ["AND", "OR", "=", "<>"], inner),
            inner.map(lambda text: f"(NOT {text})"),
            st.tuples(inner, st.sampled_from(["TRUE", "NOT FALSE", "UNKNOWN"])).map(
                lambda parts: f"({parts[0]} IS {parts[1]})"
            ),
            _either(inner, inner),
            _call("coalesce", inner, inner),
        )

    return st.recursive(atoms, extend, max_leaves=5)


def _numbers() -> st.SearchStrategy[str]:
    whole = st.recursive(
        st.sampled_from(["c1", "c2", "0", "1", "-1", "7", "2147483647"]),
        lambda inner: st.one_of(
            _infix(inner, ["+", "-", "*", "/", "%", "&"], inner),
            inner.map(lambda text: f"(- {text})"),
            _call("abs", inner),
            _call("greatest", inner, inner),
            # Not nullif(x, x): an optimizer that sees a NULL looks at nothing beside it.
            _call("nullif", inner, st.sampled_from(["1", "7"])),
        ),
        max_leaves=4,
    )
    numeric = st.recursive(
        st.one_of(st.sampled_from(["c3", "2.5", "-0.125", "c1::numeric"])),
        lambda inner: st.one_of(
            _infix(inner, ["+", "-", "*", "%"], inner), _call("round", inner, st.just("1"))
        ),
        max_leaves=3,
    )
    day = st.one_of(
        st.sampled_from(["c4", "'2024-02-29'::date", "'infinity'::date"]),
        st.tuples(st.just("c4"), st.sampled_from(["+", "-"]), st.sampled_from(["1", "c1"])).map(
            lambda parts: f"({' '.join(parts)})"
        ),
    )
    return _conditions(
        st.one_of(
            _infix(whole, _COMPARED, whole),
            _infix(numeric, _COMPARED, numeric),
            _infix(whole, _COMPARED, numeric),
            _infix(day, _COMPARED, day),
            whole.map(lambda text: f"({text} IN (1, 7, NULL))"),
            whole.map(lambda text: f"({text} BETWEEN SYMMETRIC c2 AND 7)"),
            st.tuples(whole, whole).map(lambda pair: "(({}, {}) < (c2, c1))".format(*pair)),
            st.tuples(whole, whole).map(lambda pair: "(({}, {}) IN ((1, 7)))".format(*pair)),
        )
    )


def _texts() -> st.SearchStrategy[str]:
    text = st.recursive(
        st.sampled_from(["c1", "c2::text", "'a'", "''", "'abc'", "'a%c'"]),
        lambda inner: st.one_of(
            _infix(inner, ["||"], inner),
            _call("substr", inner, st.sampled_from(["0", "2", "-1"]), st.sampled_from(["0", "2"])),
            _call('"left"', inner, st.sampled_from(["-1", "1"])),
            _call("coalesce", inner, inner),
            inner.map(lambda text: f"{text}::varchar(2)"),
        ),
        max_leaves=3,
    )
    real = st.recursive(
        st.sampled_from(["c3", "1.5::float8", "'NaN'::float8", "0::float8"]),
        lambda inner: st.one_of(
            _infix(inner, ["+", "-", "*", "/"], inner), _call("floor", inner), _call("abs", inner)
        ),
        max_leaves=3,
    )
    return _conditions(
        st.one_of(
            _infix(text, ["=", "<>"], text),
            _infix(st.just("c2"), ["=", "<>"], st.sampled_from(["c1::bpchar", "'a'", "'abc'"])),
            _infix(text, ["LIKE", "NOT LIKE"], st.sampled_from(["'a%'", "'%c'", "'a\\%c'", "'_'"])),
            _infix(text, ["~"], st.sampled_from(["'a.c'", "'^a'", "'c$'", "'[^b]'"])),
            _infix(real, _COMPARED, real),
            text.map(lambda text: f"({text} IS NULL)"),
            _infix(_call("length", text), _COMPARED, st.sampled_from(["0", "2"])),
        )
    )


def _documents() -> st.SearchStrategy[str]:
    key = st.sampled_from(["'a'", "'b'", "'c d'", "'e'", "'tags'", "'0'", "''"])
    document = st.recursive(
        st.just("c1"),
        lambda inner: st.one_of(
            _infix(inner, ["->"], key),
            _infix(inner, ["->"], st.sampled_from(["0", "-1", "1"])),
            _infix(inner, ["#>"], st.sampled_from(["'{a,0}'", "'{a,b}'", "'{1}'", "'{}'"])),
            _infix(inner, ["-"], st.sampled_from(["'{a,x}'::text[]", "'{b}'::text[]"])),
            _call("coalesce", inner, st.sampled_from(["'null'::jsonb", "'[1]'::jsonb"])),
        ),
        max_leaves=3,
    )
    constant = st.sampled_from(
        ["'1'", "'1.5'", "'\"x\"'", "'null'", "'true'", "'{}'", "'[]'", "'[1, 2]'",
         "'{\"a\": 1.50}'", "'{\"a\": [{\"b\": 1}]}'", "'[\"a\", [1]]'"]
    )  # fmt: skip
    path = st.sampled_from(
        ["'$.a'", "'$.a[*] ? (@ > 1)'", "'$[*].a'", "'$.* ? (@ == \"x\" || @ == null)'",
         "'$ ? (!(@.a != 1) && exists(@.b))'", "'$.a[last]'", "'$[1 to 2] ? (@ <= 2)'"]
    )  # fmt: skip
    test = st.sampled_from(
        ["'$.a == 1'", "'$[*] > 1'", "'!($.b == 1)'", "'$.a.b.c starts with \"x\"'"]
    )
    return _conditions(
        st.one_of(
            _infix(document, ["=", "<>", "<", ">=", "@>", "<@", "IS DISTINCT FROM"], constant),
            _infix(document, ["?"], key),
            _infix(document, ["@?"], path),
            _infix(document, ["@@"], test),
            _infix(_infix(document, ["->>"], key), ["=", "<>"], st.sampled_from(["'x'", "'1.50'"])),
            document.map(lambda text: f"({text} IS NULL)"),
            document.map(lambda text: f"(jsonb_typeof({text}) = 'array')"),
        )
    )


@pytest.fixture(scope="module")
def server(postgres: Server) -> Iterator[Postgres]:
    """The PostgreSQL that knows the truth."""
    connection = postgres.connect(postgres.create_database())
    connection.autocommit = True
    yield Postgres(connection)
    connection.close()


@pytest.fixture(scope="module")
def duck() -> Duck:
    """DuckDB with the nasty rows."""
    return Duck()


_SETTINGS = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="FILTERSQL_RANDOM_FILTERS" not in os.environ,
    suppress_health_check=list(HealthCheck),
    database=None,
)


@pytest.mark.postgres
@_SETTINGS
@given(expression=_numbers())
def test_numbers_and_dates(server: Postgres, duck: Duck, expression: str) -> None:
    """Integers, numerics and dates."""
    _compare(server, duck, ROWS, expression)


@pytest.mark.postgres
@_SETTINGS
@given(expression=_texts())
def test_texts_and_doubles(server: Postgres, duck: Duck, expression: str) -> None:
    """Text, char(n) and double precision."""
    _compare(server, duck, TEXT_ROWS, expression)


@pytest.mark.postgres
@_SETTINGS
@given(expression=_documents())
def test_documents(server: Postgres, duck: Duck, expression: str) -> None:
    """Paths, containment and order of jsonb, and jsonpath."""
    _compare(server, duck, DOCUMENT_ROWS, expression)


@pytest.fixture(scope="module")
def soak(postgres: Server, duck: Duck) -> Iterator[Soak]:
    """Everything of the filter language, on rows of all types."""
    connection = postgres.connect(postgres.create_database())
    connection.autocommit = True
    create_table(connection)
    yield Soak(connection, "duckdb", duck.ask, seed=1)
    connection.close()


@pytest.mark.postgres
@_SETTINGS
@given(data=st.data())
def test_all_types(soak: Soak, data: st.DataObject) -> None:
    """Any function, operator and cast of the catalog."""
    piece = expression(lambda options: data.draw(st.sampled_from(options)), 2)
    outcome, what = soak.judged(filter_shown(piece))

    assert outcome not in _WRONG, f"{outcome} {filter_shown(piece)}: {what}"


def _compare(server: Postgres, duck: Duck, rows: Rows, expression: str) -> None:
    try:
        sql = rows.written(expression, "duckdb")
    except NotTranslated:
        return
    expected = server.ask(rows, expression)
    plain = [place for place, value in enumerate(expected) if value != ERROR]
    found = duck.ask(rows, sql, plain) if plain else {}
    for place in plain:
        assert same(expected[place], shown(found[place], "bool"), "bool"), (rows.values[place], sql)
    for place in [place for place, value in enumerate(expected) if value == ERROR][:2]:
        with pytest.raises(duckdb.Error):
            duck.ask(rows, sql, [place])
