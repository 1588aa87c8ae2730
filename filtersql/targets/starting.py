"""What to do where nothing listens: on this machine, the command that starts such a server.

Example
    >>> not_there("Spark", "connect", "spark.example.org", 15002).hint
    "Is the server up? Compare host and port of the output with the server's."
"""

from __future__ import annotations

from filtersql.errors import Mistake
from filtersql.errors.reaching import NOTHING_LISTENS
from filtersql.targets.jars import COORDINATES

__all__ = ["not_there"]

_HERE = ("localhost", "127.0.0.1", "::1")
#: the program of each method, and where it is told its port
_PROGRAMS = {
    "thrift": (
        "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2",
        "--hiveconf hive.server2.thrift.port",
    ),
    "connect": (
        "org.apache.spark.sql.connect.service.SparkConnectServer",
        "--conf spark.connect.grpc.binding.port",
    ),
}
_EXTENSIONS = (
    "io.delta.sql.DeltaSparkSessionExtension",
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
)
_CATALOG = "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog"


def not_there(engine: str, method: str, host: str, port: int) -> Mistake:
    """The mistake of a port that refuses connections."""
    remedy = "Is the server up? Compare host and port of the output with the server's."
    if host in _HERE:
        remedy = f"Is the server up? This starts one: {_command(method, port)}"
    return NOTHING_LISTENS(engine=engine, place=f"{host}:{port}", remedy=remedy)


def _command(method: str, port: int) -> str:
    program, says_port = _PROGRAMS[method]
    return (
        f"spark-submit --packages {','.join(COORDINATES)} "
        f"--conf spark.sql.extensions={','.join(_EXTENSIONS)} --conf {_CATALOG} "
        f"--class {program} {says_port}={port}"
    )
