"""The scripts that one would write by hand: a fill, a MERGE of the latest change of each key.

    python hand_written.py TARGET TUNED STEP TABLE...    in a project of beside_script.py

They read JSON lines with a schema, trust every value, and keep no position: what is run twice is
applied twice. `sums` prints what a target holds.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

COLUMNS = "id BIGINT, region STRING, amount DECIMAL(12, 2), note STRING"
ROW = "STRUCT<id: BIGINT, region: STRING, amount: DECIMAL(12, 2), note: STRING>"
CHANGES = f"seq BIGINT, op STRING, relation STRING, before {ROW}, after {ROW}"
FILTER = "region = 'eu' AND amount >= 50"
LINES = "format = 'newline_delimited'"
MERGE = """MERGE INTO {target} AS t USING (
  SELECT * FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY COALESCE(after.id, before.id) ORDER BY seq DESC) AS n
    FROM {changes}
  ) AS numbered WHERE n = 1
) AS s ON t.id = COALESCE(s.after.id, s.before.id)
WHEN MATCHED AND (s.op = 'delete' OR NOT (s.after.region = 'eu' AND s.after.amount >= 50))
  THEN DELETE
WHEN MATCHED THEN UPDATE
  SET region = s.after.region, amount = s.after.amount, note = s.after.note
WHEN NOT MATCHED AND s.op <> 'delete' AND s.after.region = 'eu' AND s.after.amount >= 50
  THEN INSERT (id, region, amount, note)
  VALUES (s.after.id, s.after.region, s.after.amount, s.after.note)"""
SUMS = "SELECT COUNT(*), SUM(id), SUM(amount), SUM(LENGTH(note)) FROM {target}"


def spark(target: str, tuned: bool, step: str, tables: list[str]) -> None:
    """Delta or Iceberg, with the same jars, heap and number of tasks at a time."""
    from pyspark.sql import SparkSession

    from filtersql.targets.embedded import _JAVA_OPTIONS
    from filtersql.targets.jars import jars

    lake = target == "iceberg"
    conf = {
        "spark.jars": ",".join(map(str, jars({}))),
        "spark.ui.enabled": "false",
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": " ".join(_JAVA_OPTIONS),
        "spark.sql.warehouse.dir": str(Path("warehouse").resolve()),
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        if lake
        else "io.delta.sql.DeltaSparkSessionExtension",
    }
    if lake:
        conf |= {
            "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.lake.type": "hadoop",
            "spark.sql.catalog.lake.warehouse": str(Path("lakehouse").resolve()),
        }
    else:
        conf["spark.sql.catalog.spark_catalog"] = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    if tuned:
        conf |= {
            "spark.databricks.delta.snapshotPartitions": "1",
            "spark.sql.shuffle.partitions": "4",
        }
    builder = SparkSession.builder.master("local[*]")
    for name, value in conf.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")

    def named(name: str) -> str:
        folder = Path("warehouse/s1.db", name).resolve()
        return f"lake.s1.{name}" if lake else f"delta.`{folder}`"

    if lake and step == "first":
        session.sql("CREATE NAMESPACE IF NOT EXISTS lake.s1")
    for name in tables:
        if step == "sums":
            print([tuple(row) for row in session.sql(SUMS.format(target=named(name))).collect()])
        elif step == "nothing":
            session.sql("SELECT 1").collect()
        elif step == "first":
            rows = session.read.schema(COLUMNS).json(f"source/{name}.jsonl").where(FILTER)
            rows.createOrReplaceTempView("rows")
            using = "iceberg" if lake else "delta"
            session.sql(f"CREATE TABLE {named(name)} USING {using} AS SELECT * FROM rows")
        else:
            changes = session.read.schema(CHANGES).json("changes/*.jsonl")
            changes.where(f"relation = 'public.{name}'").createOrReplaceTempView("changes")
            session.sql(MERGE.format(target=named(name), changes="changes")).collect()
    session.stop()


def duck(step: str, tables: list[str]) -> None:
    """DuckDB's own reader of JSON."""
    import duckdb

    connection: Any = duckdb.connect("bench.duckdb")
    kinds = {"id": "BIGINT", "region": "VARCHAR", "amount": "DECIMAL(12,2)", "note": "VARCHAR"}
    row = "STRUCT(id BIGINT, region VARCHAR, amount DECIMAL(12,2), note VARCHAR)"
    fields = {"seq": "BIGINT", "op": "VARCHAR", "relation": "VARCHAR", "before": row, "after": row}
    connection.execute("CREATE SCHEMA IF NOT EXISTS s1")
    for name in tables:
        if step == "sums":
            print(connection.execute(SUMS.format(target=f"s1.{name}")).fetchall())
        elif step == "nothing":
            connection.execute("SELECT 1").fetchall()
        elif step == "first":
            read = f"read_json('source/{name}.jsonl', columns = {kinds}, {LINES})"
            connection.execute(f"CREATE TABLE s1.{name} AS SELECT * FROM {read} WHERE {FILTER}")
        else:
            read = f"read_json('changes/*.jsonl', columns = {fields}, {LINES})"
            where = f"(SELECT * FROM {read} WHERE relation = 'public.{name}') AS c"
            connection.execute(MERGE.format(target=f"s1.{name}", changes=where))
    connection.close()


def main() -> None:
    """Runs one step."""
    target, tuned, step, *tables = sys.argv[1:]
    if target == "duckdb":
        duck(step, tables)
    else:
        spark(target, tuned == "1", step, tables)


if __name__ == "__main__":
    main()
