"""The rows of tables as they were at a snapshot, as files of JSON lines: `copy_rows(…)`.

Example
    copy_rows(source, root, tables, snapshot, on_table)
    settle_rows(source, root, tables, 41)

    captured/erp/rows/public.orders/00000000000000000041/1.jsonl

The server writes the JSON: of `id int, note text` it is asked for
    `COPY (SELECT '{"id":', id, ',"note":', to_json(note), '}' FROM ONLY orders) TO STDOUT`
with a delimiter that is then taken out. A value is what the type's output function prints, as in
pgoutput.

PostgreSQL
    src/backend/commands/copyto.c, CopyAttributeOutText(); src/backend/utils/adt/json.c.
"""

from __future__ import annotations

import os
import select
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, TypeAlias

import msgspec
from msgspec import Struct
from psycopg import errors, pq, sql

from filtersql.names import RelationName
from filtersql.postgres.connection import Connection, connect, told
from filtersql.postgres.feed_files import sync_folder
from filtersql.postgres.sessions import as_it_is
from filtersql.project import LiveSource
from filtersql.project.captured import newest_rows, number_name, rows_folder

__all__ = ["CopiedTable", "copy_rows", "prune_rows", "settle_rows"]

_BESIDE = "new.part"
_SESSIONS = 4
_ROWS = 4096
#: types whose text is a JSON number, and those of which no text needs an escape
_NUMBERS = frozenset({"int2", "int4", "int8"})
_PLAIN = frozenset("numeric float4 float8 date time timetz timestamp timestamptz uuid oid".split())
#: types that become a JSON string by what they print, or true and false
_AS_PRINTED = frozenset({"text", "varchar", "bpchar", "bool"})
Buffer: TypeAlias = bytes | memoryview

_DELIMITER, _NULL = b"\x01", b"\x02"
_COPY = sql.SQL(
    "COPY (SELECT {} FROM {}) TO STDOUT (DELIMITER E'\\x01', NULL E'\\x02', ENCODING 'UTF8')"
)
_PRINTED = sql.SQL(
    "CASE WHEN {0} IS DISTINCT FROM NULL THEN pg_catalog.to_json(pg_catalog.format('%s', {0})) END"
)


class CopiedTable(Struct, frozen=True):
    """A table whose rows are copied: its columns with the names of their types."""

    name: RelationName
    columns: tuple[tuple[str, str], ...]
    #: a partitioned one has the rows of its whole tree, another its own
    is_partitioned: bool


def copy_rows(
    source: LiveSource,
    root: Path,
    tables: Sequence[CopiedTable],
    snapshot: str,
    on_table: Callable[[RelationName, int], None],
) -> None:
    """Write the rows of some tables, several at a time, where nobody looks at them yet.

    `on_table` is told how many each has. Raises Mistakes, OSError.
    """

    def copied(table: CopiedTable) -> int:
        with connect(source) as connection, told(source):
            as_it_is(connection)
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(snapshot)))
            return _copy(connection, table, rows_folder(root, source.name, table.name))

    with ThreadPoolExecutor(_SESSIONS) as pool:
        for table, count in zip(tables, pool.map(copied, tables), strict=True):
            on_table(table.name, count)


def settle_rows(source: LiveSource, root: Path, tables: Sequence[CopiedTable], seq: int) -> None:
    """What was copied holds the changes up to a seq: it is looked at from now on."""
    for table in tables:
        folder = rows_folder(root, source.name, table.name)
        path = folder / number_name(seq)
        if path.exists():
            shutil.rmtree(path)
        (folder / _BESIDE).rename(path)
        sync_folder(folder)


def prune_rows(source: LiveSource, root: Path, tables: Iterable[RelationName]) -> None:
    """Remove the rows of some tables that are not the newest."""
    for table in tables:
        newest = newest_rows(root, source.name, table)
        for path in rows_folder(root, source.name, table).glob("*"):
            if path.name.isdecimal() and int(path.name) != newest:
                shutil.rmtree(path)


def _copy(connection: Connection, table: CopiedTable, folder: Path) -> int:
    beside = folder / _BESIDE
    if beside.exists():
        shutil.rmtree(beside)
    beside.mkdir(parents=True)
    with (beside / "1.jsonl").open("wb") as file:
        count = _write(connection, table, file)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(beside)
    return count


def _write(connection: Connection, table: CopiedTable, file: BinaryIO) -> int:
    count = 0
    for rows in _copied(connection, _query(table).as_bytes(connection)):
        file.write(_lines(rows))
        count += len(rows)
    return count


def _copied(connection: Connection, query: bytes) -> Iterator[Sequence[Buffer]]:
    """The rows that COPY sends, some at a time; other threads go on while this one waits."""
    pgconn = connection.pgconn
    pgconn.send_query(query)
    while pgconn.is_busy():
        select.select([pgconn.socket], [], [])
        pgconn.consume_input()
    result = pgconn.get_result()
    if result is None or result.status != pq.ExecStatus.COPY_OUT:
        raise errors.error_from_result(result) if result else errors.InterfaceError("no COPY")
    rows: list[Buffer] = []
    while True:
        size, row = pgconn.get_copy_data(1)
        if size > 0:
            rows.append(row)
            if len(rows) < _ROWS:
                continue
        elif size == 0:
            select.select([pgconn.socket], [], [])
            pgconn.consume_input()
            continue
        yield rows
        rows.clear()
        if size < 0:
            break
    while (result := pgconn.get_result()) is not None:
        if result.status == pq.ExecStatus.FATAL_ERROR:
            raise errors.error_from_result(result)


def _lines(rows: Sequence[Buffer]) -> bytes:
    r"""Rows of COPY as JSON lines.

    >>> _lines([b'{"a":\x01\x02\x01,"b":"\x01\x02\x01","c":\x01"\\\\n"\x01}\n'])
    b'{"a":null,"b":null,"c":"\\n"}\n'
    """
    text = b"".join(rows).translate(None, _DELIMITER)
    if _NULL in text:
        text = text.replace(b'"' + _NULL + b'"', b"null").replace(_NULL, b"null")
    # The one character of JSON that COPY escapes once more.
    return text.replace(rb"\\", b"\\") if b"\\" in text else text


def _query(table: CopiedTable) -> sql.Composed:
    pieces: list[sql.Composable] = []
    before = "{"
    for name, kind in table.columns:
        column = sql.Identifier(name)
        quote = '"' if kind in _PLAIN else ""
        pieces.append(sql.Literal(f"{before}{msgspec.json.encode(name).decode()}:{quote}"))
        if kind in _NUMBERS or kind in _PLAIN:
            pieces.append(column)
        elif kind in _AS_PRINTED:
            pieces.append(sql.SQL("pg_catalog.to_json({})").format(column))
        else:
            pieces.append(_PRINTED.format(column))
        before = quote + ","
    pieces.append(sql.Literal(before.removesuffix(",") + "}"))
    whole = sql.Identifier(table.name.schema, table.name.name)
    rows = whole if table.is_partitioned else sql.SQL("ONLY {}").format(whole)
    return _COPY.format(sql.SQL(", ").join(pieces), rows)
