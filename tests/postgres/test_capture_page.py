"""The page on captures, played on a server from top to bottom."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

import pytest
from cases import read_fences
from live_processes import Process, wait_for
from live_projects import LiveProject
from places import HOME
from servers import Server

pytestmark = pytest.mark.postgres
PAGE = HOME / "filtersql/docs/live-capture.md"


class Shop(LiveProject):
    """What the page imports: a subscription is called as the publication."""

    filters: ClassVar[Mapping[str, str]] = {"orders": "SELECT * FROM orders WHERE id > 2"}


def test_the_page_is_true(tmp_path: Path, postgres: Server) -> None:
    """A role with what the page grants is enough; each command ends well, and the target is right.

    The page's project is called `shop`.
    """
    project = Shop(tmp_path / "shop", postgres, postgres.create_database("erp"))
    project.sql(
        "CREATE TABLE orders (id int PRIMARY KEY, region text, total int)",
        "CREATE PUBLICATION s FOR TABLE orders WHERE (id > 2)",
    )
    dsn = postgres.url(project.database).replace("user=postgres", "user=capturing")
    project.write(
        "profiles.yml",
        "shop:\n  outputs: {local: {type: duckdb, path: shop.duckdb}}\n"
        f'  sources: {{erp: {{type: postgres, dsn: "{dsn}"}}}}\n',
    )
    results = project.folder / "target/run_results.json"
    fences = read_fences(PAGE)
    role, publication = (fence.text for fence in fences if fence.language == "sql")
    imported, *commands = (
        line.removeprefix("filtersql ").split()
        for fence in fences
        if fence.language == "sh"
        for line in fence.text.splitlines()
    )
    try:
        project.sql(role)
        project.goes(*imported)
        said = project.refused("capture", "erp", "--create", code=2)
        assert 'FOR TABLE ONLY "public"."orders"' in said
        project.sql(publication)
        with ExitStack() as stack:
            going = []
            for number, command in enumerate(commands):
                project.sql(f"INSERT INTO orders VALUES ({number + 3}, 'eu', 1)")
                if "--follow" in command:
                    results.unlink(missing_ok=True)
                    going.append(stack.enter_context(Process(project, *command)))
                else:
                    project.goes(*command)
            wait_for(results.exists)  # a first run ends where another has DuckDB's file open
            wait_for(project.is_right)
            for process in going:
                code, said = process.stopped()
                assert code == 0, said
        assert len(commands) - len(going) == len(going) == 2
        assert "WRONG=0" in project.goes("audit")
        _is_told_of_altered_publications(project)
        said = project.goes("capture", "erp", "--drop")
        assert "is another role's, and stays" in said
    finally:
        project.drop()
        with postgres.connect() as connection:
            connection.execute("DROP ROLE capturing")


def _is_told_of_altered_publications(project: Shop) -> None:
    changed = "publications changed since publications/erp.sql was imported"
    assert changed not in project.capture()
    for altering in ("SET TABLE orders WHERE (id > 1)", "SET (publish = 'insert, update')"):
        project.sql(f"ALTER PUBLICATION s {altering}")
        assert changed in project.capture()
        project.goes("import", "erp", "--force")
        assert changed not in project.capture()
