"""Mistakes about engines: not reachable, not able, or holding something unexpected."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording

#: what is wrong outside of the project ends with exit code 2
_outside = partial(Wording, exit_code=2)

UNREACHABLE = _outside("could not reach {engine}", detail="{reason:stop}")
# A DuckDB file that another process has open: its lock is a run's lease.
FILE_IN_USE = _outside(
    'another process has the DuckDB file "{path}"',
    detail="{who} has it open. This run wrote nothing.",
    hint="Wait until it ends; when it dies, the file is free at once.{look}",
)
TURN_TAKEN = _outside(
    'another thread of this process has the DuckDB file "{path}"',
    detail="It did not close it within {seconds} s. This one wrote nothing.",
    hint="Call one method after the other, or each in a process of its own.",
)
# Somebody takes the connection, or nobody, and says nothing.
NO_ANSWER = _outside(
    "could not reach {engine}",
    detail="{place} did not answer within {seconds} s.",
    hint="Is it this kind of server, and does it await TLS? `connect_timeout` and `socket_timeout` "
    "say how long to wait.",
)
# The server does not know the user, or not with that password or token.
SIGN_IN_REFUSED = _outside(
    "could not reach the Spark server",
    detail="{place} refused {who}.",
    hint="Compare user, password, token and auth of the output with the server's.",
)
# Kerberos gives no ticket for the server: nobody signed in, or the service is not known.
NO_TICKET = _outside(
    "could not reach the Spark Thrift server",
    detail="Kerberos gave no ticket for {place}: {reason:stop}",
    hint='Sign in with kinit. The server is taken to be the service "{service}", which '
    "`kerberos_service_name` changes, on the host that the output names.",
)
CERTIFICATE_REFUSED = _outside(
    "could not reach the Spark server",
    detail="The TLS connection to {place} was refused: {reason:stop}",
    hint='Name the file of the authority that signed the certificate of "{host}": ca_cert: '
    "path/to/ca.pem. Without TLS at the server, say use_ssl: false.",
)
# A file of ca_cert, client_cert or client_key.
UNREADABLE_CERTIFICATE = _outside(
    "could not reach the Spark server",
    detail="A certificate file ({names:listed}) is unusable: {reason:stop}",
)
SPARK_TOO_OLD = _outside(
    "could not reach the Spark server",
    detail="Spark 4.0 or newer is needed, and it is {version:stop}",
)
LIKE_MISSES = _outside(
    "LIKE of Spark {version} does not find characters beyond U+FFFF",
    detail="Filters would leave out rows that PostgreSQL sends.",
    hint="Update Spark: releases since 4.0.3 and 4.1.2 find them.",
)


class ConnectionLost(Mistake):
    """The connection broke off; nothing is asked a second time."""

    exit_code = 2

    def __init__(self, engine: str, reason: str) -> None:
        super().__init__(
            f"lost the connection to {engine}",
            detail=f"{reason.rstrip('.')}.",
            hint="What was being written may yet be committed. The next run reads the mark that "
            "stands with the data, and goes on from there.",
        )


# An output asks for something that does not exist (yet).
UNSUPPORTED_TARGET = _outside("{what} is not supported")


class SettingRefused(Mistake):
    """The engine does not take a setting that the meaning of the statements depends on."""

    exit_code = 2

    def __init__(self, name: str, wanted: str, found: str) -> None:
        super().__init__(
            f'setting "{name}" must be "{wanted}"',
            detail=f'The engine keeps it at "{found}".',
        )


class HiddenFunctions(Mistake):
    """Functions that the target or the session defines are found before those of the engine."""

    exit_code = 2

    def __init__(self, names: Sequence[str], engine: str, where: str) -> None:
        some = ", ".join(f'"{name}"' for name in names)
        super().__init__(
            f"{where} hides {engine}'s own {'function' if len(names) == 1 else 'functions'} {some}",
            detail="Statements would mean something else.",
            hint="Give it another name." if len(names) == 1 else "Give them other names.",
        )


SPARK_TABLE_ON_DUCKDB = Wording(
    'table "{table}" does not exist in the DuckDB file',
    hint="A DuckDB output reads files and the tables of its own file.",
)

# Of a cut that was intended nothing tells whether it was applied.
LOST_MARK = Wording(
    "whether the changes of the last run are in {target} is not known any more",
    detail="Its snapshots were expired up to one that is behind that run. The mark that told it "
    "went with them.",
    hint="Fill it anew: filtersql run --resync TABLE. Let expire_snapshots keep those of two days: "
    "a run that finds a mark of the day before writes down what it told.",
)


class EngineRefused(Mistake):
    """The engine answered a statement with an error."""

    def __init__(self, engine: str, reason: str, doing: str | None = None) -> None:
        first, _, rest = reason.strip().partition("\n")
        self.engine, self.reason = engine, first
        super().__init__(
            f"{engine} refused {doing or 'a statement'}: {first}",
            detail=rest.strip() or None,
        )


class SchemaNamedAsFile(EngineRefused):
    """DuckDB calls an open file by its name, and a schema of the same name is not to be told."""

    def __init__(self, reason: str) -> None:
        super().__init__("DuckDB", reason)
        self.hint = 'The file has the name of a schema: give "path" in profiles.yml another one.'


class SparkRefused(EngineRefused):
    """Spark did, and `remedy` says what may help."""

    exit_code = 2
    doing: ClassVar[str | None] = None
    remedy: ClassVar[str]

    def __init__(self, reason: str) -> None:
        super().__init__("Spark", reason, self.doing)
        self.hint = self.remedy


class TableChanged(SparkRefused):
    """Somebody else wrote to a table while a statement did; the engine let one of them win."""

    doing = "a commit"
    remedy = "Another writer changed the table meanwhile; the next run goes on from there."


# The output's `database` is none, or the user may not use it.
DATABASE_MISSING = _outside(
    'could not reach database "{name}" of the Spark Thrift server',
    detail="{reason:stop}",
    hint="Compare `database` of the output with what SHOW SCHEMAS lists at the server, or leave "
    "it out: targets are named in full.",
)


class AppliedTwice(Mistake):
    """A statement of a run that was killed went on, and was committed beside its repetition."""

    def __init__(self, table: str, subscription: str, position: int | None) -> None:
        what = "the initial copy" if position is None else f"the changes up to {position}"
        super().__init__(
            f'{what} of subscription "{subscription}" stand twice in {table}',
            detail="A run was killed, the server went on with its statement, and committed it "
            "though the next run had done the same.",
            hint="Fill the target anew with run --resync.",
        )


class FormatMissing(SparkRefused):
    """The server has no Delta or no Iceberg, or not where the output says."""

    remedy = (
        "The server needs the jars of Delta or Iceberg, spark.sql.extensions and the catalog: "
        "spark.sql.catalog.spark_catalog for Delta, spark.sql.catalog.<name> for Iceberg."
    )


class CatalogMissing(EngineRefused):
    """The output names a catalog that the engine does not have."""

    exit_code = 2

    def __init__(self, name: str, reason: str) -> None:
        super().__init__("Spark", reason)
        self.message = f'Spark has no catalog "{name}"'
        self.detail = reason
        self.hint = (
            "Compare `catalog` of the output with spark.sql.catalog.<name> at the server, or let "
            "the output bring its settings: catalog_config: {type: rest, uri: …}."
        )


class CatalogFailed(SparkRefused):
    """What refused is not Spark's SQL: a catalog, a disk or Java."""

    remedy = (
        "The words are of its catalog, its storage or Java. Look at `catalog_config` of the "
        "output or spark.sql.catalog.<name>.* at the server (an Iceberg catalog without a "
        "`type` is a Hive metastore's), at whether that place can be reached and written to, "
        "and at the server's log."
    )


class NameRefused(SparkRefused):
    """A catalog that cannot hold a name."""

    exit_code = 1
    doing = "a name"
    remedy = (
        "The catalog of the output cannot hold it. Give the target a name of letters, digits "
        "and _, or use another catalog."
    )
