"""Subscriptions as tasks of a real Airflow: it parses the DAG, and runs and retries the tasks."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from cases import read_fences
from demo import edit, started
from installed import installed
from places import HOME
from servers import without
from transcripts import Shell

import filtersql

PAGE = Path(filtersql.__file__).parent / "docs" / "orchestrators.md"

#: what Airflow's scheduler does, in one process
RUN = """
import json, pathlib
from airflow.dag_processing.dagbag import DagBag
bag = DagBag("dags")
assert not bag.import_errors, bag.import_errors
there = pathlib.Path("demo/shop.duckdb").exists()
run = bag.dags["shop"].test()
tasks = {
    each.task_id: [each.state, each.try_number, each.xcom_pull(each.task_id)]
    for each in run.get_task_instances()
}
print(json.dumps([there, run.state, tasks]))
"""

#: what a person does before the task is tried again
MEND = """
import duckdb
def mend(context):
    with duckdb.connect("demo/shop.duckdb") as connection:
        connection.execute("DELETE FROM europe.customers")
dag.task_dict["filtersql.europe"].on_retry_callback = [mend]
"""


@pytest.fixture(scope="module")
def airflow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Airflow with filtersql, and its database, in an environment of its own: a gigabyte."""
    home = tmp_path_factory.mktemp("airflow")
    programs = installed(home, "-e", f"{HOME}[airflow]")
    subprocess.run([programs / "airflow", "db", "migrate"], env=_environment(home), check=True)
    yield home
    shutil.rmtree(home)


def _environment(home: Path, dags: Path | None = None) -> dict[str, str]:
    return {
        **without("PYTHONPATH"),
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(dags or home),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
    }


def _tested(airflow: Path, folder: Path, more: str = "") -> tuple[list[object], str]:
    """How the page's DAG and its tasks ended, behind whether it found targets; and the log."""
    (text,) = [fence.text for fence in read_fences(PAGE) if "airflow" in fence.text]
    (folder / "dags").mkdir()
    (folder / "dags" / "shop.py").write_text(text + more)
    ended = subprocess.run(
        [airflow / "bin" / "python", "-c", RUN], cwd=folder,
        env=_environment(airflow, folder / "dags"), capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return json.loads(ended.stdout.splitlines()[-1]), ended.stdout


def _counts(targets: int, inserted: int) -> dict[str, int]:
    return {
        "targets": targets, "rows_inserted": inserted, "rows_updated": 0, "rows_deleted": 0,
        "quarantined": 0,
    }  # fmt: skip


@pytest.mark.long
def test_a_task_runs_a_subscription(airflow: Path, tmp_path: Path) -> None:
    """The DAG of docs/orchestrators.md; parsing it opens no engine."""
    Shell(tmp_path).run("filtersql init demo")
    ended, _ = _tested(airflow, tmp_path)
    assert ended == [
        False,
        "success",
        {
            "filtersql.europe": ["success", 1, _counts(1, 2)],
            "filtersql.finance": ["success", 1, _counts(1, 3)],
        },
    ]


@pytest.mark.long
def test_a_retry_goes_on_where_the_first_try_stopped(airflow: Path, tmp_path: Path) -> None:
    """One target of two met a conflict: when it is mended, the other's later change comes, too."""
    shell = started(tmp_path, "shop")
    (shell.folder / "tables" / "customers.sql").write_text(
        "CREATE TABLE customers (id integer PRIMARY KEY);\n"
    )
    edit(shell, "publications/shop.yml", "  - name: large",
         "  - {name: people, tables: [customers]}\n\n  - name: large")  # fmt: skip
    edit(
        shell, "subscriptions/shop.yml", "[regional]", "[regional, people]\n    on_conflict: error"
    )
    assert shell.run("filtersql run --target local --select europe").exit_code == 0
    with duckdb.connect(str(shell.folder / "shop.duckdb")) as connection:
        connection.execute("INSERT INTO europe.customers VALUES (1)")
    order = {"id": 9, "region": "eu", "status": "paid", "total": 1}
    (shell.folder / "changes" / "2026-11-22.jsonl").write_text(
        '{"seq": 10, "relation": "public.customers", "op": "insert", "after": {"id": 1}}\n'
        + json.dumps({"seq": 11, "relation": "public.orders", "op": "insert", "after": order})
    )
    ended, said = _tested(airflow, tmp_path, MEND)
    assert ended == [
        True,
        "success",
        {
            "filtersql.europe": ["success", 2, _counts(2, 2)],
            "filtersql.finance": ["success", 1, _counts(1, 4)],
        },
    ]
    results = json.loads((shell.folder / "target" / "run_results.json").read_text())
    assert results["args"]["command"] == "retry"
    assert re.search(r"AirflowException.*conflict detected on relation \S+customers", said)
