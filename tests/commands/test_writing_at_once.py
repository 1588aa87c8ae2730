"""Processes that compile one project at once: what stays is one's work, whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from places import put_files

TABLES = 150
PROCESSES = 6


@pytest.fixture
def project(tmp_path: Path) -> Path:
    columns = "columns: {id: bigint not null, a: integer}, primary_key: [id]"
    tables = "".join(f"  - {{name: t{number}, {columns}}}\n" for number in range(TABLES))
    listed = "".join(
        f"      - {{name: t{number}, where: \"id > {{{{ var('least') }}}}\"}}\n"
        for number in range(TABLES)
    )
    texts = {
        "filtersql_project.yml": "name: shop\nversion: 1\nprofile: shop\n",
        "profiles.yml": (
            "shop:\n  target: dev\n  outputs:\n    dev: {type: duckdb, path: shop.duckdb}\n"
        ),
        "tables/t.yml": f"tables:\n{tables}",
        "publications/p.yml": f"publications:\n  - name: p\n    tables:\n{listed}",
        "subscriptions/s.yml": "subscriptions:\n  - {name: s, publications: [p]}\n",
    }
    put_files(tmp_path, texts)
    return tmp_path


def _begun(project: Path, least: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "filtersql", "compile", "--project-dir", str(project)]
    return subprocess.Popen(
        [*command, "--vars", f"{{least: {least}}}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _written(project: Path) -> dict[str, bytes]:
    target = project / "target"
    files = [target / "manifest.json", *(target / "compiled").rglob("*.sql")]
    return {str(path.relative_to(target)): path.read_bytes() for path in files}


def test_statements_and_manifest_are_of_one_process(project: Path) -> None:
    whole = []
    for least in (1, 2):
        process = _begun(project, least)
        told = process.communicate()
        assert process.returncode == 0, told
        whole.append(_written(project))
    assert whole[0] != whole[1]
    for cached in (project / "target" / ".cache").iterdir():
        cached.unlink()
    processes = [_begun(project, 1 + number % 2) for number in range(PROCESSES)]
    all_told = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0] * PROCESSES, all_told
    assert _written(project) in whole
    left = {path.name for path in (project / "target").iterdir()}
    assert not {name for name in left if name.startswith((".compiled-", ".old-", ".manifest"))}
