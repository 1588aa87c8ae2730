"""The targets as sources: a real dbt parses them, tests the rows and asks how fresh they are."""

from __future__ import annotations

import json
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest
from demo import started
from installed import installed
from servers import without
from transcripts import Shell

#: later ones fetch a parser from elsewhere while they are installed
PACKAGES = ("dbt-core>=1.10,<1.12", "dbt-duckdb", f"duckdb=={version('duckdb')}")


@pytest.fixture(scope="module")
def dbt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Dbt in an environment of its own: it asks for other versions than filtersql."""
    return installed(tmp_path_factory.mktemp("dbt"), *PACKAGES) / "dbt"


def _project(shell: Shell, folder: Path) -> None:
    """A dbt project beside the targets' file, with their sources and nothing else."""
    (folder / "models").mkdir(parents=True)
    said = shell.run("filtersql ls --format dbt --target local")
    assert (said.exit_code, said.stderr) == (0, "")
    (folder / "models" / "sources.yml").write_text(said.stdout)
    (folder / "dbt_project.yml").write_text("name: p\nversion: '1.0'\nprofile: p\n")
    output = {"type": "duckdb", "path": str(shell.folder / "shop.duckdb")}
    profiles = {"p": {"target": "dev", "outputs": {"dev": output}}}
    (folder / "profiles.yml").write_text(json.dumps(profiles))


def _told(dbt: Path, folder: Path, *words: str) -> str:
    """What dbt prints; it must succeed."""
    ended = subprocess.run(
        [dbt, "--no-use-colors", *words, "--profiles-dir", ".", "--no-partial-parse"],
        cwd=folder, env={**without("PYTHONPATH"), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"},
        capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.long
def test_dbt_reads_tests_and_asks_for_freshness(dbt: Path, tmp_path: Path) -> None:
    """Eight tests of two targets pass on the rows that a run left, and the ledger says when."""
    shell = started(tmp_path, "shop")
    publication = shell.folder / "publications" / "shop.yml"
    # What a filter holds is no Jinja to dbt.
    text, braces = publication.read_text(), "{% raw %}{{ oh }}{% endraw %}"
    assert "where: total >= 1000}" in text
    text = text.replace("total >= 1000}", f"\"total >= 1000 AND status <> '{braces}'\"}}")
    publication.write_text(text)
    assert shell.run("filtersql run --target local").exit_code == 0
    folder = tmp_path / "dbt"
    _project(shell, folder)

    _told(dbt, folder, "parse")
    assert "PASS=8 WARN=0 ERROR=0 SKIP=0" in _told(dbt, folder, "test")
    assert _told(dbt, folder, "source", "freshness").count("PASS freshness of") == 2
    manifest = json.loads((folder / "target" / "manifest.json").read_text())
    found = manifest["sources"]["source.p.finance.orders"]
    assert found["meta"]["filtersql"]["relation"] == "public.orders"
    assert "{ { oh }}" in found["description"]
    assert [*found["columns"]] == ["id", "region", "status", "total"]


def test_sources_are_those_that_are_selected(tmp_path: Path) -> None:
    """A selector takes targets, as everywhere."""
    shell = started(tmp_path, "shop")
    said = shell.run("filtersql ls --format dbt --target local --select europe").stdout
    assert "name: europe" in said
    assert "finance" not in said
