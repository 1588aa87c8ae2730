"""A target's rows beside a subscriber's, every column as text."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import duckdb
import psycopg
from filter_corpus import COLUMNS
from line_filters import Line, Tally, quoted
from line_tables import printed_rows

__all__ = ["compare"]


_HEX = re.compile(r"\\x(?:[0-9a-f]{2})*")
_Row = dict[str, "str | None"]


def compare(
    line: Line,
    subscriber: psycopg.Connection[Any],
    target: duckdb.DuckDBPyConnection,
    raising: set[int],
    tally: Tally,
) -> None:
    """The rows of one target beside the subscriber's."""
    expected, found = printed_rows(subscriber, line), _target_rows(target, line)
    tally.rows += len(expected)
    tally.raised += len(raising)
    if line.has_id:
        aside = _put_aside(target, line)
        for key in aside.keys() - raising:
            tally.stopped[f"{line.answer.text}: {aside[key][:150]}"] += 1
        said = list(_rows_that_differ(line, expected, found, raising, set(aside)))
    else:
        said = _bags_that_differ(line, expected, found)
    if said:
        tally.failed.append("\n    ".join([f"{line.name} {line.answer.text}", *said[:4]]))
    else:
        tally.same += 1


def _target_rows(target: duckdb.DuckDBPyConnection, line: Line) -> list[_Row]:
    columns = f"SELECT {quoted(line.names)} FROM s.{line.name}"
    held = target.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({columns})").fetchall()
    return [dict(zip(line.names, row, strict=True)) for row in held]


def _put_aside(target: duckdb.DuckDBPyConnection, line: Line) -> dict[int, str]:
    """The ids of the rows in quarantine, with the errors."""
    name = f"{line.name}__quarantine"
    query = "SELECT 1 FROM duckdb_tables() WHERE schema_name = 's' AND table_name = ?"
    if not target.execute(query, [name]).fetchone():
        return {}
    rows = target.execute(f"SELECT before, after, error FROM s.{name}").fetchall()
    return {int(json.loads(after or before)["id"]): error for before, after, error in rows}


def _rows_that_differ(
    line: Line, expected: list[_Row], found: list[_Row], raising: set[int], aside: set[int]
) -> Iterator[str]:
    """What raises in PostgreSQL has to be put aside; what is put aside here alone is no row."""
    yield from (f"{key}: PostgreSQL raises" for key in raising - aside)
    wanted, held = ({int(str(row["id"])): row for row in rows} for rows in (expected, found))
    if len(held) < len(found):
        yield "a key stands twice"
    for key in sorted(wanted.keys() | held.keys()):
        one, other = wanted.get(key), held.get(key)
        if key in raising | aside:
            continue
        if one is None or other is None:
            yield f"{key} {line.plan.get(key)}: subscriber {one}, target {other}"
            continue
        for name in line.names:
            if not same_text(one[name], other[name], COLUMNS.get(name, "int4")):
                yield f"{key}.{name}: subscriber {one[name]!r}, target {other[name]!r}"


def _bags_that_differ(line: Line, expected: list[_Row], found: list[_Row]) -> list[str]:
    """Without an id: as many rows of each kind. Without a key, PostgreSQL takes an equal one."""
    keyless = line.shape == "none"
    wanted, held = (
        Counter(
            tuple(_told(text, COLUMNS.get(name, "int4"), keyless) for name, text in row.items())
            for row in rows
        )
        for rows in (expected, found)
    )
    if wanted == held:
        return []
    return [f"subscriber {list((wanted - held).items())[:3]}", f"target {[*(held - wanted)][:3]}"]


def _told(text: str | None, kind: str, keyless: bool) -> str | None:
    """One text for a value; for equal values too, where PostgreSQL takes any of them."""
    bare = kind.partition("(")[0]
    if text is None:
        return None
    if bare in ("float4", "float8"):
        return repr(float(text) + 0.0) if float(text) else "0.0"
    if bare == "bool":
        return text[:1]
    if bare == "bytea":
        return text if _HEX.fullmatch(text) else _blob(text)
    if bare in ("date", "timestamp", "timestamptz"):
        return re.sub(r"^(\S+) \(BC\)(.*)$", r"\1\2 BC", text)
    if not keyless:
        return text
    if bare == "interval":
        return {"30 days": "1 mon", "24:00:00": "1 day", "1 day 12:00:00": "36:00:00"}.get(
            text, text
        )
    if bare in ("numeric", "_numeric", "numrange", "jsonb", "_jsonb", "_float8", "nummultirange"):
        return re.sub(r"-?\d+(\.\d+)?", lambda found: _plain(found[0]), text)
    return text


def _plain(number: str) -> str:
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return "0" if number == "-0" else number


def same_text(expected: str | None, found: str | None, kind: str) -> bool:
    """Whether a target's value is the subscriber's; what has a type of its own there is read."""
    if expected is None or found is None or expected == found:
        return expected == found
    bare = kind.partition("(")[0]
    if bare in ("float4", "float8"):
        return float(expected) == float(found) or (expected == "NaN" and found == "nan")
    if bare == "bool":
        return found[:1] == expected
    if bare == "bytea":
        return _blob(found) == expected
    if bare in ("date", "timestamp", "timestamptz"):
        return re.sub(r"^(\S+) \(BC\)(.*)$", r"\1\2 BC", found) == expected
    return False


def _blob(text: str) -> str:
    """DuckDB's text of a BLOB as PostgreSQL's."""
    found, at = "", 0
    while at < len(text):
        if text[at] == "\\":
            found += text[at + 2 : at + 4].lower()
            at += 4
        else:
            found += f"{ord(text[at]):02x}"
            at += 1
    return f"\\x{found}"
