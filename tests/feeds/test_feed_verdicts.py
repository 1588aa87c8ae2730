"""What each of the six feed formats cannot tell, and what compile makes of it: one table."""

from __future__ import annotations

from pathlib import Path

import pytest
from answers import Project

FEEDS = {
    "filtersql": '{path: "feed/*"}',
    "wal2json": '{format: wal2json, path: "feed/*"}',
    "debezium": '{format: debezium, path: "feed/*"}',
    "dms": '{format: dms, path: "feed/*", sequence: at}',
    "delta_cdf": "{format: delta_cdf, table: lake.t}",
    "iceberg_changelog": "{format: iceberg_changelog, table: lake.t}",
}
#: (replica identity, publication), and of each format what is said against it: nothing, mostly
CASES = {
    "an identity that logs no old row": (
        "nothing",
        '{name: p, tables: [{name: t, where: "id > 0"}]}',
        {
            "filtersql": "warning: cannot update table",
            "wal2json": "wal2json writes no update and no delete of table",
            "debezium": "warning: cannot update table",
            "dms": "An UPDATE that changes the key does not tell the old one",
            "delta_cdf": "warning: cannot update table",
            "iceberg_changelog": "warning: cannot update table",
        },
    ),
    "a filter that reads more than the key": (
        "default",
        "{name: p, tables: [{name: t, where: \"v = 'eu'\"}]}",
        {
            "filtersql": 'warning: row filter for table "t" reads column "v"',
            "wal2json": 'warning: row filter for table "t" reads column "v"',
            "debezium": 'warning: row filter for table "t" reads column "v"',
            "dms": "A TRUNCATE leaves no trace in it",
            "delta_cdf": "",
            "iceberg_changelog": "",
        },
    ),
    "deletes without truncates": (
        "full",
        "{name: p, publish: [insert, update, delete], tables: [{name: t, where: \"v = 'eu'\"}]}",
        {
            "dms": "An UPDATE that changes the key does not tell the old one",
            "delta_cdf": "A TRUNCATE comes as deletes of rows",
            "iceberg_changelog": "A TRUNCATE comes as deletes of rows",
        },
    ),
    "inserts alone": (
        "full",
        "{name: p, publish: [insert], tables: [{name: t, where: \"v = 'eu'\"}]}",
        {"iceberg_changelog": "An update may come as a delete and an insert"},
    ),
}


@pytest.mark.parametrize("form", FEEDS)
@pytest.mark.parametrize("case", CASES)
def test_compile_decides_from_what_a_feed_tells(case: str, form: str, tmp_path: Path) -> None:
    """Exact, or refused; with `identity_check: run`, PostgreSQL's own refusals come later."""
    identity, publication, verdicts = CASES[case]
    made = Project(tmp_path)
    made.write(
        "filtersql_project.yml", "name: x\nversion: 1\nprofile: cases\nidentity_check: run\n"
    )
    made.write(
        "tables/t.yml",
        "tables: [{name: t, columns: {id: int not null, v: text}, primary_key: [id],"
        f" replica_identity: {identity}}}]\n",
    )
    made.write("publications/p.yml", f"publications: [{publication}]\n")
    feed = FEEDS[form]
    made.write(
        "subscriptions/s.yml", f"subscriptions: [{{name: s, publications: [p], changes: {feed}}}]\n"
    )
    ended = made.shell.filtersql("compile", "--target", "spark")
    said = verdicts.get(form, "")
    assert said in ended.both
    refused = bool(said) and not said.startswith("warning")
    assert ended.exit_code == int(refused), ended.both
