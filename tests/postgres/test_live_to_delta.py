"""From a running PostgreSQL to Delta tables with nothing in between."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from imported_projects import begin
from pyspark.sql import SparkSession
from servers import Server
from transcripts import Shell

pytestmark = [pytest.mark.postgres, pytest.mark.spark, pytest.mark.long]
_DDL = """
CREATE TABLE orders (id int PRIMARY KEY, region text, total numeric(10,2), note text);
ALTER TABLE orders REPLICA IDENTITY FULL;
CREATE TABLE items (id int PRIMARY KEY, at timestamptz, ok boolean);
CREATE PUBLICATION eu FOR TABLE orders WHERE (region = 'eu'), items WHERE (id % 2 = 0);
INSERT INTO orders SELECT g, (ARRAY['eu', 'us'])[g % 2 + 1], g / 3.0, nullif(g % 5, 0)::text
    FROM generate_series(1, 500) g;
INSERT INTO items SELECT g, '2026-11-27 12:00+00'::timestamptz + g * interval '1 h', g % 3 = 0
    FROM generate_series(1, 300) g;
"""
_CHANGES = """
UPDATE orders SET region = 'us' WHERE id % 10 = 1; UPDATE orders SET region = 'eu' WHERE id % 7 = 0;
DELETE FROM orders WHERE id % 9 = 0; UPDATE items SET id = id + 1001 WHERE id < 50;
INSERT INTO orders VALUES (1000, 'eu', NULL, E'a "quoted"\\nnote');
"""


def test_the_whole_way(tmp_path: Path, postgres: Server, spark: SparkSession) -> None:
    """`import`, `capture`, `run`, changes, `capture`, `run`: the rows are the publication's."""
    database = postgres.create_database("delta")
    root = begin(tmp_path, postgres.url(database))
    output = {"type": "spark", "method": "session", "format": "delta"}
    profile = json.loads((root / "profiles.yml").read_text())
    profile["shop"]["outputs"]["dev"] = output
    (root / "profiles.yml").write_text(json.dumps(profile))
    shell = Shell(tmp_path)

    def goes(command: str) -> str:
        ended = shell.run(f"filtersql {command} --project-dir shop")
        assert ended.exit_code == 0, ended.both
        return ended.both

    with postgres.connect(database) as connection:
        connection.execute(_DDL.encode())
        try:
            shell.succeed("import", "erp", "shop")
            goes("capture erp --create --until-current")
            goes("run")
            connection.execute(_CHANGES.encode())
            goes("capture erp --until-current")
            said = goes("run --follow --interval 0s --until-idle")
            assert "Done. PASS=2" in said
            assert "WRONG=0" in goes("audit")
            for name, rows in (("orders", "region = 'eu'"), ("items", "id % 2 = 0")):
                (path,) = root.glob(f"**/{name}/_delta_log")
                held = spark.read.format("delta").load(str(path.parent)).collect()
                meant = connection.execute(f"SELECT * FROM {name} WHERE {rows}".encode()).fetchall()
                assert sorted(row[0] for row in held) == sorted(row[0] for row in meant)
                assert len(meant) > 100
        finally:
            goes("capture erp --drop")
    postgres.drop_database(database)
