"""DuckDB as an engine without one transaction for all targets, and a process that dies in it.

Example
    engine = OneByOne(connect(None).connection, kill_at=2, after=True)
    world.run(engine)          # raises Killed behind the second commit
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from unittest import mock

from filtersql.targets.duckdb import DuckDB
from filtersql.targets.marks import read_mark
from filtersql.targets.model import Engine

__all__ = ["Killed", "OneByOne", "killed_behind_a_write"]


class Killed(BaseException):
    """The process dies here."""


@contextlib.contextmanager
def killed_behind_a_write(engine: Engine) -> Iterator[None]:
    """The process dies once the engine has committed a statement."""
    write = type(engine).write

    def dying(self: Engine, *asked: object) -> None:
        found = write(self, *asked)  # type: ignore[arg-type]
        raise Killed from AssertionError(str(found))

    with mock.patch.object(type(engine), "write", dying), contextlib.suppress(Killed):
        yield


class OneByOne(DuckDB):
    """DuckDB that commits table by table and marks each commit, as Delta and Iceberg do.

    `kill_at` counts the commits; the process dies before or after that one.
    """

    atomic = False

    def __init__(self, connection, kill_at: int = 0, after: bool = False) -> None:
        super().__init__(connection)
        self.kill_at, self.after, self.commits = kill_at, after, 0
        self.execute("CREATE TABLE IF NOT EXISTS marks (target VARCHAR, mark VARCHAR, n BIGINT)")

    @contextlib.contextmanager
    def transaction(self):
        yield

    @contextlib.contextmanager
    def _commit(self):
        self.commits += 1
        if self.commits == self.kill_at and not self.after:
            raise Killed
        with super().transaction():
            yield
        if self.commits == self.kill_at:
            raise Killed

    def execute(self, statement):
        if "ledger" in statement or '"definitions"' in statement:
            with self._commit():
                super().execute(statement)
        else:
            super().execute(statement)

    def create(self, parts, definitions, config):
        with self._commit():
            super().create(parts, definitions, config)

    def begin(self, parts, query, slot=None):
        with self._commit():
            super().begin(parts, query, slot)

    def append(self, parts, columns, rows, slot, then):
        filled = "SELECT count(*) FROM filtersql.ledger WHERE subscription = ? AND ordinal >= ?"
        found = self.connection.execute(filled, [slot.subscription, slot.ordinal]).fetchone()
        if found == (0,):
            return super().append(parts, columns, rows, slot, then)
        return self.rows(then)

    def drop(self, parts):
        with self._commit():
            super().drop(parts)

    def write(self, statement, compiled, mark):
        with self._commit():
            self.connection.execute(
                "INSERT INTO marks SELECT ?, ?, count(*) FROM marks",
                [self.table_sql(compiled.target), mark.text],
            )
            return super().write(statement, compiled, mark)

    def is_marked(self, parts):
        return self.committed(parts) is not None

    def marks(self, parts):
        query = "SELECT mark FROM marks WHERE target = ? ORDER BY n DESC"
        found = self.connection.execute(query, [self.table_sql(parts)]).fetchall()
        return [read_mark(text) for (text,) in found]

    def committed(self, parts):
        return next(iter(self.marks(parts)), None)
