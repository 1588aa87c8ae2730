"""Ctrl-C while an embedded Spark is at work."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.spark

_INTERRUPTED = """
import signal
from filtersql.targets.embedded import own_session

signal.signal(signal.SIGINT, signal.default_int_handler)
session = own_session(1, {}, ())
print("started", flush=True)
try:
    session.sql("SELECT SUM(a.id * b.id) FROM RANGE(10000000) AS a, RANGE(10000000) AS b").collect()
except KeyboardInterrupt:
    print("interrupted")
"""

_BORROWED = """
import signal
from pyspark.sql import SparkSession
from filtersql.targets.session import Session

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
before = signal.getsignal(signal.SIGINT)
spark.conf.set("spark.databricks.delta.commitInfo.userMetadata", "mine")
session = Session(spark, "delta", None, None)
session.borrow()
print("started", flush=True)
try:
    session.rows("SELECT SUM(a.id * b.id) FROM RANGE(10000000) AS a, RANGE(10000000) AS b")
except KeyboardInterrupt:
    session.close()
    assert signal.getsignal(signal.SIGINT) is before
    assert spark.conf.get("spark.databricks.delta.commitInfo.userMetadata") == "mine"
    print("interrupted")
"""


@pytest.mark.parametrize("program", [_INTERRUPTED, _BORROWED], ids=["own", "user's"])
def test_ctrl_c_while_java_is_at_work_is_told_as_that(program: str) -> None:
    """Not as a statement that Spark refused, nor by tracebacks, nor at the statement's end."""
    command = [sys.executable, "-c", program]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        said, told = process.communicate(timeout=60)
        assert (said, "Traceback" in told) == ("interrupted\n", False), told
