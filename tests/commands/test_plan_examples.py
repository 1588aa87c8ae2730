"""The rows that a plan shows: real ones, and constructed ones where the data has none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from answers import Project
from changed_filters import Shop
from histories import lines
from transcripts import Shell

ROWS = {"orders": [{"id": n, "region": ("eu", "us")[n % 2], "total": n} for n in range(10)]}


def started(root: Path, where: str, columns: str | None = None) -> tuple[Shop, Shell]:
    shop = Shop(root, key="id, region", identity="default", columns=columns).define(orders=where)
    shop.write(ROWS)
    (root / "changes").mkdir()
    (root / "changes/0.jsonl").touch()
    shell = Shell(root)
    assert shell.filtersql("run").exit_code == 0
    return shop, shell


def test_only_what_is_made_up_is_called_so(tmp_path: Path) -> None:
    """Rows leave, and none enters, though one could; for reviewers as well."""
    shop, shell = started(tmp_path, "region = 'eu'")
    shop.define(orders="region = 'eu' AND id > 5 OR region = 'ap'")
    planned = shell.filtersql("plan").stdout
    assert "- leaves  id=0, region='eu', total=0; and 2 more\n" in planned
    assert "+ enters  id=5, region='ap' (constructed)\n" in planned
    assert "no row enters now, but such a row could" in planned
    said = shell.filtersql("review", "--format", "markdown").stdout
    assert shell.filtersql("review").exit_code == 0
    page = (tmp_path / "target/review.html").read_text(encoding="utf-8")
    for text in (said, page):
        assert "leaves: <code>id = 0</code>" in text
        assert "enters (constructed): <code>id = 5</code>" in text


TOGETHER = """\
    was  (region = 'eu'::text)
    is   ((region = 'eu'::text) AND (id < 100))
    - leaves  id=100, region='eu' (constructed)
    column total leaves
    no row leaves now, but such a row could
    target/compiled/s1/public.orders/change.sql
"""


def test_a_filter_that_changes_with_the_columns_is_told_apart(tmp_path: Path) -> None:
    """Counted, and without an engine, as it is where the filter alone changes."""
    shop, shell = started(tmp_path, "region = 'eu'")
    (tmp_path / "before").mkdir()
    (tmp_path / "before/manifest.json").write_bytes(
        (tmp_path / "target/manifest.json").read_bytes()
    )
    shop.columns = "[id, region]"
    shop.define(orders="region = 'eu' AND id < 100")
    told = TOGETHER.splitlines()
    assert {*told} <= {*shell.filtersql("plan").stdout.splitlines()}
    uncounted = shell.filtersql("plan", "--no-counts", "--state", "before").stdout
    assert {*told[:4]} <= {*uncounted.splitlines()}
    assert "enters" not in uncounted


WINDOW = """publications:
  - name: p
    tables: [{{name: orders, window: {{column: day, keep: {}, grain: {}}}}}]
"""


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (("30 days", "1 day"), ("10 days", "1 day"), "narrower"),
        (("10 days", "1 day"), ("30 days", "1 day"), "wider"),
        (("30 days", "1 day"), ("10 days", "1 week"), "that none could is not proved"),
        (("1 mon", "1 day"), ("30 days", "1 day"), "that none could is not proved"),
    ],
)
def test_a_shorter_window_is_known_to_be_narrower(
    before: tuple[str, str], now: tuple[str, str], said: str, tmp_path: Path
) -> None:
    """It needs no source, which a longer one does, and one that is cut off otherwise may."""
    made = Project(tmp_path)
    made.write(
        "tables/t.yml",
        "tables: [{name: orders, columns: {id: int not null, day: timestamptz not null},"
        " primary_key: [id], replica_identity: full}]\n",
    )
    made.write("publications/p.yml", WINDOW.format(*before))
    made.write(
        "subscriptions/s.yml",
        "subscriptions: [{name: s, publications: [p], source: {path: 'source/{table}.jsonl'}}]\n",
    )
    days = (f"2026-11-{day:02}T00:00:00Z" for day in range(1, 31))
    made.write("source/orders.jsonl", lines({"id": n, "day": day} for n, day in enumerate(days)))
    made.succeed("run", "--as-of", "2026-12-01 00:00:00")
    made.write("publications/p.yml", WINDOW.format(*now))
    if said == "narrower":
        (tmp_path / "source/orders.jsonl").unlink()
    assert said in made.succeed("plan").stdout
    made.succeed("apply", "--yes")


def test_values_that_json_lacks_are_texts(tmp_path: Path) -> None:
    """A NaN is not told as NULL, and bytes are PostgreSQL's, in all of a plan and of an audit."""
    made = Project(tmp_path)
    made.write(
        "tables/t.yml",
        "tables: [{name: t, columns: {id: int not null, f: float8, b: bytea not null, ok: bool},"
        " primary_key: [b]}]\n",
    )
    publication = (
        "publications: [{{name: p, publish: [insert], tables: [{{name: t, where: id > {}}}]}}]\n"
    )
    made.write("publications/p.yml", publication.format(0))
    made.write(
        "subscriptions/s.yml",
        "subscriptions: [{name: s, publications: [p], source: {path: 'source/{table}.jsonl'}}]\n",
    )
    made.write("source/t.jsonl", lines([{"id": 1, "f": "NaN", "b": "\\x00ff", "ok": True}]))
    made.succeed("run")
    made.write("publications/p.yml", publication.format(1))
    assert "- leaves  id=1, f='NaN', b='\\x00ff', ok=t\n" in made.succeed("plan").stdout
    (planned,) = json.loads(made.succeed("plan", "--format", "json").stdout)["targets"]
    row = {"id": 1, "f": "NaN", "b": "\\x00ff", "ok": True}
    assert planned["leaves"] == row
    assert "<code>f = &#39;NaN&#39;</code>" in made.succeed("review", "--format", "markdown").stdout
    found = json.loads(Shell(tmp_path).filtersql("audit", "--format", "json").stdout)
    assert found["audits"][0]["sample"] == [{"b": "\\x00ff", "finding": "leaked"}]
