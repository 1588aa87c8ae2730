"""The recorder tells what PostgreSQL did: judged without filtersql."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from history import History
from pgoutput import Begin, Decoder
from servers import Server
from workload import record

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def recorded(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workload."""
    folder = tmp_path_factory.mktemp("recorded")
    record(postgres, folder, changes=3000, seed=3, truncates=5, initial=200)
    return folder


def lines(folder: Path, pattern: str) -> list[dict[str, Any]]:
    """The JSON lines of some files, in the order of their names."""
    return [
        json.loads(line)
        for path in sorted(folder.glob(pattern))
        for line in path.read_text(encoding="utf-8").split("\n")
        if line
    ]


def as_text(row: dict[str, Any]) -> dict[str, str | None]:
    """A row with PostgreSQL's text in the place of JSON's scalars."""
    words = {True: "t", False: "f"}
    return {
        name: value if value is None else words[value] if isinstance(value, bool) else str(value)
        for name, value in row.items()
    }


def test_feed_replayed_gives_the_unfiltered_subscribers_table(recorded: Path) -> None:
    """Source rows and every change of a table, one after another, give the table at the end."""
    key = ("region", "id")
    held = {
        tuple(row[name] for name in key): row for row in lines(recorded, "source/shop.orders.jsonl")
    }
    for change in lines(recorded, "changes/*.jsonl"):
        if change.get("relation") != "shop.orders":
            continue
        if change["op"] == "truncate":
            held.clear()
            continue
        old = as_text(change.get("before") or change.get("after") or {})
        gone = held.pop(tuple(old[name] for name in key), {})
        if change["op"] != "delete":
            kept = {name: gone[name] for name in change.get("unchanged", ())}
            new = {**as_text(change["after"]), **kept}
            held[tuple(new[name] for name in key)] = new
    expected = lines(recorded, "expected/leaves/shop.orders.jsonl")

    assert sorted(map(str, map(sorted, (row.items() for row in expected)))) == sorted(
        map(str, map(sorted, (row.items() for row in held.values())))
    )


def test_feed_is_ordered_and_closed(recorded: Path) -> None:
    """`seq` rises by one; a transaction's changes stand together and end with its commit."""
    feed = lines(recorded, "changes/*.jsonl")
    ended = [change["tx"] for change in feed if change["op"] == "commit"]
    together = [
        change["tx"]
        for before, change in zip([{"tx": None}, *feed], feed, strict=False)
        if before["tx"] != change["tx"]
    ]

    assert [change["seq"] for change in feed] == list(range(1, len(feed) + 1))
    assert together == ended


def test_truncate_of_a_root_names_the_root(recorded: Path) -> None:
    """Each leaf's record lists all tables of the statement; a TRUNCATE of a leaf the leaf alone."""
    found = {
        (change["relation"], tuple(sorted(change["relations"])))
        for change in lines(recorded, "changes/*.jsonl")
        if change["op"] == "truncate" and change["relation"] == "shop.events_2026"
    }
    leaves = ("shop.events_2025", "shop.events_2026", "shop.events_rest")

    assert found == {
        ("shop.events_2026", ("shop.events_2026",)),
        ("shop.events_2026", ("shop.events", *leaves)),
        ("shop.events_2026", tuple(sorted(("shop.events", *leaves, "shop.orders")))),
    }


def test_same_seed_gives_the_same_statements() -> None:
    """A workload can be run again."""
    first, second, other = (list(History(seed).transactions(500, 10, 3)) for seed in (1, 1, 2))

    assert first == second
    assert first != other


def test_unknown_messages_are_refused() -> None:
    """The decoder does not skip what it does not know."""
    assert Decoder().decode(b"B" + bytes(16) + (7).to_bytes(4, "big")) == Begin(7)
    with pytest.raises(ValueError, match="unknown kind 'Z'"):
        Decoder().decode(b"Z")
