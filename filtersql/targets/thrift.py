"""A Spark Thrift server: one session on one connection, each statement polled until it is done.

Example
    `{type: spark, method: thrift, host: spark.example.org, auth: LDAP, user: etl, use_ssl: true}`

    No request is sent twice: what was asked on a connection that broke off may be going on, and a
    MERGE must not be. Ctrl-C cancels the statement and ends the session, on a connection of its
    own: the broken off answer of the first one could not be read.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from impala._thrift_gen.TCLIService.ttypes import (
    TCancelOperationReq,
    TCloseSessionReq,
    TOperationState,
)
from impala.error import Error, OperationalError
from sqlglot import exp
from thrift.Thrift import TException

from filtersql.errors import Mistakes
from filtersql.errors.targets import DATABASE_MISSING, ConnectionLost
from filtersql.feeds.staged_files import StagedColumn
from filtersql.targets.refusals import spark_refusal
from filtersql.targets.script_work import answers_of, is_plain, script_query
from filtersql.targets.server_work import Sent
from filtersql.targets.statements import in_parentheses, table
from filtersql.targets.table_statements import table_name
from filtersql.targets.thrift_service import SERVER, not_opened, service_of
from filtersql.targets.transports import Address
from filtersql.targets.uploading import inline_query

if TYPE_CHECKING:
    import pyarrow

__all__ = ["ThriftLine", "connect"]

#: what a package without types gives
_Thrift = Any

_DONE = ("FINISHED_STATE", "CANCELED_STATE", "CLOSED_STATE", "ERROR_STATE", "TIMEDOUT_STATE")
#: seconds between looks at a statement: the first ones come soon
_FIRST_LOOK, _LAST_LOOK = 0.01, 1.0
_WORDLESS_LOOKS = 5
_ROWS_FETCHED = 10_000


def connect(to: Address, settings: Mapping[str, str]) -> ThriftLine:
    """Open a session in which settings are in force. Raises Mistakes with exit code 2."""
    # What the package would write to the terminal is in the message.
    logging.getLogger("thrift").addHandler(logging.NullHandler())
    service, opened = service_of(to)
    given = {f"set:hiveconf:{name}": value for name, value in settings.items()}
    try:
        session = service.open_session(to.user, given)
    except Exception as error:
        raise Mistakes([not_opened(to, error, to.answer_timeout)]) from None
    line = ThriftLine(to, settings, service, session, opened)
    if to.database is not None:
        _use(line, to.database)
    return line


def _use(line: ThriftLine, database: str) -> None:
    """A statement: what a session does while it opens neither quotes a name nor sees all jars."""
    try:
        line.ask(exp.Use(this=table(table_name(None, database.split(".")), "spark")).sql("spark"))
    except Mistakes as refused:
        line.close()
        if any(isinstance(each, ConnectionLost) for each in refused.mistakes):
            raise
        raise Mistakes(
            [DATABASE_MISSING(name=database, reason=refused.mistakes[0].message)]
        ) from None


@dataclass(slots=True)
class ThriftLine:
    """A session of a Thrift server."""

    to: Address
    settings: Mapping[str, str]
    service: Any
    session: Any
    opened: Any
    method: str = "Thrift"
    lost: bool = False
    trips: int = 0
    #: the running statement
    operation: Any = field(default=None, repr=False)

    def ask(self, statement: str) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Run a statement; the names of its result's columns, and its rows."""
        found: list[tuple[object, ...]] = []
        with self._refusals(), self._running(statement) as (operation, schema):
            for batch in _batches(operation, schema):
                found += batch
            return tuple(column[0] for column in schema), found

    def stream(self, statement: str) -> Iterator[tuple[object, ...]]:
        """The rows of a query, some thousand at a time."""
        with self._refusals(), self._running(statement) as (operation, schema):
            for batch in _batches(operation, schema):
                yield from batch

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """The server's errors as one mistake; anything else ends what is running there."""
        if self.lost:
            raise Mistakes([ConnectionLost(SERVER, "the connection was lost before")])
        self.trips += 1
        try:
            yield
        except (TException, OSError, EOFError) as error:
            self.lost = True
            why = str(error) or type(error).__name__
            raise Mistakes([ConnectionLost(SERVER, why.splitlines()[0])]) from None
        except Error as error:
            raise Mistakes([spark_refusal(str(error))]) from None
        except GeneratorExit:
            raise  # who reads a stream has read enough of it
        except BaseException:
            self.interrupt()
            raise

    def local(
        self, rows: pyarrow.Table, columns: Sequence[StagedColumn]
    ) -> tuple[str, tuple[str, ...]]:
        """A query that holds the rows itself; it reads no view."""
        return inline_query(rows, columns), ()

    def worked(self, query: str, sent: Sent) -> list[tuple[int, bytes]] | None:
        """What sent work answers to each partition of a query's rows, by a script on the server."""
        described = self.ask(exp.Describe(this=in_parentheses(query)).sql("spark"))[1]
        if not is_plain([str(kind) for _, kind, *_ in described]):
            return None
        return answers_of(self.ask(script_query(query, len(described), sent))[1])

    def beside(self) -> ThriftLine:
        """Another session of the same server."""
        return connect(self.to, self.settings)

    def close(self) -> None:
        """End the session."""
        if not self.lost:
            self.lost = True
            with suppress(Exception):
                self.session.close()
        with suppress(Exception):
            self.opened.close()

    @contextmanager
    def _running(self, statement: str) -> Iterator[tuple[_Thrift, Sequence[Sequence[Any]]]]:
        """A statement that is done, with the columns of its result, until that was read."""
        self.operation = None
        self.operation = operation = self.session.execute(statement, run_async=True)
        try:
            self._wait(operation)
            yield operation, operation.get_result_schema() or []
        except (Error, GeneratorExit):
            self._end(operation)
            raise
        # Otherwise half of an answer may stand in the connection: nothing is asked there any more.
        self._end(operation)

    def _end(self, operation: _Thrift) -> None:
        self.operation = None
        with suppress(Exception):
            operation.close()

    def _wait(self, operation: _Thrift) -> None:
        pause, patience = _FIRST_LOOK, _WORDLESS_LOOKS
        while True:
            answer = operation.get_state()
            state = TOperationState._VALUES_TO_NAMES[answer.operationState]
            if state == "FINISHED_STATE":
                return
            if state == "ERROR_STATE" and not answer.errorMessage and patience:
                patience -= 1  # Spark says that there is an error a moment before it says which
            elif state in _DONE:
                raise OperationalError(answer.errorMessage or state)
            time.sleep(pause)
            pause = min(pause * 1.5, _LAST_LOOK)

    def interrupt(self) -> None:
        """Cancel what is running and end the session, on a connection of its own."""
        self.lost = True
        with suppress(Exception):
            service, opened = service_of(self.to)
            if self.operation is not None:
                handle = self.operation.handle
                service._rpc("CancelOperation", TCancelOperationReq(operationHandle=handle))
            service._rpc("CloseSession", TCloseSessionReq(sessionHandle=self.session.handle))
            opened.close()
        with suppress(Exception):
            self.opened.close()


def _batches(
    operation: _Thrift, schema: Sequence[Sequence[object]]
) -> Iterator[list[tuple[object, ...]]]:
    """The rows of a result; a statement that gives none has a column that holds nothing."""
    lists = [index for index, column in enumerate(schema) if column[1] == "ARRAY"]
    while schema:
        try:
            batch = list(operation.fetch(schema, _ROWS_FETCHED))
        except IndexError:
            return
        if not batch:
            return
        yield [_with_lists(row, lists) for row in batch] if lists else batch


def _with_lists(row: tuple[object, ...], lists: Sequence[int]) -> tuple[object, ...]:
    """Lists travel as JSON."""
    values = list(row)
    for index in lists:
        if isinstance(text := values[index], str | bytes):
            values[index] = json.loads(text)
    return tuple(values)
