"""Tables that join what is captured, leave it, and come back."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from live_processes import Process, wait_for
from live_projects import LiveProject
from test_capture import project, server

__all__ = ["project", "server"]

pytestmark = pytest.mark.postgres
#: ends where the rows of a table that came back are looked at, and nothing else was done
_KILLED = """
import os, runpy
from filtersql.postgres import capture
settle = capture.settle_anew
capture.settle_anew = lambda *arguments: os._exit(9 if settle(*arguments) else 8)
runpy.run_module("filtersql", run_name="__main__")
"""


def test_a_table_that_joins_the_project(project: LiveProject) -> None:
    """--rows adds it to the publication, and copies it as it is then; others go on as they are."""
    published = (project.folder / "publications/p.yml").read_text()
    project.write("publications/p.yml", published.replace("{name: items, where: id % 3 <> 0}", ""))
    project.capture("--create")
    project.goes("run")
    project.write("publications/p.yml", published)
    said = project.refused("capture", "erp")
    assert 'lacks table "public.items"' in said
    assert "filtersql capture erp --until-current --rows public.items" in said
    assert "no target is copied" in project.refused("capture", "erp", "--rows", "item")

    project.sql("INSERT INTO items VALUES (100, 'x', 'y')", "UPDATE orders SET region = 'eu'")
    said = project.capture("--rows", "items")
    assert f'public.items joins publication "{project.slot}"' in said
    assert "21 rows of public.items" in said
    project.sql("INSERT INTO items VALUES (101, 'x', 'y')", "DELETE FROM orders WHERE id < 5")
    project.brought_up_to_date()
    assert "WRONG=0" in project.goes("audit")

    # What was taken out for a while is not put back unseen.
    project.sql(f"ALTER PUBLICATION {project.slot} DROP TABLE items")
    said = project.refused("capture", "erp", "--rows", "orders")
    assert 'lacks table "public.items"' in said


def test_tables_that_join_at_once(project: LiveProject) -> None:
    """Nothing is copied where another one is still lacking: all are named, and copied once."""
    subscribed = (project.folder / "subscriptions/s.yml").read_text()
    project.write("subscriptions/s.yml", subscribed.replace("[p, root]", "[root]"))
    project.capture("--create")
    project.goes("run")
    project.write("subscriptions/s.yml", subscribed)
    said = project.refused("capture", "erp", "--rows", "items")
    assert 'lacks table "public.orders"' in said
    (rows,) = set(re.findall('"filtersql capture erp --until-current (--rows[^"]+)" adds it', said))
    assert rows == "--rows public.items --rows public.orders"
    assert not (project.folder / "captured/erp/joined.json").exists()
    project.capture(*rows.split())
    project.followed()


def test_a_table_that_joins_targets_that_are_not_copied(project: LiveProject) -> None:
    """It is new: nothing of it is missing."""
    published = (project.folder / "publications/p.yml").read_text()
    project.write("publications/p.yml", published.replace("{name: items, where: id % 3 <> 0}", ""))
    written = (project.folder / "subscriptions/s.yml").read_text()
    project.write("subscriptions/t.yml", written.replace("name: s", "name: t, copy_data: false"))
    project.capture("--create")
    project.goes("run")
    project.write("publications/p.yml", published)
    project.capture("--rows", "items")
    project.sql("INSERT INTO items VALUES (100, 'x', 'y')")
    project.brought_up_to_date()


def test_a_table_that_leaves_and_comes_back(project: LiveProject) -> None:
    """What changed in between is in no file: its targets are refused until they are filled anew.

    So is a run that goes on meanwhile, and one with another subscription of the same files.
    """
    written = (project.folder / "subscriptions/s.yml").read_text()
    other = written.replace("name: s", "name: t").replace("[p, root]", "[root]")
    project.write("subscriptions/t.yml", other)
    project.capture("--create")
    results = project.folder / "target/run_results.json"
    with Process(project, "run", "--follow", "--interval", "1s") as following:
        wait_for(results.exists)
        project.sql(
            f"ALTER PUBLICATION {project.slot} DROP TABLE items",
            "DELETE FROM items WHERE id < 5",
            "INSERT INTO items VALUES (100, 'x', 'y')",
        )
        project.refused("capture", "erp")
        project.capture("--rows", "items")
        lacks = 'changes of table "public.items" are missing for "s/public.items"'
        code, said = following.ended()
    assert code == 1
    assert lacks in said
    said = project.refused("run")
    assert 'Copy its rows: "filtersql run --resync public.items".' in said
    assert lacks in project.refused("run", "--select", "items")
    project.sql("INSERT INTO orders VALUES (100, 'eu', 'paid', 1, '')")
    project.capture()
    project.goes("run", "--select", "orders")
    assert lacks in project.refused("run")
    project.goes("run", "--resync", "items")
    assert project.differences() == []
    project.capture("--rows", "*")
    assert "WRONG=0" in project.goes("audit")
    project.sql("INSERT INTO items VALUES (101, 'x', 'y')", "DELETE FROM items WHERE id < 9")
    project.brought_up_to_date()
    assert "WRONG=0" in project.goes("audit")

    # A copy that was killed has said that it is not there.
    joined = project.folder / "captured/erp/joined.json"
    joined.write_text('{"public.items": null}')
    assert '"filtersql capture erp --until-current --rows public.items", then' in project.refused(
        "run"
    )
    project.capture("--rows", "items")
    project.goes("run", "--resync", "items")
    assert project.differences() == []


def test_a_kill_behind_the_rows_repeats_no_change_that_they_hold(project: LiveProject) -> None:
    """What was captured before them is in closed files: it is not sent again, with other seqs."""
    project.capture("--create")
    project.goes("run")
    project.sql(
        f"ALTER PUBLICATION {project.slot} DROP TABLE items",
        "INSERT INTO items VALUES (100, 'x', 'y')",
        "INSERT INTO orders VALUES (100, 'eu', 'paid', 1, '')",
    )
    command = ("capture", "erp", "--until-current", "--rows", "*")
    ended = subprocess.run([sys.executable, "-c", _KILLED, *command], cwd=project.folder)
    assert ended.returncode == 9
    project.capture()
    assert "CONFLICTS" not in project.goes("run", "--full-refresh")
    assert project.differences() == []


def test_rows_behind_a_target_whose_filter_changed(project: LiveProject) -> None:
    """They cannot be taken back: the hint has what a plan waits for, and what needs no plan."""
    project.capture("--create")
    project.goes("run")
    published = (project.folder / "publications/p.yml").read_text()
    project.sql("INSERT INTO items VALUES (100, 'x', 'y')")
    project.capture("--rows", "items")
    wider = published.replace("id % 3 <> 0", "id > 0")
    project.write("publications/p.yml", wider)
    for command in (("plan",), ("apply", "--yes")):
        said = project.refused(*command)
        assert "with filtersql run under the earlier definition, copy the table again with" in said
    assert "the filter of" in project.refused("run")
    project.write("publications/p.yml", published)
    project.goes("run")
    project.write("publications/p.yml", wider)
    assert "6 rows enter" in project.goes("plan")
    assert "filtersql run --resync public.items" in said
    project.goes("run", "--resync", "public.items")
    assert project.goes("plan").startswith("Nothing changes")


def test_rows_behind_a_target_whose_clock_went_on(project: LiveProject) -> None:
    """Rows of today's clock are not these: first it gets its changes at the clock that it has."""
    timed = "CREATE TABLE timed (id int PRIMARY KEY, day date NOT NULL);\n"
    timed += "ALTER TABLE timed REPLICA IDENTITY FULL;\n"
    project.sql(timed, "INSERT INTO timed VALUES (1, '2026-01-01'), (2, '2026-01-09')")
    project.write("tables/timed.sql", timed)
    window = "{column: day, keep: 30 days, delay: 2 days}"
    published = f"publications: [{{name: t, tables: [{{name: timed, window: {window}}}]}}]\n"
    project.write("publications/t.yml", published)
    source = "source: {postgres: erp}, changes: {postgres: erp}"
    project.write(
        "subscriptions/s.yml", f"subscriptions: [{{name: s, publications: [t], {source}}}]\n"
    )
    project.capture("--create")
    project.goes("run", "--as-of", "2026-01-10")
    project.sql("INSERT INTO timed VALUES (3, '2026-01-08')")
    project.capture("--rows", "timed")
    said = project.refused("run", "--as-of", "2026-01-12")
    (clock,) = re.findall('with filtersql run --as-of "([^"]+)" .its clock.,', said)
    project.goes("run", "--as-of", clock)
    shown = project.goes("run", "--as-of", "2026-01-12", "--show", "5")
    assert "(3 rows)" in shown
