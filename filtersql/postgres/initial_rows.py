"""The rows of tables as they were at a snapshot, as files of JSON lines: `copy_rows(…)`.

Example
    copy_rows(source, root, tables, snapshot, on_table)
    settle_rows(source, root, tables, 41)

    captured/erp/rows/public.orders/00000000000000000041/1.jsonl

    A large table has several files: each session copies some of its pages. Its lock keeps the rows
    where they are meanwhile, as in pg_dump.

PostgreSQL
    src/backend/executor/nodeTidrangescan.c; src/bin/pg_dump/parallel.c, lockTableForWorker().
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

import psycopg
from msgspec import Struct
from psycopg import pq, sql

from filtersql.names import RelationName
from filtersql.postgres.connection import Connection, connect, told
from filtersql.postgres.feed_files import sync_folder
from filtersql.postgres.json_rows import CopiedTable, JsonRows, ends
from filtersql.postgres.sessions import as_it_is
from filtersql.project import LiveSource
from filtersql.project.captured import newest_rows, number_name, rows_folder

__all__ = ["copy_rows", "prune_rows", "settle_rows"]

_BESIDE = "new.part"
_SESSIONS = 4
#: pages that are asked for at once, of all partitions together, and that a file has at least
_AT_ONCE, _LEAST = 64, 1024
#: bytes that they may take on the server's disk
_STORED = 2**20
#: A scan of a few pages is never anything else.
_PLANNING = {
    "enable_seqscan": "off", "jit": "off", "max_parallel_workers_per_gather": "0",
    "plan_cache_mode": "force_custom_plan",
}  # fmt: skip
_SIZES = """
SELECT coalesce(max(pg_relation_size(c.oid)) / current_setting('block_size')::int8, 0), count(*),
    coalesce(bool_or(pg_relation_size(nullif(c.reltoastrelid, 0)) > 0), false),
    coalesce(bool_or(c.relkind <> 'r'), false)
FROM pg_class c
WHERE c.relkind <> 'p' AND (c.oid = %(table)s::regclass
    OR c.oid IN (SELECT relid FROM pg_partition_tree(%(table)s::regclass)))
"""
_AS_CAST = """
SELECT a.attname FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = %(table)s::regclass AND a.attnum > 0 AND t.typtype <> 'd'
    AND NOT EXISTS (
        SELECT FROM pg_cast WHERE castsource = t.oid AND casttarget = 'text'::regtype)
"""
_MANY = sql.SQL("EXECUTE many ({}, {})")
_STORED_BYTES = sql.SQL("EXECUTE stored_bytes ({}, {})")
_SNAPSHOT = sql.SQL("SET TRANSACTION SNAPSHOT {}")
_LOCK = sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE")
#: who waits for a lock that another waits for may wait for ever
_LOCK_TOO = sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE NOWAIT")


class _Part(Struct, frozen=True):
    """A file of a table's rows: those of some pages, so many at once; None: all, one by one."""

    rows: JsonRows
    path: Path
    pages: range | None
    #: there are values that are stored out of line, and may be large
    has_large: bool


def copy_rows(
    source: LiveSource,
    root: Path,
    tables: Sequence[CopiedTable],
    snapshot: str,
    on_table: Callable[[RelationName, int], None],
) -> None:
    """Write the rows of some tables, several files at a time, where nobody looks at them yet.

    `on_table` is told how many each has. Raises Mistakes, OSError.
    """

    def copied(part: _Part) -> tuple[RelationName, int]:
        with _session(source, snapshot) as connection, part.path.open("wb") as file:
            connection.execute(_LOCK_TOO.format(part.rows.table.rows))
            count = _write(connection, part, file)
            file.flush()
            os.fsync(file.fileno())
            return part.rows.table.name, count

    with _session(source, snapshot) as first:
        parts: list[_Part] = []
        for table in tables:
            first.execute(_LOCK.format(table.rows))
            parts += _parts(first, table, rows_folder(root, source.name, table.name))
        with ThreadPoolExecutor(_SESSIONS) as pool:
            for name, counts in groupby(pool.map(copied, parts), key=lambda each: each[0]):
                on_table(name, sum(count for _, count in counts))
    for path in {part.path.parent for part in parts}:
        sync_folder(path)


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


@contextmanager
def _session(source: LiveSource, snapshot: str) -> Iterator[Connection]:
    with connect(source) as connection, told(source):
        as_it_is(connection)
        for name, value in _PLANNING.items():
            connection.execute("SELECT set_config(%s, %s, false)", (name, value))
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        connection.execute(_SNAPSHOT.format(sql.Literal(snapshot)))
        yield connection


def _parts(connection: Connection, table: CopiedTable, folder: Path) -> Iterator[_Part]:
    beside = folder / _BESIDE
    if beside.exists():
        shutil.rmtree(beside)
    beside.mkdir(parents=True)
    name = sql.Identifier(table.name.schema, table.name.name).as_string(connection)
    row = connection.execute(_SIZES, {"table": name}).fetchone()
    assert row is not None
    pages, leaves, has_large, has_no_pages = row
    as_cast = connection.execute(_AS_CAST, {"table": name}).fetchall()
    rows = JsonRows.of(table, (column for (column,) in as_cast))
    size = max(-(-pages // _SESSIONS), _LEAST)
    at_once = max(_AT_ONCE // max(leaves, 1), 1)
    for number, start in enumerate(range(0, max(pages, 1), size), 1):
        some = None if has_no_pages else range(start, min(start + size, pages), at_once)
        yield _Part(rows, beside / f"{number}.jsonl", some, has_large)


def _write(connection: Connection, part: _Part, file: BinaryIO) -> int:
    rows = part.rows
    if part.pages is None:
        return _write_each(connection, rows.each(None), file)
    count = 0
    connection.execute(rows.many)
    connection.execute(rows.stored_bytes)
    for start in part.pages:
        pages = range(start, min(start + part.pages.step, part.pages.stop))
        lines, found = _many(connection, rows, pages, has_large=part.has_large)
        if lines is None:
            found = _write_each(connection, rows.each(pages), file)
        else:
            file.write(lines)
        count += found
    return count


def _many(
    connection: Connection, rows: JsonRows, pages: range, *, has_large: bool
) -> tuple[bytes | None, int]:
    """The lines of some pages, and how many; None where they are asked for one by one."""
    if has_large:
        ((size,),) = connection.execute(_STORED_BYTES.format(*ends(pages))).fetchall()
        if size > _STORED:
            return None, 0
    # psycopg would look after each packet whether there are more.
    result = connection.pgconn.exec_(_MANY.format(*ends(pages)).as_bytes(connection))
    if result.status != pq.ExecStatus.TUPLES_OK:
        raise psycopg.errors.error_from_result(result)
    count, nulls, text = (result.get_value(0, number) or b"" for number in range(3))
    return rows.lines(int(count), int(nulls or 0), text), int(count)


def _write_each(connection: Connection, query: sql.Composed, file: BinaryIO) -> int:
    count = 0
    with connection.cursor() as cursor, cursor.copy(query) as rows:
        for row in rows:
            file.write(row)
            count += 1
    return count
