"""What a Spark that runs elsewhere is asked: one statement, or a script, and its rows.

Example
    line.ask("SELECT 1 AS a")       (("a",), [(1,)])

    `thrift.ThriftLine` speaks to a Thrift server, `connect.ConnectLine` to a Spark Connect server.
    `remote.Remote` makes an engine of either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from sqlglot import exp

from filtersql.errors import Mistakes
from filtersql.errors.targets import LIKE_MISSES, SPARK_TOO_OLD
from filtersql.feeds.staged_files import StagedColumn
from filtersql.targets.server_work import Sent

if TYPE_CHECKING:
    import pyarrow

__all__ = ["FINDS", "Line", "server_version"]

_OLDEST = 4
#: false where LIKE takes such a character apart, as in Spark 4.0.1 and 4.1.0
FINDS = "'\N{GRINNING FACE}x' LIKE '\N{GRINNING FACE}_'"


class Line(Protocol):
    """A session of a server. Every method raises errors.Mistakes when the server refuses."""

    #: how the server is reached, in messages: `Thrift`
    method: str
    #: whether the session is gone: nothing more can be asked
    lost: bool
    #: how many statements were sent
    trips: int

    def ask(self, statement: str) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Run a statement; the names of its result's columns, and its rows."""
        ...

    def stream(self, statement: str) -> Iterator[tuple[object, ...]]:
        """The rows of a query, of which few are in memory at a time."""
        ...

    def local(
        self, rows: pyarrow.Table, columns: Sequence[StagedColumn]
    ) -> tuple[str, tuple[str, ...]]:
        """A query that gives rows of this process to the server, as columns c0, c1 and so on.

        Beside it stand the temporary views that it reads.
        """
        ...

    def worked(self, query: str, sent: Sent) -> list[tuple[int, bytes]] | None:
        """What sent work answers to each partition of a query's rows, on the server.

        None where it would not be given the same rows.
        """
        ...

    def beside(self) -> Line:
        """Another session of the same server."""
        ...

    def interrupt(self) -> None:
        """Cancel what is running, from another thread, and end the session."""
        ...

    def close(self) -> None:
        """End the session."""
        ...


def server_version(line: Line) -> str:
    """The version of the server's Spark. Raises SPARK_TOO_OLD, LIKE_MISSES."""
    ((told, finds),) = line.ask(exp.select(exp.func("VERSION"), FINDS).sql("spark"))[1]
    version = str(told).split()[0]
    if int(version.split(".")[0]) < _OLDEST:
        line.close()
        raise Mistakes([SPARK_TOO_OLD(version=version)])
    if not finds:
        line.close()
        raise Mistakes([LIKE_MISSES(version=version)])
    return version
