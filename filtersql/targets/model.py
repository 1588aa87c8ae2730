"""What a runner asks of an engine: statements, rows, staged files, and a position with the data.

Example
    with engine.transaction():
        engine.view("filtersql_changes__public__t1", staged, columns, above=120, upto=140)
        engine.stage("filtersql_stage__1", compiled.merge_source_sql)
        engine.write(merge, compiled, Mark("s1", compiled.relation, 1, 140))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from filtersql.feeds.staged_files import StagedColumn
from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import Engine as Dialect
from filtersql.targets.marks import Mark, Slot, Written
from filtersql.targets.splitting import Split
from filtersql.targets.workers import Cluster, Store

__all__ = ["AT_ONCE", "Config", "Engine", "Rows", "Undone"]

#: so many targets are worked at at a time, each in a session of its own
AT_ONCE = 4
#: what `target_config` says of a table
Config = dict[str, object]
Rows = list[tuple[object, ...]]


class Undone(Exception):
    """Ends a transaction of which nothing is kept; whoever began it goes on."""


class Engine(Protocol):
    """A connection to an engine; every method raises errors.Mistakes when the engine refuses."""

    @property
    def dialect(self) -> Dialect:
        """The dialect of its statements."""
        ...

    @property
    def title(self) -> str:
        """Its name in messages: `Spark 4.1.4 with Delta`."""
        ...

    @property
    def atomic(self) -> bool:
        """Whether `transaction` holds all tables and the state together."""
        ...

    @property
    def targets_at_once(self) -> int:
        """How many targets are worked at at a time where nothing is said."""
        ...

    @property
    def cluster(self) -> Cluster | None:
        """Its own processes; None where there is nothing but this process."""
        ...

    @property
    def store(self) -> Store | None:
        """What it reads by URLs; None where it reads nothing so."""
        ...

    @property
    def sent_rows(self) -> int:
        """How many rows a server could not read where they were, and had to be sent."""
        ...

    def execute(self, statement: str) -> None:
        """Run a statement."""
        ...

    def guard(self, query: str) -> None:
        """Let the next statement be run only if a query does not raise, whoever waits for it."""
        ...

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """The rows of a query."""
        ...

    def stream(self, statement: str) -> Iterator[tuple[object, ...]]:
        """The rows of a query, of which few are in memory at a time, where the engine can.

        No other statement is run before the last row was taken.
        """
        ...

    def configure(self, settings: dict[str, str]) -> None:
        """Set what the meaning of statements depends on, and check that it is in force."""
        ...

    def size(self, split: Split) -> None:
        """Set how work is split, until the connection ends; no result changes."""
        ...

    def bytes_of(self, parts: Sequence[str]) -> int | None:
        """How many bytes a table has; None where that is not known."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing, where the engine can; otherwise nothing."""
        ...

    def view(
        self,
        name: str,
        path: Path,
        columns: Sequence[StagedColumn],
        *,
        above: int | None = None,
        upto: int | None = None,
    ) -> None:
        """A temporary view over a staged file, of the changes above and up to a position."""
        ...

    def define(self, name: str, query: str) -> None:
        """A temporary view of a query."""
        ...

    def stage(self, name: str, query: str) -> tuple[str, ...]:
        """Keep a query's rows under a temporary name; its columns."""
        ...

    def rows_of(self, parts: Sequence[str], columns: Sequence[str]) -> Rows | None:
        """All rows of a table of numbers and texts; None where the table does not exist."""
        ...

    def table_sql(self, parts: Sequence[str]) -> str:
        """A table's name, quoted, in the catalog of the targets."""
        ...

    def exists(self, parts: Sequence[str]) -> bool:
        """Whether a table of that (schema, name) exists in the catalog of the targets."""
        ...

    def columns(self, parts: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """The names and types of a table's columns; none where the table does not exist."""
        ...

    def names(self, schema: str) -> frozenset[str]:
        """The names of the tables of a schema, folded: as many of them as the engine lists."""
        ...

    def create(self, parts: Sequence[str], definitions: str, config: Config) -> None:
        """Make a table, in place of one that exists; `config` is a subscription's target_config."""
        ...

    def begin(self, parts: Sequence[str], query: str, slot: Slot | None = None) -> None:
        """Make a table of a query's rows and columns, in one commit; they fill the slot.

        Raises Mistakes where it exists: another process may have made it in the meantime.
        """
        ...

    def replacing(
        self, parts: Sequence[str], definitions: str, config: Config, query: str, stage: str
    ) -> tuple[str, str]:
        """What makes a table of a query's rows, in place of one that exists, in one commit.

        Also as it is executed where the stage holds these rows.
        """
        ...

    def append(
        self,
        parts: Sequence[str],
        columns: Sequence[str],
        rows: Sequence[Sequence[object]],
        slot: Slot,
        then: str,
    ) -> list[tuple[object, ...]]:
        """Add rows in one commit; none, or an error, where another process filled the slot.

        What the query `then` gives afterwards tells which of it.
        """
        ...

    def join_files(self, parts: Sequence[str]) -> None:
        """Write the many small files of a table as few; what it holds stays as it is."""
        ...

    def drop(self, parts: Sequence[str]) -> None:
        """Remove a table and its data."""
        ...

    def discard(self, parts: Sequence[str]) -> None:
        """Drop a table of this process's own, at the latest when what was staged is forgotten."""
        ...

    def write(self, statement: str, compiled: CompiledTable, mark: Mark) -> Written | None:
        """Run a MERGE, INSERT or DELETE and commit the mark with it; None: it was there before."""
        ...

    def committed(self, parts: Sequence[str]) -> Mark | None:
        """The newest mark that stands with a table's data; None where there is no table."""
        ...

    def marks(self, parts: Sequence[str]) -> Sequence[Mark]:
        """The marks of a table's newest commits, the newest first, where an engine keeps them."""
        ...

    def is_marked(self, parts: Sequence[str]) -> bool:
        """Whether a mark stands with the newest commit of a table's rows: nobody else wrote since.

        False where that is not known.
        """
        ...

    def beside(self) -> Engine:
        """Another session of the same engine, for another thread. Not asked of atomic ones."""
        ...

    def interrupt(self) -> None:
        """Stop what another thread is running here; nothing more can be asked."""
        ...

    def clear(self) -> None:
        """Forget temporary views and staged rows."""
        ...

    def close(self) -> None:
        """End the connection."""
        ...
