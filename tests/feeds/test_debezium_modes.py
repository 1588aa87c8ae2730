"""Each way to set up how Debezium writes values: told exactly, or refused; never another value.

The recorded files come from `python tests/recorders/debezium_modes.py`: Debezium 3.3 with schemas.
Without them its JSON converter writes the payload alone.
"""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import duckdb
import pytest
from answers import Project
from debezium_modes import COLUMNS
from executing import printed
from places import DATA as _DATA

DATA = _DATA / "feeds" / "debezium_modes"
NUMBERS = "assume: [finite_numbers, inline_arrays]"
NO_MIDNIGHT = "assume: [no_24_00, finite_numbers, inline_arrays]"
#: what the feed says where there are no schemas, what it says where there are, and what is not told
WAYS: dict[str, tuple[str, str, set[str]]] = {
    "connect": (
        f"time_precision_mode: connect, decimal_handling_mode: double,"
        f" binary_handling_mode: base64, {NUMBERS}",
        f"binary_handling_mode: base64, {NUMBERS}",
        {"hour", "moment", "moments", "big", "loose"},
    ),
    "isostring": (
        "time_precision_mode: isostring, decimal_handling_mode: string,"
        f" binary_handling_mode: base64-url-safe, {NO_MIDNIGHT}",
        f"binary_handling_mode: base64-url-safe, {NO_MIDNIGHT}",
        set(),
    ),
    "microseconds": (
        "time_precision_mode: microseconds, decimal_handling_mode: precise,"
        f" binary_handling_mode: hex, {NUMBERS}",
        f"binary_handling_mode: hex, {NUMBERS}",
        {"loose", "spell"},
    ),
    "nanoseconds": (
        f"time_precision_mode: nanoseconds, decimal_handling_mode: precise, {NUMBERS}",
        NUMBERS,
        {"moment", "moment3", "moments", "moments3", "loose"},
    ),
}


def project(folder: Path, way: str, columns: set[str], *, schemas: bool, feed: str = "") -> Project:
    """The recorded feed, of which some columns are published."""
    made = Project(folder)
    shutil.copytree(DATA, folder / "recorded")
    # A column list does not go with REPLICA IDENTITY FULL.
    made.write("tables/t.sql", (DATA / "table.sql").read_text().partition("ALTER")[0])
    names = ", ".join(["id", *(name for name in COLUMNS if name in columns)])
    made.write(
        "publications/p.yml",
        f"publications: [{{name: p, tables: [{{name: t, columns: [{names}]}}]}}]\n",
    )
    said = feed or WAYS[way][schemas]
    made.write(
        "subscriptions/s.yml",
        "subscriptions: [{name: s, publications: [p],"
        f' changes: {{format: debezium, path: "changes/*.jsonl", {said}}}}}]\n',
    )
    text = gzip.decompress((DATA / "changes" / f"{way}.jsonl.gz").read_bytes()).decode()
    lines = (json.loads(line) for line in text.splitlines())
    values = (line if schemas or line is None else line["payload"] for line in lines)
    made.write("changes/1.jsonl", "".join(f"{json.dumps(value)}\n" for value in values))
    return made


@pytest.mark.parametrize("schemas", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_what_is_told_is_exact(way: str, schemas: bool, tmp_path: Path) -> None:
    """The rows are PostgreSQL's own."""
    columns = COLUMNS.keys() - WAYS[way][2]
    project(tmp_path, way, columns, schemas=schemas).succeed("run")
    names = ["id", *(name for name in COLUMNS if name in columns)]
    expected = [
        tuple("NULL" if row[name] is None else row[name] for name in names)
        for row in map(json.loads, (DATA / "expected.jsonl").read_text().splitlines())
    ]
    with duckdb.connect(str(tmp_path / "cases.duckdb"), read_only=True) as connection:
        # Python has no infinite moments.
        texts = ", ".join(
            f"CAST({name} AS VARCHAR)" if name in ("moment", "instant") else name for name in names
        )
        connection.execute("SET TimeZone = 'UTC'")
        held = connection.execute(f"SELECT {texts} FROM s.t").fetchall()
    assert sorted(tuple(map(printed, row)) for row in held) == sorted(expected)


@pytest.mark.parametrize("way", [way for way in WAYS if WAYS[way][2]])
def test_what_is_not_told_is_refused(way: str, tmp_path: Path) -> None:
    """Every such column is named: by compile, where the feed says it; by run, where schemas do."""
    untold = WAYS[way][2]
    made = project(tmp_path / "said", way, untold, schemas=False)
    # Debezium's interval.handling.mode has no key here: a number stops the run.
    compiled = made.shell.filtersql("compile")
    assert compiled.exit_code == 1
    for column in untold - {"spell"}:
        assert f'column "{column}" of table "public.t": debezium does not' in compiled.both
    made = project(tmp_path / "schemas", way, untold, schemas=True)
    ran = made.shell.filtersql("run")
    assert ran.exit_code == 1
    for column in untold:
        assert f'column "{column}" of table "public.t": the value is not known' in ran.both


def test_texts_for_bytes_need_their_notation(tmp_path: Path) -> None:
    """A schema says that they are texts, not which: hexadecimal can be read as base64."""
    made = project(tmp_path, "microseconds", {"raw"}, schemas=True, feed=NUMBERS)
    ended = made.shell.filtersql("run")
    assert (ended.exit_code, "other bytes in another notation" in ended.both) == (1, True)


def test_midnight_of_isostring_is_the_end_of_a_day_too(tmp_path: Path) -> None:
    """Debezium writes 00:00:00Z for 24:00."""
    feed = "time_precision_mode: isostring, decimal_handling_mode: string"
    made = project(tmp_path, "isostring", {"hour"}, schemas=False, feed=feed)
    ended = made.shell.filtersql("run")
    assert (ended.exit_code, "00:00 and 24:00" in ended.both) == (1, True)
