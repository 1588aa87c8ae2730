"""From an output of profiles.yml to a connection: `open_engine(output, root)`.

Example
    ============================================= =========================================
    {type: duckdb, path: shop.duckdb}             duckdb_file.connect
    {type: spark, method: session, format: delta} embedded.own_session, or the active session
    {type: spark, method: thrift, host: …}        thrift.connect
    {type: spark, method: connect, url: sc://…}   connect.connect
    ============================================= =========================================
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, Protocol

from sqlglot import exp

from filtersql.errors import Mistakes
from filtersql.errors.reaching import JAR_NOT_THERE, MISSING_EXTRA
from filtersql.errors.targets import LIKE_MISSES, UNSUPPORTED_TARGET, HiddenFunctions
from filtersql.names import is_url
from filtersql.source import Span
from filtersql.targets.line import FINDS, Line, server_version
from filtersql.targets.model import AT_ONCE, Engine
from filtersql.targets.remote import Remote

__all__ = ["OutputLike", "open_engine"]

#: the libraries that a server is spoken to with
_EXTRAS = {
    "thrift": ("impala", "thrift", "thrift_sasl"),
    "connect": ("grpc", "grpc_status", "google.rpc", "pandas", "zstandard"),
}


class OutputLike(Protocol):
    """What is asked of an output (project.Output)."""

    @property
    def type(self) -> str:
        """`spark` or `duckdb`."""
        ...

    @property
    def method(self) -> str | None:
        """`session`, `thrift` or `connect`."""
        ...

    @property
    def format(self) -> str | None:
        """`delta` or `iceberg`."""
        ...

    @property
    def catalog(self) -> str | None:
        """The catalog of the targets."""
        ...

    @property
    def threads(self) -> int | None:
        """How many tasks may run at once."""
        ...

    @property
    def settings(self) -> Mapping[str, object]:
        """Everything as it is written."""
        ...

    @property
    def span(self) -> Span:
        """Its place."""
        ...


def open_engine(output: OutputLike, root: Path, *, writes: bool = True) -> Engine:
    """Connect. Raises Mistakes with exit code 2 when the engine cannot be reached.

    Where nothing `writes`, a DuckDB file that is not there stays so: an empty one is in memory.
    """
    if output.type == "duckdb":
        from filtersql.targets.duckdb_file import connect

        path, extensions = (output.settings.get(name) for name in ("path", "extensions"))
        file = None if path in (None, ":memory:") else root / str(path)
        return connect(
            file if file is None or writes or file.exists() else None,
            _texts(output.settings.get("settings")),
            [str(name) for name in extensions] if isinstance(extensions, list) else [],
            output.span,
        )
    if output.type == "spark" and (output.method or "session") == "session":
        return _session(output, root)
    if output.type == "spark" and output.method in ("thrift", "connect"):
        return _remote(output, root)
    what = f'target type "{output.type}" with method "{output.method}"'
    hint = "Use method: session, thrift or connect, or type: duckdb."
    raise Mistakes([UNSUPPORTED_TARGET(output.span, what=what, hint=hint)])


def _remote(output: OutputLike, root: Path) -> Engine:
    """A server's session; the paths of its catalog are the server's."""
    said = output.settings
    given = _texts(said.get("spark_conf"))
    conf = _catalog(output, None) | given
    prefix = f"spark.sql.catalog.{output.catalog}"
    if not said.get("catalog_config") and not any(name.startswith(prefix) for name in given):
        # The catalog is the server's own: of which class it is, and whether there is one.
        conf.pop(prefix, None)
    line: Line
    if output.method == "thrift":
        _check_extra("thrift")
        from filtersql.targets import thrift, transports

        line = thrift.connect(transports.address(said, root), conf)
    else:
        _check_extra("connect")
        # What gRPC would write to the terminal is in the message.
        os.environ.setdefault("GRPC_VERBOSITY", "NONE")
        from filtersql.targets import connect

        line = connect.connect(said, root, conf)
    staging = said.get("staging_path")
    return Remote(
        line,
        server_version(line),
        _format(output),
        output.catalog,
        # without "..": paths below it are known by its text
        staging=None if staging is None else Path(os.path.abspath(root / str(staging))),
        state_schema=str(said.get("state_schema") or "filtersql"),
    )


def _check_extra(method: str) -> None:
    """Raises Mistakes where a library that a method needs is not installed."""
    if not all(map(_is_installed, _EXTRAS[method])):
        raise Mistakes([MISSING_EXTRA(what=f"method: {method}", extra=method)])


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _session(output: OutputLike, root: Path) -> Engine:
    from filtersql.targets import cluster, embedded, session, warehouse

    table_format = _format(output)
    if table_format == "iceberg" and output.catalog is None:
        hint = 'Say catalog: lake and catalog_config: {type: hadoop, warehouse: "lakehouse"}.'
        raise Mistakes(
            [UNSUPPORTED_TARGET(output.span, what="format iceberg without a catalog", hint=hint)]
        )
    conf = _catalog(output, root) | _texts(output.settings.get("spark_conf"))
    spark = embedded.users_session()
    place, folder, own = None, None, spark is None
    if spark is None:
        if table_format == "delta" and output.catalog is None:
            place = str(output.settings.get("warehouse") or "warehouse")
            place = place if is_url(place) else str((root / place).resolve())
            # Otherwise Spark leaves an empty folder of its own where the command was called.
            conf = {"spark.sql.warehouse.dir": place} | conf
        extra = output.settings.get("jars")
        names = tuple(map(str, extra)) if isinstance(extra, list) else ()
        if lost := [name for name in names if not (root / name).is_file()]:
            raise Mistakes([JAR_NOT_THERE(output.span, path=name) for name in lost])
        spark = embedded.own_session(output.threads, conf, tuple(root / name for name in names))
        if place is not None:
            folder = warehouse.kept_in(place, spark)
            warehouse.forget_others(spark, folder)
    elif hidden := embedded.hidden_functions(spark):
        raise Mistakes([HiddenFunctions(hidden, "Spark", "spark.udf.register() of this session")])
    if spark.sql(exp.select(FINDS).sql("spark")).collect() != [(True,)]:
        raise Mistakes([LIKE_MISSES(version=spark.version)])
    # A user's own session is not copied where nobody asks for it.
    at_once = min(AT_ONCE, os.cpu_count() or 1) if own else 1
    engine = session.Session(
        spark, table_format, output.catalog, folder,
        given=frozenset(conf) if own else None, targets_at_once=at_once,
    )  # fmt: skip
    cluster.check_seen(spark, engine.staging)
    if folder is None:
        engine.configure({n: v for n, v in conf.items() if n.startswith("spark.sql.catalog.")})
    if not own:
        engine.borrow()
    return engine


def _format(output: OutputLike) -> Literal["delta", "iceberg"]:
    match output.format:
        case None | "delta":
            return "delta"
        case "iceberg":
            return "iceberg"
        case other:
            what = f'table format "{other}"'
            hint = 'Supported formats are "delta" and "iceberg".'
            raise Mistakes([UNSUPPORTED_TARGET(output.span, what=what, hint=hint)])


def _catalog(output: OutputLike, root: Path | None) -> dict[str, str]:
    """The settings of the profile's catalog; a warehouse without a scheme is below `root`."""
    config = _texts(output.settings.get("catalog_config"))
    if output.catalog is None or (output.format != "iceberg" and not config):
        return {}
    prefix = f"spark.sql.catalog.{output.catalog}"
    kind = config.pop("class", "org.apache.iceberg.spark.SparkCatalog")
    if root is not None and "warehouse" in config and not is_url(config["warehouse"]):
        config["warehouse"] = str((root / config["warehouse"]).resolve())
    # a catalog that keeps tables does not see what another session has committed meanwhile
    config = {"cache-enabled": "false"} | config if output.format == "iceberg" else config
    return {prefix: kind, **{f"{prefix}.{name}": value for name, value in config.items()}}


def _texts(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    return {
        str(name): str(item).lower() if isinstance(item, bool) else str(item)
        for name, item in value.items()
    }
