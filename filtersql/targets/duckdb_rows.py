"""What a statement of DuckDB gives: rows, also where its client has no Python value for one.

Example
    ========================= ========================= ==================
    value                     DuckDB's client           `python_rows`
    ========================= ========================= ==================
    TIMESTAMP WITH TIME ZONE  asks for pytz             a moment in UTC
    DATE 'infinity'           9999-12-31                infinity
    DATE '0044-03-15 (BC)'    a text of its own         0044-03-15 BC
    ========================= ========================= ==================

    Of what the client makes a doubtful day of, Arrow has the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

import duckdb

from filtersql.errors import Mistakes
from filtersql.errors.targets import EngineRefused, SchemaNamedAsFile
from filtersql.feeds.datetimes import python_values
from filtersql.targets.marks import Written
from filtersql.targets.model import Rows
from filtersql.targets.refusals import reason_of

__all__ = ["merged", "python_rows", "refusals"]


@contextmanager
def refusals() -> Iterator[None]:
    """What DuckDB refuses within becomes Mistakes."""
    try:
        yield
    except duckdb.Error as error:
        reason = reason_of(str(error))
        named = "Ambiguous reference to catalog or schema" in reason
        refused = SchemaNamedAsFile(reason) if named else EngineRefused("DuckDB", reason)
        raise Mistakes([refused]) from None


def python_rows(
    connection: duckdb.DuckDBPyConnection, statement: str, result: duckdb.DuckDBPyConnection
) -> Rows:
    """All rows of a statement's result; a day that Python has not is PostgreSQL's text of it."""
    kinds = [str(column[1]) for column in result.description or ()]
    if not any("TIME ZONE" in kind for kind in kinds):
        found: Rows = result.fetchall()
        days = [n for n, kind in enumerate(kinds) if kind.startswith(("DATE", "TIMESTAMP"))]
        if not any(_is_doubtful(row[place]) for place in days for row in found):
            return found
    # The client makes moments with pytz, which is not installed, and of an infinite day
    # Python's last one; Arrow has the numbers.
    connection.abort()
    arrow = connection.sql(statement).to_arrow_table()
    return list(zip(*map(python_values, arrow.columns), strict=True))


def merged(connection: duckdb.DuckDBPyConnection, merge: str) -> Written:
    """Run a MERGE; what it wrote. Raises Mistakes."""
    with refusals():
        written = connection.sql(f"{merge.rstrip().rstrip(';')}\nRETURNING merge_action")
        counts = dict(written.aggregate("merge_action, count(*)").fetchall())
    return Written(*(counts.get(action, 0) for action in ("INSERT", "UPDATE", "DELETE")))


def _is_doubtful(value: object) -> bool:
    """A day that stands for an infinite one too, or DuckDB's own text of one."""
    return isinstance(value, str) or (isinstance(value, date) and value.year in (1, 9999))
