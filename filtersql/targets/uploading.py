r"""Staged rows on their way to a server that does not see this machine's files.

Example
    >>> import pyarrow, textwrap
    >>> rows = pyarrow.table({"c0": [1, None], "c1": ["it's", "; --"]})
    >>> columns = [StagedColumn("seq", "BIGINT"), StagedColumn("op", "STRING")]
    >>> print(textwrap.fill(inline_query(rows, columns), 90))
    SELECT CAST(r[0] AS BIGINT) AS c0, CAST(r[1] AS STRING) AS c1 FROM (SELECT
    EXPLODE(FROM_JSON(CAST(UNBASE64('W1siMSIsICJpdCdzIl0sIFtudWxsLCAiOyAtLSJdXQ==') AS
    STRING), 'ARRAY<ARRAY<STRING>>', MAP('mode', 'FAILFAST'))) AS r) AS q

    Values travel as text inside of one base64 literal: whatever stands in them cannot end it, no
    setting of the server reads it otherwise, and Spark parses one literal instead of thousands.
    Days and microseconds are numbers, bytes are hexadecimal: each value comes back as it was.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import compute, parquet, types
from sqlglot import exp, select

from filtersql.feeds.staged_files import StagedColumn

__all__ = ["CHUNK_BYTES", "chunks", "inline_query"]

#: A Thrift server keeps the texts of its last 200 statements in memory.
CHUNK_BYTES = 512 * 1024
_ROWS_READ = 4096


def chunks(path: Path, above: int | None, upto: int | None) -> Iterator[pyarrow.Table]:
    """A staged file's rows of the changes above and up to a position, about a chunk at a time."""
    file = parquet.ParquetFile(path)
    kept: list[pyarrow.RecordBatch] = []
    size = 0
    for batch in file.iter_batches(batch_size=_ROWS_READ):
        rows = pyarrow.Table.from_batches([batch])
        if above is not None:
            rows = rows.filter(compute.greater(rows["c0"], above))
        if upto is not None:
            rows = rows.filter(compute.less_equal(rows["c0"], upto))
        for part in _split(rows):
            if size and size + part.nbytes > CHUNK_BYTES:
                yield pyarrow.Table.from_batches(kept)
                kept, size = [], 0
            kept += part.to_batches()
            size += part.nbytes
    if kept:
        yield pyarrow.Table.from_batches(kept)


def _split(rows: pyarrow.Table) -> Iterator[pyarrow.Table]:
    """Rows in parts that are not larger than a chunk, or are one row."""
    if rows.num_rows > 1 and rows.nbytes > CHUNK_BYTES:
        half = rows.num_rows // 2
        for part in (rows.slice(0, half), rows.slice(half)):
            yield from _split(part)
    elif rows.num_rows:
        yield rows


def inline_query(rows: pyarrow.Table, columns: Sequence[StagedColumn]) -> str:
    """A query that holds the rows itself, as columns c0, c1, … of the columns' types."""
    texts = [_texts(column.combine_chunks()) for column in rows.columns]
    document = json.dumps(list(zip(*texts, strict=True)), ensure_ascii=False)
    encoded = base64.b64encode(document.encode()).decode()
    listed = _from_json(
        exp.cast(exp.Anonymous(this="UNBASE64", expressions=[exp.Literal.string(encoded)]), "text"),
        "ARRAY<ARRAY<STRING>>",
    )
    exploded = exp.alias_(exp.Anonymous(this="EXPLODE", expressions=[listed]), "r")
    fields = [
        exp.alias_(_restored(kind, column.sql_type, index), f"c{index}")
        for index, (kind, column) in enumerate(zip(rows.schema.types, columns, strict=True))
    ]
    return select(*fields).from_(select(exploded).subquery("q")).sql("spark")


def _from_json(text: exp.Expr, schema: str) -> exp.Expr:
    """Without the mode, Spark reads what it cannot read as NULL."""
    mode = exp.Anonymous(
        this="MAP", expressions=[exp.Literal.string("mode"), exp.Literal.string("FAILFAST")]
    )
    return exp.Anonymous(this="FROM_JSON", expressions=[text, exp.Literal.string(schema), mode])


def _texts(values: pyarrow.Array) -> list[str | None]:
    """The values of a column as texts that _restored reads."""
    kind = values.type
    if types.is_date(kind):
        values = values.view("int32")
    elif types.is_timestamp(kind):
        values = values.view("int64")
    write = _writer(kind)
    return [None if value is None else write(value) for value in values.to_pylist()]


def _writer(kind: pyarrow.DataType) -> Callable[[Any], str]:
    if types.is_binary(kind):
        return bytes.hex
    if types.is_decimal(kind):
        return lambda value: format(value, "f")
    if types.is_list(kind):
        return json.dumps
    if types.is_boolean(kind):
        return lambda value: str(value).lower()
    return str


def _restored(kind: pyarrow.DataType, sql_type: str, index: int) -> exp.Expr:
    """The value of a text."""
    text = exp.Bracket(this=exp.column("r"), expressions=[exp.Literal.number(index)])
    if types.is_binary(kind):
        return exp.Anonymous(this="UNHEX", expressions=[text])
    if types.is_date(kind):
        return exp.Anonymous(this="DATE_FROM_UNIX_DATE", expressions=[exp.cast(text, "int")])
    if types.is_timestamp(kind):
        micros = exp.Anonymous(this="TIMESTAMP_MICROS", expressions=[exp.cast(text, "bigint")])
        return exp.cast(micros, sql_type, dialect="spark")
    if types.is_list(kind):
        return _from_json(text, sql_type)
    return exp.cast(text, sql_type, dialect="spark")
