"""What Arrow reads of Debezium's values is what is read line by line: rows, counts and words."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from debezium_modes import COLUMNS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import DATA
from read_twice import Reads
from running import SPAN, World, table
from test_debezium_modes import WAYS
from test_debezium_modes import project as recorded_modes
from test_foreign_feeds import SETTINGS
from test_foreign_feeds import project as recorded_world

from filtersql.api.inputs import inputs_of
from filtersql.compile import compile_project
from filtersql.definitions.model import Feed
from filtersql.project import load

_MORE = 25 if os.environ.get("FILTERSQL_LONG_TESTS") else 1
_SETTINGS = settings(
    max_examples=60 * _MORE,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
_SIZES = st.sampled_from([300, 1500, 2**23])


def _reads(root: Path) -> Reads:
    """Those of a project's first subscription."""
    project = load(root)
    name, subscription = next(iter(project.definitions.subscriptions.items()))
    nodes = compile_project(project).nodes
    compiled = [one.compiled for one in nodes if one.compiled.subscription == name]
    assert subscription.changes is not None
    return Reads(root, subscription.changes, inputs_of(project).catalog, compiled)


@pytest.mark.parametrize("schemas", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_each_way_to_write_values(way: str, schemas: bool, tmp_path: Path) -> None:
    """What Debezium 3.3 wrote of each type that it tells; numbers without those near to zero."""
    made = recorded_modes(tmp_path, way, {*COLUMNS} - WAYS[way][2], schemas=schemas)
    feed = made.folder / "changes" / "1.jsonl"
    feed.write_text(re.sub(r"e-[0-9]{3}", "", feed.read_text()))
    reads = _reads(made.folder)
    reads.compare(2**23)
    # A numeric that is a double is read line by line.
    assert reads.taken or way == "connect"


@pytest.mark.parametrize("way", SETTINGS)
def test_a_recorded_world(way: str, tmp_path: Path) -> None:
    """Several tables in one file, with keys that change, truncates, ends of transactions."""
    root = recorded_world(tmp_path, "debezium", way)
    shutil.copytree(DATA / "feeds/debezium/changes" / way, root / "changes", dirs_exist_ok=True)
    reads = _reads(root)
    for size in (2**23, 20_000):
        reads.compare(size)
    assert reads.changes > 100


_COLUMNS = {
    "a": "int8!", "n": "int4", "t": "text", "b": "bool", "f": "float8", "p": "numeric(10,2)",
    "d": "date", "m": "timestamp", "z": "timestamptz", "u": "uuid", "l": "_int4", "k": "text!",
}  # fmt: skip
_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "a": st.integers(0, 3),
    "n": st.integers(-5, 5),
    "t": st.sampled_from(["x", "", 'a "b": é', "__debezium_unavailable_value", '{"n":1}']),
    "b": st.booleans(),
    "f": st.sampled_from([0.5, 1, 2.25, -0.0, 1e300]),
    "p": st.sampled_from(["1.50", "2.25", "NAN", "7.00"]),
    "d": st.sampled_from([19782, 0, -141_427]),
    "m": st.sampled_from([1709210096789012, 0, 9_223_372_036_825_200_000, -11_676_096_000_000_001]),
    "z": st.sampled_from(["2024-02-29T12:34:56.789012Z", "2024-02-29T12:34:56Z", "infinity",
                          "2024-02-29T12:34Z", "2024-02-29T12:34:56.500Z"]),
    "u": st.just("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    "l": st.sampled_from([[1, None], [], [7], ["__debezium_unavailable_value"]]),
    "k": st.sampled_from(["k1", "k2"]),
}  # fmt: skip
_IMAGE = st.fixed_dictionaries(
    {name: one if name in "ak" else st.none() | one for name, one in _VALUES.items()}
)
_ABSENT = st.sets(st.sampled_from([*_COLUMNS]), max_size=1)
_EVENTS = st.lists(
    st.fixed_dictionaries(
        {
            "op": st.sampled_from("ccuuuudr"),
            "table": st.sampled_from("tttu"),
            "before": st.none() | _IMAGE,
            "after": _IMAGE,
            "absent": st.just(set()) | _ABSENT,
            "lsn": st.integers(1, 12),
            "commit": st.integers(0, 3),
            "again": st.integers(0, 8),
            "order": st.booleans(),
        }
    ),
    min_size=1,
    max_size=12,
)


def _lines(events: list[dict[str, Any]], *, ordered: bool, tombstones: bool) -> list[bytes]:
    lines: list[str] = []
    for number, event in enumerate(events):
        op, lsn = event["op"], 40_000 + event["lsn"] * 8 + event["commit"] * 1000
        commit = None if op == "r" else str(40_000 + event["commit"] * 1000)
        images = {
            "before": event["before"] if op in "ud" else None,
            "after": None if op == "d" else event["after"],
        }
        for image in images.values():
            for name in event["absent"] if image else ():
                image.pop(name, None)
        source = {
            "version": "3.3", "name": "t", "sequence": json.dumps([commit, str(lsn)]),
            "schema": "public", "table": event["table"], "txId": event["commit"] + 7, "lsn": lsn,
        }  # fmt: skip
        value = {**images, "source": source, "transaction": None, "op": op, "ts_ns": number}
        if ordered and op != "r":
            order = {"total_order": event["lsn"], "data_collection_order": 1}
            value["transaction"] = {"id": f"{event['commit'] + 7}:{lsn}", **order}
        lines.append(json.dumps(value, separators=(",", ":"), ensure_ascii=False))
        lines += lines[-1:] * (event["again"] == 0) + ["null"] * (tombstones and op == "d")
    return [f"{line}\n".encode() for line in lines]


@pytest.fixture(scope="module", params=["full", "default"])
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reads:
    world = World(tmp_path_factory.mktemp("drawn"))
    options = {"decimal_handling_mode": "string"}
    feed = Feed(
        SPAN, "debezium", "changes/*.jsonl", options=options,
        before_complete=request.param == "full",
    )  # fmt: skip
    for name in "tu":
        world.publish(table(name, **_COLUMNS), where="{p}a > 0")
    world.subscribe(changes=feed)
    (world.root / "changes").mkdir()
    return Reads(world.root, feed, world.inputs().catalog, world.compiled())


@_SETTINGS
@given(_EVENTS, st.booleans(), st.booleans(), _SIZES, st.sampled_from([None, None, 1250 << 20]))
def test_drawn_changes(
    drawn: Reads,
    events: list[dict[str, Any]],
    ordered: bool,
    tombstones: bool,
    size: int,
    position: int | None,
) -> None:
    """Values of each type, nulls, absent ones, placeholders, lines that come again."""
    text = b"".join(_lines(events, ordered=ordered, tombstones=tombstones))
    (drawn.root / "changes" / "1.jsonl").write_bytes(text)
    drawn.compare(size, position)


_PIECES = st.sampled_from(
    [b"null", b"{", b"}", b"}{", b"\n", b"\r\n", b",", b'"', b'"a":1,', b'"t":null,', b"[]",
     b"\xff", b"\\u0000", b"\\ud800", b"1", b"-0", b"1e5", b"1.0", b" ", b'"op":"d",', b'"lsn":9,',
     b'"before":null,', b'{"schema":null,"payload":', b'{"status":"END","id":"7:40000"}\n']
)  # fmt: skip


@_SETTINGS
@given(_EVENTS, st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 3), _PIECES), max_size=2))
def test_hostile_lines(
    drawn: Reads, events: list[dict[str, Any]], edits: list[tuple[int, int, bytes]]
) -> None:
    """Bytes left out and put in, wherever they are: the same verdict, or the same rows."""
    text = b"".join(_lines(events, ordered=False, tombstones=True))
    for place, out, piece in edits:
        place %= len(text) + 1
        text = text[:place] + piece + text[place + out :]
    (drawn.root / "changes" / "1.jsonl").write_bytes(text)
    drawn.compare(2**23)


def test_ordinary_changes_are_read_so(drawn: Reads) -> None:
    """All of them, with nulls and keys that come alone; under a schema, too."""
    row = {
        "a": 1, "n": None, "t": 'a "b": é', "b": True, "f": 0.5, "p": "1.50", "d": 19782,
        "m": 1709210096789012, "z": "2024-02-29T12:34:56.789012Z",
        "u": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "l": [1, None], "k": "k1",
    }  # fmt: skip
    plain = {"absent": (), "commit": 1, "again": 1, "order": False, "before": None, "after": row}
    events = [
        {**plain, "op": op, "lsn": number, "table": name, "after": {**row, "a": number}}
        for number, op in enumerate("ccuu", 1)
        for name in "tu"
    ]
    events += [{**plain, "op": "d", "lsn": 9, "table": "t"}]
    for event in events:
        event["before"] = {**row, "t": None}
    lines = _lines(events, ordered=False, tombstones=True)
    wrapped = [b'{"schema":null,"payload":' + line.strip() + b"}\n" for line in lines[:-1]]
    for text in (b"".join(lines), b"".join(wrapped)):
        before = drawn.changes
        (drawn.root / "changes" / "1.jsonl").write_bytes(text)
        drawn.compare(2**23)
        assert drawn.changes - before == len(events)


@pytest.mark.parametrize("at", [3, 4])
def test_a_lone_change_of_another_table(drawn: Reads, at: int) -> None:
    """Wherever it is among those of one table: seen at a glance, or by a sample alone."""
    row = {name: 1 if name == "a" else "k1" if name == "k" else None for name in _COLUMNS}
    plain = {"absent": (), "commit": 0, "again": 1, "order": False, "before": None, "op": "c"}
    events = [
        {**plain, "lsn": number, "table": "u" if number == at else "t", "after": {**row}}
        for number in range(100)
    ]
    lines = _lines(events, ordered=False, tombstones=False)
    (drawn.root / "changes" / "1.jsonl").write_bytes(b"".join(lines))
    drawn.compare(2**23)
