"""A project on a Thrift server whose `filtersql run` is broken off while the server merges."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from places import put_files
from running import insert
from spark_server import SparkServer
from transcripts import Shell

from filtersql.targets import thrift
from filtersql.targets.thrift import ThriftLine
from filtersql.targets.transports import address

__all__ = ["broken_project", "copied", "fed", "overtaken", "until", "watching", "writing"]

_CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
from server_worlds import slowed
slowed("WRITING", int(sys.argv[2]))
sys.argv = ["filtersql", *sys.argv[3:]]
from filtersql.cli import main
main()
"""
_TABLES = "tables: [{name: t1, columns: {a: int not null, b: text}, primary_key: [a]}]\n"
_PROJECT = {
    "filtersql_project.yml": "name: cut\nversion: 1\nprofile: cut\n",
    "tables/t.yml": _TABLES,
    "publications/p.yml": 'publications: [{name: p, tables: [{name: t1, where: "a > 5"}]}]\n',
    "subscriptions/s.yml": "subscriptions: [{name: cut, publications: [p],"
    ' changes: {path: "changes/*.jsonl"}}]\n',
}


def fed(shell: Shell, seq: int) -> None:
    """One more change in the project's feed."""
    change = {"seq": seq, **insert("t1", a=seq, b="x")}
    (shell.folder / "changes" / f"{seq:03}.jsonl").write_text(json.dumps(change))


def writing(shell: Shell, server: SparkServer, target: str, rows: int) -> subprocess.Popen[str]:
    """`filtersql run` in a process of its own, whose MERGE the server is working at."""
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD, os.path.dirname(__file__), str(rows),
         "run", "--target", target],
        cwd=shell.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert child.stdout is not None
    while "WRITING" not in (line := child.stdout.readline()):
        assert line, child.communicate()
    until(lambda: server.jobs() > 0)
    return child


def until(true: Callable[[], bool]) -> None:
    """Wait for it."""
    end = time.monotonic() + 300
    while not true():
        assert time.monotonic() < end
        time.sleep(0.2)


def broken_project(folder: Path, server: SparkServer, relayed: int) -> Shell:
    """Its files; the target cut.t1 is at the server: `plain`, over `http`, and `relayed`."""
    plain = _output(server, "binary")
    outputs = {
        "plain": plain,
        "http": {**_output(server, "http"), "transport": "http"},
        "relayed": {**_output(server, "binary"), "port": relayed},
        "delta": {key: plain[key] for key in plain if key != "catalog"} | {"format": "delta"},
    }
    profiles = json.dumps({"cut": {"target": "plain", "outputs": outputs}})
    put_files(folder, {**_PROJECT, "profiles.yml": profiles, "changes/000.jsonl": ""})
    return Shell(folder)


def copied(shell: Shell, server: SparkServer, name: str, milliseconds: int) -> bool:
    """Kill a run while the server fills a new target, and run again; whether the first went on."""
    (shell.folder / "subscriptions" / "s.yml").write_text(
        f"subscriptions: [{{name: {name}, publications: [p], source: {{path: source.jsonl}},"
        ' changes: {path: "changes/*.jsonl"}}]\n'
    )
    rows = "".join(json.dumps({"a": a, "b": "x"}) + "\n" for a in range(9))
    (shell.folder / "source.jsonl").write_text(rows)
    child = writing(shell, server, "http", milliseconds)
    child.kill()
    child.communicate()
    shell.succeed("run", "--target", "http")
    went_on = server.jobs() > 0
    until(lambda: server.jobs() == 0)
    return went_on


def overtaken(
    shell: Shell, server: SparkServer, target: str, commits: int, commit: Callable[[], object]
) -> str:
    """What a run says that writes while somebody else commits so often to its target."""
    child = writing(shell, server, target, 10**6)
    while child.poll() is None and commits:
        commit()
        commits -= 1
    said = "".join(child.communicate())
    assert child.returncode in (0, 2), said
    assert "Traceback" not in said
    assert child.returncode == 0 or "Another writer changed the table meanwhile" in said
    return said


def watching(server: SparkServer, folder: Path) -> ThriftLine:
    """A session that sees at once what others commit; Iceberg keeps what one has read for 30 s."""
    uncached = {"spark.sql.catalog.lake.cache-enabled": "false"}
    return thrift.connect(address(_output(server, "binary"), folder), uncached)


def _output(server: SparkServer, way: str) -> dict[str, object]:
    return {"type": "spark", "method": "thrift", "host": "127.0.0.1", "format": "iceberg",
            "catalog": "lake", "port": server.ports[way]}  # fmt: skip
