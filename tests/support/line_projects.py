"""A project of some filters: its files, and the feed in the forms that a feed may have."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import psycopg
from filter_corpus import COLUMNS
from line_filters import Line
from places import put_files

__all__ = ["FORMS", "project", "raising_inserts", "run"]

#: of values: strings all, or JSON's scalars and arrays where they say the same
FORMS = ("strings", "scalars")
_BARE = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_NUMBERS = {"int2", "int4", "int8", "numeric", "float4", "float8"}


def raising_inserts(
    batch: Sequence[Line], seq: int, connection: psycopg.Connection[Any]
) -> tuple[list[dict[str, Any]], dict[str, set[int]]]:
    """INSERTs of rows on which PostgreSQL raises, with ids of their own."""
    found, ids = [], {}
    for line in batch:
        ids[line.name] = set()
        if not line.has_id:
            continue
        chosen = random.Random(line.answer.text).sample(line.raising, min(4, len(line.raising)))
        for number, place in enumerate(chosen):
            after: dict[str, Any] = {"id": 100_000 + number}
            values = ", ".join(
                f"CASE WHEN %s::text IS NOT NULL THEN format('%%s', %s::{COLUMNS[name]}) END"
                for name in line.rows.names
            )
            (texts,) = connection.execute(
                f"SELECT ARRAY[{values}]::text[]",
                [value for value in line.rows.values[place] for _ in range(2)],
            ).fetchone() or ((),)
            after |= dict(zip(line.rows.names, texts, strict=True))
            if line.shape == "wide":
                after |= {"wide": "w", "mark": 1}
            ids[line.name].add(100_000 + number)
            relation = f"public.{line.name}"
            found.append(
                {"seq": seq, "tx": f"x{seq}", "relation": relation, "op": "insert", "after": after}
            )
            found.append({"seq": seq + 1, "tx": f"x{seq}", "op": "commit"})
            seq += 2
    return found, ids


def project(
    folder: Path,
    batch: Sequence[Line],
    sources: dict[str, list[dict[str, str | None]]],
    feed: Iterable[dict[str, Any]],
    form: str,
    kinds: dict[str, str],
) -> None:
    """The project's files."""
    kinds = {**kinds, "wide": "text"}
    shutil.rmtree(folder, ignore_errors=True)
    names = ", ".join(f"p_{line.name}" for line in batch)
    files = {
        "filtersql_project.yml": "name: line\nversion: 1\nprofile: line\n",
        "profiles.yml": "line: {outputs: {dev: {type: duckdb, path: line.duckdb}}}\n",
        "tables/t.sql": "-- filtersql: raw\n" + "".join(line.ddl for line in batch),
        "subscriptions/s.yml": (
            f"subscriptions: [{{name: s, publications: [{names}], on_filter_error: quarantine,\n"
            ' on_conflict: error, source: {path: "source/{table}.jsonl"},\n'
            ' changes: {path: "changes/*.jsonl"}}]\n'
        ),
    }
    for line in batch:
        files[f"publications/{line.name}.sql"] = "-- filtersql: raw\n" + line.publication
        files[f"source/{line.name}.jsonl"] = "".join(
            written(row, form, kinds) + "\n" for row in sources[line.name]
        )
    files["changes/1.jsonl"] = "".join(change(each, form, kinds) + "\n" for each in feed)
    put_files(folder, files)


def change(record: dict[str, Any], form: str, kinds: dict[str, str]) -> str:
    parts = [
        f"{json.dumps(name)}: "
        + (
            written(value, form, kinds)
            if name in ("before", "after") and value is not None
            else json.dumps(value)
        )
        for name, value in record.items()
    ]
    return f"{{{', '.join(parts)}}}"


def written(row: dict[str, Any], form: str, kinds: dict[str, str]) -> str:
    """A row in the words of JSON: all strings, or JSON's scalars where they say the same."""
    parts = [
        f"{json.dumps(name)}: {_value(value, form, kinds.get(name, 'int4'))}"
        for name, value in row.items()
    ]
    return f"{{{', '.join(parts)}}}"


def _value(value: Any, form: str, kind: str) -> str:
    if value is None:
        return "null"
    if form == "strings":
        if isinstance(value, bool):
            value = "t" if value else "f"
        return json.dumps(str(value), ensure_ascii=False)
    bare = kind.partition("(")[0]
    if bare == "bool" and isinstance(value, str):
        return "true" if value in ("t", "true") else "false"
    # A longer one is refused as a number: it has to be a text.
    if bare in _NUMBERS and _BARE.fullmatch(str(value)) and len(str(value)) <= 4300:
        return str(value)
    if bare.startswith("_") and isinstance(value, str) and re.fullmatch(r"\{[^{}\"\\]*\}", value):
        items = value[1:-1].split(",") if value != "{}" else []
        return (
            "["
            + ", ".join(_value(None if each == "NULL" else each, form, bare[1:]) for each in items)
            + "]"
        )
    return json.dumps(value)


def run(folder: Path) -> tuple[int, str]:
    command = [sys.executable, "-m", "filtersql", "run", "--project-dir", str(folder), "--no-color"]
    ended = subprocess.run(command, capture_output=True, text=True)
    (folder / "said.txt").write_text(ended.stdout + ended.stderr)
    return ended.returncode, ended.stdout + ended.stderr
