"""A release of the quarantine that is killed leaves nothing undone, lost, or done twice."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from answers import Project
from crashes import Runner
from histories import lines
from rows import rows_of
from small_spark import SMALL

_SPARK = {"type": "spark", "method": "session", "spark_conf": SMALL}
_OUTPUTS = {
    "duckdb": {"type": "duckdb", "path": "x.duckdb"},
    "delta": {**_SPARK, "format": "delta", "warehouse": "warehouse"},
    "iceberg": {**_SPARK, "format": "iceberg", "catalog": "lake",
                "catalog_config": {"type": "hadoop", "warehouse": "lakehouse"}},
}  # fmt: skip
_RAISING, _MENDED = "10 / b > 0", "b > 0"
_RELEASE = ("run", "--release", "--accept-filter-change")


def _row(a: int, b: int) -> dict[str, int]:
    return {"a": a, "b": b}


_CHANGES = [
    {"op": "insert", "after": _row(1, 1)},
    {"op": "update", "before": _row(1, 1), "after": _row(1, 0)},
    {"op": "update", "before": _row(1, 0), "after": _row(2, 5)},
    {"op": "insert", "after": _row(3, 3)},
    {"op": "insert", "after": _row(4, 0)},
    {"op": "update", "before": _row(4, 0), "after": _row(4, 4)},
]
_HELD = {(2, 5), (3, 3), (4, 4), (5, 5)}


def _filtered(made: Project, where: str) -> None:
    made.write(
        "publications/p.yml",
        f'publications: [{{name: p, tables: [{{name: t, where: "{where}"}}]}}]\n',
    )


def _quarantined(folder: Path, target: str) -> Project:
    """A project with changes in quarantine, and one more in its feed."""
    made = Project(folder)
    made.write("profiles.yml", json.dumps({"cases": {"target": target, "outputs": _OUTPUTS}}))
    made.write(
        "tables/t.yml",
        "tables: [{name: t, columns: {a: int not null, b: int}, primary_key: [a],"
        " replica_identity: full}]\n",
    )
    made.write(
        "subscriptions/s.yml",
        "subscriptions: [{name: s, publications: [p], on_filter_error: quarantine,"
        ' changes: {path: "changes/*.jsonl"}}]\n',
    )
    _filtered(made, _RAISING)
    records = [{"seq": seq, "relation": "public.t", **c} for seq, c in enumerate(_CHANGES, 1)]
    made.write("changes/1.jsonl", lines(records))
    assert "quarantine" in made.succeed("run").both
    _filtered(made, _MENDED)
    more = {"seq": 9, "relation": "public.t", "op": "insert", "after": _row(5, 5)}
    made.write("changes/2.jsonl", lines([more]))
    return made


def _killed(runner: Runner, made: Project, at: int, step: str | None = None) -> bool:
    """Whether a release died at its moment; else it was through before."""
    output = made.folder / "output.txt"
    command = [*_RELEASE, "--project-dir", str(made.folder)]
    log = str(made.folder / "killed.log")
    more = {} if step is None else {"step": step}
    runner.start(log=log, at=at, arguments=command, output=str(output), **more)
    code = runner.wait()
    assert code in (0, -signal.SIGKILL), output.read_text(encoding="utf-8")
    return code != 0


def _finished(made: Project, target: str) -> None:
    """The next release ends well, and the one after it finds nothing."""
    made.succeed(*_RELEASE)
    made.succeed("run")
    (rows,) = rows_of(made.folder, target).values()
    assert {(int(row["a"]), int(row["b"])) for row in map(dict, rows)} == _HELD
    assert rows.total() == len(_HELD)
    (status,) = json.loads(made.succeed("status", "--format", "json").stdout)
    assert status["quarantine"] == 0


@pytest.mark.parametrize(
    "at", [9, 20, *(pytest.param(at, marks=pytest.mark.long) for at in (3, 5, 12, 14, 16, 18, 23))]
)
def test_on_duckdb_it_is_one_transaction(tmp_path: Path, runner: Runner, at: int) -> None:
    """Killed at some of its steps."""
    made = _quarantined(tmp_path, "duckdb")
    assert _killed(runner, made, at)
    _finished(made, "duckdb")


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.parametrize("target", ["delta", "iceberg"])
def test_on_spark_the_mark_decides(
    tmp_path: Path, runner: Runner, spark: object, target: str
) -> None:
    """Before and after the commit of what was put aside, and of what came later."""
    for number, (step, at) in enumerate(
        (("before write", 1), ("after write", 1), ("before write", 2), ("after write", 2))
    ):
        made = _quarantined(tmp_path / str(number), target)
        assert _killed(runner, made, at, step)
        _finished(made, target)


@pytest.mark.spark
def test_nothing_else_has_to_be_pending(tmp_path: Path, runner: Runner, spark: object) -> None:
    """A Spark that starts knows a table of the warehouse once it was asked for."""
    made = _quarantined(tmp_path, "delta")
    (made.folder / "changes/2.jsonl").unlink()
    assert not _killed(runner, made, 0)
    (rows,) = rows_of(made.folder, "delta").values()
    assert {(int(row["a"]), int(row["b"])) for row in map(dict, rows)} == _HELD - {(5, 5)}
