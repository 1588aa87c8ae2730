"""`debug` proposes what mends a machine: each lack is a real one, and proposals are tried."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest
from demo import started
from small_spark import SMALL
from spark_server import free_ports
from transcripts import Shell

from filtersql.targets import java
from filtersql.targets.jars import COORDINATES, cache_folder, jars

#: an import of what is behind an extra fails, as where it is not installed
BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"impala", "thrift_sasl", "grpc"}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked())
from filtersql.cli import main
main()
"""
NOWHERE = "<ivysettings><settings/></ivysettings>"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return started(tmp_path)


def reach(shell: Shell, **output: object) -> None:
    """The project's one output."""
    profile = {"demo": {"target": "there", "outputs": {"there": output}}}
    (shell.folder / "profiles.yml").write_text(json.dumps(profile))


def debug(shell: Shell, *begin: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`filtersql debug` in a process of its own."""
    return subprocess.run(
        [sys.executable, *(begin or ("-m", "filtersql")), "debug"],
        cwd=shell.folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def proposed(stderr: str) -> str:
    """The hint."""
    (hint,) = re.findall(r"^hint: (.*)", stderr, re.MULTILINE)
    return hint


SESSION = {"type": "spark", "method": "session", "spark_conf": SMALL}


def test_a_java_that_is_installed_is_proposed(shell: Shell, tmp_path: Path, monkeypatch) -> None:
    """JAVA_HOME names an empty folder; with the proposed one Java is found."""
    reach(shell, **SESSION)
    ended = debug(shell, JAVA_HOME=str(tmp_path))
    assert ended.returncode == 2
    assert f"JAVA_HOME is {tmp_path}, where no bin/java stands." in ended.stderr
    assert re.search("export JAVA_HOME=|Install a JDK 17 or newer", proposed(ended.stderr))
    installed = tmp_path / "jvm"
    for name, version in (("old", "11.0.2"), ("gone", "17.0.1")):
        (installed / name).mkdir(parents=True)
        (installed / name / "release").write_text(f'JAVA_VERSION="{version}"\n')
    (installed / "old" / "bin").mkdir()
    (installed / "old" / "bin" / "java").touch()
    monkeypatch.setattr(java, "_PLACES", (f"{installed}/*",))
    assert "export" not in java.remedy()
    (installed / "whole").symlink_to(Path(shutil.which("java") or "").resolve().parents[1])
    home = java.remedy().partition("export JAVA_HOME=")[2]
    assert home == f"{installed}/whole"
    monkeypatch.setenv("JAVA_HOME", home)
    assert int(java.check_java()) >= 17


@pytest.mark.parametrize(
    ("program", "command"),
    [("apt-get", "apt-get install default-jdk-headless"), ("brew", "brew install"), ("", "newer.")],
)
def test_what_installs_a_java_is_proposed(
    tmp_path: Path, monkeypatch, program: str, command: str
) -> None:
    """By the machine's own program, where none is installed."""
    monkeypatch.setattr(java, "_PLACES", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    if program:
        (tmp_path / program).touch(mode=0o755)
    assert command in java.remedy()
    assert java.remedy().startswith("Install a JDK 17 or newer")


def test_a_java_that_is_cut_down_is_told(shell: Shell, tmp_path: Path) -> None:
    """A runtime of one module, as jlink makes it: Spark needs more."""
    reach(shell, **SESSION)
    jlink = Path(shutil.which("java") or "").resolve().with_name("jlink")
    cut = tmp_path / "cut"
    made = [str(jlink), "--add-modules", "java.base", "--output", str(cut)]
    subprocess.run(made, check=True, capture_output=True)
    ended = debug(shell, JAVA_HOME=str(cut))
    assert ended.returncode == 2
    assert "made without modules that Spark needs" in ended.stderr
    assert "JDK 17" in ended.stderr or "export JAVA_HOME=" in ended.stderr


@pytest.mark.spark
@pytest.mark.long
def test_jars_that_an_output_names_need_no_cache_and_no_repository(
    shell: Shell, tmp_path: Path
) -> None:
    """Without them the jars, the folder for them, and the key `jars` are named."""
    (tmp_path / "ivy.xml").write_text(NOWHERE)
    conf = {**SMALL, "spark.jars.ivySettings": str(tmp_path / "ivy.xml")}
    away = {"FILTERSQL_CACHE_DIR": str(tmp_path / "empty")}
    reach(shell, **SESSION | {"spark_conf": conf})
    ended = debug(shell, **away)
    assert ended.returncode == 2
    assert all(each in ended.stderr for each in COORDINATES)
    assert f"into {tmp_path / 'empty' / 'jars'} here" in proposed(ended.stderr)
    assert 'jars: ["path/to.jar"]' in proposed(ended.stderr)
    files = [shutil.copy(path, tmp_path) for path in jars({})]
    reach(shell, **SESSION | {"spark_conf": conf}, jars=files)
    ended = debug(shell, **away)
    assert "with Delta, MERGE works" in ended.stdout, ended.stderr
    assert not list((tmp_path / "empty").rglob("*.jar"))
    assert str(cache_folder()) not in ended.stdout


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.parametrize("method", ["connect", "thrift"])
def test_the_command_that_is_proposed_starts_a_server(
    shell: Shell, tmp_path: Path, method: str
) -> None:
    """Nothing listens at a port of this machine; then the command of the hint is run."""
    (port,) = free_ports(1)
    place: Mapping[str, object] = {"host": "localhost", "port": port, "user": "me"}
    if method == "connect":
        place = {"url": f"sc://localhost:{port}"}
    reach(shell, type="spark", method=method, format="delta", **place)
    ended = shell.run("filtersql debug")
    assert ended.exit_code == 2
    assert f"localhost:{port} refused the connection: nothing listens there." in ended.stderr
    (command,) = re.findall(r"This starts one: (.*)", proposed(ended.stderr))
    here = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(
            shlex.split(command), cwd=tmp_path, env=here, stdout=log, stderr=log
        )
    try:
        end = time.monotonic() + 200
        while server.poll() is None and time.monotonic() < end and not listens(port):
            time.sleep(0.5)
        ended = shell.run("filtersql debug")
        assert "with Delta, MERGE works" in ended.stdout, (tmp_path / "log").read_text()[-3000:]
    finally:
        server.kill()
        server.wait()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize(
    "place",
    [
        {"method": "thrift", "host": "HOST", "port": 1},
        {"method": "thrift", "transport": "http", "host": "HOST", "port": 1},
        {"method": "connect", "url": "sc://HOST:1"},
    ],
)
def test_a_server_elsewhere_is_asked_for(shell: Shell, place: Mapping[str, object]) -> None:
    """A port that refuses, and a host that nobody knows."""
    for host, told in (
        ("127.0.0.2", "127.0.0.2:1 refused the connection: nothing listens there."),
        ("nohost.invalid", "No host of the name in nohost.invalid:1 is known"),
    ):
        reach(shell, type="spark", **json.loads(json.dumps(place).replace("HOST", host)))
        ended = shell.run("filtersql debug --format json")
        assert ended.exit_code == 2
        assert told in ended.stderr
        assert "ompare host and port of the output" in proposed(ended.stderr)
        (*right, wrong) = json.loads(ended.stdout)["checks"]
        assert wrong["hint"] == proposed(ended.stderr)
        assert {each["hint"] for each in right} == {None}


@pytest.mark.parametrize(
    ("method", "place"), [("thrift", {"host": "localhost"}), ("connect", {"url": "sc://localhost"})]
)
def test_an_extra_that_is_not_installed_is_named(
    shell: Shell, method: str, place: Mapping[str, object]
) -> None:
    """With what installs it."""
    reach(shell, type="spark", method=method, **place)
    ended = debug(shell, "-c", BLOCKED)
    assert ended.returncode == 2, ended.stderr
    assert proposed(ended.stderr) == f'Install them: pip install "filtersql[{method}]".'


def test_a_schema_that_may_not_be_made_is_named(shell: Shell) -> None:
    """The state's own one is tried: another can be named."""
    reach(shell, type="duckdb", path="x.duckdb", state_schema="information_schema")
    ended = shell.run("filtersql debug")
    assert ended.exit_code == 2
    assert 'filtersql cannot keep its state in schema "information_schema"' in ended.stderr
    assert "state_schema: NAME" in proposed(ended.stderr)
    reach(shell, type="duckdb", path="x.duckdb", state_schema="kept")
    duckdb.connect(str(shell.folder / "x.duckdb")).close()
    assert shell.run("filtersql debug").exit_code == 0
    with duckdb.connect(str(shell.folder / "x.duckdb")) as connection:
        found = connection.execute(
            "SELECT schema_name FROM duckdb_schemas() WHERE NOT internal AND schema_name <> 'main'"
        )
        assert found.fetchall() == [("kept",)]


def test_who_holds_a_file_is_told(shell: Shell) -> None:
    """And how to see what it is."""
    reach(shell, type="duckdb", path="x.duckdb")
    with duckdb.connect(str(shell.folder / "x.duckdb")):
        ended = debug(shell)
    assert ended.returncode == 2
    assert f"Process {os.getpid()} has it open." in ended.stderr
    assert proposed(ended.stderr).endswith(f"What it is: ps -fp {os.getpid()}")
