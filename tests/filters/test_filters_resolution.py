"""What filtersql accepts, refuses and shows is what a real PostgreSQL 18 does, word for word.

`data/filter_expressions.txt` holds one filter a line. Each is given to CREATE PUBLICATION, whose
stored form (pg_get_expr) or error (message, detail, hint, position) must be filtersql's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from places import DATA
from servers import Server
from three_engines import pg_type

from filtersql.catalog import Column, Generated, Made, PgType, ReplicaIdentity, Table
from filtersql.errors import Mistake
from filtersql.errors.filters import FrozenTime, InvalidExpression, NotTranslated
from filtersql.filters import resolve
from filtersql.names import RelationName
from filtersql.source import Passage, Source

EXPRESSIONS = (DATA / "filter_expressions.txt").read_text().splitlines()
COLUMNS = {
    "a": "int4", "i2": "int2", "i8": "int8", "n": "numeric", "n2": "numeric(10,2)",
    "f4": "float4", "f8": "float8", "b": "bool", "s": "text", "v": "varchar(10)",
    "c": "bpchar(5)", "d": "date", "ts": "timestamp", "tz": "timestamptz", "ti": "time",
    "ttz": "timetz", "iv": "interval", "ba": "bytea", "u": "uuid", "j": "json", "jb": "jsonb",
    "ai": "_int4", "ar": "_text", "r": "int4range", "ip": "inet", "mo": "money", "bi": "bit",
    "Odd Name": "int4",
}  # fmt: skip
#: what filtersql itself refuses, though PostgreSQL accepts it: literals that it does not read
MOST_REFUSED = 20
Answer = str | tuple[str, str | None, str | None, int]


def table(**more: Column) -> Table:
    """The table t of all types."""
    span = Source("t.yml", "t").span(0, 1)
    columns = [
        Column(name, PgType("bit", 3) if kind == "bit" else pg_type(kind), span)
        for name, kind in COLUMNS.items()
    ]
    name = RelationName("public", "t")
    return Table(name, (*columns, *more.values()), span, replica_identity=ReplicaIdentity())


def resolved(text: str, **options: Any) -> Answer:
    """Filtersql's answer: the deparsed text, or message, detail, hint and place."""
    try:
        return resolve(Passage(text, Source("f", text)), table(), **options).deparsed
    except Mistake as mistake:
        if isinstance(mistake, NotTranslated):
            raise
        place = mistake.span.start if mistake.span else 0
        return mistake.message, mistake.detail, mistake.hint, place


@pytest.fixture(scope="module")
def ask(postgres: Server) -> Iterator[Callable[[str], Answer]]:
    """PostgreSQL's answer to a filter on t."""
    connection = postgres.connect(postgres.create_database())
    connection.autocommit = True
    columns = ", ".join(
        f'"{name}" {"bit(3)" if kind == "bit" else kind}' for name, kind in COLUMNS.items()
    )
    connection.execute(f"CREATE TABLE t ({columns})")
    connection.execute("SET TimeZone = 'UTC'")
    start = "CREATE PUBLICATION p FOR TABLE t WHERE ("

    def answer(text: str) -> Answer:
        try:
            connection.execute(f"{start}{text})")
        except psycopg.Error as error:
            found = error.diag
            place = int(found.statement_position or len(start) + 1) - 1 - len(start)
            return found.message_primary or "", found.message_detail, found.message_hint, place
        row = connection.execute("SELECT pg_get_expr(prqual, prrelid) FROM pg_publication_rel")
        stored = row.fetchone()
        connection.execute("DROP PUBLICATION p")
        assert stored is not None
        return str(stored[0])

    yield answer
    connection.close()


@pytest.mark.postgres
def test_answers_are_postgresqls(
    ask: Callable[[str], Answer], announce: Callable[[str], None]
) -> None:
    """Every expression: the same stored text, or the same refusal at the same place."""
    different, refused = [], []
    for text in EXPRESSIONS:
        expected = ask(text)
        try:
            found = resolved(text)
        except NotTranslated:
            refused.append(text)
            continue
        if found != expected and "several offsets" not in found[0]:
            different.append(f"{text}\n   PostgreSQL: {expected}\n   filtersql:  {found}")

    announce(f"{len(EXPRESSIONS)} filters resolved as PostgreSQL does, {len(refused)} not read yet")
    assert not different, "\n".join(different)
    assert len(refused) <= MOST_REFUSED, refused
    assert len(EXPRESSIONS) >= 600


def test_words_of_time_are_frozen_at_creation() -> None:
    """'today' is the day of `created`; without one it is refused with the hint to say it."""
    created = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)

    assert resolved("d = 'today'", created=created) == "(d = '2026-11-20'::date)"
    assert resolved("ts < 'tomorrow 10:00'", created=created) == (
        "(ts < '2026-11-21 10:00:00'::timestamp without time zone)"
    )
    with pytest.raises(FrozenTime, match="needs the time when the publication was created"):
        resolve(Passage("d = 'today'", Source("f", "d = 'today'")), table())


def test_users_functions_and_types_are_refused_as_such() -> None:
    """A function or type that the project defines is user-defined, not unknown."""
    mine = RelationName("public", "mine")
    functions = resolved("mine(a) = 1", made=Made(functions=frozenset({mine})))
    types = resolved("'1'::mine = 1", made=Made(types={mine: "type"}))

    assert functions[1] == "User-defined or built-in mutable functions are not allowed."
    assert types[1] == "User-defined types are not allowed."


def test_column_of_a_users_type_is_refused() -> None:
    """An enum column may not be read: its type is user-defined."""
    span = Source("t.yml", "t").span(0, 1)
    mood = Column("mood", PgType("mood", schema="public"), span)
    text = "mood IS NULL"

    with pytest.raises(InvalidExpression) as raised:
        resolve(Passage(text, Source("f", text)), table(mood=mood))
    assert raised.value.detail == "User-defined types are not allowed."


def test_virtual_generated_columns_are_expanded() -> None:
    """A filter on a virtual column is stored, and reads, what the column is made of."""
    span = Source("t.yml", "t").span(0, 1)
    generation = Source("t.yml", "a * 2")
    g = Column(
        "g", pg_type("int4"), span, generated=Generated.VIRTUAL,
        generation=Passage(generation.text, generation),
    )  # fmt: skip
    found = resolve(Passage("g > 10", Source("f", "g > 10")), table(g=g))

    assert found.deparsed == "((a * 2) > 10)"
    assert list(found.columns) == ["a"]


def test_columns_have_their_first_place() -> None:
    """`columns` says which columns are read, each with its first place, in that order."""
    text = "s = 'x' AND a > 5 OR a < 2"
    found = resolve(Passage(text, Source("f", text)), table())

    assert {name: str(span) for name, span in found.columns.items()} == {
        "s": "f:1:1",
        "a": "f:1:13",
    }


def test_filters_that_may_raise_say_so() -> None:
    """One warning for each kind of error; none where a constant rules it out."""
    text = "a / i2 = 1 AND a / 2 = 1 AND a + 1 > 0"
    found = resolve(Passage(text, Source("f", text)), table())

    assert [(notice.name, notice.message) for notice in found.notices] == [
        (
            "may-raise",
            'the row filter can raise an error: "/" raises when the divisor is 0 '
            "or when the result does not fit in integer",
        ),
        (
            "may-raise",
            'the row filter can raise an error: "+" raises when the result does not fit in integer',
        ),
    ]
