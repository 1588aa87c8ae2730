"""Conflicts are counted where the rows of the MERGE are made: what they were, in one pass."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from checked import PROJECT, with_conflicts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from running import World, table
from test_compiled_text import _written as written

from filtersql.catalog import Identity, ReplicaIdentity
from filtersql.compile import compile_project
from filtersql.errors import Mistakes
from filtersql.project import load
from filtersql.rendering.compiled import CompiledTable
from filtersql.rendering.counting import without_counting
from filtersql.run.stage_and_judge import judge_changes
from filtersql.targets.duckdb_file import connect
from filtersql.targets.model import Engine

#: more of them: FILTERSQL_COUNTING_EXAMPLES=5000
EXAMPLES = int(os.environ.get("FILTERSQL_COUNTING_EXAMPLES", "15"))
APPLIED = ("keyed", "keyed_unchanged")


@pytest.fixture(scope="module", params=["duckdb", "spark"])
def compiled(request: pytest.FixtureRequest, tmp_path_factory) -> list[CompiledTable]:
    """The targets of a project with all forms, for both engines."""
    folder = written(tmp_path_factory.mktemp("counting"), PROJECT)
    target = "dev" if request.param == "spark" else "local"
    return [node.compiled for node in compile_project(load(folder, target=target)).nodes]


def test_what_is_staged_is_what_is_reviewed_and_columns_more(compiled) -> None:
    """Letter by letter, for every table whose conflicts are applied."""
    asked = [one for one in compiled if one.form in APPLIED]
    assert {one.form for one in asked} == {*APPLIED}
    for one in asked:
        text = one.on_demand["counting"]
        assert text != one.merge_source_sql
        assert without_counting(text) == one.merge_source_sql
        assert one.counting_sql == text


def test_without_a_truncate_nothing_is_looked_for(compiled) -> None:
    """That query reads the changes alone: it is of a publication that publishes no TRUNCATE."""
    asked = [one for one in compiled if one.form in APPLIED and one.truncates]
    assert asked
    for one in asked:
        text = one.untruncated_counting_sql
        assert text is not None
        assert one.target_sql in one.counting_sql
        assert one.target_sql not in text
        assert "truncate" not in text
    other = replace(asked[0], packaged=False)
    assert other.untruncated_counting_sql == other.counting_sql


def test_where_conflicts_decide_they_are_counted_apart(tmp_path: Path) -> None:
    """Under `skip` what a change meets hangs on the changes before it."""
    nodes = compile_project(load(written(tmp_path, with_conflicts("skip")))).nodes
    assert {one.compiled.counting_sql for one in nodes} == {None}


def test_another_query_than_the_reviewed_one_is_not_staged(compiled) -> None:
    """A project's own macro decides what runs: the count is then a query of its own."""
    one = next(one for one in compiled if one.form == "keyed")
    other = replace(one, merge_source_sql=one.merge_source_sql.replace("DESC", "ASC"))
    assert other.counting_sql is None


class Shelf:
    """Two tables of the same columns on one engine; one may leave `c` out."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self.engine = engine
        full = ReplicaIdentity(Identity.FULL)
        world = World(folder)
        two = ("a", "k")
        for name, c in (("t", "text"), ("u", "int4")):
            one = table(name, key=two, a="int4!", k="int4!", b="int4", c=c)
            identity = ReplicaIdentity() if name == "t" else full
            world.publish(replace(one, replica_identity=identity), where="{p}a % 4 <> 3")
        self.tables = {one.form: one for one in world.compiled()}
        for one in self.tables.values():
            engine.create(one.target, one.column_definitions_sql, {})

    def fill(self, compiled: CompiledTable, held: list[int], changes: list[list]) -> None:
        """The target's rows and the changes, as their view has them."""
        engine, fields = self.engine, ("a", "k", "b", "c")
        engine.execute(f"DELETE FROM {compiled.target_sql}")
        for key in held:
            engine.execute(f"INSERT INTO {compiled.target_sql} VALUES ({key}, 0, 0, '0')")
        kinds = {one.name: one.sql_type for one in compiled.feed_columns}
        columns = [
            f"{side}_{name} {kinds[name]}" for side in ("before", "after") for name in fields
        ]
        engine.execute(
            f"CREATE OR REPLACE TEMP TABLE {compiled.changes_view} "
            f"(seq BIGINT, op TEXT, {', '.join(columns)}, unchanged TEXT[])"
        )
        for seq, (op, old, new, value, left_out) in enumerate(changes, 1):
            before = "NULL, NULL, NULL, NULL" if old is None else f"{old}, 0, 0, '0'"
            sent = "NULL" if left_out else f"'{value}'"
            after = "NULL, NULL, NULL, NULL" if new is None else f"{new}, 0, {value}, {sent}"
            unchanged = "['c']" if left_out else "NULL"
            engine.execute(
                f"INSERT INTO {compiled.changes_view} "
                f"VALUES ({seq}, '{op}', {before}, {after}, {unchanged})"
            )


@pytest.fixture(scope="module")
def shelf(tmp_path_factory) -> Iterator[Shelf]:
    """An engine with both tables."""
    with closing(connect(None)) as engine:
        yield Shelf(engine, tmp_path_factory.mktemp("shelf"))


keys, numbers = st.integers(0, 4), st.integers(1, 9)
change = st.one_of(
    st.tuples(st.just("insert"), st.none(), keys, numbers, st.just(False)),
    st.tuples(st.just("delete"), keys, st.none(), numbers, st.just(False)),
    st.builds(lambda a, v, u: ("update", a, a, v, u), keys, numbers, st.booleans()),
    st.tuples(st.just("update"), keys, keys, numbers, st.just(False)),
)
emptied = st.just(("truncate", None, None, 0, False))
histories = st.lists(st.one_of(*[change] * 12, emptied), min_size=1, max_size=12)


@pytest.mark.parametrize("form", APPLIED)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(held=st.lists(keys, max_size=5, unique=True), history=histories)
def test_the_counts_and_the_rows_are_those_of_two_passes(shelf: Shelf, form, held, history) -> None:
    """All kinds, the first that stops, the sample, the rows, and what is refused."""
    one = shelf.tables[form]
    left_out = form == "keyed_unchanged"
    shelf.fill(one, held, [(*rest, last and left_out) for *rest, last in history])
    assert one.counting_sql is not None
    plain = replace(one, on_demand={**one.on_demand, "counting": one.merge_source_sql})
    assert plain.counting_sql is None
    found = []
    none = all(op != "truncate" for op, *_ in history)
    ways = [("beside", one, True), ("stage", plain, True), *([("short", one, False)] * none)]
    for stage, asked, truncates in ways:
        try:
            judged, mistakes = judge_changes(shelf.engine, asked, stage, truncates=truncates)
        except Mistakes as refused:
            found.append(str(refused))
            continue
        names = ", ".join(column.name for column in one.columns)
        rows = shelf.engine.rows(f"SELECT {names}, {one.effect_column} FROM {stage}")
        counts = (judged.staged, judged.conflicts, judged.first_stop, judged.sample)
        found.append((sorted(map(repr, rows)), counts, list(map(str, mistakes))))
    assert all(each == found[0] for each in found)
