"""Values that DMS writes in its own way, in CSV and Parquet, row by row and in columns."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import duckdb
import pyarrow
import pytest
from answers import Project
from pyarrow import parquet

_MADE = """-- filtersql: raw
CREATE DOMAIN raw AS bytea;
CREATE DOMAIN instant AS timestamptz;
"""


def _held(folder: Path, kind: str, name: str, text: bytes, options: str) -> list[object]:
    made = Project(folder)
    made.write("tables/t.sql", f"{_MADE}CREATE TABLE t (id int PRIMARY KEY, v {kind});\n")
    made.write(
        "publications/p.yml",
        "publications: [{name: p, publish: [insert], tables: [{name: t}]}]\n",
    )
    made.write(
        "subscriptions/s.yml",
        "subscriptions: [{name: s, publications: [p],"
        f' changes: {{format: dms, path: "feed/*/*/*"{options}}}}}]\n',
    )
    (folder / "feed/public/t").mkdir(parents=True)
    (folder / "feed/public/t" / name).write_bytes(text)
    made.succeed("run")
    with duckdb.connect(str(folder / "cases.duckdb"), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        rows = connection.execute("SELECT CAST(v AS VARCHAR) FROM s.t").fetchall()
    return [value for (value,) in rows]


def _csv(value: str, count: int) -> bytes:
    text = io.StringIO()
    rows = ((number, value) for number in range(count))
    csv.writer(text, lineterminator="\n").writerows([("id", "v"), *rows])
    return text.getvalue().encode()


@pytest.mark.parametrize("count", [1, 150], ids=["rows", "columns"])
@pytest.mark.parametrize("options", ["", ', csv_null_value: "\\\\N"'])
@pytest.mark.parametrize("value", ["NULL", "\\N", None])
def test_parquet_has_nulls_and_no_word_for_them(
    value: str | None, options: str, count: int, tmp_path: Path
) -> None:
    """A text that stands for NULL in CSV is a text there."""
    kept = pyarrow.BufferOutputStream()
    values = pyarrow.array([value] * count, pyarrow.string())
    parquet.write_table(pyarrow.table({"id": [*range(count)], "v": values}), kept)
    text = kept.getvalue().to_pybytes()
    assert _held(tmp_path, "text", "LOAD1.parquet", text, options) == [value] * count


@pytest.mark.parametrize("count", [1, 150], ids=["rows", "columns"])
@pytest.mark.parametrize(
    ("kind", "value", "held"),
    [
        ("raw", "4156", "AV"),
        ("instant", "2024-01-05 12:00:00", "2024-01-05 12:00:00+00"),
        ("timestamptz", "infinity", "infinity"),
        ("timestamptz", "-infinity", "-infinity"),
        ("timestamptz", "0044-03-15 00:00:00 BC", "0044-03-15 (BC) 00:00:00+00"),
        ("timestamptz", "0044-03-15 00:00:00+00 BC", "0044-03-15 (BC) 00:00:00+00"),
    ],
)
def test_a_value_is_read_as_dms_writes_its_type(
    kind: str, value: str, held: str, count: int, tmp_path: Path
) -> None:
    """Those of a domain as those of its base."""
    assert _held(tmp_path, kind, "LOAD1.csv", _csv(value, count), "") == [held] * count


def test_a_value_may_be_long(tmp_path: Path) -> None:
    """Python's reader of CSV stops at 131072 characters by itself."""
    value = "x" * 200_000
    options = ', csv_null_value: "\\\\N"'
    assert _held(tmp_path, "text", "LOAD1.csv", _csv(value, 2), options) == [value] * 2
