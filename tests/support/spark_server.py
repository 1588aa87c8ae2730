"""A Spark that serves: Thrift in every way of speaking that the tests need, and Connect.

Run by itself it starts one Java process with Delta, Iceberg and a Derby metastore in the folder
that it is given, then a Thrift server for each of `ways`, and prints a line when all listen.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from interpreting import mapped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

READY = "LISTENING"
_JOBS = "JOBS "
_LONGEST_START = 240


@dataclass(frozen=True, slots=True)
class SparkServer:
    """A running server: its folder, and the port of each way to speak to it."""

    folder: Path
    ports: Mapping[str, int]
    process: subprocess.Popen[str]

    def jobs(self) -> int:
        """How many jobs it is working at, for whichever session."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("jobs\n")
        self.process.stdin.flush()
        while not (line := self.process.stdout.readline()).startswith(_JOBS):
            assert line, "the server is gone"
        return int(line.removeprefix(_JOBS))


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens at."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@contextmanager
def serving(
    folder: Path,
    ways: Mapping[str, Mapping[str, str]],
    *,
    tables: bool = True,
    conf: Mapping[str, str] | None = None,
) -> Iterator[SparkServer]:
    """Start a server. `ways` holds the Hive settings of each Thrift server by a name of its own."""
    from filtersql.targets.jars import jars

    numbers = free_ports(len(ways) + 1)
    ports = dict(zip((*ways, "connect"), numbers, strict=True))
    said = {
        "folder": str(folder),
        "jars": [str(path) for path in jars({})] if tables else [],
        "connect": ports["connect"],
        "conf": dict(conf or {}),
        "ways": {
            name: {**settings, _PORT[settings.get(_MODE, "binary")]: str(ports[name])}
            for name, settings in ways.items()
        },
    }
    log = (folder / "server.log").open("wb")
    process = subprocess.Popen(
        [sys.executable, __file__, json.dumps(said)],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        env={
            **mapped(),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
        },
    )
    try:
        _wait(process, folder)
        yield SparkServer(folder, ports, process)
    finally:
        assert process.stdin is not None
        process.stdin.close()  # the script ends with its input
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()
        log.close()


_MODE = "hive.server2.transport.mode"
_PORT = {"binary": "hive.server2.thrift.port", "http": "hive.server2.thrift.http.port"}


def _wait(process: subprocess.Popen[str], folder: Path) -> None:
    heard: list[str] = []

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if READY in line:
                heard.append(line)
                return  # the rest are answers

    threading.Thread(target=listen, daemon=True).start()
    end = time.monotonic() + _LONGEST_START
    while not heard:
        if process.poll() is not None or time.monotonic() > end:
            log = (folder / "server.log").read_text(errors="replace")
            raise AssertionError(f"the Spark server did not start:\n{log[-4000:]}")
        time.sleep(0.1)


def main(said: dict) -> None:
    """Start everything; end with the input."""
    from pyspark.sql import SparkSession

    folder = Path(said["folder"])
    settings = {
        "spark.master": "local[2]",
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Plans are described for a page that nobody sees.
        "spark.sql.ui.explainMode": "simple",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.jars": ",".join(said["jars"]),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
        # Most of what its many small statements leave is gone before it has to be copied.
        "spark.driver.extraJavaOptions": f"-Xmn512m -Dderby.system.home={folder / 'derby'}",
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(said["connect"]),
        "spark.sql.shuffle.partitions": "2",
        **(_TABLES if said["jars"] else {}),
        "spark.sql.catalog.lake.warehouse": str(folder / "lakehouse"),
        **said["conf"],
    }
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    for way in said["ways"].values():
        # Hive keeps settings by Java thread; py4j has one for each of ours.
        thread = threading.Thread(target=start, args=(spark, way))
        thread.start()
        thread.join()
    print(READY, flush=True)
    for _ in sys.stdin:
        active = spark.sparkContext.statusTracker().getActiveJobsIds()
        print(f"{_JOBS}{len(active)}", flush=True)
    os._exit(0)


def start(spark: SparkSession, way: Mapping[str, str]) -> None:
    """Start one Thrift server."""
    thrift = spark._jvm.org.apache.spark.sql.hive.thriftserver.HiveThriftServer2
    for name, value in {**_EVERY_WAY, **way}.items():
        spark.conf.set(name, value)
        if ".ldap." in name:  # asked for at each sign-in, and not of the session
            spark._jvm.System.setProperty(name, value)
    thrift.startWithSparkSession(spark._jsparkSession, False)
    for name in way:
        spark.conf.unset(name)


_EVERY_WAY = {
    "hive.server2.thrift.bind.host": "127.0.0.1",
    # Each thread makes a metastore of its own, which takes longer than a statement: a few threads
    # that stay, in place of another one for each of the first hundred statements.
    "hive.server2.async.exec.threads": "8",
    "hive.server2.async.exec.keepalive.time": "3600s",
}
_TABLES = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.lake.type": "hadoop",
    "spark.databricks.delta.snapshotPartitions": "1",
}

if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
