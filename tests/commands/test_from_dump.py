"""`init --from-dump`: a project out of what pg_dump wrote, or somebody by hand."""

from __future__ import annotations

import json
from pathlib import Path

import yaml
from places import HOME
from transcripts import Shell

DUMP = HOME / "tests" / "data" / "dumps" / "shop.sql"
BY_HAND = """\
CREATE TABLE orders (id int PRIMARY KEY, region text, tags text[] DEFAULT '{{a}}');
CREATE TABLE "x: [y" (id int PRIMARY KEY);
CREATE TABLE lines (line text);
CREATE UNLOGGED TABLE scratch (id int PRIMARY KEY);
CREATE VIEW seen AS SELECT id FROM orders;
CREATE TABLE events (day date, PRIMARY KEY (day)) PARTITION BY RANGE (day);
CREATE TABLE events_1 PARTITION OF events FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
"""


def test_a_dump_with_publications(tmp_path: Path) -> None:
    """It stands in the project as it was, but for passwords; each publication has a subscriber."""
    shell = Shell(tmp_path)
    (tmp_path / "dump.sql").write_bytes(DUMP.read_bytes())
    said = shell.succeed("init", "shop", "--from-dump", "dump.sql")
    written = (tmp_path / "shop" / "tables" / "schema.sql").read_text()
    secret = "host=h password=secret dbname=d"
    assert secret in DUMP.read_text()
    assert written == DUMP.read_text().replace(secret, "*" * len(secret))
    assert "postgres_version: 15\n" in (tmp_path / "shop" / "filtersql_project.yml").read_text()
    subscriptions = yaml.safe_load((tmp_path / "shop" / "subscriptions" / "shop.yml").read_text())
    published = {each["name"]: each["publications"] for each in subscriptions["subscriptions"]}
    assert published == {name: [name] for name in ("dash", "eu", "everything", "rooted", "s")}
    said = shell.run("filtersql show publication eu --project-dir shop")
    assert "region = 'eu'" in said.stdout


def test_a_script_without_publications(tmp_path: Path) -> None:
    """All tables that have a key are published; the project compiles and is proved as it is."""
    shell = Shell(tmp_path)
    (tmp_path / "schema.sql").write_text(BY_HAND)
    shell.run("filtersql init My-shop --from-dump schema.sql")
    shell.run("cd My-shop")
    file = (shell.folder / "publications" / "my_shop.yml").read_text()
    publication = yaml.safe_load(file)["publications"][0]
    assert publication["name"] == "my_shop"
    assert publication["tables"] == ["orders", '"x: [y"', "events"]
    assert publication["publish_via_partition_root"] is True
    assert "# lines: a row without a key is not found again;" in file
    assert shell.run("filtersql compile --target local").exit_code == 0
    said = shell.run("filtersql check --target local")
    assert "PROVED=3 WRONG=0" in said.stdout
    (shell.folder / "changes").mkdir()
    order = {"id": 1, "region": "eu", "tags": []}
    change = {"seq": 1, "relation": "orders", "op": "insert", "after": order}
    (shell.folder / "changes" / "1.jsonl").write_text(json.dumps(change))
    said = shell.succeed("run", "--target", "local")
    assert "OK my_shop/public.orders" in said.stdout


def test_what_is_wrong_is_told_in_the_dump(tmp_path: Path) -> None:
    """All of it, with its lines, and nothing is written."""
    shell = Shell(tmp_path)
    (tmp_path / "schema.sql").write_text("CREATE TABL t (a int);\nCREATE TABLE u (a integ);\n")
    said = shell.run("filtersql init shop --from-dump schema.sql")
    assert said.exit_code == 1
    assert 'schema.sql:1:8: syntax error at or near "TABL"' in said.stderr
    assert 'schema.sql:2:19: type "integ" does not exist' in said.stderr
    (tmp_path / "custom.dump").write_bytes(b"PGDMP\x01\x0e\xff")
    said = shell.run("filtersql init shop --from-dump custom.dump")
    assert said.exit_code == 1
    assert said.stderr.startswith('"custom.dump" is a dump in the custom format')
    said = shell.run("filtersql init shop --from-dump none.sql")
    assert said.stderr == "none.sql: cannot be read: no such file or directory\n"
    assert shell.run("filtersql init shop --from-dump schema.sql --example shop").exit_code == 2
    assert not (tmp_path / "shop").exists()
