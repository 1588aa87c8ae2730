"""What a command says is written to a log and may be JSON; a reader of it may go away."""

from __future__ import annotations

import json
import os
from contextlib import chdir, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest
from demo import edit, lines
from transcripts import Shell

from filtersql import cli


def test_a_reader_that_goes_away(shell: Shell, capfd: pytest.CaptureFixture[str]) -> None:
    """`filtersql run | head`: all changes are applied, quietly; the exit code is the run's own."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as pipe, chdir(shell.folder), redirect_stdout(pipe):
        for line, code in (("run --log-format json", 0), ("ls", 0), ("compile -s s9", 1)):
            with mock.patch("sys.argv", ["filtersql", *line.split()]):
                with pytest.raises(SystemExit) as ended:
                    cli.main()
                assert ended.value.code == code
    assert "BrokenPipe" not in capfd.readouterr().err
    assert "Nothing changed: every target was up to date" in shell.run("filtersql run").stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a device that is full")
def test_a_full_disk(shell: Shell, capfd: pytest.CaptureFixture[str]) -> None:
    """Is said as it is, and is no fault of filtersql."""
    with (
        open("/dev/full", "w") as full,
        chdir(shell.folder),
        redirect_stdout(full),
        mock.patch("sys.argv", ["filtersql", "ls"]),
        pytest.raises(SystemExit) as ended,
    ):
        cli.main()
    assert ended.value.code == 1
    assert capfd.readouterr().err == "no space left on device\n"


class TestLogs:
    def test_file(self, shell: Shell) -> None:
        """logs/filtersql.log holds JSON lines in dbt's shape, all of one call with one id."""
        shell.run("filtersql run")
        text = (shell.folder / "logs" / "filtersql.log").read_text()
        events = [json.loads(line) for line in text.splitlines()]
        assert {"name", "code", "level", "msg", "ts", "invocation_id"} <= set(events[0]["info"])
        assert len({event["info"]["invocation_id"] for event in events}) == 1
        assert [event["info"]["name"] for event in events].count("TargetResult") == 3
        done = events[-1]
        assert done["info"]["name"] == "CommandDone"
        assert done["data"]["exit_code"] == 0
        results = json.loads((shell.folder / "target" / "run_results.json").read_text())
        assert results["metadata"]["invocation_id"] == done["info"]["invocation_id"]
        shell.run("filtersql ls -s nothing")
        again = [
            json.loads(line)
            for line in (shell.folder / "logs" / "filtersql.log").read_text().splitlines()
        ]
        assert again[: len(events)] == events
        assert [event["info"]["level"] for event in again[len(events) :]].count("error") == 1

    def test_json_on_the_terminal(self, shell: Shell) -> None:
        """--log-format json: every line of talk is a JSON document."""
        ended = shell.run("filtersql run --log-format json")
        events = [json.loads(line) for line in lines(ended)]
        assert [event["info"]["name"] for event in events][:2] == ["Found", "Connected"]
        ended = shell.run("filtersql compile -s nothing --log-format json")
        errors = [json.loads(line) for line in ended.stderr.splitlines()]
        assert errors[-1]["info"]["level"] == "error"

    def test_path(self, shell: Shell) -> None:
        """--log-path names the folder, within the project."""
        shell.run("filtersql ls --log-path elsewhere")
        assert (shell.folder / "elsewhere" / "filtersql.log").exists()
        assert not (shell.folder / "logs").exists()

    @pytest.mark.parametrize(
        "output",
        [
            "{type: duckdb, path: shop.duckdb, threads: SECRET}",
            "{type: spark, method: SECRET, format: delta}",
            "{type: spark, method: thrift, host: SECRET, port: 1, format: delta}",
            "{type: spark, method: thrift, host: localhost, port: 1, user: SECRET, format: SECRET}",
            "{type: SECRET}",
        ],
    )
    def test_no_secret_at_another_key(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch, output: str
    ) -> None:
        """What a variable named as a secret holds is not printed, whatever key has it by a slip."""
        monkeypatch.setenv("FILTERSQL_ENV_SECRET_X", 'hunter"2')
        said = output.replace("SECRET", "\"{{ env_var('FILTERSQL_ENV_SECRET_X') | tojson }}\"")
        said = said.replace('"{{', "{{").replace('}}"', "}}")
        edit(shell, "profiles.yml", "{type: duckdb, path: shop.duckdb}", said)
        for line in ("debug", "run --format json", "ls", "compile", "status --log-format json"):
            assert "unter" not in shell.run(f"filtersql {line}").both, line
        for path in shell.folder.rglob("*"):
            assert path.name == "profiles.yml" or path.is_dir() or b"unter" not in path.read_bytes()

    def test_no_secret(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        """A password of the profile is in no line, whatever prints it."""
        monkeypatch.setenv("SHOP_PASSWORD", "hunter2")
        edit(
            shell,
            "profiles.yml",
            "local: {type: duckdb, path: shop.duckdb}",
            "local: {type: duckdb, path: shop.duckdb, spark_conf: "
            "{password: \"{{ env_var('SHOP_PASSWORD') }}\"}}",
        )
        for line in ("ls", "ls --select hunter2", "compile -q", "compile --select hunter2"):
            shell.run(f"filtersql {line}")
        log = (shell.folder / "logs" / "filtersql.log").read_text()
        assert log.count('"Mistake"') == 2
        assert log.count("matches nothing") == 4
        assert "hunter2" not in log
