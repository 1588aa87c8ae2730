"""What README.md and the documentation say is tried: transcripts, commands, tables of paths."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from cases import read_fences, rewrite
from places import HOME
from played_pages import is_played, played
from transcripts import Shell, normalised

import filtersql
from filtersql import cli
from filtersql.errors.silencing import WARNINGS

README = HOME / "README.md"
PAGES = Path(filtersql.__file__).parent.glob("docs/**/*.md")
DOCUMENTS = [README, HOME / "CHANGELOG.md", HOME / "CONTRIBUTING.md", *sorted(PAGES)]
TEST_COMMAND = (
    'python3 -m venv .venv && .venv/bin/pip install -q -e ".[test]"'
    " && .venv/bin/python -m pytest -n 2"
)

#: fences that are not played where they stand: page, language -> how many, and what tries them
TRIED_BY = {
    ("CONTRIBUTING.md", "sh"): (2, ".ci/run"),
    ("README.md", "sh"): (2, "tests/house/test_wheel.py"),
    ("catalogs.md", "yaml"): (3, "tests/project/test_outputs_of_pages.py"),
    ("commands.md", "text"): (2, "tests/commands/test_manual.py"),
    ("feeds.md", "json"): (1, "tests/feeds/test_page_of_feeds.py"),
    ("feeds.md", "yaml"): (1, "tests/feeds/test_message_tables.py"),
    ("filters.md", "text"): (3, "tests/filters/test_printed_sizes.py"),
    ("kerberos.md", "yaml"): (1, "tests/project/test_outputs_of_pages.py"),
    ("live-capture.md", "sh"): (2, "tests/postgres/test_capture_page.py"),
    ("live-capture.md", "sql"): (2, "tests/postgres/test_capture_page.py"),
    ("live-postgres.md", "yaml"): (1, "tests/postgres/test_connection.py"),
    ("object-stores.md", "yaml"): (2, "tests/project/test_outputs_of_pages.py"),
    ("orchestrators.md", "python"): (3, "tests/integrations/test_airflow.py"),
    ("pull-requests.md", "yaml"): (2, "tests/commands/test_hooks.py"),
    ("python.md", "python"): (6, "tests/api/test_python.py"),
    ("targets.md", "yaml"): (2, "tests/project/test_outputs_of_pages.py"),
    ("warnings.md", "yaml"): (2, "tests/cases/publications/lints.md"),
}
#: what no test of this repository can run: how it begins -> why
NEVER_TRIED = {
    "CREATE ROLE filtersql LOGIN": "the reader's server; postgres/test_connection.py has its own",
    "apt-get install libkrb5-dev": "a realm of the reader's; targets/test_kerberos.py has its own",
    "mkdir shop": "the reader's server; postgres/test_import.py has its own",
    "pg_dump --schema-only shop": "the reader's server; house/test_tutorial.py has its own",
    "pg_recvlogical -d shop": "the reader's server; recorders/ have their own",
}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_transcripts_are_true(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Console blocks are run from top to bottom, files are as shown; `--update` writes anew."""
    answers = {}
    for fence, found in played(path, tmp_path):
        if fence.language == "console":
            answers[fence] = found
            expected = re.escape(normalised(fence.text))
        else:
            expected = re.escape(normalised(fence.text)).replace("…", r"[\s\S]*")
        if not request.config.getoption("--update"):
            place = f"{path.name}:{fence.begin}"
            assert re.fullmatch(expected, normalised(found)), f"{place}\n{found}"
    if request.config.getoption("--update"):
        rewrite(path, answers)


def test_every_fence_is_tried() -> None:
    """Where it stands, by a test that is named above, or not at all for a reason."""
    left = Counter(
        (path.name, fence.language)
        for path in DOCUMENTS
        for fence in read_fences(path)
        if fence.language and not is_played(fence) and not fence.text.startswith((*NEVER_TRIED,))
    )
    assert left == {fences: number for fences, (number, _) in TRIED_BY.items()}
    assert [test for _, test in TRIED_BY.values() if not (HOME / test).exists()] == []


def test_every_command_is_in_the_readme_and_has_help() -> None:
    """A command that README.md does not name does not exist for its reader."""
    shell, text = Shell(HOME), README.read_text(encoding="utf-8")
    for name in cli.COMMANDS:
        assert re.search(rf"`(filtersql )?{name}\b", text), f"README.md does not name `{name}`"
        ended = shell.filtersql(name, "--help")
        assert ended.exit_code == 0
        assert len(ended.stdout.split("\n")) > 4, ended.stdout


def test_every_warning_is_on_its_page() -> None:
    """The names by which warnings are silenced, read from where each is given."""
    package = Path(filtersql.__file__).parent
    given = {"default-set-changed", "filter-in-default-set"}  # by the name of a variable
    for path in package.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        given |= set(re.findall(r"\b(?:Notice|as_notice)\(\s*\"([a-z-]+)\",", text))
    page = (package / "docs" / "warnings.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)) == given
    assert set(WARNINGS) == given, "what `silence` may name"


def test_readme_and_ci_run_the_same_tests() -> None:
    """The test command of README.md is the one that .ci/run ends with."""
    assert TEST_COMMAND in README.read_text(encoding="utf-8").split("\n")
    assert (HOME / ".ci" / "run").read_text(encoding="utf-8").strip().endswith(TEST_COMMAND)


def rows_of(heading: str, text: str) -> list[list[str]]:
    """The cells of the table below a heading, without its head."""
    _, _, below = text.partition(f"{heading}\n")
    table = re.search(r"(?:^\|.*\n?)+", below, re.MULTILINE)
    assert table, f'there is no table under "{heading}"'
    lines = table[0].strip().split("\n")[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_where_is_it_names_paths_that_exist() -> None:
    """Every path in the table is there: code under filtersql/, cases under tests/cases/."""
    roots = {1: HOME / "filtersql", 2: HOME / "tests" / "cases"}
    architecture = HOME / "filtersql" / "ARCHITECTURE.md"
    rows = rows_of("## Where is it?", architecture.read_text(encoding="utf-8"))
    paths = [
        roots[column] / name
        for row in rows
        for column in roots
        for name in re.findall(r"`([^`]+)`", row[column])
    ]

    assert len(paths) >= 10
    assert [str(path.relative_to(HOME)) for path in paths if not path.exists()] == []


def test_links_lead_somewhere() -> None:
    """Relative links of the documents name files that exist."""
    missing = [
        f"{path.name}: {link}"
        for path in DOCUMENTS
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text(encoding="utf-8"))
        if not (path.parent / link).exists()
    ]

    assert missing == []


def test_no_fence_is_lost(tmp_path: Path) -> None:
    """The reader finds every fence of a document, shared ones and those under headings."""
    document = tmp_path / "d.md"
    document.write_text("# t\n\n```sh\na\n```\n\n## h\n\n```console\n$ cd .\n```\n")

    assert [fence.language for fence in read_fences(document)] == ["sh", "console"]
