"""What Arrow reads of a feed is what is read line by line: rows, counts, places and words."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from random_feeds import FEEDS, POSITIONS, lines, two_targets
from rows import staged_rows
from running import World, table
from test_feeds_blocks import ODD, USUAL, take_each

from filtersql.errors import Mistakes
from filtersql.feeds import (
    arrow_lines,
    changes,
    column_blocks,
    column_dispatch,
    native,
    native_columns,
)
from filtersql.feeds import lines as feed_lines
from filtersql.feeds import rows as source_rows
from filtersql.feeds.dispatch import Taker
from filtersql.feeds.landings import Landing
from filtersql.feeds.lines import chunks, find_files
from filtersql.feeds.native_columns import ColumnReader
from filtersql.feeds.records import Number
from filtersql.feeds.staging import RowStage

_MORE = 25 if os.environ.get("FILTERSQL_LONG_TESTS") else 1
_SETTINGS = settings(
    max_examples=150 * _MORE,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
_SIZES = st.sampled_from([150, 400, 2**23])
_TYPES = ["int2", "int4", "int8", "bool", "float4", "float8", "numeric", "numeric(10,2)",
          "numeric(4,0)", "date", "timestamp", "timestamptz", "uuid", "text", "varchar(3)",
          "bpchar(3)"]  # fmt: skip


class Feed:
    """A project whose feed is read in three ways."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.tables = world.compiled()
        self.folder = world.root / "changes"
        self.staged = world.root / "staged"
        for folder in (self.folder, self.staged):
            folder.mkdir(exist_ok=True)
        #: how many blocks were read, and taken, as columns
        self.read = self.taken = 0

    def outcome(self, text: bytes, positions: Any, size: int | None, samples: int = 64) -> object:
        """All that a read tells, in columns of so many bytes; None: line by line."""
        (self.folder / "1.jsonl").write_bytes(text)
        files = find_files("changes/*.jsonl", self.world.root, None)
        catalog = self.world.inputs().catalog
        landings = [
            Landing(one, positions[number % len(positions)])
            for number, one in enumerate(self.tables)
        ]
        with ExitStack() as patches:
            if size is None:
                patches.enter_context(patch.object(Taker, "take_all", take_each))
                blocks = None
            else:
                self._watch(patches, size, samples)
                blocks = lambda mistakes: native_columns.column_blocks(  # noqa: E731
                    (chunk for file in files for chunk in chunks(file)),
                    ColumnReader(catalog),
                    mistakes,
                )
            try:
                found = changes.read(
                    lambda mistakes: native.from_files(files, mistakes),
                    self.world.share(landings, self.staged), blocks=blocks,
                )  # fmt: skip
            except Mistakes as refused:
                return [(str(one), str(one.span), one.message) for one in refused.mistakes]
        staged = [(one.read, one.skipped, staged_rows(one.path)) for one in found.staged]
        told = (found.cut, found.last, found.total, found.unpublished)
        return told, staged, [found.boundary(seq) for seq in range(12)]

    def _watch(self, patches: ExitStack, size: int, samples: int) -> None:
        patches.enter_context(patch.object(arrow_lines, "_SAMPLES", samples))
        patches.enter_context(patch.object(native_columns, "_FEWEST", 1))
        patches.enter_context(patch.object(column_blocks, "_MOST_MISSES", 10**6))
        patches.enter_context(patch.object(feed_lines, "_CHUNK_BYTES", size))
        take = column_dispatch.take_columns

        def counted(taker: Taker, block: Any) -> int | None:
            found = take(taker, block)
            self.read += 1
            self.taken += found is not None
            return found

        patches.enter_context(patch("filtersql.feeds.intake.take_columns", counted))

    def compare(self, text: bytes, positions: Any, size: int) -> None:
        """Both ways say the same, whether all lines are among those that are looked at or one."""
        each = self.outcome(text, positions, None)
        for samples in (1, 64):
            found = self.outcome(text, positions, size, samples)
            assert found == each, text.decode("utf-8", "replace")


@pytest.fixture(scope="module")
def feed(tmp_path_factory: pytest.TempPathFactory) -> Feed:
    return Feed(two_targets(tmp_path_factory.mktemp("columns")))


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Feed:
    made = World(tmp_path_factory.mktemp("typed"))
    columns = {f"c{number}": name for number, name in enumerate(_TYPES)}
    made.publish(table("t", a="int8!", **columns), where="{p}a > 5")
    made.add(table("unread", a="int8!", **columns))
    return Feed(made)


@_SETTINGS
@given(FEEDS, st.sampled_from([0, 0, 0, 1, 2, 9]), st.sampled_from(POSITIONS), _SIZES)
@example(
    [({"relation": "public.t1", "op": "insert", "after": {"a": 7, "b": 2**31}}, None)],
    0,
    (None, None),
    2**23,
)
def test_changes_of_several_tables(
    feed: Feed, some: list[Any], torn: int, positions: Any, size: int
) -> None:
    """Right ones and wrong ones, transactions that go on in the next block, replays."""
    feed.compare(lines(some, torn), positions, size)


_NOTHING = {f"c{number}": None for number in range(len(_TYPES))}


def _rows_of(numbers: set[int]) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Rows that say something in some columns."""
    said = st.fixed_dictionaries({f"c{one}": st.none() | USUAL[_TYPES[one]] for one in numbers})
    return st.lists(said.map(lambda row: _NOTHING | row), min_size=1, max_size=4)


_ORDINARY = st.sets(st.sampled_from(range(len(_TYPES))), min_size=1, max_size=2).flatmap(_rows_of)
_ANY = st.dictionaries(
    st.sampled_from([f"c{number}" for number in range(len(_TYPES))] + ["a", "z"]),
    ODD,
    max_size=2,
)


@_SETTINGS
@given(
    _ORDINARY,
    st.just({}) | _ANY,
    st.sampled_from(["insert", "update", "delete"]),
    st.sampled_from([(None,), (2,)]),
)
def test_values_of_each_type(
    typed: Feed, rows: list[dict[str, Any]], odd: dict[str, Any], op: str, positions: Any
) -> None:
    """As numbers, texts or otherwise; one of the rows says something odd."""
    rows[-1] = rows[-1] | odd
    image = "before" if op == "delete" else "after"
    text = "".join(
        _written({"seq": seq, "op": op, "relation": "public.t", image: {"a": seq + 5, **row}})
        + "\n"
        for seq, row in enumerate(rows, 1)
    )
    typed.compare(text.encode(), positions, 2**23)


@_SETTINGS
@given(_ORDINARY, st.just({}) | _ANY, st.sets(st.sampled_from(["a", "c0", "c13"]), max_size=1))
def test_rows_of_a_source(
    typed: Feed, rows: list[dict[str, Any]], odd: dict[str, Any], absent: set[str]
) -> None:
    """What the initial copy reads: one of the rows says something odd, or not all."""
    rows = [{"a": number, **row} for number, row in enumerate(rows, 6)]
    rows[-1] = {name: one for name, one in (rows[-1] | odd).items() if name not in absent}
    text = "".join(f"{_written(row)}\n" for row in rows)
    (typed.folder / "source.jsonl").write_text(text, encoding="utf-8")
    (compiled,) = typed.tables
    catalog = typed.world.inputs().catalog.tables[compiled.relation]
    files = find_files("changes/source.jsonl", typed.world.root, None)

    def staged(worth_it: int, samples: int = 64) -> object:
        with (
            patch.object(source_rows, "_WORTH_IT", worth_it),
            patch.object(arrow_lines, "_SAMPLES", samples),
        ):
            try:
                path = typed.staged / "rows.parquet"
                return staged_rows(
                    source_rows.stage_rows(files, compiled, catalog, "duckdb", path).path
                )
            except Mistakes as refused:
                return [(str(one), str(one.span), one.message) for one in refused.mistakes]

    assert staged(0) == staged(0, 1) == staged(2**40), text


_PIECES = st.sampled_from(
    [b"null", b"{", b"}", b"}{", b"} null", b"\n", b"\r\n", b",", b'"', b'"a":1,', b'"b": null,',
     b"[]", b'"tx": 7,', b"\xef\xbb\xbf", b"\xff", b"\\u0000", b"\\ud800", b"1", b"-0", b"1e5",
     b" ", b"\t", b"\0", b'{"seq": 9, "op": "commit"}', b'"prev_seq": 1,', b'"unchanged": ["b"],']
)  # fmt: skip


@_SETTINGS
@given(
    FEEDS,
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 3), _PIECES), max_size=3),
    _SIZES,
)
def test_hostile_lines(
    feed: Feed, some: list[Any], edits: list[tuple[int, int, bytes]], size: int
) -> None:
    """Bytes left out and put in, wherever they are: the same verdict, or the same rows."""
    text = lines(some, 0)
    for place, out, piece in edits:
        place %= len(text) + 1
        text = text[:place] + piece + text[place + out :]
    feed.compare(text, (None, None), size)


@pytest.mark.parametrize(
    "value",
    ["0e-10000000", "1e-2147483647", '"1E-9999999"', "1e-41", "1e+0000000000", "0.00000001",
     "-0", "-0.0", "1e400", "1e-400", "1" * 5000, '"1"', "0." + "0" * 330 + "1"],
)  # fmt: skip
@pytest.mark.parametrize("column", ["c4", "c5", "c6", "c7", "c8", "c9"])
def test_numbers_that_readers_differ_in(typed: Feed, value: str, column: str) -> None:
    """Behind ordinary ones, which say how a column is written: alone, and where nobody reads it."""
    others = {f"c{number}": None for number in range(len(_TYPES))}
    lines_of_rows = [
        _written({"a": 7, **others}).replace(f'"{column}": null', f'"{column}": {one}')
        for one in ("1.5", value)
    ]
    for relation in ("t", "unread"):
        text = "".join(
            f'{{"seq": {seq}, "op": "insert", "relation": "public.{relation}", "after": {row}}}\n'
            for seq, row in enumerate(lines_of_rows, 1)
        )
        typed.compare(text.encode(), (None,), 2**23)


def test_a_name_that_is_none_is_refused_wherever_it_is(feed: Feed) -> None:
    """Of a table that nobody reads, and of a commit."""
    first = '{"seq": 1, "op": "insert", "relation": "other", "after": {"a": 7, "b": 1}}\n'
    second = '{"seq": 2, "op": "insert", "relation": "public.t1", "after": {"a": 7, "b": 1}}\n'
    for op in ("insert", "commit"):
        named = '"relation": "other", "after": {"a": 7, "b": 1}, ' if op == "insert" else ""
        last = f'{{"seq": 3, "op": "{op}", {named}"unchanged": [null]}}\n'
        for before in (first, first + second):
            feed.compare((before + last).encode(), (None, None), 2**23)


def test_ordinary_changes_are_read_so(typed: Feed, feed: Feed) -> None:
    """Each type as `capture` writes it, with nulls, commits, keys alone and values left out."""
    row = {"c0": 1, "c1": 2, "c2": 3, "c3": True, "c4": "0.5", "c5": "1e-05", "c6": "1.50",
           "c7": "2.25", "c8": "7", "c9": "2024-01-01", "c10": "2024-01-01 10:00:00",
           "c11": "2024-01-01 10:00:00+00", "c12": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
           "c13": 'a "b": é', "c14": "ab", "c15": "ab "}  # fmt: skip
    empty = dict.fromkeys(row)
    some = [
        {"op": "insert", "after": {"a": 7, **row}},
        {"op": "insert", "after": {"a": 8, **empty}},
        {"op": "update", "before": {"a": 7}, "after": {"a": 9, **row}},
        {"op": "update", "unchanged": ["c13"],
         "after": {"a": 9, **{name: value for name, value in row.items() if name != "c13"}}},
        {"op": "delete", "before": {"a": 9}},
    ]  # fmt: skip
    text = "".join(
        _written({"seq": seq, "tx": f"t{seq // 3}", "relation": "public.t", **one}) + "\n"
        for seq, one in enumerate(some, 1)
    )
    _all_taken(typed, text + '{"seq": 6, "tx": "t1", "op": "commit"}\n')
    several = [
        f'{{"seq":{seq},"op":"insert","relation":"public.{name}","after":{{"a":7,"b":{value}}}}}\n'
        for seq, (name, value) in enumerate([("t1", 1), ("t2", '"x"'), ("other", "null")] * 3, 1)
    ]
    _all_taken(feed, "".join(several))
    (compiled,) = typed.tables
    catalog = typed.world.inputs().catalog.tables[compiled.relation]
    stage = RowStage(compiled, "duckdb", typed.staged / "rows.parquet")
    source = "".join(_written(one) + "\n" for one in ({"a": 7, **row}, {"a": 8, **empty}))
    assert source_rows._arrays(source.encode(), stage, catalog) is not None


def _all_taken(feed: Feed, text: str) -> None:
    before = (feed.read, feed.taken)
    feed.compare(text.encode(), (None, None), 2**23)
    assert (feed.read - before[0], feed.taken - before[1]) == (2, 2)


def test_a_feed_of_unusual_lines_is_not_tried_for_ever(tmp_path: Path) -> None:
    """After some blocks that Arrow does not read, the others are read line by line at once."""
    world = World(tmp_path).publish(table("t1", a="int4!", b="int4"))
    reader = ColumnReader(world.inputs().catalog)
    world.feed(b'{"seq": 1, "op": "insert", "relation": ["public", "t1"], "after": {"a": 1}}\n')
    (file,) = find_files("changes/*.jsonl", world.root, None)
    (chunk,) = chunks(file)
    tries: list[object] = []
    watched: Callable[..., Any] = native_columns.count_lines
    with (
        patch.object(native_columns, "_FEWEST", 1),
        patch.object(native_columns, "samples_of", lambda text, _: tries.append(text)),
        patch.object(native_columns, "count_lines", watched),
    ):
        assert [reader.read(chunk) for _ in range(9)] == [None] * 9
    assert len(tries) == 3


def _written(value: object) -> str:
    """JSON in which a number stays as it was written."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        members = (f"{json.dumps(name)}: {_written(one)}" for name, one in value.items())
        return "{" + ", ".join(members) + "}"
    if isinstance(value, type):
        return json.dumps(str(value))
    return json.dumps(value)
