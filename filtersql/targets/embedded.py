"""Starting the embedded Spark: one Java process, quiet, with the jars of Delta and Iceberg.

Example
    A process starts Spark once. Each connection is a session of its own beside it, so that several
    projects in one process have each its settings, views and Iceberg catalogs.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from pyspark import SparkContext
from pyspark.sql import SparkSession

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.reaching import JAVA_CUT_DOWN
from filtersql.errors.targets import UNREACHABLE
from filtersql.targets.jars import jars
from filtersql.targets.java import check_java, remedy
from filtersql.targets.java_archive import JAVA_OPTIONS, forget, keep_later, mapping

__all__ = ["adopting", "hidden_functions", "interruptible", "own_session", "users_session"]

#: marks the Java process that filtersql started
_OWN = "spark.filtersql.embedded"
_FUNCTIONS = ("org.apache.spark.sql.catalyst.", "org.apache.spark.sql.delta.")
_QUIET = """status = error
rootLogger.level = error
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %p %c{1}: %m%n
"""
#: Most of a short run's CPU time is Java's optimizing compiler (92 s of CPU became 61 s for a first
#: and a second run of two tables): it starts ten times later, so that long runs still get it.
_JAVA_OPTIONS = (
    "-XX:+UseSerialGC",
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
    "-XX:Tier4BackEdgeThreshold=400000",
)
_BROKEN_OFF = "A fatal error has been detected by the Java Runtime Environment"
_SETTINGS: Mapping[str, str] = {
    "spark.app.name": "filtersql",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Spark describes each plan for the page that nobody sees: in short that is cheaper.
    "spark.sql.ui.explainMode": "simple",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # Delta's default of 50 partitions, and Spark's 200, make small tables slow; adaptive execution
    # splits what is large.
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.shuffle.partitions": "4",
    # Dates before 1582 are written as they are read.
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
}


def users_session() -> SparkSession | None:
    """The SparkSession that the process has already and that filtersql did not start."""
    active = _active()
    if active is None or active.sparkContext.getConf().get(_OWN) is not None:
        return None
    return active


def _active() -> SparkSession | None:
    """The session that is active here; else the one of the process, which becomes it.

    Java keeps it by its own threads: another thread has none, nor has one that lost its connection,
    as Ctrl-C makes it.
    """
    active = SparkSession.getActiveSession()
    if active is None and SparkContext._active_spark_context is not None:
        active = SparkSession.builder.getOrCreate()
        active._jvm.SparkSession.setActiveSession(active._jsparkSession)
    return active


def adopting() -> Callable[[], object]:
    """What makes the session that is active here the active one of the thread that calls it."""
    active = _active()
    if active is None:
        return lambda: None
    known, java = active._jvm.SparkSession, active._jsparkSession
    return lambda: known.setActiveSession(java)


def hidden_functions(session: SparkSession) -> list[str]:
    """The names of Spark's own under which spark.udf.register() put functions of the user."""
    found = {one.name: one.className for one in session.catalog.listFunctions()}
    others = {n: c for n, c in found.items() if not str(c).startswith(_FUNCTIONS)}
    if not others:
        return []
    known = {one.name: one.className for one in session.newSession().catalog.listFunctions()}
    return sorted(n for n, c in others.items() if known.get(n, c) != c)


def own_session(
    threads: int | None, spark_conf: Mapping[str, str], extra_jars: tuple[Path, ...]
) -> SparkSession:
    """A new session of the Spark that this process started; starts it the first time."""
    settings = {**_SETTINGS, _OWN: "true", **spark_conf}
    settings.setdefault("spark.master", f"local[{threads or min(os.cpu_count() or 2, 8)}]")
    if (running := _active()) is not None:
        return _beside(running, settings)
    check_java()
    given = [*extra_jars, *map(Path, filter(None, spark_conf.get("spark.jars", "").split(",")))]
    settings["spark.jars"] = ",".join(map(str, (*jars(spark_conf, given), *given)))
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    own = spark_conf.get(JAVA_OPTIONS)
    with _quiet() as (options, log):
        try:
            if own is None:
                root = _mapped(builder, options, log)
            else:
                root = builder.config(JAVA_OPTIONS, f"{options} {own}").getOrCreate()
        except Exception as error:
            raise Mistakes([_not_started(_told(log, error))]) from None
    root.sparkContext.setLogLevel("OFF")
    interruptible()
    if own is None:
        keep_later()
    return _beside(root, settings)


def interruptible() -> Callable[[], object]:
    """Ctrl-C is told as that while Java is at work, too, until the returned function is called.

    pyspark's handler cancels the jobs by a call of its own; where the thread waits for another
    call's answer, that one fails, and its words would be taken for those of a statement.
    """
    cancel = signal.getsignal(signal.SIGINT)
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or not getattr(cancel, "__module__", "").startswith("pyspark."):
        return lambda: None

    def interrupted(number: int, frame: FrameType | None) -> None:
        logging.getLogger().addFilter(_not_of_py4j)
        with suppress(Exception):
            if callable(cancel):
                cancel(number, frame)
        raise KeyboardInterrupt

    def put_back() -> None:
        here = threading.current_thread() is threading.main_thread()
        if here and signal.getsignal(signal.SIGINT) is interrupted:
            signal.signal(signal.SIGINT, cancel)

    signal.signal(signal.SIGINT, interrupted)
    return put_back


def _not_of_py4j(told: logging.LogRecord) -> bool:
    """py4j writes tracebacks of the requests that are broken off into the root's log."""
    return told.module != "java_gateway"


def _mapped(builder: SparkSession.Builder, options: str, log: Path) -> SparkSession:
    """Started with the file of Java's classes; without it where Java breaks off at that file."""
    given, mapped = " ".join((options, *_JAVA_OPTIONS)), mapping()
    try:
        return builder.config(JAVA_OPTIONS, f"{given} {mapped}").getOrCreate()
    except Exception:
        if not mapped or _BROKEN_OFF not in log.read_text(encoding="utf-8", errors="replace"):
            raise
        forget()
        return builder.config(JAVA_OPTIONS, given).getOrCreate()


def _not_started(reason: str) -> Mistake:
    if "FindException: Module" in reason:
        return JAVA_CUT_DOWN(reason=reason, remedy=remedy())
    return UNREACHABLE(engine="Spark", reason=reason)


def _beside(root: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    session = root.newSession()
    for name, value in settings.items():
        # A later project of the process may want other settings than the one that started Spark.
        if name.startswith("spark.sql.") and session.conf.isModifiable(name):
            session.conf.set(name, value)
    return session


@contextmanager
def _quiet() -> Iterator[tuple[str, Path]]:
    """What Java writes while it starts goes to a file; its later errors to nobody's terminal."""
    folder = Path(tempfile.mkdtemp(prefix="filtersql-log-"))
    config = folder / "log4j2.properties"
    config.write_text(_QUIET, encoding="utf-8", newline="\n")
    log = folder / "spark.log"
    saved = [(number, os.dup(number)) for number in (1, 2)]
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        with log.open("wb") as stream:
            for number, _ in saved:
                os.dup2(stream.fileno(), number)
        yield f"-Dlog4j2.configurationFile={config.as_uri()}", log
    finally:
        for number, copy in saved:
            os.dup2(copy, number)
            os.close(copy)


def _told(log: Path, error: Exception) -> str:
    lines = [
        line.strip()
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines()
        if line.strip()
    ]
    told = [line for line in lines if "Exception" in line or "Error" in line]
    return (told or lines or [str(error)])[-1]
