"""What Java has loaded once, kept in a file: Sparks of the tests that start later map it.

    python tests/support/java_archive.py FILE      makes the file, in half a minute

A Spark that starts and writes one Delta table takes 16 s of CPU, and 10 with it: Java need not
find, check and link some 15,000 classes. It takes no file that another Java or class path made.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

__all__ = ["MAPPED", "make"]


def _file() -> Path:
    """In pytest's cache: one for each Java and each Spark."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None) or ""
    key = f"{Path(java).resolve()} {version('pyspark')}"
    folder = Path(__file__).parents[2] / ".pytest_cache" / "java"
    return folder / f"{sha256(key.encode()).hexdigest()[:16]}.jsa"


FILE = _file()
#: options of a Java that takes it, where it is there and fits, and else says nothing
MAPPED = f"-XX:SharedArchiveFile={FILE} -Xshare:auto -Xlog:disable"


def make() -> None:
    """Begins to make the file in a process of its own, which ends before this one."""
    if not FILE.exists():
        FILE.parent.mkdir(parents=True, exist_ok=True)
        process = subprocess.Popen(
            [sys.executable, __file__, str(FILE)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        atexit.register(process.wait)


def main(file: Path) -> None:
    """Starts Spark, has it write a table, and ends it as Java ends by itself."""
    from filtersql.targets.embedded import own_session

    fresh = file.with_suffix(f".{os.getpid()}")
    given = os.environ.get("SPARK_SUBMIT_OPTS", "").replace(MAPPED, "")
    os.environ["SPARK_SUBMIT_OPTS"] = f"{given} -XX:ArchiveClassesAtExit={fresh}"
    with tempfile.TemporaryDirectory() as folder:
        spark = own_session(2, {}, ())
        spark.sql(f"CREATE TABLE t (a INT, b STRING) USING delta LOCATION '{folder}/t'")
        spark.sql("INSERT INTO t VALUES (1, 'a')")
        spark.sql(
            "MERGE INTO t USING (SELECT 1 AS a, 'b' AS b) AS s ON t.a = s.a"
            " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )
        spark.sql("SELECT a, COUNT(*) OVER (PARTITION BY b) FROM t").collect()
        gateway = spark.sparkContext._gateway
        with suppress(Exception):  # it does not answer
            gateway.jvm.System.exit(0)
        gateway.proc.wait()
    fresh.replace(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
