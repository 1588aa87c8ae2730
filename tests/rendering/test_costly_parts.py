"""What several statements of a target ask is run once, where the engine would run it each time."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from checked import with_conflicts, with_profile
from msgspec.structs import replace
from test_compiled_text import _written as written
from test_conflicts import Replacing, Subscriber, counted, feed, replacing, rows, shelf
from test_conflicts_spark import history

from filtersql.api.loading import load_project
from filtersql.api.options import Options as Flags
from filtersql.api.reporter import Reporter
from filtersql.compile import compile_project
from filtersql.rendering.macros import COSTLY_PARTS
from filtersql.run import Options, query_parts, run
from filtersql.run.query_parts import cut
from filtersql.targets.duckdb_file import connect


@pytest.mark.parametrize(
    "project",
    [with_conflicts("skip"), with_conflicts("error"), with_profile("pglogical")],
    ids=["skip", "error", "pglogical"],
)
def test_the_statements_for_spark_have_their_costly_parts_alike(project, tmp_path: Path) -> None:
    """Word by word: else nothing would be saved, and nobody would notice."""
    folder = written(tmp_path, project)
    loaded = load_project(Reporter(Flags(project_dir=folder, target="dev")))
    tables = [one.compiled for one in compile_project(loaded).nodes if one.compiled.costly_parts]
    assert tables
    for one in tables:
        texts = (one.merge_source_sql, one.conflicts_sql, one.conflict_sample_sql)
        for name in one.costly_parts:
            source, *others = (cut(text, "spark").needed(name) for text in texts)
            assert source
            assert others == [source, source]


@pytest.mark.parametrize("moves", [True, False], ids=["moves", "no_moves"])
@pytest.mark.parametrize("mode", ["skip", "error", "missing"])
def test_what_is_kept_of_a_part_changes_no_row_and_no_count(
    mode: str, moves: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB has no costly parts: here it is told to keep them all the same."""
    model, met = (Replacing if mode == "missing" else Subscriber)(), Counter[str]()
    changes = history(7, 120, moves=moves)
    asked = list[bool]()
    monkeypatch.setattr(
        query_parts,
        "_moves",
        lambda *known, ask=query_parts._moves: asked.append(ask(*known)) or asked[-1],
    )
    with closing(connect(None)) as engine:
        world = replacing(tmp_path) if mode == "missing" else shelf(tmp_path, mode)
        (compiled,) = world.compiled()
        assert compiled.moving_part
        told = replace(compiled, costly_parts=COSTLY_PARTS[_form(compiled.form)])
        for upto in (40, 80, len(changes)):
            feed(world, changes, upto)
            result = run(world.inputs(), {"s1": [told]}, engine, Options())
            met.update(result.results[0].conflicts)
        for change in changes[: result.results[0].position]:
            model.apply(change)
        assert rows(engine) == sorted(model.rows.items())
        if mode == "skip":  # otherwise what came before a TRUNCATE is not counted
            assert counted(met) == counted(model.met)
    assert asked
    assert any(asked) is moves


def _form(value: str):
    return next(form for form in COSTLY_PARTS if form.value == value)


def test_a_statement_without_the_part_stays_as_it_is() -> None:
    """Strings, comments and quoted names that look like the end of a part do not end it."""
    text = "WITH a AS (SELECT ')' AS x /* ) */), `b ) AS (` AS (SELECT * FROM a) SELECT * FROM a"
    found = cut(text, "spark")
    assert list(found.parts) == ["a", "b ) AS ("]
    assert found.needed("c") == ()
    assert found.given("a", "SELECT 1") == "WITH a AS (SELECT 1) SELECT * FROM a"
    assert cut("SELECT 1", "spark").parts == {}
