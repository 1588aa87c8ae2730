"""A project on disk: what is found, in which order, and what is said when something is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import PROJECT, TABLES, Make, filters, maker, refused

from filtersql.definitions.model import Action
from filtersql.names import RelationName
from filtersql.project import find_root, load, package_folder


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Writes a project's files."""
    return maker(tmp_path, monkeypatch)


def test_the_template_is_a_project() -> None:
    """What `init` copies loads, with its publications, subscriptions and unit tests."""
    project = load(package_folder("project_template"))

    assert {"europe", "finance"} <= set(project.definitions.subscriptions)
    assert filters(project)["regional"] == "region = 'eu' AND status <> 'cart'"
    assert project.definitions.unit_tests
    assert project.output is not None
    assert project.output.engine == "spark"


def test_a_project_is_found_from_any_folder_inside(make: Make) -> None:
    """As dbt does: the nearest filtersql_project.yml upwards."""
    root = make({"tables/deep/er/t.yml": TABLES})

    assert find_root(root / "tables" / "deep") == root
    assert load(root / "tables").root == root


def test_no_project_says_how_to_start_one(tmp_path: Path) -> None:
    """The message names the folder and the command."""
    said = refused(tmp_path)

    assert said.startswith(f"no filtersql_project.yml in {tmp_path} or any folder above it")
    assert "filtersql init" in said


def test_files_are_read_in_the_order_of_their_names(make: Make) -> None:
    """Tables, publications, subscriptions; what a later file says changes the earlier."""
    root = make(
        {
            "tables/b.sql": "ALTER TABLE t1 ADD COLUMN b int;",
            "tables/a.yml": TABLES,
            "tables/sub/z.sql": "ALTER TABLE t1 ADD COLUMN z int;",
            "tables/.hidden.yml": "not: [valid",
            "tables/readme.txt": "{{ no template }}",
            "publications/p.yaml": "publications: [{name: p, tables: [t1]}]",
            "subscriptions/a.sql": "ALTER PUBLICATION p SET (publish = 'insert');",
            "tests/deep/t.yml": "tests: []",
        }
    )

    project = load(root)

    table = project.definitions.catalog.tables[RelationName("public", "t1")]
    assert [column.name for column in table.columns] == ["a", "c", "b", "z"]
    assert project.definitions.publications["p"].publish == {Action.INSERT}
    assert project.files[:3] == ("tables/a.yml", "tables/b.sql", "tables/sub/z.sql")


def test_mistakes_of_all_files_come_together(make: Make) -> None:
    """None hides another, and they stand in the order of the files."""
    root = make(
        {
            "tables/a.yml": "tables: [{name: t1, colums: {a: int}}]",
            "tables/b.sql": "CREAT TABLE x (a int);\nCREATE TABLE y (a foo);",
            "publications/p.yml": "publications: [{name: p, tabels: [t1]}]",
            "profiles.yml": "shopp: {}",
        }
    )

    said = refused(root)

    places = [
        line.split(": ")[0] for line in said.splitlines() if ".yml:" in line or ".sql:" in line
    ]
    assert places == [
        "filtersql_project.yml:1:7",
        "tables/a.yml:1:17",
        "tables/a.yml:1:21",
        "tables/b.sql:1:1",
        "tables/b.sql:2:19",
        "publications/p.yml:1:26",
    ]


def test_variables_of_the_command_line_win(make: Make) -> None:
    """--vars over the project's vars over the default of var()."""
    root = make(
        {
            "filtersql_project.yml": PROJECT + "vars: {a: 1, b: 2}\n",
            "tables/t.yml": TABLES,
            "publications/p.yml": "publications:\n  - name: p\n    tables: [{name: t1, where:"
            " \"a IN ({{ var('a') }}, {{ var('b') }}, {{ var('c', 3) }})\"}]\n",
        }
    )

    assert filters(load(root)) == {"p": "a IN (1, 2, 3)"}
    assert filters(load(root, variables={"b": 7, "c": 9})) == {"p": "a IN (1, 7, 9)"}


def test_files_that_cannot_be_read(make: Make) -> None:
    """Bytes that are no UTF-8 are named; a byte order mark is none of the text."""
    said = refused(make({"tables/t.yml": b"tables:\n  - \xff"}))
    assert said == "tables/t.yml: cannot be read: byte 13 is not UTF-8"

    root = make({"tables/t.yml": b"\xef\xbb\xbf" + TABLES.encode()})
    assert RelationName("public", "t1") in load(root).definitions.catalog.tables


def test_what_only_follows_from_another_mistake_is_not_reported(make: Make) -> None:
    """Without the project file neither the profile nor a variable is known."""
    said = refused(
        make(
            {
                "filtersql_project.yml": PROJECT
                + "vars: {a: \"{{ env_var('NOT_SET_ANYWHERE') }}\"}\n",
                "tables/t.yml": TABLES,
                "publications/p.yml": "publications:\n  - name: p\n    tables:"
                " [{name: t1, where: \"a = {{ var('a') }}\"}]\n",
            }
        )
    )
    assert said.startswith("filtersql_project.yml:3:")
    assert 'environment variable "NOT_SET_ANYWHERE" is not set' in said
    assert "profile" not in said
    assert 'variable "a"' not in said
