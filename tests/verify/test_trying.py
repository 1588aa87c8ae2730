"""Rows that are tried against filters: what they prove, PostgreSQL confirms."""

from __future__ import annotations

from collections.abc import Iterator

import ordinary_filters as ordinary
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reviewed import span
from servers import Server

from filtersql.catalog import Column, PgType, Table
from filtersql.changes import Effect
from filtersql.filters import resolve
from filtersql.names import RelationName
from filtersql.pgtypes import format_type
from filtersql.review.row_trials import Condition, NotTried, Trials
from filtersql.review.worked_example import worked_rows
from filtersql.source import Source
from filtersql.targets.duckdb_file import connect
from filtersql.verify.boundaries import candidates, is_cellular

TYPES = {
    "id": "int4",
    "a": "int4",
    "b": "int8",
    "c": "text",
    "d": "bpchar",
    "e": "numeric",
    "f": "date",
    "g": "timestamptz",
    "h": "bool",
    "i": "float8",
    "j": "uuid",
    "k": "varchar",
}
TABLE = Table(
    RelationName("public", "t"),
    tuple(
        Column(name, PgType(kind), span("t.sql"), not_null=name == "id")
        for name, kind in TYPES.items()
    ),
    span("t.sql"),
    ("id",),
)


def condition(*filters: str) -> Condition:
    return Condition(tuple(resolve(Source("p.yml", each).passage(), TABLE) for each in filters))


@pytest.fixture(scope="module")
def trials() -> Iterator[Trials]:
    """Rows of the table above, tried in DuckDB."""
    engine = connect(None)
    yield Trials(engine, TABLE)
    engine.close()


class TestTrying:
    @pytest.mark.parametrize(
        ("before", "now", "gained", "lost"),
        [
            ("a > 5", "a > 4", {"a": "5"}, None),
            ("a > 5", "a >= 6", None, None),
            ("a > 5", "a < 5", {"a": "4"}, {"a": "6"}),
            ("a > 5 AND c = 'x'", "c = 'x' AND 5 < a", None, None),
            ("a > 5 OR c IS NULL", "a > 5", None, {"a": "5", "c": None}),
            ("e > 1.5", "e > 1.50", None, None),
            ("e > 1.5", "e > 1.51", None, {"e": "1.51"}),
            ("f > '2026-01-01'", "f >= '2026-01-02'", None, None),
            ("NOT h", "h IS FALSE", None, None),
            ("h IS NOT TRUE", "NOT h", None, {"h": None}),
            ("a IN (1, 2, 3)", "a BETWEEN 1 AND 3", None, None),
            ("a NOT IN (1, 2)", "a <> 1 AND a <> 2", None, None),
            ("c IN ('a', 'b')", "c = 'b' OR c = 'a'", None, None),
            ("k = 'a'", "k = 'b' OR k = 'a'", {"k": "b"}, None),
            ("i > 0.1", "i >= 0.1", {"i": "0.1"}, None),
            ("a > 5.5", "a > 5", None, None),
            ("g < '2026-01-01 00:00Z'", "g < '2026-01-01 01:00+01'", None, None),
            ("CASE WHEN a > 3 THEN h ELSE FALSE END", "a > 3 AND h", None, None),
            ("id IS NULL", "FALSE", None, None),
            ("id IS NOT NULL", "TRUE", None, None),
        ],
    )
    def test_proofs(
        self, trials: Trials, before: str, now: str, gained: object, lost: object
    ) -> None:
        """Every one of these is decided: a row proves a difference, all cells prove none."""
        found = trials.compare(condition(before), condition(now))
        assert found.exhaustive
        assert (found.gained and dict(found.gained)) == gained
        assert (found.lost and dict(found.lost)) == lost

    @pytest.mark.parametrize(
        ("before", "now"),
        [
            ("c LIKE 'N%'", "c LIKE 'NS%'"),
            ("a % 2 = 0", "a % 2 <> 1"),
            ("e = 'NaN'", "e >= 'NaN'"),
            ("f >= 'infinity'", "f = 'infinity'"),
            ("d = 'x'", "d = 'x '"),
            ("a + 1 > 5", "a > 4"),
            ("a > b", "a >= b"),
        ],
    )
    def test_what_is_not_proved(self, trials: Trials, before: str, now: str) -> None:
        """A filter that looks into values can tell more rows apart than were tried."""
        assert not trials.compare(condition(before), condition(now)).exhaustive

    def test_a_filter_without_a_form_for_duckdb(self, trials: Trials) -> None:
        """The reason is said."""
        with pytest.raises(NotTried, match="cannot be written for DuckDB"):
            trials.compare(condition("c < 'x'"), condition("c = 'x'"))

    def test_several_filters_are_an_or(self, trials: Trials) -> None:
        """Two publications take what either takes; no filter takes every row."""
        both = condition("a > 5", "c = 'x'")
        assert trials.compare(both, condition("c = 'x' OR a > 5")).gained is None
        assert trials.compare(both, Condition()).gained == (("a", "5"), ("c", "other"))
        assert trials.compare(Condition(), Condition(matches=False)).lost == ()

    def test_all_three_answers_have_rows(self, trials: Trials) -> None:
        """True, false and NULL, where the columns can give them."""
        found = trials.examples(condition("a > 5 AND c = 'NSW'"))
        assert found[True][0] == (("a", "6"), ("c", "NSW"))
        assert (("a", "6"), ("c", None)) in found[None]
        assert all(found.values())
        assert not trials.examples(condition("id > 5"))[None]

    def test_a_condition_that_may_raise(self, trials: Trials) -> None:
        """A numeric without digits is compared by a form that may raise; it is tried."""
        assert trials.examples(condition("e > 1.5"))[True]

    def test_rows_on_which_a_filter_raises_are_left_out(self, trials: Trials) -> None:
        """The others are shown; a comparison over them is not decided."""
        where = condition("10 / (a - 2) > 2")
        found = trials.examples(where)
        assert (("a", "3"),) in found[True]
        assert (("a", "10"),) in found[False]
        assert (("a", "2"),) not in (*found[True], *found[False], *found[None])
        with pytest.raises(NotTried, match="raises on some of the rows"):
            trials.compare(where, Condition())

    @pytest.mark.parametrize(
        ("kind", "text"),
        [
            ("json", "x IS NOT NULL"),
            ("jsonb", "x -> 'a' @> '{\"b\": 1}' AND x ? 'c'"),
            ("jsonb", "x #>> '{a,0}' = 'v' OR x -> 'b' -> 1 = '2'"),
            ("interval", "x > '1 hour'"),
            ("time", "x > '01:30'"),
            ("bytea", "x IS NOT NULL"),
            ("int4multirange", "x IS NOT NULL"),
            ("cidr", "x <<= '10.0.0.0/8'"),
            ("_date", "'2024-01-01' = ANY (x)"),
            ("tsrange", "x @> '2024-01-01'::timestamp"),
            ("numrange", "x && '[1,2]'"),
        ],
    )
    def test_values_of_every_kind_are_drawn(self, kind: str, text: str) -> None:
        """No type's filter is left without a row that it takes and one that it does not."""
        table = Table(
            RelationName("public", "t"), (Column("x", PgType(kind), span("t.sql")),), span("t.sql")
        )
        engine = connect(None)
        where = resolve(Source("p.yml", text).passage(), table)
        found = Trials(engine, table).examples(Condition((where,)))
        engine.close()
        assert found[True]
        assert found[False] or text == "x IS NOT NULL"

    def test_a_column_is_never_out_of_its_range(self) -> None:
        """The candidates are values of the type, also beside its limits."""
        table = Table(
            RelationName("public", "t"),
            (
                Column("a", PgType("int2"), span("t.sql"), not_null=True),
                Column("n", PgType("numeric", ((3 << 16) | 1) + 4), span("t.sql"), not_null=True),
                Column("v", PgType("varchar", 6), span("t.sql"), not_null=True),
            ),
            span("t.sql"),
        )
        where = "a >= 32767 AND n > 99.9 AND v = 'ab'"
        tree = resolve(Source("p", where).passage(), table).tree
        small, number, word = candidates(table, [tree])
        assert {"32767", "32766"} < set(small.values)
        assert max(int(value or 0) for value in small.values) == 32767
        assert {"99.9", "99.8"} == set(number.values)
        assert all(len(value or "") <= 2 for value in word.values)
        assert small.complete
        assert number.complete
        assert not word.complete


ATOMS = st.sampled_from(
    [
        *(f"a {op} {value}" for op in ("<", ">", "=", "<>", "<=") for value in (0, 1, 2.5, 3)),
        *(f"e {op} {value}" for op in ("<", ">=", "<>") for value in (0, 0.5, 1)),
        *(f"c {op} '{value}'" for op in ("=", "<>") for value in ("x", "y")),
        *(f"f {op} '2026-01-0{day}'" for op in ("<", ">", "=") for day in (1, 2)),
        *(f"i {op} {value}" for op in ("<=", ">", "<>") for value in (0.1, 0.5)),
        "a IS NULL",
        "c IS NOT NULL",
        "h",
        "h IS NOT TRUE",
        "a IN (1, 3)",
        "c IN ('x', 'y')",
        "a IS DISTINCT FROM 1",
        "TRUE",
    ]
)
FILTERS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: f"({two[0]} AND {two[1]})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]} OR {two[1]})"),
        inner.map(lambda one: f"(NOT {one})"),
        st.tuples(inner, inner).map(lambda two: f"(CASE WHEN {two[0]} THEN {two[1]} END)"),
    ),
    max_leaves=4,
)


def literal(value: str | None, kind: str) -> str:
    quoted = "NULL" if value is None else "'" + value.replace("'", "''") + "'"
    return f"{quoted}::{kind}"


@pytest.fixture(scope="module")
def connection(postgres: Server) -> Iterator[object]:
    with postgres.connect(postgres.create_database()) as made:
        yield made


LISTS = {
    "a": ["NULL", *map(str, range(-2, 6))],
    "e": ["NULL", "-1", "0", "0.25", "0.5", "0.75", "1", "2", "NaN"],
    "c": ["NULL", "x", "y", "z", '""'],
    "h": ["NULL", "t", "f"],
    "f": ["NULL", "2025-12-31", "2026-01-01", "2026-01-02", "infinity"],
    "i": ["NULL", "-1", "0.1", "0.25", "0.5", "NaN"],
}


@pytest.fixture(scope="module")
def everything() -> str:
    """Many rows, those at and between the constants among them."""
    lists = (
        f"unnest('{{{','.join(values)}}}'::{TYPES[name]}[]) AS {name}"
        for name, values in LISTS.items()
    )
    return f"(SELECT * FROM {', '.join(lists)}) AS t"


class TestAgainstPostgres:
    @settings(
        max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(before=FILTERS, now=FILTERS)
    def test_verdicts_hold(
        self, before: str, now: str, trials: Trials, connection, everything: str
    ) -> None:
        """The rows that prove a difference do so in PostgreSQL; what is proved equal is equal."""
        first, second = condition(before), condition(now)
        assert is_cellular(first.filters[0].tree)
        found = trials.compare(first, second)
        assert found.exhaustive
        judged = f"({now}) IS TRUE AS n, ({before}) IS TRUE AS b"
        for row, expected in ((found.gained, (True, False)), (found.lost, (False, True))):
            if row is not None:
                values = {name: literal(None, kind) for name, kind in TYPES.items()}
                values |= {name: literal(value, TYPES[name]) for name, value in row}
                columns = ", ".join(f"{value} AS {name}" for name, value in values.items())
                query = f"SELECT {judged} FROM (SELECT {columns}) AS t"
                assert connection.execute(query).fetchone() == expected
        differing = f"SELECT DISTINCT n, b FROM (SELECT {judged} FROM {everything}) s WHERE n <> b"
        differences = set(connection.execute(differing).fetchall())
        assert ((True, False) in differences) <= (found.gained is not None)
        assert ((False, True) in differences) <= (found.lost is not None)

    def test_every_ordinary_filter_is_tried_on_both_sides(self, connection) -> None:
        """Documents, arrays, ranges and addresses, too; PostgreSQL says the same of each row."""
        engine = connect(None)
        kinds = {one.name: format_type(one.type) for one in ordinary.TABLE.columns}
        for text in ordinary.FILTERS:
            where = resolve(Source("p.yml", text).passage(), ordinary.TABLE)
            found = Trials(engine, ordinary.TABLE).examples(Condition((where,)))
            assert found[True], text
            assert found[False], text
            for truth, rows in found.items():
                for row in rows:
                    columns = ", ".join(f"{literal(v, kinds[name])} AS {name}" for name, v in row)
                    query = f"SELECT {text} FROM (SELECT {columns}) AS t"
                    assert connection.execute(query).fetchone() == (truth,), (text, row)
        engine.close()


def test_worked_rows_follow_the_transformation_table() -> None:
    """An UPDATE for each pair of answers; a changed key moves the row."""
    examples = {True: ((("a", "6"),),), False: ((("a", "5"),),), None: ((("a", None),),)}
    found = worked_rows(examples, ["a"])
    assert [(each.old_truth, each.new_truth, each.effect) for each in found] == [
        (True, True, Effect.UPDATE),
        (True, False, Effect.DELETE),
        (True, None, Effect.DELETE),
        (False, True, Effect.INSERT),
        (False, False, Effect.NOTHING),
        (False, None, Effect.NOTHING),
        (None, True, Effect.INSERT),
        (None, False, Effect.NOTHING),
        (None, None, Effect.NOTHING),
    ]
    two = {True: ((("a", "6"),), (("a", "7"),)), False: (), None: ()}
    assert [each.happens for each in worked_rows(two, ["a"])] == ["UPDATE"]


def test_each_column_that_can_move_a_row_does(trials: Trials) -> None:
    """Alone; and no column has a value that the filter looks for in another."""
    found = worked_rows(trials.examples(condition("c = 'eu' AND k <> 'cart' OR a > 5")), ["id"])
    moved: dict[Effect, set[str]] = {Effect.INSERT: set(), Effect.DELETE: set()}
    for each in found:
        if {each.old_truth, each.new_truth} == {True, False}:
            ((column, _),) = set(each.old) - set(each.new)
            moved[each.effect].add(column)
    assert moved == {Effect.INSERT: {"a", "c", "k"}, Effect.DELETE: {"a", "c", "k"}}
    assert not {("c", "cart"), ("k", "eu")} & {pair for each in found for pair in each.old}
