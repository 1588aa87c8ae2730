"""The page on captures, played on a server from top to bottom."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import read_fences
from live_projects import LiveProject
from places import HOME
from servers import Server

pytestmark = pytest.mark.postgres
PAGE = HOME / "filtersql/docs/live-capture.md"
DDL = "CREATE TABLE orders (id int PRIMARY KEY, region text, total int);"


def test_the_page_is_true(tmp_path: Path, postgres: Server) -> None:
    """A role with what the page grants is enough; each command ends well, and the target is right.

    The page's project is called `live`.
    """
    project = LiveProject.made(tmp_path, postgres, DDL)
    project.write("filtersql_project.yml", "name: live\nprofile: shop\n")
    project.write(
        "publications/p.yml",
        "publications: [{name: p, tables: [{name: orders, where: id > 2}]}]",
    )
    project.write(
        "subscriptions/s.yml",
        "subscriptions: [{name: s, publications: [p], source: {postgres: erp},"
        " changes: {postgres: erp}}]",
    )
    profile = (project.folder / "profiles.yml").read_text()
    project.write("profiles.yml", profile.replace("user=postgres", "user=capturing"))
    played = 0
    try:
        for fence in read_fences(PAGE):
            if fence.language == "sql":
                if "CREATE PUBLICATION" in fence.text:
                    said = project.refused("capture", "erp", "--create", code=2)
                    assert 'FOR TABLE ONLY "public"."orders"' in said
                project.sql(fence.text)
            elif fence.language == "sh":
                for line in fence.text.splitlines():
                    project.sql(f"INSERT INTO orders VALUES ({played + 3}, 'eu', 1)")
                    project.goes(*line.removeprefix("filtersql ").replace("'", "").split())
                    played += 1
        project.goes("run")
        assert project.rows("SELECT count(*) FROM orders WHERE id > 2") == [(played,)]
        assert "WRONG=0" in project.goes("audit")
        said = project.goes("capture", "erp", "--drop")
        assert "is another role's, and stays" in said
    finally:
        project.drop()
        with postgres.connect() as connection:
            connection.execute("DROP ROLE capturing")
    assert played > 1
