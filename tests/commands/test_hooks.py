"""The hooks of `.pre-commit-hooks.yaml`, by pre-commit itself, in a repository of a project."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from installed import installed
from places import HOME
from servers import without
from transcripts import Shell

from filtersql.cli import COMMANDS


def test_hooks_call_commands_that_are_there() -> None:
    """Each entry is a command of filtersql's, with flags that it has."""
    hooks = yaml.safe_load((HOME / ".pre-commit-hooks.yaml").read_text())
    for hook in hooks:
        program, command, *flags = hook["entry"].split()
        assert program == "filtersql"
        assert command in COMMANDS
        said = Shell(HOME).filtersql(command, "--help").stdout
        assert all(flag in said for flag in flags)


def test_the_page_names_hooks_and_inputs_that_are_there() -> None:
    """What a reader copies: ids of hooks, and what the action takes."""
    page = (HOME / "filtersql/docs/how-to/pull-requests.md").read_text()
    hooks, workflow = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    there = {hook["id"] for hook in yaml.safe_load((HOME / ".pre-commit-hooks.yaml").read_text())}
    assert {hook["id"] for hook in hooks["repos"][0]["hooks"]} == there
    inputs = yaml.safe_load((HOME / "action.yml").read_text())["inputs"]
    (taken,) = (step["with"] for step in workflow["jobs"]["review"]["steps"] if "with" in step)
    assert taken.keys() <= inputs.keys()


@pytest.mark.long
def test_pre_commit_runs_the_hooks(tmp_path: Path) -> None:
    """A right project passes; a filter that is wrong, and SQL that is not up to date, do not."""
    pre_commit = installed(tmp_path / "tool", "pre-commit>=4") / "pre-commit"
    shell = Shell(tmp_path)
    shell.run("filtersql init shop")
    shell.run("cd shop")
    environment = {**without("PYTHONPATH"), "PRE_COMMIT_HOME": str(tmp_path / "kept")}

    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=shell.folder, check=True, capture_output=True)

    def hook(name: str) -> tuple[int, str]:
        git("add", "-A")
        line = [pre_commit, "try-repo", HOME, name, "--all-files", "--color", "never"]
        ended = subprocess.run(
            line, cwd=shell.folder, env=environment, capture_output=True, text=True
        )
        return ended.returncode, ended.stdout + ended.stderr

    git("init", "-q")
    code, said = hook("filtersql-lint")
    assert (code, "Passed" in said) == (0, True), said
    code, said = hook("filtersql-compile")
    assert code == 1, said
    assert "europe/public.orders/merge.sql" in said
    shell.run("filtersql compile")
    assert hook("filtersql-compile")[0] == 0
    publication = shell.folder / "publications" / "shop.yml"
    publication.write_text(publication.read_text().replace("total >=", "totl >="))
    code, said = hook("filtersql-lint")
    assert code == 1
    assert 'column "totl" does not exist' in said
