"""`audit`: rows that leaked, are missing or differ, at the target's position; and their repair."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from checked import PROJECT
from one_by_one import OneByOne
from test_lease import ELSEWHERE, MESSAGE, hold
from transcripts import Ended, Shell

from filtersql import Mistakes, Project
from filtersql.api.inputs import inputs_of, sourced_targets
from filtersql.api.loading import loaded_compilation
from filtersql.api.options import Options
from filtersql.api.reporter import Reporter
from filtersql.project import load
from filtersql.run import auditing, ledger
from filtersql.run.audit_findings import Differences
from filtersql.run.auditing import Audited
from filtersql.targets.open import open_engine

Rows = Sequence[Mapping[str, object]]
Compare = Callable[..., Differences]

SUBSCRIPTION = """
subscriptions:
  - name: s1
    publications: [p1, p2, p3]
    source: {format: filtersql, path: "source/{table}.jsonl"%s}
    changes: {path: "changes/*.jsonl"}
"""
SOURCE: Mapping[str, Rows] = {
    "keyed": [{"a": 6, "n": 1, "c": "NSW"}, {"a": 3, "n": 2, "c": "VIC"}],
    "kept": [
        {"id": 1, "body": "b1", "note": "n1", "n": 1},
        {"id": 11, "body": "x", "note": "y", "n": 0},
    ],
    "bare": [{"a": 3, "c": None}, {"a": 3, "c": None}, {"a": 1, "c": "x"}],
    "added": [{"a": 1, "c": "x1"}, {"a": 2, "c": "y"}],
    "whole": [{"id": 1, "region": "eu", "total": "1.00"}, {"id": 2, "region": "us", "total": "5"}],
}


def change(seq: int, op: str, table: str, **images: object) -> dict[str, object]:
    return {"seq": seq, "op": op, "relation": f"public.{table}", **images}


FIRST = [
    change(1, "insert", "keyed", after={"a": 9, "n": 3, "c": "NSW"}),
    change(2, "update", "kept", after={"id": 1, "n": 7}, unchanged=["body", "note"]),
    change(3, "insert", "bare", after={"a": 4, "c": "z"}),
    change(4, "delete", "bare", before={"a": 3, "c": None}),
    change(5, "insert", "added", after={"a": 3, "c": "x2"}),
    change(6, "update", "whole", before={"id": 2, "region": "us", "total": "5"},
           after={"id": 2, "region": "eu", "total": "5"}),
]  # fmt: skip
SECOND = [change(7, "delete", "keyed", before={"a": 6, "c": "NSW"})]
#: rows that another hand writes into the targets, and what an audit says of them
BROKEN = {
    "keyed": (
        "INSERT INTO s1.keyed VALUES (5, 0, 'VIC'); DELETE FROM s1.keyed WHERE a = 9",
        (1, 1, 0),
    ),
    "kept": ("UPDATE s1.kept SET body = NULL", (0, 0, 1)),
    "bare": ("INSERT INTO s1.bare VALUES (4, 'z'), (3, NULL)", (2, 0, 0)),
    "added": ("DELETE FROM s1.added WHERE a = 3", (0, 1, 0)),
    "whole": (
        "UPDATE s1.whole SET total = 9 WHERE id = 1; INSERT INTO s1.whole VALUES (7, NULL, NULL)",
        (1, 0, 1),
    ),
}  # fmt: skip


def lines(path: Path, rows: Rows) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def project(root: Path, seq: str = "") -> Shell:
    """The project on disk, with its sources and a first file of changes."""
    for name, text in PROJECT.items():
        if not name.startswith("subscriptions"):
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    (root / "subscriptions").mkdir()
    (root / "subscriptions" / "s1.yml").write_text(SUBSCRIPTION % seq, encoding="utf-8")
    for table, rows in SOURCE.items():
        lines(root / "source" / f"{table}.jsonl", rows)
    lines(root / "changes" / "1.jsonl", FIRST)
    return Shell(root)


def audit(
    shell: Shell, *flags: str, target: str = "local"
) -> tuple[Ended, dict[str, dict[str, object]]]:
    """How the audit ended, and what it says of each table."""
    ended = shell.filtersql("audit", "--target", target, "--format", "json", *flags)
    found = json.loads(ended.stdout)["audits"]
    return ended, {each["unique_id"].removeprefix("s1/public."): each for each in found}


def counts(found: Mapping[str, object]) -> tuple[object, ...]:
    return found["leaked"], found["missing"], found["differing"]


def execute(root: Path, statements: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(root / "proved.duckdb")) as connection:
        return connection.execute(statements).fetchall()


def test_what_a_run_left_is_right_in_every_form(tmp_path: Path) -> None:
    """Keyed, with kept values, without key and inserts only: source and feed give the target."""
    shell = project(tmp_path)
    ended, found = audit(shell)
    assert ended.exit_code == 0
    assert {each["status"] for each in found.values()} == {"skip"}
    for changes in ([], SECOND):
        lines(tmp_path / "changes" / "2.jsonl", changes)
        shell.succeed("run", "--target", "local")
        ended, found = audit(shell)
        assert ended.exit_code == 0, ended.both
        assert {each["status"] for each in found.values()} == {"ok"}
    assert {each["position"] for each in found.values()} == {7}
    assert len(execute(tmp_path, "SELECT * FROM s1.bare")) == 2
    tables = execute(
        tmp_path, "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'filtersql'"
    )
    assert tables == [("definitions",), ("ledger",)]


@pytest.mark.parametrize(
    "target", ["local", pytest.param("ice", marks=[pytest.mark.spark, pytest.mark.long])]
)
def test_a_value_that_was_not_sent_moves_with_its_row(tmp_path: Path, target: str) -> None:
    """An update that gives a row another key leaves out what is stored out of line."""
    shell = project(tmp_path)
    moved = {"before": {"id": 1}, "after": {"id": 12, "n": 8}, "unchanged": ["body", "note"]}
    lines(tmp_path / "changes" / "2.jsonl", [change(7, "update", "kept", **moved)])
    chosen = "--select", "s1.public.kept"
    assert shell.filtersql("run", "--target", target, *chosen).exit_code == 0
    ended, found = audit(shell, *chosen, target=target)
    assert (ended.exit_code, counts(found["kept"])) == (0, (0, 0, 0)), ended.both


def test_every_kind_of_difference_is_counted_and_mended(tmp_path: Path) -> None:
    """Leaked, missing and differing rows; --repair writes those and keeps the position."""
    shell = project(tmp_path)
    assert shell.filtersql("run", "--target", "local").exit_code == 0
    right = {name: execute(tmp_path, f"SELECT * FROM s1.{name} ORDER BY ALL") for name in SOURCE}
    for statements, _ in BROKEN.values():
        execute(tmp_path, statements)
    ended, found = audit(shell)
    assert ended.exit_code == 1
    assert {name: counts(each) for name, each in found.items()} == {
        name: wanted for name, (_, wanted) in BROKEN.items()
    }
    assert found["keyed"]["sample"] == [
        {"a": 5, "c": "VIC", "finding": "leaked"},
        {"a": 9, "c": "NSW", "finding": "missing"},
    ]
    ended, found = audit(shell, "--repair")
    assert ended.exit_code == 0, ended.both
    assert {each["status"] for each in found.values()} == {"repaired"}
    again = {name: execute(tmp_path, f"SELECT * FROM s1.{name} ORDER BY ALL") for name in SOURCE}
    assert again == right
    assert audit(shell)[0].exit_code == 0
    lines(tmp_path / "changes" / "2.jsonl", SECOND)
    assert shell.filtersql("run", "--target", "local").exit_code == 0
    assert audit(shell)[0].exit_code == 0
    assert execute(tmp_path, "SELECT a FROM s1.keyed") == [(9,)]


def test_a_key_that_the_target_holds_twice_is_told_and_not_mended(tmp_path: Path) -> None:
    """Something else wrote it: rows are compared key by key, so nothing more can be said."""
    shell = project(tmp_path)
    assert shell.filtersql("run", "--target", "local").exit_code == 0
    execute(tmp_path, "INSERT INTO s1.keyed SELECT * FROM s1.keyed")
    held = execute(tmp_path, "SELECT * FROM s1.keyed ORDER BY ALL")
    for flags in ([], ["--repair"]):
        ended, found = audit(shell, *flags)
        assert ended.exit_code == 1, ended.both
        assert "holds several rows with the same key (a, c)" in str(found["keyed"]["message"])
        assert found["bare"]["status"] == "ok"
        assert execute(tmp_path, "SELECT * FROM s1.keyed ORDER BY ALL") == held
    assert shell.filtersql("run", "--target", "local", "--resync", "public.keyed").exit_code == 0
    assert audit(shell)[0].exit_code == 0


def test_a_feed_that_no_longer_reaches_back_is_refused(tmp_path: Path) -> None:
    """The report says which seq the source must hold; with such a source the audit goes on."""
    shell = project(tmp_path)
    assert shell.filtersql("run", "--target", "local").exit_code == 0
    lines(tmp_path / "changes" / "2.jsonl", SECOND)
    assert shell.filtersql("run", "--target", "local").exit_code == 0
    (tmp_path / "changes" / "1.jsonl").unlink()
    ended, found = audit(shell, "--select", "s1.public.keyed")
    assert ended.exit_code == 1
    assert "source: {…, seq: 6}" in str(found["keyed"]["message"])
    lines(tmp_path / "source" / "keyed.jsonl", [*SOURCE["keyed"], {"a": 9, "n": 3, "c": "NSW"}])
    (tmp_path / "subscriptions" / "s1.yml").write_text(SUBSCRIPTION % ", seq: 6")
    ended, found = audit(shell, "--select", "s1.public.keyed")
    assert (ended.exit_code, found["keyed"]["status"]) == (0, "ok"), ended.both


def test_a_source_that_is_ahead_of_the_target_is_refused(tmp_path: Path) -> None:
    """A source cannot be taken back to an earlier position."""
    shell = project(tmp_path)
    assert shell.filtersql("run", "--target", "local").exit_code == 0
    (tmp_path / "subscriptions" / "s1.yml").write_text(SUBSCRIPTION % ", seq: 60")
    ended, found = audit(shell, "--select", "s1.public.keyed")
    assert ended.exit_code == 1
    assert "holds the changes up to seq 60, its target stands at seq 6" in str(
        found["keyed"]["message"]
    )


@pytest.mark.spark
@pytest.mark.parametrize(
    ("target", "table"),
    [pytest.param("dev", "bare", marks=pytest.mark.long), ("ice", "keyed")],
)
def test_spark_audits_and_mends(spark: object, target: str, table: str, tmp_path: Path) -> None:
    """The same on Delta and Iceberg: the position is kept, and the next run goes on from it."""
    shell = project(tmp_path)
    chosen = ("--select", f"s1.public.{table}")
    assert shell.filtersql("run", "--target", target, *chosen).exit_code == 0
    output = load(tmp_path, target=target).output
    assert output is not None
    engine = open_engine(output, tmp_path)
    assert engine.exists(("s1", table))
    name = engine.table_sql(("s1", table))
    engine.execute(f"DELETE FROM {name} WHERE a = 9")
    engine.execute(f"INSERT INTO {name} VALUES (4, {'1, ' * (table == 'keyed')}'z')")
    engine.close()
    page = shell.filtersql("audit", "--target", target, "--format", "html", *chosen)
    if table == "keyed":
        assert "<td>target<td><code>4</code><td><code>1</code><td><code>z</code>" in page.stdout
        assert "<td>source<td><code>9</code><td><code>3</code><td><code>NSW</code>" in page.stdout
    else:
        assert "<td><code>4</code><td><code>z</code><td><code>leaked</code>" in page.stdout
    ended, found = audit(shell, "--repair", *chosen, target=target)
    assert ended.exit_code == 0, ended.both
    assert counts(found[table]) == {"keyed": (1, 1, 0), "bare": (1, 0, 0)}[table]
    lines(tmp_path / "changes" / "2.jsonl", SECOND)
    shell.succeed("run", "--target", target, *chosen)
    if target == "dev":
        # As in a new process: the files are there, and the session does not know the table.
        engine = open_engine(output, tmp_path)
        engine.execute(f"DROP TABLE {name}")
        engine.close()
    ended, found = audit(shell, *chosen, target=target)
    assert (ended.exit_code, found[table]["position"]) == (0, 7), ended.both


def forget(root: Path) -> None:
    """The targets stay, and what filtersql knew of them is gone."""
    execute(root, "DROP SCHEMA filtersql CASCADE")


def test_a_foreign_target_is_adopted_when_an_audit_finds_it_right(tmp_path: Path) -> None:
    """It is refused without --adopt, and with another position; then the changes above go on."""
    shell = project(tmp_path)
    assert shell.filtersql("run", "--target", "local").exit_code == 0
    forget(tmp_path)
    refused = shell.filtersql("run", "--target", "local")
    assert "run --adopt --at SEQ" in refused.stderr
    lines(tmp_path / "changes" / "2.jsonl", SECOND)
    early = shell.filtersql("run", "--target", "local", "--adopt", "--at", "3")
    assert early.exit_code == 1
    wrong = 'nothing was adopted: target of "s1/public.bare" is not what its source gives'
    assert wrong in early.stderr
    with pytest.raises(Mistakes, match=wrong):
        Project.load(tmp_path, target="local").run(adopt_at=3)
    assert shell.filtersql("run", "--target", "local").exit_code == 1
    shell.succeed("run", "--target", "local", "--adopt", "--at", "6")
    assert execute(tmp_path, "SELECT a FROM s1.keyed") == [(9,)]
    assert audit(shell)[0].exit_code == 0
    again = shell.filtersql("run", "--target", "local", "--adopt", "--at", "6")
    assert "there is no target to adopt" in again.stderr


def test_a_target_with_other_columns_is_not_adopted(tmp_path: Path) -> None:
    """Its columns are named beside those of the definition."""
    shell = project(tmp_path)
    execute(tmp_path, "CREATE SCHEMA s1; CREATE TABLE s1.keyed (a INT, c VARCHAR, n BIGINT)")
    refused = shell.filtersql("run", "--target", "local", "--adopt", "--at", "6")
    assert refused.exit_code == 1
    assert 'target s1.keyed of "s1/public.keyed" has other columns' in refused.stderr


def test_adopt_needs_a_position(tmp_path: Path) -> None:
    """Wrong usage: neither flag means anything alone."""
    shell = project(tmp_path)
    for flags in (["--adopt"], ["--at", "3"], ["--adopt", "--at", "3", "--dry-run"]):
        assert shell.filtersql("run", "--target", "local", *flags).exit_code == 2


def test_one_table_is_copied_again(tmp_path: Path) -> None:
    """--resync fills one target from its source and the feed; the others stay as they are."""
    shell = project(tmp_path)
    assert shell.filtersql("run", "--target", "local").exit_code == 0
    execute(tmp_path, "DELETE FROM s1.keyed; DELETE FROM s1.whole")
    shell.succeed("run", "--target", "local", "--resync", "keyed")
    _, found = audit(shell)
    assert {name for name, each in found.items() if each["status"] == "ok"} == {*SOURCE} - {"whole"}
    unknown = shell.filtersql("run", "--target", "local", "--resync", "keyd")
    assert unknown.exit_code == 1
    assert 'Perhaps "keyed" was meant.' in unknown.stderr


def test_a_repair_and_a_run_write_one_after_the_other(tmp_path: Path) -> None:
    """A repair stops where a run is at work, also where that came between its look and its write.

    The engine commits table by table, as Delta and Iceberg do.
    """
    shell = project(tmp_path)
    assert shell.filtersql("run", "--target", "local").exit_code == 0
    execute(tmp_path, BROKEN["keyed"][0])
    reporter = Reporter(Options(project_dir=tmp_path, target="local"))
    made, compilation = loaded_compilation(reporter)
    (one,) = (each for each in sourced_targets(made, compilation.nodes, compilation)["s1"]
              if each.compiled.relation.name == "keyed")  # fmt: skip
    with duckdb.connect(str(tmp_path / "proved.duckdb")) as connection:
        engine = OneByOne(connection)
        before = engine.rows("SELECT * FROM s1.keyed ORDER BY ALL")

        def repaired() -> Audited:
            return auditing.audit(inputs_of(made), {"s1": [one]}, engine, repair=True)[0]

        hold(engine, ELSEWHERE, 100)
        assert [each.message for each in repaired().mistakes] == [MESSAGE]
        hold(engine, ELSEWHERE, -1)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(auditing, "compare", _overtaken(auditing.compare, engine))
            assert [each.message for each in repaired().mistakes] == [MESSAGE]
        assert engine.rows("SELECT * FROM s1.keyed ORDER BY ALL") == before
        hold(engine, ELSEWHERE, -1)
        assert repaired().repaired
        assert engine.rows("SELECT a FROM s1.keyed ORDER BY a") == [(6,), (9,)]
        assert ledger.read(engine, "filtersql").last["s1"].held_until is None


def _overtaken(compare: Compare, engine: OneByOne) -> Compare:
    """What is compared; then a run takes the lease."""

    def look(*arguments: Any, **asked: Any) -> Differences:
        found = compare(*arguments, **asked)
        hold(engine, ELSEWHERE, 100)
        return found

    return look
