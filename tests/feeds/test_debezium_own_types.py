"""Types that users and extensions made, and what Debezium fails to convert: exact, or refused.

The values are those that Debezium 3.3 wrote of PostgreSQL 18's.
"""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from answers import Project

_MADE = """-- filtersql: raw
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TYPE seg AS ENUM ('low', 'high');
CREATE TYPE pair AS (a int, b text);
CREATE TYPE spans AS RANGE (subtype = float8);
CREATE DOMAIN whole AS int;
CREATE DOMAIN amount AS numeric(10,2);
CREATE DOMAIN raw AS bytea;
CREATE DOMAIN instant AS timestamptz;
CREATE DOMAIN spell AS interval;
CREATE DOMAIN flags AS bit(5);
CREATE DOMAIN cash AS money;
CREATE DOMAIN numbers AS int[];
CREATE DOMAIN settings AS hstore;
"""
#: a type and what is written; PostgreSQL's value
EXACT = [
    ("whole", 5, "5"),
    ("amount", "AJY=", "1.50"),
    # The digits are base64 of 0xd76df8.
    ("amount", "1234", "-26588.24"),
    ("raw", "AP8=", "\\x00\\xFF"),
    ("raw", "QUJD", "ABC"),
    ("instant", "2024-02-29T10:34:56.789012Z", "2024-02-29 10:34:56.789012+00"),
    ("spell", "P0Y1M-1DT0H0M0S", "1 mon -1 days"),
    ("flags", "FQ==", "10101"),
    ("numbers", [1, None], "{1,NULL}"),
    ("mood[]", ["sad", "ok"], "{sad,ok}"),
    # An extension's name, and no type of it.
    ("seg", "low", "low"),
    ("numeric(6,2)[]", ["AJY="], "{1.50}"),
    ("date", -141_417, "1582-10-25"),
]
#: a type, what is written, and what it may be as well
DOUBTFUL = [
    ("spell", "P0Y0M0DT0H0M0.0S", "an interval of nothing and infinite ones"),
    ("instant", "1500-01-10T00:00:00Z", "moments of several calendars"),
    # PostgreSQL's 1582-10-14, which java.sql's calendar does not have.
    ("date", -141_418, "before 1582-10-15"),
    ("timestamp", -12_218_515_200_000_000, "timestamps of several calendars"),
    ("timestamptz", "1582-10-24T00:00:00Z", "moments of several calendars"),
    ("mood[]", None, "NULL and an array of an enumeration that holds NULL"),
    ("numeric(6,2)[]", None, "NULL and an array that holds NaN"),
]
UNTOLD = ["hstore", "settings", "pair", "spans", "cash", "whole[]", "cube", "hstore[]", "other"]


def _project(folder: Path, kind: str) -> Project:
    made = Project(folder)
    table = f"CREATE TABLE other (a int);\nCREATE TABLE t (id int PRIMARY KEY, v {kind});\n"
    made.write("tables/t.sql", _MADE + table)
    made.write("publications/p.yml", "publications: [{name: p, tables: [{name: t}]}]\n")
    feed = 'changes: {format: debezium, path: "feed/*"}'
    made.write("subscriptions/s.yml", f"subscriptions: [{{name: s, publications: [p], {feed}}}]\n")
    return made


def _lines(written: object, *, op: str = "c", count: int = 1) -> str:
    source = {"schema": "public", "table": "t", "txId": 7, "sequence": '[null,"900"]'}
    rows = ({"before": None, "after": {"id": n, "v": written}, "op": op} for n in range(count))
    lines = [{**row, "source": {**source, "lsn": 1000 + n}} for n, row in enumerate(rows)]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


@pytest.mark.parametrize("count", [1, 600], ids=["lines", "columns"])
@pytest.mark.parametrize(("kind", "written", "held"), EXACT)
def test_it_is_read_as_its_base(
    kind: str, written: object, held: str, count: int, tmp_path: Path
) -> None:
    """Line by line, and in columns."""
    made = _project(tmp_path, kind)
    made.write("feed/1.jsonl", _lines(written, count=count))
    made.succeed("run")
    with duckdb.connect(str(tmp_path / "cases.duckdb"), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        rows = connection.execute("SELECT CAST(v AS VARCHAR) FROM s.t").fetchall()
    assert rows == [(held,)] * count


@pytest.mark.parametrize("count", [1, 600], ids=["lines", "columns"])
@pytest.mark.parametrize(("kind", "written", "means"), DOUBTFUL)
def test_what_is_written_for_several_values_is_refused(
    kind: str, written: object, means: str, count: int, tmp_path: Path
) -> None:
    """Before anything is written."""
    made = _project(tmp_path, kind)
    made.write("feed/1.jsonl", _lines(written, count=count))
    ended = made.shell.filtersql("run")
    assert (ended.exit_code, means in ended.both) == (1, True), ended.both


@pytest.mark.parametrize("kind", ["bit(20000)", "numbers"])
def test_null_of_an_update_may_be_a_value_that_was_not_sent(kind: str, tmp_path: Path) -> None:
    """Debezium has no placeholder of these."""
    made = _project(tmp_path, kind)
    made.write("feed/1.jsonl", _lines(None, op="u"))
    ended = made.shell.filtersql("run")
    assert (ended.exit_code, "stored out of line" in ended.both) == (1, True), ended.both


@pytest.mark.parametrize("kind", UNTOLD)
def test_what_it_does_not_write_is_refused_by_compile(kind: str, tmp_path: Path) -> None:
    """It makes JSON of hstore; of types that it does not know it sends bytes, or nothing."""
    ended = _project(tmp_path, kind).shell.filtersql("compile")
    said = f"debezium does not write values of type {kind} exactly"
    assert (ended.exit_code, said in ended.both) == (1, True), ended.both
