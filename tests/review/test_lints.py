"""Each warning about what is published: a project that it is for, one beside it, and its silence.

A warning is silenced by its name: for the project, or by a comment on the line that it shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from places import put_files

from filtersql.compile import compile_project
from filtersql.errors import Notice
from filtersql.project import load

_FILES = {
    "profiles.yml": "lints: {outputs: {dev: {type: duckdb, path: lints.duckdb}}}\n",
    "tables/t.sql": """\
CREATE TABLE t (id int PRIMARY KEY, v int);
CREATE TABLE u (id int PRIMARY KEY, t int REFERENCES t);
CREATE TABLE root (id int PRIMARY KEY, v int) PARTITION BY LIST (id);
CREATE TABLE leaf PARTITION OF root FOR VALUES IN (1);
ALTER TABLE t REPLICA IDENTITY FULL;
ALTER TABLE leaf REPLICA IDENTITY FULL;
""",
    "subscriptions/s.yml": """\
subscriptions:
  - {name: s, publications: [p, q], source: {table: x}, changes: {path: "changes/*.jsonl"}}
""",
}
_ROOT = "CREATE PUBLICATION p FOR TABLE root WITH (publish_via_partition_root, publish = 'insert');"


@dataclass(frozen=True)
class Lint:
    """Publications p and q that are warned of, and others that are not."""

    name: str
    fires: str
    quiet: str
    version: int = 18


LINTS = (
    Lint(
        "filters-differ-per-action",
        "CREATE PUBLICATION p FOR TABLE t WHERE (v > 1) WITH (publish = 'insert');\n"
        "CREATE PUBLICATION q FOR TABLE t WITH (publish = 'update, delete');",
        "CREATE PUBLICATION p FOR TABLE t WHERE (v > 1) WITH (publish = 'insert');\n"
        "CREATE PUBLICATION q FOR TABLE t WHERE (v > 1) WITH (publish = 'update, delete');",
    ),
    Lint(
        "leaked-action",
        f"{_ROOT}\nCREATE PUBLICATION q FOR TABLE leaf WHERE (v > 1);",
        f"{_ROOT}\nCREATE PUBLICATION q FOR TABLE leaf WHERE (v > 1) WITH (publish = 'insert');",
    ),
    Lint(
        "copy-wider-than-inserts",
        "CREATE PUBLICATION p FOR TABLE t WHERE (v > 1) WITH (publish = 'insert');\n"
        "CREATE PUBLICATION q FOR TABLE t WITH (publish = 'truncate');",
        "CREATE PUBLICATION p FOR TABLE t WHERE (v > 1) WITH (publish = 'insert');\n"
        "CREATE PUBLICATION q FOR TABLE t WITH (publish = 'insert');",
    ),
    Lint(
        "foreign-key-outside",
        "CREATE PUBLICATION p FOR TABLE u;\nCREATE PUBLICATION q;",
        "CREATE PUBLICATION p FOR TABLE u;\nCREATE PUBLICATION q FOR TABLE t WHERE (v > 1);",
    ),
    Lint(
        "filter-always-true",
        "CREATE PUBLICATION p FOR TABLE t WHERE (id IS NOT NULL);\nCREATE PUBLICATION q;",
        "CREATE PUBLICATION p FOR TABLE t WHERE (v IS NOT NULL);\nCREATE PUBLICATION q;",
    ),
    Lint(
        "filter-never-true",
        "CREATE PUBLICATION p FOR TABLE t WHERE (id IS NULL);\nCREATE PUBLICATION q;",
        "CREATE PUBLICATION p FOR TABLE t WHERE (v IS NULL);\nCREATE PUBLICATION q;",
    ),
    # A comparison with NULL is NULL for every row, which is no match.
    Lint(
        "filter-never-true",
        "CREATE PUBLICATION p FOR TABLE t WHERE (v <> NULL);\nCREATE PUBLICATION q;",
        "CREATE PUBLICATION p FOR TABLE t WHERE (v IS DISTINCT FROM NULL);\nCREATE PUBLICATION q;",
    ),
    Lint(
        "identity-wider-than-needed",
        "CREATE PUBLICATION p FOR TABLE t WHERE (id > 1);\nCREATE PUBLICATION q;",
        "CREATE PUBLICATION p FOR TABLE t WHERE (v > 1);\nCREATE PUBLICATION q;",
    ),
    Lint(
        "may-raise",
        "CREATE PUBLICATION p FOR TABLE t WHERE (10 / v > 1);\nCREATE PUBLICATION q;",
        "CREATE PUBLICATION p FOR TABLE t WHERE (v / 10 > 1);\nCREATE PUBLICATION q;",
    ),
    Lint(
        "copied-besides-root",
        f"{_ROOT}\nCREATE PUBLICATION q FOR TABLE leaf;",
        f"{_ROOT}\nCREATE PUBLICATION q FOR TABLE t;",
        15,
    ),
    Lint(
        "unlogged-partition",
        "CREATE UNLOGGED TABLE fast PARTITION OF root FOR VALUES IN (2);\n"
        "CREATE PUBLICATION p FOR TABLE root;\nCREATE PUBLICATION q;",
        "CREATE PUBLICATION p FOR TABLE root;\nCREATE PUBLICATION q;",
    ),
)


def warnings(folder: Path, lint: Lint, publications: str, settings: str = "") -> list[Notice]:
    """What is heard of a project with these publications."""
    project = f"name: lints\nversion: 1\nprofile: lints\npostgres_version: {lint.version}\n"
    files = {"filtersql_project.yml": project + settings, "publications/p.sql": publications}
    put_files(folder, {**_FILES, **files})
    return [*compile_project(load(folder)).notices]


def names(notices: list[Notice]) -> set[str]:
    """Their kinds."""
    return {one.name for one in notices}


@pytest.mark.parametrize("lint", LINTS, ids=lambda lint: lint.name)
def test_each_warns_of_its_own_and_can_be_silenced(lint: Lint, tmp_path: Path) -> None:
    """It fires for one project, not for the other, and neither when it is silenced."""
    heard = warnings(tmp_path, lint, lint.fires)
    assert lint.name in names(heard)
    assert lint.name not in names(warnings(tmp_path, lint, lint.quiet))

    silenced = warnings(tmp_path, lint, lint.fires, f"silence: [{lint.name}]\n")
    assert names(silenced) == names(heard) - {lint.name}

    warnings(tmp_path, lint, lint.fires)
    for notice in (one for one in heard if one.name == lint.name):
        assert notice.span is not None
        place = tmp_path / notice.span.source.path
        lines = place.read_text(encoding="utf-8").splitlines()
        mark = "--" if place.suffix == ".sql" else "#"
        lines[notice.span.line - 1] += f"  {mark} silence: {lint.name}"
        place.write_text("\n".join([*lines, ""]), encoding="utf-8")
    assert names([*compile_project(load(tmp_path)).notices]) == names(heard) - {lint.name}
