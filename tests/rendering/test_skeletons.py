"""Statements of targets alike in shape are printed once and filled; nothing of that shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from checked import PROJECT, with_conflicts
from places import put_files

from filtersql.artifacts import files_of
from filtersql.compile import compile_project
from filtersql.project import load
from filtersql.rendering.plan_records import PlannedArm, PlannedCriterion
from filtersql.rendering.template_cache import Own, marked, skeleton_of

#: targets alike but for their names and filters, and such that differ in one thing each
ALIKE = """
CREATE TABLE alike1 (id int PRIMARY KEY, region text);
CREATE TABLE alike2 (id int PRIMARY KEY, region text);
CREATE TABLE alike3 (id int PRIMARY KEY, region varchar(20));
CREATE TABLE other_key (id int, region text PRIMARY KEY);
CREATE TABLE fewer (id int PRIMARY KEY);
CREATE TABLE "Alike\\4" (id int PRIMARY KEY, region text);
CREATE PUBLICATION p4 FOR TABLE alike1 WHERE (id > 1), alike2 WHERE (id < 2 OR id = 7),
  alike3 WHERE (id = 3), other_key WHERE (region = 'a\\\\b'), fewer, "Alike\\4" WHERE (id <> 4);
CREATE PUBLICATION p5 FOR TABLE alike2 WHERE (id % 3 = 1) WITH (publish = 'insert');
CREATE SUBSCRIPTION s2 CONNECTION '' PUBLICATION p4, p5;
"""


def statements(folder: Path, files: Mapping[str, str], target: str) -> Iterator[tuple[str, str]]:
    """Every text that is written, and every one that a run asks for."""
    put_files(folder, files)
    nodes = compile_project(load(folder, target=target)).nodes
    yield from files_of(nodes)
    for node in nodes:
        yield from (
            (f"{node.compiled.unique_id} {name}", text)
            for name, text in node.compiled.on_demand.items()
        )
        yield f"{node.compiled.unique_id} source", node.compiled.merge_source_sql


@pytest.mark.parametrize("conflicts", ["apply", "skip", "error"])
@pytest.mark.parametrize("target", ["ice", "local"])
def test_what_is_filled_is_what_is_printed(tmp_path: Path, conflicts: str, target: str) -> None:
    """A project with a macro of its own has each statement printed for itself: the same ones."""
    files = {**PROJECT} if conflicts == "apply" else {**with_conflicts(conflicts)}
    files["tables/alike.sql"] = ALIKE
    filled = dict(statements(tmp_path / "filled", files, target))
    files["macros/unused.sql"] = "-- {{ plan.target }}"
    printed = dict(statements(tmp_path / "printed", files, target))

    assert filled == printed
    assert len(filled) > 60


def test_each_string_has_its_place() -> None:
    """Two targets of one structure differ in their strings, and in nothing else."""
    arm = PlannedArm(("'insert'",), (PlannedCriterion("", "l", "q", ("(", "q", ")"), ("l",)),))
    own = Own(("h1", "h2"), "t", "c", "v", (arm,), (), arm.criteria, "s")
    places = marked(own.structure)
    text = " ".join((*places.header, places.target, "", *places.strings))

    assert marked(own.structure).structure == own.structure
    assert skeleton_of(text).filled(own.strings) == " ".join(("h1", "h2", "t", "", *own.strings))
