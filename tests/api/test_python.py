"""A project from Python: records are what commands print as JSON, and nothing is printed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cases import read_fences
from demo import started
from transcripts import Shell

import filtersql
from filtersql import Event, Failed, Mistakes, Project
from filtersql.api.documents import Record

#: what differs from call to call
_CHANGING = re.compile(
    r'("(?:execution_time|elapsed_time)": )[0-9.e-]+'
    r'|("(?:generated_at|invocation_id|last_run|in_force_since)": )"[^"]*"'
)


@pytest.fixture
def shop(tmp_path: Path) -> Shell:
    """The template's project on DuckDB."""
    return started(tmp_path, "shop")


def _alike(text: str) -> str:
    return _CHANGING.sub(r"\1\2…", text).strip()


def test_records_are_what_commands_print(shop: Shell, capfd: pytest.CaptureFixture[str]) -> None:
    """Byte for byte but for times, command by command, on targets that stand the same."""
    before = (os.getcwd(), threading.active_count(), sys.stdout, sys.stderr)
    project = Project.load(shop.folder, target="local", vars={"region": "eu"})
    shared = '--target local --format json --vars \'{"region": "eu"}\''
    narrower = Project.load(shop.folder, target="local", vars={"region": "us"})
    moved = '--target local --format json --vars \'{"region": "us"}\''
    calls: list[tuple[str, Callable[[], Record]]] = [
        (f"compile {shared}", project.compile),
        (f"compile {shared} --select europe", lambda: project.compile(select="europe")),
        (f"check {shared}", project.check),
        (f"ls {shared}", project.ls),
        (f"test {shared}", project.test),
        (f"run {shared} --full-refresh", lambda: project.run(full_refresh=True)),
        (f"retry {shared}", project.retry),
        (f"status {shared}", project.status),
        (f"audit {shared}", project.audit),
        (f"plan {shared}", project.plan),
        (f"apply {shared} --yes", project.apply),
        (f"plan {moved} --exclude finance", lambda: narrower.plan(exclude=["finance"])),
    ]
    for line, call in calls:
        answer = call().to_json()
        printed = capfd.readouterr()
        assert (printed.out, printed.err) == ("", ""), line
        assert _alike(answer) == _alike(shop.run(f"filtersql {line}").stdout), line
        json.loads(answer)
    assert (os.getcwd(), threading.active_count(), sys.stdout, sys.stderr) == before


def test_a_filter_is_changed_from_python(shop: Shell) -> None:
    """Planned, applied and audited; the records say what moved."""
    project = Project.load(shop.folder, target="local")
    done = project.run()
    assert [(each.unique_id, each.rows_inserted) for each in done.results] == [
        ("europe/public.orders", 2),
        ("finance/public.orders", 3),
    ]
    moved = Project.load(shop.folder, target="local", vars="region: us")
    with pytest.raises(Mistakes, match=r'the filter of "europe/public\.orders" changed'):
        moved.run(select=["subscription:europe"])
    with pytest.raises(Mistakes, match="4 rows"):
        moved.apply(max_deletes=3)
    plan = moved.plan()
    assert plan.totals["delete"] == 4
    assert plan.targets[0].leaves == {"id": 3, "region": "eu", "status": "paid", "total": "15.00"}
    assert [each.change for each in moved.apply().targets] == ["mixed", "mixed"]
    assert moved.plan(select=None, exclude=None).targets == ()
    assert {each.status for each in moved.audit().audits} == {"ok"}


def test_the_page_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code of docs/python.md, from top to bottom, beside a project that `init` made."""
    Shell(tmp_path).run("filtersql init demo")
    monkeypatch.chdir(tmp_path)
    page = Path(filtersql.__file__).parent / "docs" / "python.md"
    known: dict[str, object] = {}
    blocks = [fence.text for fence in read_fences(page) if fence.language == "python"]
    assert len(blocks) == 6
    for block in blocks:
        exec(compile(block, page.name, "exec"), known)
    for name in re.findall(r"^\| `(\w+)\(", page.read_text(), re.MULTILINE):
        assert hasattr(Project, name)


def test_mistakes_are_raised_all_together(shop: Shell) -> None:
    """Those of files at once; those of targets when the others have ended; wrong usage as such."""
    project = Project.load(shop.folder, target="local")
    with pytest.raises(ValueError, match="--no-counts needs --state"):
        project.plan(no_counts=True)
    with pytest.raises(Mistakes, match="matches nothing"):
        project.compile(select=["nothing"])
    shop.run("filtersql run --target local --select finance")
    feed = shop.folder / "changes" / "2026-11-22.jsonl"
    feed.write_text(
        '{"seq": 10, "relation": "public.orders", "op": "insert", "after": {"id": "x"}}\n'
    )
    heard: list[Event] = []
    with pytest.raises(Failed) as failed:
        project.run(on_event=heard.append)
    assert len(failed.value.mistakes) == 1
    assert [each.status for each in failed.value.record.results] == ["error", "error"]
    assert "changes/2026-11-22.jsonl:1" in str(failed.value)
    assert heard[-1].name == "RunDone"
    feed.unlink()
    assert [each.status for each in project.retry().results] == ["success", "success"]
    assert project.retry().results == ()
    publication = shop.folder / "publications" / "shop.yml"
    publication.write_text(
        publication.read_text().replace("total >= 1000", "totals >= 1000").replace("status", "stat")
    )
    with pytest.raises(Mistakes) as found:
        project.compile()
    assert [mistake.span.line for mistake in found.value.mistakes if mistake.span] == [7, 13]


def test_events_tell_how_a_run_goes_on(shop: Shell) -> None:
    """Each target starts and ends, with facts; warnings are events, too."""
    heard: list[Event] = []
    Project.load(shop.folder, target="local").run(on_event=heard.append)
    names = [event.name for event in heard]
    assert names[:2] == ["Found", "Connected"]
    assert names[-1] == "RunDone"
    ended = [event for event in heard if "OK europe/public.orders" in event.message]
    assert [event.data["unique_id"] for event in ended] == ["europe/public.orders"]


def test_a_notebook_shows_tables(shop: Shell) -> None:
    """One line for each target; what a project names is text, not markup."""
    project = Project.load(shop.folder, target="local")
    project.run()
    shown = project.status()._repr_html_()
    assert shown.count("<tr>") == 3
    assert "<td>finance/public.orders</td>" in shown
    assert "quarantine" in shown
    empty = project.plan()._repr_html_()
    assert empty == "<p>Plan: nothing to show</p>"
    with pytest.raises(ValueError, match="nope is no method"):
        project.watch("nope")
    for folder, old in (("publications", "name: large"), ("subscriptions", "large]")):
        file = shop.folder / folder / "shop.yml"
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, old.replace("large", "'\"<b>large</b>\"'")))
    shown = project.ls()._repr_html_()
    assert "&lt;b&gt;large&lt;/b&gt;" in shown
    assert "<b>" not in shown


def test_secrets_stay_secret(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake that repeats what an environment variable holds does not show it."""
    monkeypatch.setenv("SHOP_PASSWORD", "hunter-22")
    profiles = shop.folder / "profiles.yml"
    text = profiles.read_text()
    assert "type: duckdb" in text
    secret = "type: \"{{ env_var('SHOP_PASSWORD') }}\""
    profiles.write_text(text.replace("type: duckdb", secret))
    with pytest.raises(Mistakes) as found:
        Project.load(shop.folder, target="local").run()
    assert "*****" in str(found.value)
    assert "hunter-22" not in str(found.value)


def test_what_is_offered_is_there_and_nothing_heavy_is_loaded() -> None:
    """`import filtersql` loads a name when it is asked for."""
    for name in filtersql.__all__:
        assert getattr(filtersql, name) is not None
    with pytest.raises(AttributeError):
        _ = filtersql.nothing  # type: ignore[attr-defined]
    asked = (
        "import filtersql, sys; names = {'duckdb', 'pyspark', 'sqlglot', 'click', 'dagster'};"
        "print(*names & {*sys.modules})"
    )
    ended = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "\n"


def test_events_come_as_they_happen(shop: Shell) -> None:
    """The first one is there before the last target ends; the record comes at the end."""
    project = Project.load(shop.folder, target="local")
    events = project.watch("run", select="europe")
    assert next(events).name == "Found"
    names = []
    while True:
        try:
            names.append(next(events).name)
        except StopIteration as end:
            done = end.value
            break
    assert names == ["Connected", "TargetStart", "TargetResult", "RunDone"]
    assert [each.rows_inserted for each in done.results] == [2]


def test_a_conflict_is_told_with_the_first_change_that_met_it(shop: Shell) -> None:
    """Of which kinds, and where: the sum at the end says neither."""
    project = Project.load(shop.folder, target="local")
    project.run()
    after = {"id": 999, "region": "eu", "status": "paid", "total": 5}
    change = {"seq": 100, "relation": "public.orders", "op": "update", "before": after}
    line = json.dumps({**change, "after": after})
    (shop.folder / "changes/9.jsonl").write_text(line, encoding="utf-8")
    *_, told, done = project.watch("run", select="europe")
    assert (told.name, done.name) == ("Conflicts", "RunDone")
    said = "europe/public.orders: 1 update_missing, first of Key (id)=(999) by change 100"
    assert told.message == said
    assert done.message.endswith("CONFLICTS=1")


def test_who_leaves_waits_and_mistakes_are_raised(shop: Shell) -> None:
    """A loop that is left does not stop the run; what the method raises comes behind its events."""
    project = Project.load(shop.folder, target="local")
    for _ in project.watch():
        break
    assert [each.position for each in project.status().targets] == [9, 9]
    other = Project.load(shop.folder, target="local", vars={"region": "us"})
    names = []
    with pytest.raises(Mistakes, match="changed since the last run"):
        names += [event.name for event in other.watch("run", select="europe")]
    threads = [one.name for one in threading.enumerate()]
    assert "filtersql-watched" not in threads


def test_a_text_is_one_table_and_wrong_usage_is_a_value_error(shop: Shell) -> None:
    """As on the command line, where each flag is one text."""
    project = Project.load(shop.folder, target="local")
    project.run()
    assert [each.rows_inserted for each in project.run(resync="orders").results] == [2, 3]
    with pytest.raises(ValueError, match="--threads takes 1 or more"):
        Project.load(shop.folder, threads=0)
    with pytest.raises(ValueError, match="--engine takes duckdb or spark, not 'zz'"):
        project.check(engine="zz")
    said: Any = "x"
    for wrong in (
        lambda: project.run(full_refresh=said),
        lambda: project.run(fail_fast=said),
        lambda: project.run(adopt_at=said),
        lambda: project.check(deep=said),
        lambda: project.plan(no_counts=said),
        lambda: project.apply(drop_removed=said),
        lambda: project.audit(repair=said),
        lambda: Project.load(shop.folder, publish_via_partition_root=said),
    ):
        with pytest.raises(ValueError, match="not 'x'"):
            wrong()
    assert project.retry().results == ()


def test_threads_run_one_after_the_other(shop: Shell) -> None:
    """DuckDB's file is locked for a process, not for a thread: each change is applied once."""
    project = Project.load(shop.folder, target="local")
    project.run()
    for number in (100, 200, 300):
        after = {"id": number, "region": "eu", "status": "paid", "total": 5}
        change = {"seq": number, "relation": "public.orders", "op": "insert", "after": after}
        feed = shop.folder / "changes" / f"{number}.jsonl"
        feed.write_text(json.dumps(change) + "\n", encoding="utf-8")
        with ThreadPoolExecutor(2) as threads:
            done = [threads.submit(project.run, select="europe") for _ in range(2)]
            inserted = [each.result().results[0].rows_inserted for each in done]
        assert sorted(inserted) == [0, 1]
    assert project.audit(select="europe").right == 1


@pytest.mark.spark
def test_a_session_of_the_process_is_used_and_left(shop: Shell, spark: object) -> None:
    """As in a notebook: `method: session` finds it; its settings are as they were, twice."""
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    assert session is not None
    before = dict(session.sparkContext.getConf().getAll())
    settings = session.conf.getAll
    project = Project.load(shop.folder)
    first = project.run(select="europe")
    *_, last = project.watch(select="europe")
    assert last.name == "RunDone"
    second = project.run(select="europe")
    assert [each.rows_inserted for each in first.results] == [2]
    assert {each.message for each in second.results} == {"nothing new"}
    assert session.range(3).count() == 3
    assert dict(session.sparkContext.getConf().getAll()) == before
    after = session.conf.getAll
    # Delta itself sets these two in any session that is active when it reads a table.
    ours = {name for name in after if not name.startswith("spark.sql.parquet.fieldId.")}
    assert {name: after[name] for name in ours} == settings
    assert (shop.folder / "warehouse" / "europe.db" / "orders" / "_delta_log").is_dir()
