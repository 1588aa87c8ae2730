"""A Spark Connect server: statements and Arrow batches over gRPC.

Example
    `{type: spark, method: connect, url: "sc://spark.example.org:15002", token: …, use_ssl: true}`

    PySpark's client sends a request again when a connection broke off, also one whose first sending
    may have arrived; here it is told not to. Ctrl-C interrupts what is running; it never meets gRPC
    itself, whose channel would wait for the end of a call that was only half begun.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import grpc
from msgspec import Struct
from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession
from sqlglot import exp

from filtersql.errors import Mistakes
from filtersql.errors.targets import ConnectionLost
from filtersql.feeds.staged_files import StagedColumn
from filtersql.targets.arrow_work import ANSWERS, answer_batches
from filtersql.targets.connect_address import (
    SERVER,
    channel_builder,
    first_line,
    knock,
    not_opened,
    place_of,
)
from filtersql.targets.refusals import spark_refusal
from filtersql.targets.server_work import Sent
from filtersql.targets.spark_rows import arrow_rows
from filtersql.targets.uploading import inline_query

if TYPE_CHECKING:
    import pyarrow

__all__ = ["ConnectLine", "connect"]

_Answer = TypeVar("_Answer")
_GONE = re.compile(r"StatusCode\.UNAVAILABLE|SESSION_(?:CHANGED|CLOSED|NOT_FOUND)")
#: rows that are taken from an answer at a time
_STREAMED = 5_000


def connect(settings: Mapping[str, object], root: Path, conf: Mapping[str, str]) -> ConnectLine:
    """Open a session in which settings are in force. Raises Mistakes with exit code 2."""
    place = place_of(settings, root)
    knock(place)
    logging.getLogger("SQLQueryContextLogger").disabled = True

    try:
        session = SparkSession.builder.channelBuilder(channel_builder(place, settings)).create()
        session.client.set_retry_policies([])
        session.client.disable_reattachable_execute()
        line = ConnectLine(session, lambda: connect(settings, root, conf))
        _apart(partial(_begin, session, conf))
    except Exception as error:
        raise Mistakes([not_opened(place, error)]) from None
    return line


def _begin(session: SparkSession, conf: Mapping[str, str]) -> None:
    _ = session.version  # the first request: only now is it known that somebody answers
    for name, value in conf.items():
        session.conf.set(name, value)


def _apart(work: Callable[[], _Answer]) -> _Answer:
    """What some work gives, in a thread of its own where Ctrl-C would meet this one."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    answer: Future[_Answer] = Future()

    def do() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:  # whoever waits raises it
            answer.set_exception(error)

    threading.Thread(target=do, name="filtersql-connect", daemon=True).start()
    return answer.result()


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
            return _apart(partial(self._asked, statement))

    def _asked(self, statement: str) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        frame = self.session.sql(statement)
        try:
            rows = frame.collect()
        except (OverflowError, ValueError):
            return tuple(frame.columns), arrow_rows(frame)  # Python has no such day
        names = rows[0].__fields__ if rows else frame.columns
        return tuple(names), [tuple(row) for row in rows]

    def stream(self, statement: str) -> Iterator[tuple[object, ...]]:
        """The rows of a query, some thousand at a time."""
        self.trips += 1
        with self._refusals():
            rows = _apart(lambda: iter(self.session.sql(statement).toLocalIterator()))
            while some := _apart(lambda: list(islice(rows, _STREAMED))):
                yield from map(tuple, some)

    def local(
        self, rows: pyarrow.Table, columns: Sequence[StagedColumn]
    ) -> tuple[str, tuple[str, ...]]:
        """A query of a temporary view over the rows, which travel as Arrow; the view."""
        if not rows.num_rows:
            return inline_query(rows, columns), ()  # PySpark makes no frame without a row
        self.sent += 1
        name = f"filtersql_sent__{self.sent}"
        with self._refusals():
            _apart(lambda: self.session.createDataFrame(rows).createOrReplaceTempView(name))
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
            told = _apart(partial(self._worked, query, sent))
        return list(zip(*(column.to_pylist() for column in told.columns), strict=True))

    def _worked(self, query: str, sent: Sent) -> pyarrow.Table:
        rows = self.session.sql(query)
        return rows.mapInArrow(partial(answer_batches, sent, rows.schema), ANSWERS).toArrow()

    def beside(self) -> ConnectLine:
        """Another session of the same server."""
        return self.again()

    def interrupt(self) -> None:
        """Cancel what is running and end the session."""
        self.lost = True
        with suppress(Exception):
            _apart(self.session.interruptAll)
        with suppress(Exception):
            _apart(self.session.stop)

    def close(self) -> None:
        """End the session."""
        if not self.lost:
            self.lost = True
            with suppress(Exception):
                _apart(self.session.stop)

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """The server's errors as one mistake; anything else ends what is running there."""
        if self.lost:
            raise Mistakes([ConnectionLost(SERVER, "the connection was lost before")])
        try:
            yield
        except (grpc.RpcError, PySparkException) as error:
            if isinstance(error, grpc.RpcError) or _GONE.search(str(error)):
                self.lost = True
                raise Mistakes([ConnectionLost(SERVER, first_line(str(error)))]) from None
            raise Mistakes([spark_refusal(str(error))]) from None
        except GeneratorExit:
            raise  # who reads a stream has read enough of it
        except BaseException:
            self.interrupt()
            raise
