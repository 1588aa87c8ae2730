"""Called in a process that has an active SparkSession, `method: session` uses it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from interpreting import mapped
from places import put_files

pytestmark = pytest.mark.spark

#: a notebook: its own Spark with Delta, its own setting, its own view; then filtersql in it
NOTEBOOK = """
import sys
import threading
from pathlib import Path
from pyspark.sql import SparkSession
from filtersql.targets.jars import jars

folder = Path(sys.argv[1])
spark = (
    SparkSession.builder.master("local[2]").appName("notebook")
    .config("spark.jars", ",".join(map(str, jars({}))))
    .config("spark.ui.enabled", "false")
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .config("spark.sql.warehouse.dir", str(folder / "notebook"))
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.databricks.delta.snapshotPartitions", "1")
    .getOrCreate()
)
spark.conf.set("spark.sql.ansi.enabled", "false")
spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
spark.conf.set("spark.databricks.delta.commitInfo.userMetadata", "mine")
spark.range(3).createOrReplaceTempView("mine")
spark.udf.register("shout", lambda text: text)

from filtersql.cli import main

def run():
    sys.argv = ["filtersql", "run", "--project-dir", str(folder), "--target", "delta"]
    try:
        main()
    except SystemExit as end:
        return end.code

assert run() == 0
rows = sorted(tuple(row) for row in spark.table("s1.whole").collect())
assert rows == [(2, 9, "y"), (3, 4, "new")], rows
assert spark.conf.get("spark.sql.ansi.enabled") == "false"
assert spark.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
assert spark.table("mine").count() == 3
assert [t.name for t in spark.catalog.listTables() if t.name.startswith("filtersql")] == []
assert SparkSession.getActiveSession() is spark
assert spark.conf.get("spark.databricks.delta.commitInfo.userMetadata") == "mine"
codes = []
thread = threading.Thread(target=lambda: codes.append(run()))
thread.start()
thread.join()
assert codes == [0]
assert spark.conf.get("spark.app.name") == "notebook"
assert not (folder / "warehouse").exists()
assert run() == 0
spark.udf.register("coalesce", lambda text: text)
assert run() == 2
print("used")
"""


def test_a_notebooks_session_is_used_and_left_as_it_was(tmp_path: Path) -> None:
    """Its catalog has the targets; its settings and views are its own again; it still runs.

    In another thread, too, which has no active session, as one that Ctrl-C cost its connection.
    """
    files = {
        "filtersql_project.yml": "name: shop\nprofile: shop\n",
        "profiles.yml": (
            "shop: {outputs: {delta: "
            "{type: spark, method: session, format: delta, warehouse: warehouse}}}\n"
        ),
        "tables/t.sql": (
            "CREATE TABLE whole (id int PRIMARY KEY, n int, note text);\n"
            "ALTER TABLE whole REPLICA IDENTITY FULL;\n"
        ),
        "publications/p.sql": "CREATE PUBLICATION p FOR TABLE whole WHERE (n > 3);\n",
        "subscriptions/s.yml": (
            "subscriptions: [{name: s1, publications: [p], source: {path: 'source.jsonl'}, "
            "changes: {path: 'changes.jsonl'}}]\n"
        ),
        "source.jsonl": '{"id": 1, "n": 1, "note": "x"}\n{"id": 2, "n": 9, "note": "y"}\n',
        "changes.jsonl": (
            '{"seq": 1, "op": "insert", "relation": "public.whole",'
            ' "after": {"id": 3, "n": 4, "note": "new"}}\n'
        ),
        "notebook.py": NOTEBOOK,
    }
    put_files(tmp_path, files)
    found = subprocess.run(
        [sys.executable, str(tmp_path / "notebook.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={
            # its Spark generates code; the tests' own does not, nor can it list tables then
            **mapped("-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m"),
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        },
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.endswith("used\n")
    assert "Nothing changed" in found.stdout
    assert 'this session hides Spark\'s own function "coalesce"' in found.stderr
