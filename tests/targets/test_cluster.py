"""A run on a Spark cluster: a master and two workers in processes of their own."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import NamedTuple

import duckdb
import noting
import pyspark
import pytest
from places import put_files

pytestmark = [pytest.mark.spark, pytest.mark.long]

_SPARK = Path(pyspark.__file__).parent
_CHANGES = 30_000
_FILES = {
    "filtersql_project.yml": "name: shop\nversion: 1\nprofile: shop\n",
    "tables/orders.yml": """tables:
  - name: orders
    columns: {id: int not null, region: text, note: text}
    primary_key: [id]
    replica_identity: full
""",
    "publications/p.yml": """publications:
  - {name: p, tables: [{name: orders, where: "region = 'eu'"}]}
""",
    "subscriptions/s.yml": """subscriptions:
  - name: s
    publications: [p]
    source: {format: filtersql, path: "source/{table}.jsonl"}
    changes: {format: filtersql, path: "changes/*.jsonl"}
    target: "shop.{table}"
""",
}
#: few megabytes are read in many portions, as many would be
_RUN = """
from filtersql.cli import main
from filtersql.feeds import portions
from filtersql.run import feed_reading, sources
import atexit, os
from noting import noting
from filtersql.targets import cluster
cluster.__version__ = os.environ.get("VERSION_HERE", cluster.__version__)
portions._BYTES = 1_000_000
used = []
atexit.register(lambda: print(used))
for module, name in ((feed_reading, "spread_feed"), (sources, "spread_source")):
    setattr(module, name, noting(getattr(module, name), used))
main()
"""


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Cluster(NamedTuple):
    """The URL of a master, and a folder that its workers do not see; None: they see all."""

    master: str
    hidden: Path | None


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master with two workers of one core each."""
    folder, port = tmp_path_factory.mktemp("cluster"), _free_port()
    hidden = folder / "hidden"
    hidden.mkdir()
    hide = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(hidden)]
    can_hide = which("unshare") and subprocess.run([*hide, "true"], capture_output=True)
    hides = bool(can_hide) and can_hide.returncode == 0
    url = f"spark://127.0.0.1:{port}"
    host, deploy = ["--host", "127.0.0.1", "--webui-port", "0"], "org.apache.spark.deploy"
    spark = str(_SPARK / "bin" / "spark-class")
    worker = [spark, f"{deploy}.worker.Worker", *host, "--cores", "1", "--memory", "1g"]
    commands = [
        [spark, f"{deploy}.master.Master", *host, "--port", str(port)],
        *(
            [*(hide if hides else []), *worker, "--work-dir", str(folder / name), url]
            for name in ("one", "other")
        ),
    ]
    running = []
    try:
        for number, command in enumerate(commands):
            with (folder / f"log-{number}").open("wb") as log:
                running.append(
                    subprocess.Popen(command, stdout=log, stderr=log, env=_environment())
                )
        _await_workers(folder / "log-0")
        yield Cluster(url, hidden if hides else None)
    finally:
        for process in reversed(running):
            process.terminate()
        for process in running:
            process.wait(30)


def _environment(**more: str) -> dict[str, str]:
    """Executors run this Python, as a cluster's administrator sets it."""
    support = str(Path(noting.__file__).parent)
    return {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": support, **more}


def _run(project: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _RUN, "run"],
        cwd=project,
        env=_environment(**more),
        capture_output=True,
        text=True,
        timeout=500,
    )


def _await_workers(log: Path) -> None:
    until = time.monotonic() + 60
    while log.read_text().count("Registering worker") < 2:
        assert time.monotonic() < until, log.read_text()
        time.sleep(0.2)


def _write(folder: Path, master: str) -> dict[int, str]:
    """A project with a source and changes; the rows that the target has to hold."""
    put_files(folder, _FILES)
    (folder / "events").mkdir()
    settings = {
        "spark.master": master,
        "spark.executor.memory": "512m",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.dir": (folder / "events").as_uri(),
    }
    output = {"type": "spark", "method": "session", "format": "delta", "warehouse": "warehouse",
              "spark_conf": settings}  # fmt: skip
    profile = {"shop": {"target": "cluster", "outputs": {"cluster": output}}}
    (folder / "profiles.yml").write_text(json.dumps(profile))
    chance = random.Random(3)
    rows = {key: (chance.choice(["eu", "us"]), "x" * 40) for key in range(20_000)}
    (folder / "source").mkdir()
    (folder / "changes").mkdir()
    with (folder / "source/orders.jsonl").open("w") as out:
        for key, (region, note) in rows.items():
            out.write(json.dumps({"id": key, "region": region, "note": note}) + "\n")
    with (folder / "changes/1.jsonl").open("w") as out:
        for seq in range(_CHANGES):
            key = chance.randrange(20_000)
            before = dict(zip(("id", "region", "note"), (key, *rows[key]), strict=True))
            rows[key] = chance.choice(["eu", "us"]), f"note of change {seq}"
            after = {"id": key, "region": rows[key][0], "note": rows[key][1]}
            change = {"seq": seq, "tx": f"{seq // 7}", "op": "update", "relation": "public.orders",
                      "before": before, "after": after}  # fmt: skip
            out.write(json.dumps(change) + "\n")
    return {key: note for key, (region, note) in rows.items() if region == "eu"}


def _events(folder: Path) -> Iterator[dict]:
    (path,) = (path for path in folder.iterdir() if not path.name.startswith("."))
    yield from map(json.loads, path.read_text().splitlines())


def test_changes_stay_on_the_cluster(cluster: Cluster, tmp_path: Path) -> None:
    """Both workers read them, no job brings rows to the driver, and the target is right."""
    expected = _write(tmp_path, cluster.master)
    ended = _run(tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.endswith("['spread_feed', 'spread_source']\n")

    held = tmp_path / "warehouse/shop.db/orders"
    log = sorted((held / "_delta_log").glob("*.json"))
    live: set[str] = set()
    for commit in log:
        for action in map(json.loads, commit.read_text().splitlines()):
            if "add" in action:
                live.add(action["add"]["path"])
            if "remove" in action:
                live.discard(action["remove"]["path"])
    files = [str(held / name) for name in live]
    found = duckdb.execute("SELECT id, note FROM read_parquet(?)", [files]).fetchall()
    assert dict(found) == expected
    assert len(found) == len(expected)

    tasks: Counter[str] = Counter()
    results = 0
    for event in _events(tmp_path / "events"):
        if event["Event"] == "SparkListenerTaskEnd":
            tasks[event["Task Info"]["Executor ID"]] += 1
            results += event["Task Metrics"]["Result Size"]
    feed = (tmp_path / "changes/1.jsonl").stat().st_size
    assert len(tasks) == 2, tasks
    assert results < feed / 10


def test_executors_with_another_version_read_nothing(cluster: Cluster, tmp_path: Path) -> None:
    """They could stage other values: one reader takes what is there."""
    _write(tmp_path, cluster.master)
    ended = _run(tmp_path, VERSION_HERE="0.0.0")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.endswith("PASS=1 ERROR=0 SKIP=0 TOTAL=1\n[]\n")


def test_a_folder_that_executors_do_not_see_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    """Before anything is written."""
    if cluster.hidden is None:
        pytest.skip("no folder can be hidden from a process here")
    _write(tmp_path, cluster.master)
    ended = _run(tmp_path, TMPDIR=str(cluster.hidden))
    assert ended.returncode == 2
    assert "Spark's executors do not see the folder of temporary files" in ended.stderr
    assert not [*tmp_path.glob("warehouse/**/_delta_log")]
