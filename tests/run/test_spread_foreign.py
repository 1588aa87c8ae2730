"""Feeds of Debezium and wal2json in portions: what one reader tells, or they are left to that."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from feed_histories import Row, debezium, history, wal2json
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from portioned import SETTINGS, PortionedFeed, ThisProcess, read_in_portions
from running import SPAN, World, table
from test_targets_spark import output

from filtersql.catalog import Identity, ReplicaIdentity
from filtersql.definitions.model import Feed
from filtersql.targets.open import open_engine

FORMATS = {"debezium": debezium, "wal2json": wal2json}
_OPTIONS = {"debezium": {"decimal_handling_mode": "string"}}


def foreign_world(root: Path, form: str, *engine: str) -> World:
    """A table with a filter whose changes come in a format."""
    world = World(root, *engine)
    feed = Feed(SPAN, form, "changes/*.jsonl", options=_OPTIONS.get(form, {}))
    one = table("t", key=("id",), id="int4!", v="text", n="numeric(10,2)")
    full = replace(one, replica_identity=ReplicaIdentity(Identity.FULL))
    return world.subscribe(changes=feed).publish(full, "{p}v = 'eu'")


@pytest.fixture(scope="module", params=FORMATS)
def feeds(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> PortionedFeed:
    return PortionedFeed(foreign_world(tmp_path_factory.mktemp("portions"), request.param))


#: whether Debezium numbers its changes, and tells the ends of transactions
NUMBERED = st.sampled_from(["", "numbers", "numbers, ends"])


def written(form: str, seed: int, length: int, numbered: str = "") -> list[bytes]:
    """The lines of a history; Debezium's begin with a snapshot, and may number their changes."""
    text = FORMATS[form](history(seed, length, fixed_keys=False, truncates=True))
    lines = text.splitlines()
    if form == "debezium":
        source = {"schema": "public", "table": "t", "lsn": 900, "sequence": '[null,"900"]'}
        rows = [{"id": 100 + n, "v": "eu", "n": "1.00"} for n in range(seed % 7)]
        snapshot = [{"op": "r", "source": source, "before": None, "after": row} for row in rows]
        told = _numbered(lines, "ends" in numbered) if numbered else lines
        lines = [*map(json.dumps, snapshot), *told]
    return [f"{line}\n".encode() for line in lines]


def _numbered(lines: list[str], ends: bool) -> Iterator[str]:
    counts: Counter[int] = Counter()
    values = [value for value in map(json.loads, lines) if value is not None]
    for value, behind in zip(values, [*values, None][1:], strict=True):
        tx = value["source"]["txId"]
        counts[tx] += 1
        value["transaction"] = {"id": f"{tx}:{value['source']['lsn']}", "total_order": counts[tx]}
        yield json.dumps(value)
        if ends and (behind is None or behind["source"]["txId"] != tx):
            told = [{"data_collection": "public.t", "event_count": counts[tx]}]
            commit = value if behind is None else behind
            ended = json.loads(commit["source"]["sequence"])[behind is None]
            end = {"status": "END", "id": f"{tx}:{ended}", "event_count": counts[tx]}
            yield json.dumps({**end, "data_collections": told})


_HISTORIES = st.tuples(st.integers(0, 10_000), st.integers(1, 40))


@SETTINGS
@given(_HISTORIES, st.integers(200, 3000), NUMBERED)
def test_a_usual_feed_needs_no_other_reader(
    feeds: PortionedFeed, drawn: tuple[int, int], size: int, numbered: str
) -> None:
    """Transactions, and UPDATEs that change a key, are whole again wherever they were cut."""
    form = str(feeds.world.subscription.changes.format)
    lines = written(form, *drawn, numbered)
    feeds.write(b"".join(lines))
    expected = feeds.by_one(feeds.landings(None))
    found = feeds.in_portions(feeds.landings(None), size)
    # A TRUNCATE of wal2json goes on as long as its log position does.
    assert found is not None or b'"T"' in b"".join(lines)
    assert found in (None, expected)


@SETTINGS
@given(_HISTORIES, st.integers(200, 3000), NUMBERED, st.randoms(use_true_random=False))
def test_portions_tell_what_one_reader_tells(
    feeds: PortionedFeed,
    drawn: tuple[int, int],
    size: int,
    numbered: str,
    rng: random.Random,
) -> None:
    """In whatever files the lines are, sent again, lost or torn, and wherever targets stand."""
    form = str(feeds.world.subscription.changes.format)
    lines = written(form, *drawn, numbered)
    feeds.write(b"".join(lines))
    whole = feeds.by_one(feeds.landings(None))
    position = rng.choice([None, *whole[0][2]])
    begin = rng.choice([0, 0, rng.randrange(len(lines) + 1)])
    end = rng.choice([len(lines), rng.randrange(len(lines) + 1)])
    again = rng.choice([[], lines[begin:end]])
    kept = lines[rng.choice([0, 0, begin]) :] + again
    lost = rng.choice([b"none", b'"txId": %d,' % rng.randrange(20)])
    kept = [line for line in kept if lost not in line]
    files: list[list[bytes]] = [[] for _ in range(rng.randint(1, 3))]
    for number, line in enumerate(kept):
        scattered = form == "debezium" and len(again) % 2
        files[rng.randrange(len(files)) if scattered else number * len(files) // len(kept)].append(
            line
        )
    torn = rng.choice([0, 0, 0, 0, 7])
    feeds.write(*(b"".join(some)[: -torn or None] for some in files))
    expected = feeds.by_one(feeds.landings(position))
    found = feeds.in_portions(feeds.landings(position), size)
    assert found in (None, expected)


@SETTINGS
@given(st.integers(0, 10_000), st.integers(3, 40), st.integers(200, 3000), st.data())
def test_a_lost_transaction_is_missed_where_later_ones_are_here(
    tmp_path_factory: pytest.TempPathFactory, seed: int, length: int, size: int, data: st.DataObject
) -> None:
    """Its end is told, and so is that of the one before."""
    feeds = PortionedFeed(foreign_world(tmp_path_factory.mktemp("lost"), "debezium"))
    lines = written("debezium", seed, length, "numbers, ends")
    ends = [json.loads(line)["id"].partition(":")[0] for line in lines if b'"END"' in line]
    place = data.draw(st.integers(0, len(ends) - 1))
    feeds.write(b"".join(line for line in lines if f'"txId": {ends[place]},'.encode() not in line))
    expected = feeds.by_one(feeds.landings(None))
    found = feeds.in_portions(feeds.landings(None), size)
    if 0 < place < len(ends) - 1:
        (refused,) = expected
        assert f"transaction {ends[place]} is incomplete" in refused
        assert found is None
    else:
        assert not any("is incomplete" in str(one) for one in expected)
        assert found in (None, expected)


def test_a_transaction_without_its_end_is_refused(tmp_path: Path) -> None:
    """Behind a lost connection it comes again: so it has to, though an earlier one did."""
    feeds = PortionedFeed(foreign_world(tmp_path, "wal2json"))

    def transaction(commit: int, *keys: int, ends: bool = True) -> list[bytes]:
        where = {"lsn": f"0/{commit:X}"}
        row = {"action": "I", **where, "schema": "public", "table": "t"}
        columns = ({"name": "id", "value": key} for key in keys)
        more = [{"name": "v", "value": "eu"}, {"name": "n", "value": 1}]
        rows = [{**row, "columns": [column, *more]} for column in columns]
        ended = [{"action": "C", **where}] if ends else []
        events = [{"action": "B", **where}, *rows, *ended]
        return [f"{json.dumps(event)}\n".encode() for event in events]

    read = transaction(100, 1, 2, 3)
    feeds.write(b"".join(read))
    ((position, *_), *_), _ = feeds.by_one(feeds.landings(None))
    lost = [*read, *transaction(200, 7, 8, ends=False), *read, *transaction(300, 9)]
    feeds.write(b"".join(lost))
    (refused,) = feeds.by_one(feeds.landings(position))
    assert "The transaction before it, 0/C8, has no end." in refused
    for size in (100, 200, 300, 500):
        assert feeds.in_portions(feeds.landings(position), size) is None


class Appending(ThisProcess):
    """An executor behind whose work a file grows, each time."""

    def __init__(self, file: Path, text: bytes) -> None:
        self.file, self.text = file, text

    def answers(self, work, tasks, on_answers=lambda _: None):
        answers = super().answers(work, tasks, on_answers)
        with self.file.open("ab") as opened:
            opened.write(self.text)
        return answers


def test_a_file_that_grows_meanwhile_is_read_as_it_was_found(
    feeds: PortionedFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small files share a portion, in which what is behind them keeps its place."""
    form = str(feeds.world.subscription.changes.format)
    lines = written(form, 7, 30, "numbers, ends")
    half = len(lines) // 2
    feeds.write(b"".join(lines[:half]), b"".join(lines[half:]))
    expected = feeds.by_one(feeds.landings(None))
    grown = feeds.world.root / "changes/0.jsonl"
    monkeypatch.setattr(feeds.engine, "cluster", Appending(grown, lines[0]), raising=False)
    found = feeds.in_portions(feeds.landings(None), 1_000_000)
    assert found is not None
    assert found in (None, expected)


@pytest.mark.spark
@pytest.mark.parametrize("form", FORMATS)
def test_a_run_reads_them_on_the_executors(
    form: str, spark: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In processes that see files alone: the rows are those that the history leaves."""
    used = read_in_portions(monkeypatch, 2_000)
    world = foreign_world(tmp_path, form, "spark", "lake")
    changes = history(3, 80, fixed_keys=False, truncates=False)
    lines = FORMATS[form](changes).splitlines()
    told = _numbered(lines, ends=True) if form == "debezium" else lines
    world.write("changes/1.jsonl", "\n".join([*told, ""]).encode())
    (compiled,) = world.compiled()
    held: dict[int, Row] = {}
    for change in changes:
        held.pop((change.before or {}).get("id", -1), None)
        if change.after is not None:
            held[change.after["id"]] = change.after
    engine = open_engine(output("iceberg"), tmp_path)
    try:
        assert world.run(engine).mistakes == ()
        rows = engine.rows(f"SELECT id, CAST(n AS STRING) FROM {compiled.target_sql} ORDER BY id")
        assert rows == [(id, held[id]["n"]) for id in sorted(held) if held[id]["v"] == "eu"]
        assert used == [True]
    finally:
        engine.close()
