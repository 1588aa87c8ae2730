"""A Spark Connect server: statements and Arrow batches over gRPC.

Example
    `{type: spark, method: connect, url: "sc://spark.example.org:15002", token: …, use_ssl: true}`

    PySpark's client sends a request again when a connection broke off, also one whose first sending
    may have arrived; here it is told not to. Ctrl-C interrupts what is running.
"""

from __future__ import annotations

import logging
import re
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import grpc
from msgspec import Struct
from pyspark.errors import PySparkException
from pyspark.sql.connect.client import DefaultChannelBuilder
from pyspark.sql.connect.session import SparkSession
from sqlglot import exp

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.reaching import HOST_UNKNOWN
from filtersql.errors.targets import (
    CERTIFICATE_REFUSED,
    NO_ANSWER,
    SIGN_IN_REFUSED,
    UNREACHABLE,
    UNREADABLE_CERTIFICATE,
    UNSUPPORTED_TARGET,
    ConnectionLost,
)
from filtersql.feeds.staging import StagedColumn
from filtersql.targets.arrow_work import ANSWERS, answer_batches
from filtersql.targets.refusals import reason_of, spark_refusal
from filtersql.targets.server_work import Sent
from filtersql.targets.starting import not_there
from filtersql.targets.uploading import inline_query

if TYPE_CHECKING:
    import pyarrow

__all__ = ["ConnectLine", "connect"]

#: what a package without types gives
_Grpc = Any
_Spark = Any

_SERVER = "the Spark Connect server"
_GONE = re.compile(r"StatusCode\.UNAVAILABLE|SESSION_(?:CHANGED|CLOSED|NOT_FOUND)")
_DETAILS = re.compile(r'\n\s*details = "(.*)"')
_SLOW = re.compile(r"timed out|DEADLINE_EXCEEDED|before receiving SETTINGS frame")
_PORT = 15002
_CONNECT_SECONDS = 30.0
#: a peer that is gone is noticed though it sends nothing
_CHANNEL = [("grpc.keepalive_time_ms", 60_000), ("grpc.keepalive_timeout_ms", 60_000)]


class _Place(Struct, frozen=True):
    """Where the server is: the output's url, and what its other keys add."""

    url: str
    host: str
    port: int
    token: str | None
    tls: bool
    authority: Path | None
    certificate: Path | None
    key: Path | None
    seconds: float

    @property
    def shown(self) -> str:
        return f"{self.host}:{self.port}"


def connect(settings: Mapping[str, object], root: Path, conf: Mapping[str, str]) -> ConnectLine:
    """Open a session in which settings are in force. Raises Mistakes with exit code 2."""
    place = _place(settings, root)
    _knock(place)
    logging.getLogger("SQLQueryContextLogger").disabled = True

    try:
        session = SparkSession.builder.channelBuilder(_builder(place, settings)).create()
        session.client.set_retry_policies([])
        session.client.disable_reattachable_execute()
        line = ConnectLine(session, lambda: connect(settings, root, conf))
        _ = session.version  # the first request: only now is it known that somebody answers
        for name, value in conf.items():
            session.conf.set(name, value)
    except Exception as error:
        raise Mistakes([_not_opened(place, error)]) from None
    return line


def _place(settings: Mapping[str, object], root: Path) -> _Place:
    url = str(settings["url"])
    address, _, rest = url.partition("/;")
    parts = urlsplit(address)
    if parts.scheme != "sc" or not parts.hostname:
        hint = 'Write url: "sc://host:15002".'
        raise Mistakes([UNSUPPORTED_TARGET(what="a Spark Connect url of that form", hint=hint)])
    said = dict(pair.partition("=")[::2] for pair in rest.split(";") if pair)
    token = settings.get("token") or unquote(said.get("token", "")) or None
    tls = settings.get("use_ssl")
    if tls is None:
        tls = said.get("use_ssl", "").lower() == "true"
    if settings.get("verify_server") is False:
        hint = "Name the authority of the server's certificate: ca_cert: path/to/ca.pem."
        raise Mistakes(
            [UNSUPPORTED_TARGET(what='"verify_server: false" with method: connect', hint=hint)]
        )

    def file(name: str) -> Path | None:
        return None if settings.get(name) is None else root / str(settings[name])

    return _Place(
        url,
        parts.hostname,
        parts.port or _PORT,
        None if token is None else str(token),
        bool(tls) or (token is not None and parts.hostname != "localhost"),
        file("ca_cert"),
        file("client_cert"),
        file("client_key"),
        float(str(settings.get("connect_timeout") or _CONNECT_SECONDS)),
    )


def _knock(place: _Place) -> None:
    """Try a plain connection first: of one that fails, gRPC says neither why nor soon."""
    try:
        with socket.create_connection((place.host, place.port), place.seconds) as plain:
            if not place.tls:
                return
            context = ssl.create_default_context(cafile=place.authority)
            if place.certificate:
                context.load_cert_chain(place.certificate, place.key)
            context.set_alpn_protocols(["h2"])
            with context.wrap_socket(plain, server_hostname=place.host):
                return
    except ssl.SSLError as error:
        why = error.reason or error.strerror or ""
        raise Mistakes(
            [CERTIFICATE_REFUSED(place=place.shown, reason=why, host=place.host)]
        ) from None
    except FileNotFoundError as error:
        names, why = [str(error.filename)], str(error.strerror)
        raise Mistakes([UNREADABLE_CERTIFICATE(names=names, reason=why)]) from None
    except OSError as error:
        raise Mistakes([_not_opened(place, error)]) from None


def _builder(place: _Place, settings: Mapping[str, object]) -> _Grpc:
    class Builder(DefaultChannelBuilder):  # type: ignore[misc]
        """PySpark's, with an authority of the user's own."""

        def toChannel(self) -> _Grpc:  # noqa: N802 - PySpark's name
            if place.token is not None:
                self.set(self.PARAM_TOKEN, place.token)
            if not place.tls:
                return super().toChannel()
            files = (place.authority, place.key, place.certificate)
            credentials = grpc.ssl_channel_credentials(
                *(None if path is None else path.read_bytes() for path in files)
            )
            if place.token is not None:
                call = grpc.access_token_call_credentials(place.token)
                credentials = grpc.composite_channel_credentials(credentials, call)
            return self._secure_channel(self.endpoint, credentials)

    # gRPC's word for how long a connection may take to stand
    patience = ("grpc.min_reconnect_backoff_ms", int(place.seconds * 1000))
    builder = Builder(place.url, channelOptions=[*_CHANNEL, patience])
    if settings.get("user") is not None:
        builder.set(builder.PARAM_USER_ID, str(settings["user"]))
    return builder


def _not_opened(place: _Place, error: Exception) -> Mistake:
    text = str(error)
    if "UNAUTHENTICATED" in text or "PERMISSION_DENIED" in text:
        return SIGN_IN_REFUSED(place=place.shown, who="the token")
    if isinstance(error, ConnectionRefusedError):
        return not_there(_SERVER, "connect", place.host, place.port)
    if isinstance(error, socket.gaierror):
        return HOST_UNKNOWN(engine=_SERVER, place=place.shown, reason=error.strerror or "")
    if _SLOW.search(text):
        return NO_ANSWER(engine=_SERVER, place=place.shown, seconds=f"{place.seconds:g}")
    return UNREACHABLE(engine=_SERVER, reason=f"{place.shown}: {_first_line(text)}")


def _first_line(text: str) -> str:
    """What went wrong, out of gRPC's description of a request that failed."""
    details = _DETAILS.search(text)
    return (details[1] if details else reason_of(text)).splitlines()[0]


class ConnectLine(Struct):
    """A session of a Connect server."""

    session: Any
    again: Callable[[], ConnectLine]
    method: str = "Connect"
    lost: bool = False
    trips: int = 0
    #: how many batches of rows were sent
    sent: int = 0

    def ask(self, statement: str) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Run a statement; the names of its result's columns, and its rows."""
        self.trips += 1
        with self._refusals():
            frame = self.session.sql(statement)
            rows = frame.collect()
            names = rows[0].__fields__ if rows else frame.columns
            return tuple(names), [tuple(row) for row in rows]

    def stream(self, statement: str) -> Iterator[tuple[object, ...]]:
        """The rows of a query, a batch of Arrow at a time."""
        self.trips += 1
        with self._refusals():
            for row in self.session.sql(statement).toLocalIterator():
                yield tuple(row)

    def local(
        self, rows: pyarrow.Table, columns: Sequence[StagedColumn]
    ) -> tuple[str, tuple[str, ...]]:
        """A query of a temporary view over the rows, which travel as Arrow; the view."""
        if not rows.num_rows:
            return inline_query(rows, columns), ()  # PySpark makes no frame without a row
        self.sent += 1
        name = f"filtersql_sent__{self.sent}"
        with self._refusals():
            self.session.createDataFrame(rows).createOrReplaceTempView(name)
        typed = [
            exp.alias_(
                exp.cast(exp.column(f"c{index}"), column.sql_type, dialect="spark"), f"c{index}"
            )
            for index, column in enumerate(columns)
        ]
        return exp.select(*typed).from_(name).sql("spark"), (name,)

    def worked(self, query: str, sent: Sent) -> list[tuple[int, bytes]]:
        """What sent work answers to each partition of a query's rows, on the server."""
        self.trips += 1
        with self._refusals():
            rows = self.session.sql(query)
            told = rows.mapInArrow(partial(answer_batches, sent, rows.schema), ANSWERS).toArrow()
        return list(zip(*(column.to_pylist() for column in told.columns), strict=True))

    def beside(self) -> ConnectLine:
        """Another session of the same server."""
        return self.again()

    def interrupt(self) -> None:
        """Cancel what is running and end the session."""
        self.lost = True
        with suppress(Exception):
            self.session.interruptAll()
        with suppress(Exception):
            self.session.stop()

    def close(self) -> None:
        """End the session."""
        if not self.lost:
            self.lost = True
            with suppress(Exception):
                self.session.stop()

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """The server's errors as one mistake; anything else ends what is running there."""
        if self.lost:
            raise Mistakes([ConnectionLost(_SERVER, "the connection was lost before")])
        try:
            yield
        except (grpc.RpcError, PySparkException) as error:
            if isinstance(error, grpc.RpcError) or _GONE.search(str(error)):
                self.lost = True
                raise Mistakes([ConnectionLost(_SERVER, _first_line(str(error)))]) from None
            raise Mistakes([spark_refusal(str(error))]) from None
        except GeneratorExit:
            raise  # who reads a stream has read enough of it
        except BaseException:
            self.interrupt()
            raise
