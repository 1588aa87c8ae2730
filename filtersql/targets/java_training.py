"""Makes the file of Java's classes: `python -m filtersql.targets.java_training [--nice]`.

A Spark starts, does a little of what a run does on Delta and on Iceberg, and ends: Java then writes
the classes that it has loaded.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from filtersql.exclusive import alone
from filtersql.targets.embedded import own_session
from filtersql.targets.jars import are_cached
from filtersql.targets.java_archive import archive_file

__all__ = ["main"]

#: so many are kept: those of other Pythons and Javas are in use, too
_KEPT = 3
_LONGEST_END = 120
_TABLES = {
    "spark_catalog": "CREATE TABLE shop.held (a INT, b STRING, c DOUBLE, d TIMESTAMP) USING delta",
    "lake": "CREATE TABLE shop.held (a INT, b STRING, c DOUBLE, d TIMESTAMP) USING iceberg",
}
_STATEMENTS = (
    "INSERT INTO shop.held VALUES (1, 'a', 1.5, CURRENT_TIMESTAMP()), (2, 'b', 2, NULL)",
    "SELECT COUNT(*), COUNT(DISTINCT a), SUM(CASE WHEN b IS NULL THEN 1 END) FROM shop.held",
    "MERGE INTO shop.held AS t USING ("
    "  SELECT * FROM ("
    "    SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY d DESC) AS n,"
    "      LEAD(b) OVER (PARTITION BY a ORDER BY d DESC) AS before,"
    "      COALESCE(b = 'a' AND c >= 1, FALSE) AS matches"
    "    FROM shop.held) WHERE n = 1"
    ") AS s ON t.a = s.a"
    " WHEN MATCHED AND NOT s.matches THEN DELETE"
    " WHEN MATCHED THEN UPDATE SET b = s.before"
    " WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a)",
)


def main(arguments: list[str]) -> None:
    """Make the file where it is missing; another process that makes it is waited for."""
    if "--nice" in arguments and hasattr(os, "nice"):
        os.nice(19)
    file = archive_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    with alone(file.parent):
        if file.exists() or not are_cached():
            return
        file.with_suffix(".tried").touch()
        for left in file.parent.glob("*.new"):
            left.unlink()
        fresh = file.with_suffix(f".{os.getpid()}.new")
        os.environ["SPARK_SUBMIT_OPTS"] = f'"-XX:ArchiveClassesAtExit={fresh.as_posix()}"'
        try:
            with tempfile.TemporaryDirectory() as folder:
                _train(Path(folder))
            with fresh.open("rb") as written:
                os.fsync(written.fileno())
            fresh.replace(file)
        finally:
            fresh.unlink(missing_ok=True)
        _tidy(file.parent)


def _train(folder: Path) -> None:
    """Work in a folder, and wait until Java has ended. Raises where it does not end well."""
    lake = "spark.sql.catalog.lake"
    conf = {
        "spark.driver.memory": "512m",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        lake: "org.apache.iceberg.spark.SparkCatalog",
        f"{lake}.type": "hadoop",
        f"{lake}.warehouse": str(folder / "lake"),
    }
    spark = own_session(1, conf, ())
    gateway = spark.sparkContext._gateway
    try:
        for catalog, table in _TABLES.items():
            spark.catalog.setCurrentCatalog(catalog)
            for statement in ("CREATE SCHEMA shop", table, *_STATEMENTS):
                spark.sql(statement).collect()
            rows, path = spark.table("shop.held"), str(folder / "staged" / catalog)
            rows.write.parquet(path)
            spark.read.schema(rows.schema).parquet(path).createOrReplaceTempView("staged")
            spark.sql("SELECT * FROM staged WHERE a > 1").collect()
        with suppress(Exception):  # it does not answer
            gateway.jvm.System.exit(0)
        if gateway.proc.wait(_LONGEST_END):
            raise OSError("Java was ended, and what it wrote is not whole")
    except BaseException:
        gateway.proc.kill()
        raise


def _tidy(folder: Path) -> None:
    """Keep the files that were used last."""
    every = sorted(folder.glob("*.jsa"), key=lambda one: one.stat().st_mtime_ns)
    for old in every[:-_KEPT]:
        old.unlink()
        old.with_suffix(".tried").unlink(missing_ok=True)


if __name__ == "__main__":
    main(sys.argv[1:])
