"""What a Spark that runs elsewhere is asked: one statement, or a script, and its rows.

Example
    line.ask("SELECT 1 AS a")       (("a",), [(1,)])

    `thrift.ThriftLine` speaks to a Thrift server, `connect.ConnectLine` to a Spark Connect server.
    `remote.Remote` makes an engine of either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sqlglot import exp

from filtersql.errors import Mistakes
from filtersql.errors.targets import LIKE_MISSES, SPARK_TOO_OLD
from filtersql.feeds.staging import StagedColumn
from filtersql.targets.model import Cluster

if TYPE_CHECKING:
    import pyarrow

__all__ = ["FINDS", "Line", "ServerCluster", "server_version"]

_OLDEST = 4
#: false where LIKE takes such a character apart, as in Spark 4.0.1 and 4.1.0
FINDS = "'\N{GRINNING FACE}x' LIKE '\N{GRINNING FACE}_'"


class ServerCluster(Cluster, Protocol):
    """The processes of a server that run Python, and see a folder of this machine."""

    def copied(self, pieces: str, copies: Mapping[str, Path]) -> list[tuple[str, int, int]] | None:
        """Write files that they read to paths of the folder; None where it cannot be done there.

        `pieces` is a query of path, size, place and base64. Of each file that was written: its URL,
        its size, and how many bytes were written.
        """
        ...


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

    def cluster(self, folder: Path) -> ServerCluster | None:
        """The server's processes that run Python and see a folder; None where there are none."""
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
