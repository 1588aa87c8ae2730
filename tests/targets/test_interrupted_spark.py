"""Ctrl-C while an embedded Spark is at work."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from interpreting import mapped

pytestmark = pytest.mark.spark

#: what each program begins with: something is done once Java is at work
_AT_WORK = """
import threading, time

def at_work(spark, then, *words):
    def wait():
        while not spark.sparkContext.statusTracker().getActiveJobsIds():
            time.sleep(0.05)
        then(*words)

    threading.Thread(target=wait).start()

def say_so():
    print("started", flush=True)
"""
_INTERRUPTED = """
import signal
from filtersql.targets.embedded import own_session

signal.signal(signal.SIGINT, signal.default_int_handler)
session = own_session(1, {}, ())
at_work(session, say_so)
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
at_work(spark, say_so)
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
    command, environment = [sys.executable, "-c", _AT_WORK + program], mapped()
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGINT)
        said, told = process.communicate(timeout=60)
        assert (said, "Traceback" in told) == ("interrupted\n", False), told


_ENDED = """
import os, signal
from filtersql.errors import Mistakes
from filtersql.targets.embedded import own_session
from filtersql.targets.session import Session
from filtersql.targets.session_settings import during

spark = own_session(1, {}, ())
session = Session(spark, "delta", None, None)
session.define("v", "SELECT 1")
at_work(spark, os.kill, spark.sparkContext._gateway.proc.pid, signal.SIGKILL)
for work in (
    lambda: session.rows("SELECT SUM(a.id * b.id) FROM RANGE(9999999) AS a, RANGE(9999999) AS b"),
    lambda: during(spark, {"spark.sql.shuffle.partitions": "1"}).__enter__(),
    session.close,
):
    try:
        work()
        print("done")
    except Mistakes as refused:
        print(refused.mistakes[0].message)
"""


def test_a_java_that_ends_is_told_as_that() -> None:
    """By what was asked, by what is asked then, and not by what tidies up."""
    ended = subprocess.run(
        [sys.executable, "-c", _AT_WORK + _ENDED],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    words = "Spark ended in the middle of its work"
    assert ended.stdout.splitlines() == [words, words, "done"], ended.stderr
