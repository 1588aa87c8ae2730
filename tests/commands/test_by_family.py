"""What `compile` leaves after changes is what it would leave in a folder where nothing was kept."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

import pytest
from changing_projects import FLAGS, changes, projects
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from transcripts import Shell, normalised

from filtersql.api import by_family, compiling

_SETTINGS = settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)

Answer = tuple[str, str, int]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def _write(folder: Path, texts: Mapping[str, str | None]) -> None:
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(text, encoding="utf-8")


def _compile(folder: Path, *flags: str) -> Answer:
    ended = Shell(folder).run(" ".join(["filtersql compile", *(f"'{each}'" for each in flags)]))
    return normalised(ended.stdout), normalised(ended.stderr), ended.exit_code


def _left(folder: Path) -> dict[str, bytes]:
    """Every file below target/ but the log and what is kept for the next time."""
    target = folder / "target"
    return {
        path.relative_to(target).as_posix(): path.read_bytes()
        for path in sorted(target.rglob("*"))
        if path.is_file() and path.relative_to(target).parts[0] not in (".cache", "logs", "log")
    }


def _anew(texts: Mapping[str, str | None], *flags: str) -> tuple[Answer, dict[str, bytes]]:
    """The answer and the files of a compile in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        _write(Path(name), texts)
        return _compile(Path(name), *flags), _left(Path(name))


def _as_a_whole(texts: Mapping[str, str | None], *flags: str) -> tuple[Answer, dict[str, bytes]]:
    """The same where no definition is compiled apart from the others."""
    with mock.patch.object(compiling, "compiled_by_family", return_value=None):
        return _anew(texts, *flags)


@_SETTINGS
@given(projects(), st.lists(st.tuples(changes(), FLAGS), min_size=1, max_size=6))
def test_a_changed_project_leaves_what_a_new_one_would(project, steps) -> None:
    """After each change: the statements, the manifest, the warnings, the mistakes, the exit code.

    Of a compile of some targets the files of these: the others stay as they were. Families leave
    what the project as a whole leaves.
    """
    with tempfile.TemporaryDirectory() as name:
        folder, texts = Path(name), dict(project)
        _write(folder, texts)
        _compile(folder)
        for change, flags in steps:
            texts = dict(change(texts))
            _write(folder, texts)
            given_answer = _compile(folder, *flags)
            anew, left = _anew(texts, *flags)
            assert given_answer == anew
            assert (anew, left) == _as_a_whole(texts, *flags)
            if given_answer[2]:
                continue
            found = _left(folder)
            if not {"--select", "--exclude"} & set(flags):
                assert found == left
            assert {path: found.get(path) for path in left} == left


@pytest.fixture
def project(tmp_path: Path) -> Path:
    columns = "columns: {id: bigint not null, a: integer}, primary_key: [id]"
    texts = {
        "filtersql_project.yml": "name: shop\nversion: 1\nprofile: shop\n",
        "profiles.yml": "shop: {target: dev, outputs: {dev: {type: duckdb, path: x.duckdb}}}\n",
        "tables/t.yml": "tables:\n"
        + "".join(f"  - {{name: t{number}, {columns}}}\n" for number in range(6)),
        "publications/p.yml": "publications:\n  - name: p\n    tables:\n"
        + "".join(f'      - {{name: t{number}, where: "id > {number}"}}\n' for number in range(6)),
        "subscriptions/s.yml": "subscriptions:\n  - {name: s, publications: [p]}\n",
    }
    _write(tmp_path, texts)
    assert _compile(tmp_path)[2] == 0
    return tmp_path


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with every table that is compiled."""
    seen: list[str] = []
    real = by_family.compile_project

    def compile_project(project, **keywords):
        seen.extend(name.name for name in project.definitions.catalog.tables)
        return real(project, **keywords)

    monkeypatch.setattr(by_family, "compile_project", compile_project)
    return seen


def _edit(folder: Path, path: str, old: str, new: str) -> None:
    file = folder / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_a_selector_that_matches_nothing_is_told_behind_the_warnings(project: Path) -> None:
    """Whether or not the compile before left all files."""
    _edit(project, "subscriptions/s.yml", "[p]", "[p, missing]")
    assert _compile(project)[2] == 0
    answer = _compile(project, "--select", "nothing")
    assert "missing-publication" in answer[1]
    shutil.rmtree(project / "target")
    assert _compile(project, "--select", "nothing") == answer


def test_one_filter_compiles_one_table_and_writes_its_files(
    project: Path, compiled: list[str]
) -> None:
    """The others are neither compiled nor touched; a project as it was is not compiled at all."""
    times = {path: path.stat().st_mtime_ns for path in project.glob("target/compiled/*/*/*.sql")}
    _edit(project, "publications/p.yml", "id > 3", "id > 33")
    assert _compile(project)[2] == 0
    assert compiled == ["t3"]
    touched = {path.parent.name for path, time in times.items() if path.stat().st_mtime_ns != time}
    assert touched == {"public.t3"}
    compiled.clear()
    _edit(project, "publications/p.yml", "id > 33", "id > 3")
    assert _compile(project)[2] == 0
    assert compiled == ["t3"]


def test_a_column_compiles_its_table(project: Path, compiled: list[str]) -> None:
    _edit(
        project,
        "tables/t.yml",
        "t2, columns: {id: bigint not null, a: integer",
        "t2, columns: {id: bigint not null, a: bigint",
    )
    assert _compile(project, "--select", "t5")[2] == 0
    assert compiled == ["t2"]


def test_a_macro_prints_every_table(project: Path) -> None:
    """One that comes, is another one of the same size and time, and goes, in one process."""
    before = _left(project)
    macro = {"macros/audit.sql": "SELECT 1 -- {{ plan.target }}"}
    _write(project, macro)
    assert _compile(project)[2] == 0
    assert _left(project) == _anew(_texts(project) | macro)[1] != before
    time = (project / "macros/audit.sql").stat()
    macro = {"macros/audit.sql": "SELECT 2 -- {{ plan.target }}"}
    _write(project, macro)
    os.utime(project / "macros/audit.sql", ns=(time.st_atime_ns, time.st_mtime_ns))
    assert _compile(project)[2] == 0
    assert _left(project) == _anew(_texts(project) | macro)[1]
    _write(project, {"macros/audit.sql": None})
    assert _compile(project)[2] == 0
    assert _left(project) == before


def test_files_are_renamed_and_removed(project: Path) -> None:
    """What a file says goes with it, and its place is told by its new name."""
    tables, more = project / "tables/t.yml", project / "tables/more.yml"
    lines = tables.read_text().splitlines(keepends=True)
    more.write_text("".join([lines[0], *lines[4:]]))
    tables.write_text("".join(lines[:4]))
    assert _compile(project)[2] == 0
    assert _left(project) == _anew(_texts(project))[1]
    more.rename(project / "tables/a.yml")
    (project / "subscriptions/s.yml").rename(project / "subscriptions/z.yml")
    assert _compile(project)[2] == 0
    assert _left(project) == _anew(_texts(project))[1]
    (project / "tables/a.yml").unlink()
    answer = _compile(project)
    assert answer == _anew(_texts(project))[0]
    assert answer[2] == 1


@pytest.mark.parametrize("path", ["tables/t.yml", "publications/p.yml", "subscriptions/s.yml"])
@pytest.mark.parametrize("line", [0, 1, 2, 3])
def test_a_line_more_moves_what_is_told_of_those_below(project: Path, path: str, line: int) -> None:
    """The places of source maps and warnings are those of the file as it is now."""
    _edit(project, "publications/p.yml", "id > 3", "id = NULL")
    _compile(project)
    lines = (project / path).read_text().splitlines(keepends=True)
    (project / path).write_text("".join([*lines[:line], "# one more\n", *lines[line:]]))
    answer = _compile(project)
    assert "warning" in answer[1]
    assert (answer, _left(project)) == _anew(_texts(project))


def _texts(project: Path) -> dict[str, str]:
    """The files of the project that are no answers."""
    return {
        path.relative_to(project).as_posix(): path.read_text()
        for path in project.rglob("*.yml")
        if "target" not in path.parts
    }


KEPT = {
    "missing": lambda file: file.unlink(),
    "empty": lambda file: file.write_bytes(b""),
    "torn": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "of something else": lambda file: file.write_bytes(b"\x93\x01\x02\x03"),
    "a folder": lambda file: (file.unlink(), file.mkdir()),
}


@pytest.mark.parametrize("spoil", KEPT.values(), ids=KEPT)
def test_what_is_kept_may_be_spoiled(project: Path, compiled: list[str], spoil) -> None:
    """It is made anew without a word."""
    for file in (project / "target/.cache").iterdir():
        spoil(file)
    _edit(project, "publications/p.yml", "id > 3", "id > 33")
    answer = _compile(project)
    assert compiled == [f"t{number}" for number in range(6)]
    assert (answer, _left(project)) == _anew(_texts(project))


def test_another_filtersql_keeps_nothing(
    project: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an earlier version kept is not asked; no more is what a changed checkout kept."""
    monkeypatch.setattr("filtersql.api.remembered.__version__", "0.0.1")
    assert _compile(project)[2] == 0
    assert compiled == [f"t{number}" for number in range(6)]


@pytest.mark.parametrize("name", ["merge.sql", "audit.sql"])
def test_a_file_of_an_unchanged_table_is_mended(project: Path, name: str) -> None:
    """Also where another table is compiled."""
    before = _left(project)
    (project / "target/compiled/s/public.t1" / name).write_text("torn")
    shutil.rmtree(project / "target/compiled/s/public.t2")
    _edit(project, "publications/p.yml", "id > 3", "id > 33")
    assert _compile(project)[2] == 0
    after = _left(project)
    assert {path for path in before if before[path] != after.get(path)} == {
        "manifest.json",
        *(path for path in before if "public.t3" in path),
    }


def test_a_manifest_of_somebody_else_is_not_believed(project: Path) -> None:
    manifest = project / "target/manifest.json"
    before = manifest.read_bytes()
    manifest.write_bytes(before.replace(b'"form": "keyed"', b'"form": "other"'))
    _edit(project, "publications/p.yml", "id > 3", "id > 3 ")
    assert _compile(project)[2] == 0
    assert manifest.read_bytes() == before
