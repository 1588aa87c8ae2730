"""What recorders leave: texts, rows as PostgreSQL prints them, and what subscribers held."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg import Connection, sql
from shop import Subscribed
from subscribers import wait

if TYPE_CHECKING:
    from servers import Server

__all__ = ["keep_expected", "write", "write_lines", "write_rows"]

_CAUGHT_UP = (
    "SELECT confirmed_flush_lsn >= %s::pg_lsn FROM pg_replication_slots WHERE slot_name = %s"
)


def write(path: Path, text: str) -> None:
    """A text in a file, compressed where its name ends in .gz."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode(), mtime=0))
    else:
        path.write_text(text, encoding="utf-8")


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Records as JSON lines."""
    write(path, "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records))


def write_rows(path: Path, connection: Connection[Any], table: str) -> None:
    """A table's rows as JSON lines."""
    write_lines(path, _rows(connection, table))


def keep_expected(
    server: Server,
    connection: Connection[Any],
    databases: Mapping[str, str],
    subscriptions: Mapping[str, Subscribed],
    folder: Path,
) -> None:
    """The rows of each subscription's tables, once it has all that was published."""
    row = connection.execute("SELECT pg_current_wal_insert_lsn()::text").fetchone()
    assert row
    for name, database in databases.items():
        wait(connection, f"{name} to catch up", _CAUGHT_UP, (row[0], database))
        with server.connect(database) as subscriber:
            for table in subscriptions[name].tables:
                file = table if "." in table else f"public.{table}"
                write_rows(folder / name / f"{file}.jsonl", subscriber, table)


def _rows(connection: Connection[Any], table: str) -> Iterator[dict[str, str | None]]:
    """A table's rows; each value as the type's output function writes it."""
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("TABLE {}").format(sql.Identifier(*table.split("."))))
        names = [column.name for column in cursor.description or ()]
        found = cursor.pgresult
        assert found
        for number in range(found.ntuples):
            values = [found.get_value(number, column) for column in range(len(names))]
            texts = [value if value is None else bytes(value).decode() for value in values]
            yield dict(zip(names, texts, strict=True))
