"""What CREATE PUBLICATION refuses is refused with its message, detail, hint and place.

The filters are those of PostgreSQL's own tests (src/test/regress/sql/publication.sql,
src/test/subscription/t/028_row_filter.pl) and those of the corpus that a server refuses.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from filter_corpus import create_table, families, table
from filter_grammar import expression
from filter_grammar import shown as filter_shown
from filter_words import differs, wrong
from servers import Server

from filtersql.catalog import Column, Made, PgType, ReplicaIdentity, Table
from filtersql.errors import Mistake
from filtersql.errors.filters import NotTranslated
from filtersql.filters import resolve
from filtersql.names import RelationName
from filtersql.source import Passage, Source

#: publication.sql, "fail"
REFUSED = [
    "1234",
    "e < AVG(e)",
    "a >= testpub_rf_func2()",
    "a < random()",
    "status = 'open'",
    "a IN (SELECT generate_series(1,5))",
    "'(0,1)'::tid = ctid",
]
#: publication.sql, "ok"; 028_row_filter.pl
ACCEPTED = [
    "NULLIF(1,2) = a",
    "a IS NULL",
    "(a > 5) IS FALSE",
    "a IS DISTINCT FROM 5",
    "(a, a + 1) < (2, 3)",
    "b::varchar < '2'",
    "length(g) < 6",
    "CASE a WHEN 5 THEN true ELSE false END",
    "COALESCE(b, 'foo') = 'foo'",
    "GREATEST(a, 10) > 10",
    "a IN (2, 4, 6)",
    "ARRAY[a] <@ ARRAY[2, 4, 6]",
    "ROW(a, 2) IS NULL",
    "a > 1000 AND b <> 'filtered'",
    "a % 7 = 0",
    "a = 1 AND b = repeat('1234567890', 200) AND g < '10'",
]
_BEGINNING = "CREATE PUBLICATION p FOR TABLE t WHERE ("
Words = tuple[str, str | None, str | None, int]
#: filtersql stops before PostgreSQL does, at a literal that it does not read
_NOT_READ: Words = ("", None, None, -1)


def refusal(connection: psycopg.Connection[Any], text: str) -> Words | None:
    """The server's message, detail, hint and place in the filter."""
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(f"{_BEGINNING}{text})")
    except psycopg.Error as error:
        said = error.diag
        place = int(said.statement_position or 1 + len(_BEGINNING)) - len(_BEGINNING) - 1
        return said.message_primary or "", said.message_detail, said.message_hint, place
    return None


def own(text: str, known: Table, **given: Any) -> Words | None:
    """The same of filtersql."""
    try:
        resolve(Passage(text, Source("f", text)), known, **given)
    except NotTranslated:
        return _NOT_READ
    except Mistake as mistake:
        place = mistake.span.start if mistake.span is not None else -1
        return mistake.message, mistake.detail or None, mistake.hint or None, place
    return None


@pytest.fixture(scope="module")
def connection(postgres: Server) -> Iterator[psycopg.Connection[Any]]:
    """A database of the module's own."""
    connection = postgres.connect(postgres.create_database())
    connection.autocommit = True
    yield connection
    connection.close()


@pytest.mark.postgres
def test_the_filters_of_postgresqls_tests(connection: psycopg.Connection[Any]) -> None:
    """Accepted where PostgreSQL accepts, refused with its words where it refuses."""
    connection.execute("CREATE SCHEMA regress; SET search_path = regress")
    connection.execute("CREATE TYPE rf_bug_status AS ENUM ('new', 'open', 'closed')")
    connection.execute(
        "CREATE FUNCTION testpub_rf_func2() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'"
    )
    connection.execute("CREATE TABLE t (a int, b text, e int, g text, status rf_bug_status)")
    span = Source("t", "t").span(0, 1)
    status = PgType("rf_bug_status", schema="regress")
    types = {"a": PgType("int4"), "b": PgType("text"), "e": PgType("int4"), "g": PgType("text")}
    columns = tuple(Column(name, kind, span) for name, kind in {**types, "status": status}.items())
    name = RelationName("public", "t")
    known = Table(name, columns, span, replica_identity=ReplicaIdentity())
    users = {
        "made": Made(
            types={RelationName("regress", "rf_bug_status"): "type"},
            functions=frozenset({RelationName("public", "testpub_rf_func2")}),
        ),
    }
    for text in ACCEPTED:
        assert refusal(connection, text) is None, text
        assert own(text, known, **users) is None, text
    for text in REFUSED:
        expected = refusal(connection, text)
        assert expected is not None, text
        assert own(text, known, **users) in (expected, _NOT_READ), (text, expected)


@pytest.mark.postgres
def test_the_refused_filters_of_the_corpus(connection: psycopg.Connection[Any]) -> None:
    """Every filter of the corpus that the server refuses."""
    connection.execute("CREATE SCHEMA corpus; SET search_path = corpus")
    create_table(connection)
    known, wrong = table(), []
    for texts in families().values():
        for text in texts:
            expected = refusal(connection, text)
            found = own(text, known) if expected is not None else None
            if found not in (expected, _NOT_READ):
                wrong.append(f"{text}\n  {expected}\n  {found}")

    assert not wrong, "\n".join(wrong)


@pytest.mark.postgres
@pytest.mark.parametrize("mistaken", [False, True])
def test_random_filters(connection: psycopg.Connection[Any], mistaken: bool) -> None:
    """Shown as PostgreSQL shows them; made wrong, refused in its words (`filter_words.py`)."""
    connection.execute("SET search_path = public; DROP TABLE IF EXISTS t")
    create_table(connection)
    random_ = random.Random(20)
    for _ in range(300):
        piece = expression(random_.choice, random_.choice([1, 1, 2, 3]))
        text = filter_shown(wrong(random_.choice, piece) if mistaken else piece)
        assert not differs(connection, text), f"{text}\n{differs(connection, text)}"
