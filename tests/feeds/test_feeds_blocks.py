"""What is judged a block or a column at a time is judged as each change and each value is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from random_feeds import FEEDS, POSITIONS, lines, two_targets
from running import World, pg_type
from test_values import TEXTS

from filtersql.errors import Mistakes
from filtersql.errors.feeds import UnstorableType
from filtersql.feeds import values
from filtersql.feeds.blocks import Block
from filtersql.feeds.changes import read
from filtersql.feeds.dispatch import Taker
from filtersql.feeds.landings import Landing
from filtersql.feeds.lines import find_files
from filtersql.feeds.native import blocks_from_files, from_files
from filtersql.feeds.records import Number, Record
from filtersql.feeds.spill import Numbers
from filtersql.feeds.transaction_order import TransactionOrder, Unordered
from filtersql.feeds.values import codec
from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import stored_as

_MORE = 25 if os.environ.get("FILTERSQL_LONG_TESTS") else 1
#: whole numbers and numbers with a point of every length, as the reader of lines gives them
_NUMBERS = st.from_regex(r"-?(0|[1-9]\d{0,9})(\.\d{1,5})?([eE][+-]?\d{1,3})?", fullmatch=True)
_DIGITS = st.from_regex(r"[-+ ]?0?[0-9]{1,20}[ ]?", fullmatch=True)
_OFFSETS = st.sampled_from(["", "", "Z", "+01", "-03:30", "+0530", "+16", "+15:59", "+01:00:30"])
_MOMENTS = st.builds(
    lambda moment, mark, offset: str(moment).replace(" ", mark) + offset,
    st.datetimes(), st.sampled_from(" T"), _OFFSETS,
)  # fmt: skip
USUAL: dict[str, st.SearchStrategy[Any]] = {
    "int2": st.integers(-(2**15), 2**15 - 1),
    "int4": st.integers(-(2**31), 2**31 - 1),
    "int8": st.integers(-(2**63), 2**63 - 1),
    "bool": st.booleans(),
    "float4": _NUMBERS.map(Number) | st.integers(),
    "float8": _NUMBERS.map(Number) | st.integers(),
    "numeric": _NUMBERS | st.integers(),
    "numeric(10,2)": st.from_regex(r"-?(0|[1-9]\d{0,8})\.\d\d", fullmatch=True).map(Number),
    "numeric(5,5)": st.from_regex(r"-?0\.\d{5}", fullmatch=True),
    "numeric(4,0)": st.integers(-9999, 9999),
    "date": st.dates().map(str),
    "timestamp": _MOMENTS,
    "timestamptz": _MOMENTS,
    "time": st.times().map(str),
    "uuid": st.uuids().map(str),
    "text": st.text(max_size=5),
    "varchar(3)": st.text(" aé\0", max_size=4),
    "bpchar(3)": st.text(" aé", max_size=4),
}
ODD = st.one_of(
    st.integers(), st.booleans(), _NUMBERS.map(Number), st.text(max_size=4), _MOMENTS,
    st.sampled_from([text for texts in TEXTS.values() for text in texts]),
    st.lists(st.integers(), max_size=2),
    st.sampled_from([float, str, 2**31, -(2**31) - 1, 2**63, "1e400", "1e-400", "3.5e38", "1e-46"]),
)  # fmt: skip
_TARGETS = (None, None, None, "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE",
            "DECIMAL(10, 2)", "DECIMAL(12, 3)", "DATE")  # fmt: skip


#: columns that have to be taken at once: all that sources print in ordinary rows
_TAKEN: dict[str, list[object]] = {
    "int2": [7, None, -32768],
    "int4": [2**31 - 1, 0],
    "int8": [-(2**63), None],
    "bool": [True, None, False],
    "float4": [Number("0.1"), 5, None, Number("-1e-5"), 0, Number("-0.0")],
    "float8": [Number("0.1"), 5, None, Number("1e+22"), "0e5", Number("5e-324")],
    "numeric": [Number("1.50"), None, "0.05", "-0.05", 7],
    "numeric(10,2)": [Number("1.50"), None, "0.05", "-0.05", "99999999.99"],
    "numeric(5,5)": ["0.12345", "-0.00001"],
    "numeric(4,0)": [9999, 0, -1, None],
    "date": ["1600-02-29", None, "2024-12-31"],
    "timestamp": ["2024-01-01 23:59:59.999999", "1500-10-10T00:00:00.5", None],
    "timestamptz": ["2024-01-01 00:00:00+00", "1999-12-31T23:59:59.5-03:30",
                    "2000-01-01 00:00:00Z"],
    "time": ["00:00:00", "23:59:59.123456", None],
    "uuid": ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", None],
    "text": ["", "é\n", None],
    "varchar(3)": ["ab", "äöü", None],
    "bpchar(3)": ["ab", "äöü", None, ""],
}  # fmt: skip
#: what CSV has in place of numbers
_OF_CSV: tuple[tuple[str, list[object]], ...] = (
    ("int2", ["7", None, "-32768", "-0"]),
    ("int4", ["2147483647", "0"]),
    ("int8", ["-999999999999999999", None]),
)


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_ordinary_columns_are_taken_at_once(engine: Any) -> None:
    """With what each of their values becomes."""
    for name, column in (*_TAKEN.items(), *_OF_CSV):
        pg = pg_type(name)
        how = codec(pg, stored_as(pg, engine).sql, engine)
        found = how.whole(column)
        assert found is not None, name
        assert repr(found.to_pylist()) == repr(how.array_of_each(column).to_pylist()), name


@pytest.mark.parametrize("text", ["1.000000059604644775390626", "2.10194769648722561e-45"])
def test_a_real_that_a_double_rounds_to_the_middle_is_read_by_itself(text: str) -> None:
    """The real beside it would be taken: the double lies halfway between two."""
    pg = pg_type("float4")
    how = codec(pg, stored_as(pg, "duckdb").sql, "duckdb")
    assert how.whole([Number("1.5"), Number(text)]) is None
    assert how.whole([Number("1.5"), Number("0")]) is not None


@pytest.mark.parametrize("name", [*USUAL, "jsonb", "_int4", "bytea"])
def test_a_column_at_once_holds_what_each_of_its_values_becomes(name: str) -> None:
    """Or it is left to them."""
    usual = st.none() | USUAL.get(name, ODD)
    columns = st.lists(usual, max_size=4) | st.lists(usual | ODD, max_size=3)
    columns |= st.lists(st.none() | _DIGITS, max_size=4)

    @settings(max_examples=40 * _MORE, deadline=None, database=None)
    @given(columns, st.sampled_from(["spark", "duckdb"]), st.sampled_from(_TARGETS))
    def compare(column: list[object], engine: Any, target: str | None) -> None:
        pg = pg_type(name)
        try:
            how = codec(pg, target or stored_as(pg, engine).sql, engine)
        except UnstorableType:
            return
        found = how.whole(column)
        if found is not None:
            expected = how.array_of_each(column)
            assert found.type == expected.type
            assert repr(found.to_pylist()) == repr(expected.to_pylist()), column

    compare()


def take_each(taker: Taker, block: Block) -> int:
    """Take the changes of a block, each of which is judged by itself."""
    return taker._take_each(block, taker._remember(block.records))


Compiled = tuple[World, Sequence[CompiledTable]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    made = two_targets(tmp_path_factory.mktemp("blocks"))
    return made, made.compiled()


def _outcome(
    compiled: Compiled, positions: tuple[int | None, int | None], in_blocks: bool
) -> object:
    """All that a read tells: counts, cut, boundaries and staged values, or the mistakes."""
    from pyarrow import parquet

    world, tables = compiled
    folder = world.root / "staged"
    folder.mkdir(exist_ok=True)
    files = find_files("changes/*.jsonl", world.root, None)
    landings = list(map(Landing, tables, positions))
    try:
        found = read(
            lambda mistakes: from_files(files, mistakes),
            world.share(landings, folder),
            blocks=(lambda mistakes: blocks_from_files(files, mistakes)) if in_blocks else None,
        )  # fmt: skip
    except Mistakes as refused:
        return [(str(one), str(one.span), one.message) for one in refused.mistakes]
    staged = [
        (one.read, one.skipped, parquet.read_table(one.path).to_pylist()) for one in found.staged
    ]
    for one, (*_, rows) in zip(found.staged, staged, strict=True):
        assert one.truncates == any(row["c2"] == "truncate" for row in rows)
    told = (found.cut, found.last, found.total, found.unpublished)
    return told, staged, [found.boundary(seq) for seq in range(12)]


@settings(
    max_examples=100 * _MORE,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    FEEDS,
    st.sampled_from([0, 0, 0, 1, 2, 9]),
    st.sampled_from(POSITIONS),
)
@example(
    [({"relation": "public.t1", "op": "insert", "after": {"a": 7, "b": 2**31}}, None)],
    0,
    (None, None),
)
def test_a_block_is_judged_as_each_of_its_changes(
    world: Compiled, feed: list[Any], torn: int, positions: tuple[int | None, int | None]
) -> None:
    """What is staged, counted and refused, with every message and place."""
    folder = world[0].root / "changes"
    folder.mkdir(exist_ok=True)
    (folder / "1.jsonl").write_bytes(lines(feed, torn))
    at_once = _outcome(world, positions, in_blocks=True)
    with (
        patch.object(Taker, "take_all", take_each),
        patch.object(values, "whole", lambda *_: lambda _: None),
    ):
        each = _outcome(world, positions, in_blocks=False)
    assert at_once == each


@settings(max_examples=120 * _MORE, deadline=None, database=None)
@given(
    st.lists(st.tuples(st.sampled_from([None, "a", "b", 7]), st.integers(1, 3)), max_size=8),
    st.sampled_from([0, 1, 1, 1]),
    st.integers(1, 5),
)
def test_transactions_are_remembered_alike(
    groups: list[tuple[Any, int]], step: int, cut: int
) -> None:
    """One change at a time, or some of them, wherever a block ends."""
    txs = [tx for tx, count in groups for _ in range(count)]
    changes = [
        Record(seq=max(number * step, 1), op="insert", tx=tx) for number, tx in enumerate(txs, 1)
    ]
    each, some = (TransactionOrder(None, Numbers(3), Numbers(3)) for _ in range(2))
    refused = []
    for order in (each, some):
        try:
            for begin in range(0, len(changes), cut):
                if order is some:
                    order.extend(changes[begin : begin + cut])
                else:
                    [order.add(change) for change in changes[begin : begin + cut]]
            order.check()
        except Unordered:
            refused.append(order)
    assert len(refused) != 1
    if not refused:
        assert [each.boundary(seq) for seq in range(30)] == [some.boundary(s) for s in range(30)]
        assert [each.cut(closed) for closed in (0, 1)] == [some.cut(closed) for closed in (0, 1)]
        assert (each.open, each.whole, each.newest) == (some.open, some.whole, some.newest)
