"""Answers that were kept are given only while nothing that they depend on has changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from demo import edit, started
from transcripts import Shell, normalised

from filtersql.api import loading
from filtersql.api.asking import root_of
from filtersql.api.options import Options
from filtersql.errors import Mistake
from filtersql.project import find_root

QUESTIONS = (
    "filtersql ls",
    "filtersql ls --format json --select s1",
    "filtersql show table t1",
    "filtersql show publication p1 --format json",
    "filtersql show subscription s4",
    "filtersql compile --select s1",
    "filtersql compile --select s4_leaf --format json",
    "filtersql compile",
)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("STATE", "NSW")
    made = started(tmp_path)
    edit(made, "filtersql_project.yml", "state: NSW", "state: \"{{ env_var('STATE') }}\"")
    return made


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with every project that is really read."""
    seen: list[str] = []
    real = loading.load_project

    def load(*arguments, **keywords):
        seen.append("load")
        return real(*arguments, **keywords)

    from filtersql.api import listing
    from filtersql.commands import showing

    for module in (loading, listing, showing):
        monkeypatch.setattr(module, "load_project", load)
    return seen


def answers(shell: Shell) -> list[tuple[str, str, int]]:
    """All questions' answers: stdout, stderr and exit code."""
    ended = [shell.run(question) for question in QUESTIONS]
    return [(normalised(one.stdout), normalised(one.stderr), one.exit_code) for one in ended]


def fresh(shell: Shell) -> list[tuple[str, str, int]]:
    """The answers without a memory."""
    cache = shell.folder / "target" / ".cache"
    found = []
    for question in QUESTIONS:
        for file in cache.glob("*"):
            file.unlink()
        ended = shell.run(question)
        found.append((normalised(ended.stdout), normalised(ended.stderr), ended.exit_code))
    return found


def test_an_answer_is_kept(shell: Shell, loads: list[str]) -> None:
    """The second time nothing is read but files, and the same is said, warnings too."""
    first = answers(shell)
    loads.clear()
    assert answers(shell) == first
    assert loads == []
    assert any("warning:" in stderr for _, stderr, _ in first)


def test_twenty_warnings_of_one_kind_are_printed(shell: Shell) -> None:
    """The same ones from the memory; the first ends with its name; a document has them all."""
    missing = ", ".join(f"m{number}" for number in range(22))
    edit(
        shell,
        "subscriptions/subscriptions.yml",
        "publications: [p1]",
        f"publications: [p1, {missing}]",
    )
    first, again = (normalised(shell.run("filtersql compile").stderr) for _ in range(2))
    assert first == again
    assert first.count("does not exist on the publisher") == 20
    assert first.count("name: missing-publication") == 1
    assert "warning: 2 more of missing-publication" in first
    document = shell.run("filtersql compile --format json")
    assert len(json.loads(document.stdout)["warnings"]) == 23


CHANGES: dict[str, Callable[[Shell], None]] = {
    "a filter": lambda shell: edit(shell, "publications/orders.yml", "a > 5", "a > 6"),
    "a comment in front": lambda shell: edit(
        shell, "publications/orders.yml", "publications:", "#\npublications:"
    ),
    "a table": lambda shell: edit(shell, "tables/tables.sql", "b int, c", "b bigint, c"),
    "a file more": lambda shell: write(shell, "tables/more.sql", "CREATE TABLE t9 (a int);"),
    "a file less": lambda shell: (shell.folder / "publications/orders.yml").unlink(),
    "a macro": lambda shell: write(shell, "macros/initial_copy.sql", "-- ours"),
    "a file behind a link": lambda shell: write(shell, "elsewhere/head.sql", "-- theirs"),
    "a link to another folder": lambda shell: linked(shell, "beside"),
    "the profile": lambda shell: edit(shell, "profiles.yml", "target: dev", "target: local"),
    "the project": lambda shell: edit(
        shell, "filtersql_project.yml", "postgres_version: 18", "postgres_version: 15"
    ),
    "a variable of the environment": lambda shell: os.environ.update(STATE="QLD"),
    "a variable that is gone": lambda shell: shell_unset("STATE"),
    "a statement that was edited": lambda shell: edit(
        shell, "target/compiled/s1/public.t1/merge.sql", "MERGE", "-- MERGE"
    ),
    "a statement that is gone": lambda shell: (
        shell.folder / "target/compiled/s1/public.t1/merge.sql"
    ).unlink(),
    "a manifest that is gone": lambda shell: (shell.folder / "target/manifest.json").unlink(),
    "a folder that is no target's": lambda shell: write(
        shell, "target/compiled/s1/public.old/merge.sql", "old"
    ),
    "a memory that is broken": lambda shell: [
        file.write_bytes(b"\x93\x01") for file in (shell.folder / "target/.cache").iterdir()
    ],
}


def write(shell: Shell, path: str, text: str) -> None:
    file = shell.folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + "\n")


def linked(shell: Shell, folder: str) -> None:
    """A macro that includes a file of a folder behind a link."""
    write(shell, "elsewhere/head.sql", "-- ours")
    write(shell, "macros/beside/head.sql", "-- beside")
    write(shell, "macros/merge.sql", "{% include 'linked/head.sql' %}")
    link = shell.folder / "macros/linked"
    link.unlink(missing_ok=True)
    link.symlink_to(shell.folder / ("elsewhere" if folder == "elsewhere" else f"macros/{folder}"))


def shell_unset(name: str) -> None:
    del os.environ[name]


@pytest.mark.parametrize("change", CHANGES)
def test_no_answer_is_stale(shell: Shell, change: str) -> None:
    """After any change the answers are those of a project without a memory."""
    if "link" in change:
        linked(shell, "elsewhere")
    answers(shell)
    CHANGES[change](shell)
    remembered = answers(shell)
    assert remembered == fresh(shell)
    assert not (shell.folder / "target/compiled/s1/public.old").exists()


@pytest.mark.parametrize(
    "flags",
    [
        "--vars '{state: VIC}'",
        "--target local",
        "--no-publish-via-partition-root",
        "--profiles-dir ..",
        "--select t1",
    ],
)
def test_flags_are_part_of_the_question(shell: Shell, flags: str) -> None:
    """An answer is not given to another question."""
    answers(shell)
    for question in QUESTIONS:
        remembered = shell.run(f"{question} {flags}")
        for file in (shell.folder / "target" / ".cache").glob("*"):
            file.unlink()
        worked_out = shell.run(f"{question} {flags}")
        assert normalised(remembered.both) == normalised(worked_out.both), question
        assert remembered.exit_code == worked_out.exit_code


def test_a_profile_elsewhere(shell: Shell) -> None:
    """A profiles.yml that comes to be at home, where the project has none."""
    profile = shell.folder / "profiles.yml"
    text = profile.read_text()
    profile.unlink()
    assert shell.run("filtersql compile").exit_code == 1
    home = Path(os.environ["HOME"]) / ".filtersql"
    home.mkdir(parents=True)
    (home / "profiles.yml").write_text(text)
    assert "EXPLODE(" in shell.run("filtersql compile -s s1").stdout
    (home / "profiles.yml").write_text(text.replace("target: dev", "target: local"))
    assert "UNNEST(" in shell.run("filtersql compile -s s1").stdout


def test_time_zones_may_be_others(
    shell: Shell, loads: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An update of the system's rules: literals are read again."""
    monkeypatch.setattr("filtersql.api.remembered.TZPATH", (str(tmp_path / "zones"),))
    first = answers(shell)
    (tmp_path / "zones").mkdir()
    loads.clear()
    assert answers(shell) == first
    assert loads


def test_secrets_are_not_kept(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A password of the environment is in no file of the cache, and still compared."""
    monkeypatch.setenv("SHOP_PASSWORD", "hunter2")
    edit(
        shell,
        "profiles.yml",
        "path: shop.duckdb",
        "path: shop.duckdb, spark_conf: {password: \"{{ env_var('SHOP_PASSWORD') }}\"}",
    )
    shell.run("filtersql compile -t local")
    kept = list((shell.folder / "target" / ".cache").iterdir())
    assert kept
    assert not any(b"hunter2" in file.read_bytes() for file in kept)
    assert any(b"SHOP_PASSWORD" in file.read_bytes() for file in kept)


def test_the_cache_stays_small(shell: Shell) -> None:
    """Old answers go."""
    for number in range(50):
        shell.run(f"filtersql ls --vars '{{n: {number}}}'")
    assert len(list((shell.folder / "target" / ".cache").iterdir())) <= 40


def test_the_root_is_the_projects(shell: Shell, tmp_path: Path) -> None:
    """The quick look finds what the project's own finds."""
    for folder in (shell.folder, shell.folder / "tables", shell.folder / "not" / "there"):
        assert root_of(Options(project_dir=folder)) == find_root(folder)
    with pytest.raises(Mistake, match="no filtersql_project"):
        root_of(Options(project_dir=tmp_path / "home"))
