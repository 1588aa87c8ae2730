"""What a run and `status` say of each target."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from answers import Project
from running import insert
from test_applying import world  # noqa: F401

from filtersql.run import run_results, status


def test_events_and_results_name_every_target(world, engine) -> None:  # noqa: F811
    """`1 of 2 START …`, and run_results.json as dbt writes it."""
    events = []
    result = world.run(engine, events.append)
    kinds = [(event.kind, event.index) for event in events if event.kind != "reading"]
    assert kinds == [("start", 1), ("start", 2), ("ok", 1), ("ok", 2)]
    document = json.loads(json.dumps(run_results(result, {"command": "run"}, "target/compiled")))
    assert document["results"][0]["compiled_path"] == "target/compiled/s1/public.t1/merge.sql"
    assert document["results"][1]["rows_deleted"] == 1


def test_status_tells_position_and_lag(world, engine) -> None:  # noqa: F811
    """Before the first run, after it, and with changes that wait."""

    def look():
        return status(world.inputs(), {"s1": world.compiled()}, engine)

    assert [(found.state, found.lag) for found in look()] == [
        ("not yet filled", 4),
        ("not yet filled", 2),
    ]
    world.run(engine)
    world.feed([{"seq": 20, **insert("t1", a=30, b=0)}], name="2")
    assert [(found.state, found.position, found.lag) for found in look()] == [
        ("filled", 6, 1), ("filled", 6, 0),
    ]  # fmt: skip


@pytest.mark.parametrize("named", ['public."Tab 2"', "public.Tab 2", '"Tab 2"', "Tab 2"])
def test_a_table_is_copied_again_by_its_name_without_quotes(named: str, tmp_path: Path) -> None:
    """A shell takes them away from what a hint says."""
    made = Project(tmp_path)
    made.write("tables/t.sql", '-- filtersql: raw\nCREATE TABLE "Tab 2" (id int PRIMARY KEY);\n')
    made.write("publications/p.yml", "publications: [{name: p, tables: ['\"Tab 2\"']}]\n")
    made.write(
        "subscriptions/s.yml",
        "subscriptions: [{name: s, publications: [p], source: {path: 'source/{table}.jsonl'}}]\n",
    )
    made.write("source/Tab 2.jsonl", '{"id": 1}\n')
    made.succeed("run")
    made.write("source/Tab 2.jsonl", '{"id": 1}\n{"id": 2}\n')
    assert "2 inserted" in made.succeed("run", "--resync", named).stdout
