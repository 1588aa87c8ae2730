"""`plan` and `apply` as people call them: text, JSON, files, flags and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from changed_filters import Shop
from places import put_files
from test_apply_plan import FEED, NEW, OLD, SOURCE
from test_schemas import wrong
from transcripts import Shell

TEXT = """\
s1/public.orders: mixed: 4 rows leave, 2 rows enter, 3 rows stay (at seq 3)
    was  (region = 'eu'::text)
    is   (total > 5)
    - leaves  id=0, region='eu', total=0; and 3 more
    + enters  id=7, region='us', total=7; and 1 more
    target/compiled/s1/public.orders/change.sql

s1/public.bare: mixed: 1 row leaves, 2 rows enter, 2 rows stay (at seq 3)
    was  (a > 2)
    is   (a < 4)
    - leaves  a=4, c='x'
    + enters  a=1, c='x'; and 1 more
    target/compiled/s1/public.bare/change.sql

Plan: 2 of 2 targets. 5 rows leave, 4 rows enter.
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """The project after a run, with other filters."""
    shop = Shop(tmp_path).define(**OLD)
    shop.write(SOURCE, FEED)
    shell = Shell(tmp_path)
    assert shell.filtersql("run").exit_code == 0
    shop.define(**NEW)
    return shell


def total(root: Path) -> int:
    with duckdb.connect(str(root / "shop.duckdb")) as connection:
        found = connection.execute("SELECT count(*) FROM s1.orders").fetchone()
    return 0 if found is None else found[0]


def test_a_plan_is_text_a_document_and_statements(shell: Shell, tmp_path: Path) -> None:
    """plan.json is what --format json prints; change.sql goes with the next compile."""
    planned = shell.filtersql("plan", "--check")
    assert (planned.exit_code, planned.stdout) == (1, TEXT)
    document = json.loads((tmp_path / "target/plan.json").read_text())
    assert wrong("plan", document) == []
    assert wrong("plan", {**document, "more": 1})
    assert json.loads(shell.filtersql("plan", "--format", "json").stdout) == document
    assert document["totals"] == {
        "targets": 2, "delete": 5, "insert": 4, "update": 0, "unchanged": 5,
    }  # fmt: skip
    statements = [tmp_path / each["statement"] for each in document["targets"]]
    assert all("MERGE INTO" in path.read_text() for path in statements)
    assert shell.filtersql("compile").exit_code == 0
    assert not any(path.exists() for path in statements)
    assert shell.filtersql("plan").exit_code == 0
    assert shell.filtersql("compile", "--check").exit_code == 0


def test_apply_needs_a_yes_and_keeps_to_what_is_allowed(shell: Shell, tmp_path: Path) -> None:
    """Nobody can answer; too many rows; a share of a target's; then all of it."""
    asked = shell.filtersql("apply")
    assert (asked.exit_code, "--yes" in asked.stderr) == (2, True)
    assert shell.filtersql("apply", "--yes", "--max-deletes", "many").exit_code == 2
    refused = shell.filtersql("apply", "--yes", "--max-deletes", "4")
    assert "the plan deletes 5 rows, and 4 are allowed" in refused.stderr
    share = shell.filtersql("apply", "--yes", "--max-deletes", "50%")
    assert "the plan deletes 4 rows of s1/public.orders, and 50% are allowed" in share.stderr
    assert (refused.exit_code, share.exit_code, total(tmp_path)) == (1, 1, 7)
    done = shell.filtersql("apply", "--yes", "--max-deletes", "58%")
    assert done.exit_code == 0
    assert "s1/public.orders: 4 deleted, 2 inserted" in done.stdout
    assert total(tmp_path) == 5
    same = shell.filtersql("plan", "--check")
    assert (same.exit_code, same.stdout) == (0, "Nothing changes: 2 targets are as defined.\n")
    assert shell.filtersql("audit").exit_code == 0
    assert shell.filtersql("run").exit_code == 0


def test_an_approved_plan_is_carried_out_or_refused(shell: Shell, tmp_path: Path) -> None:
    """What is another one by now is named: the output, the definition, the target's rows."""
    assert shell.filtersql("plan").exit_code == 0
    approved = tmp_path / "approved.json"
    approved.write_bytes((tmp_path / "target/plan.json").read_bytes())
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("INSERT INTO s1.orders VALUES (50, 'us', 1)")
    refused = shell.filtersql("apply", "--yes", "--plan", "approved.json")
    assert refused.exit_code == 1
    assert "Changed since: the target's rows." in refused.stderr
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("DELETE FROM s1.orders WHERE id = 50")
    publication = tmp_path / "publications/p.yml"
    before = publication.read_text()
    publication.write_text(before.replace("total > 5", "total > 6"))
    refused = shell.filtersql("apply", "--yes", "--plan", "approved.json")
    assert "Changed since: definition" in refused.stderr
    publication.write_text(before)
    other = approved.read_text().replace('"target": "local"', '"target": "prod"')
    (tmp_path / "other.json").write_text(other)
    refused = shell.filtersql("apply", "--yes", "--plan", "other.json")
    assert "Changed since: output." in refused.stderr
    assert total(tmp_path) == 7
    assert shell.filtersql("apply", "--yes", "--plan", "approved.json").exit_code == 0
    assert total(tmp_path) == 5
    assert shell.filtersql("apply", "--yes", "--plan", "none.json").exit_code == 1


def test_a_run_over_a_changed_filter_names_the_way(shell: Shell) -> None:
    """It refuses as before, and says what moves the rows."""
    refused = shell.filtersql("run")
    assert refused.exit_code == 1
    assert "filtersql plan" in refused.stderr


def test_a_review_shows_what_apply_moves(shell: Shell, tmp_path: Path) -> None:
    """On the page, for a pull request and for programs; not of other definitions, nor behind it."""
    assert "moves" not in shell.filtersql("review", "--format", "markdown").stdout
    assert shell.filtersql("plan").exit_code == 0
    said = shell.filtersql("review", "--format", "markdown").stdout
    assert (
        "| s1.public.orders | mixed | 4 leave<br>2 enter<br>3 stay | leaves: <code>id = 0</code>"
    ) in said
    assert json.loads(shell.filtersql("review", "--format", "json").stdout)["moves"] == [
        {"target": "s1.public.orders", "change": "mixed", "leave": 4, "enter": 2, "stay": 3},
        {"target": "s1.public.bare", "change": "mixed", "leave": 1, "enter": 2, "stay": 2},
    ]
    page = (tmp_path / "target/review.html").read_text()
    assert "<h2>What apply moves</h2>" in page
    assert "4 leave<br>2 enter<br>3 stay" in page
    publication = tmp_path / "publications/p.yml"
    before = publication.read_text()
    publication.write_text(before.replace("total > 5", "total > 6"))
    assert "apply moves" not in shell.filtersql("review", "--format", "markdown").stdout
    publication.write_text(before)
    assert shell.filtersql("apply", "--yes").exit_code == 0
    assert "apply moves" not in shell.filtersql("review", "--format", "markdown").stdout


UNCOUNTED = """\
s1/public.orders: mixed
    was  (region = 'eu'::text)
    is   (total > 5)
    - leaves  region='eu', total=5 (constructed)
    + enters  region='other', total=6 (constructed)

s1/public.bare: mixed
    was  (a > 2)
    is   (a < 4)
    - leaves  a=4 (constructed)
    + enters  a=2 (constructed)

Plan: 2 of 2 targets.
"""


def test_a_plan_without_counts_asks_no_engine(shell: Shell, tmp_path: Path) -> None:
    """An earlier manifest says what was; a narrower filter is proved to be one."""
    Shop(tmp_path).define(**OLD)
    assert shell.filtersql("compile").exit_code == 0
    before = tmp_path / "before"
    before.mkdir()
    (before / "manifest.json").write_bytes((tmp_path / "target/manifest.json").read_bytes())
    (tmp_path / "shop.duckdb").unlink()
    assert shell.filtersql("plan", "--no-counts").exit_code == 2
    asked = ("plan", "--no-counts", "--state", "before", "--check")
    same = shell.filtersql(*asked)
    assert (same.exit_code, same.stdout) == (0, "Nothing changes: 2 targets are as defined.\n")
    Shop(tmp_path).define(**{**OLD, "orders": NEW["orders"]})
    same = shell.filtersql(*asked, "--select", "bare")
    assert (same.exit_code, same.stdout) == (0, "Nothing changes: 1 target is as defined.\n")
    Shop(tmp_path).define(**NEW)
    planned = shell.filtersql(*asked)
    assert (planned.exit_code, planned.stdout) == (1, UNCOUNTED)
    assert wrong("plan", json.loads((tmp_path / "target/plan.json").read_text())) == []
    Shop(tmp_path).define(orders="region = 'eu' AND total > 5")
    document = json.loads(shell.filtersql(*asked, "--format", "json").stdout)
    changes = {each["relation"]: each["change"] for each in document["targets"]}
    assert changes == {"public.orders": "narrower", "public.bare": "removed"}
    assert not (tmp_path / "shop.duckdb").exists()


def test_what_writes_nothing_makes_no_database(tmp_path: Path) -> None:
    """Neither the file nor its folder; a run makes both."""
    Shop(tmp_path).define(**OLD).write(SOURCE, FEED)
    profiles = tmp_path / "profiles.yml"
    profiles.write_text(profiles.read_text().replace("shop.duckdb", "new/folder/shop.duckdb"))
    shell = Shell(tmp_path)
    for command in ("run --dry-run", "plan", "status", "audit", "debug"):
        assert shell.filtersql(*command.split()).exit_code == 0, command
        assert not (tmp_path / "new").exists(), command
    assert shell.filtersql("run").exit_code == 0
    assert (tmp_path / "new/folder/shop.duckdb").exists()


def test_a_dropped_table_counts_among_the_deletes(shell: Shell, tmp_path: Path) -> None:
    """It is said before anybody agrees; a selection of others leaves it."""
    Shop(tmp_path).define(orders=OLD["orders"])
    assert shell.filtersql("apply", "--yes", "--select", "orders", "--drop-removed").exit_code == 0
    refused = shell.filtersql("apply", "--yes", "--drop-removed", "--max-deletes", "2")
    assert (refused.exit_code, "the plan deletes 3 rows" in refused.stderr) == (1, True)
    dropped = shell.filtersql("apply", "--yes", "--drop-removed", "--max-deletes", "3")
    assert "no definition names it any more; its table is dropped" in dropped.stdout
    assert "s1/public.bare: dropped" in dropped.stdout
    assert "\nPlan: 1 removed target is dropped. 3 rows leave, 0 rows enter.\n" in dropped.stdout
    assert shell.filtersql("plan").stdout == "Nothing changes: 1 target is as defined.\n"


def test_a_broken_plan_is_one_mistake(shell: Shell, tmp_path: Path) -> None:
    """Whatever is missing in it."""
    for content in ("{}", "[]", '{"targets": [{}]}', "no JSON"):
        (tmp_path / "broken.json").write_text(content)
        refused = shell.filtersql("apply", "--yes", "--plan", "broken.json")
        assert (refused.exit_code, "broken.json" in refused.stderr) == (1, True), content


def test_filters_that_look_another_table_up_are_planned(tmp_path: Path) -> None:
    """Into one, and between two; what is not asked for stays out of it."""
    head = (
        "CREATE TABLE dept (no int PRIMARY KEY, loc text);\nALTER TABLE dept REPLICA IDENTITY FULL"
    )
    publication = (
        "publications:\n  - name: p\n    tables:\n"
        '      - {{name: dept, filters: {{f: "{}"}}}}\n      - listed\n'
    )
    source = 'source: {path: "source/{table}.jsonl"}, changes: {path: "changes/*.jsonl"}'
    texts = {
        "filtersql_project.yml": "name: x\nversion: 1\nprofile: x\nsemantics: xdb\n",
        "profiles.yml": "x: {target: t, outputs: {t: {type: duckdb, path: x.duckdb}}}\n",
        "tables/t.sql": f"{head};\nCREATE TABLE listed (id int PRIMARY KEY);\n",
        "publications/p.yml": publication.format("no >= 20"),
        "subscriptions/s.yml": "subscriptions:\n"
        f"  - {{name: s, publications: [p], filters: {{dept: f}}, {source}}}\n",
        "source/listed.jsonl": '{"id": 10}\n',
        "source/dept.jsonl": '{"no": 10, "loc": "x"}\n{"no": 20, "loc": "x"}\n',
        "changes/1.jsonl": '{"seq": 1, "relation": "public.listed", "op": "insert", '
        '"after": {"id": 30}}\n{"seq": 2, "relation": "public.dept", "op": "insert", '
        '"after": {"no": 30, "loc": "y"}}\n',
    }
    put_files(tmp_path, texts)
    shell = Shell(tmp_path)
    assert shell.filtersql("run").exit_code == 0
    for where, said in (
        ("no IN (SELECT id FROM listed)", "1 row leaves, 1 row enters, 1 row stays"),
        ("no NOT IN (SELECT id FROM listed)", "2 rows leave, 1 row enters, 0 rows stay"),
    ):
        (tmp_path / "publications/p.yml").write_text(publication.format(where))
        planned = shell.filtersql("apply", "--yes")
        assert (planned.exit_code, said in planned.stdout) == (0, True)
        assert shell.filtersql("audit").exit_code == 0
        assert shell.filtersql("run").exit_code == 0
