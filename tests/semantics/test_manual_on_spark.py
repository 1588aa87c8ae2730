"""The manual's examples, as the template holds them, on Delta, Iceberg and DuckDB."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from transcripts import Shell

from filtersql.run import shared_feeds

pytestmark = pytest.mark.spark

_TARGETS = 3
_AFTER_THE_TRUNCATE = [2, 4, 6, 3, 5, 7]


def rows(printed: str, target: str) -> list[str]:
    """The rows of a target as `run --show` prints them, without blanks."""
    lines = printed.split("\n")
    start = next(place for place, line in enumerate(lines) if line.strip() == target) + 3
    end = next(place for place in range(start, len(lines)) if lines[place].startswith("("))
    return [line.replace(" ", "") for line in lines[start:end]]


@pytest.mark.parametrize("output", ["dev", pytest.param("ice", marks=pytest.mark.long), "local"])
def test_the_examples_arrive(
    output: str, tmp_path: Path, spark: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stay, enter and leave; the root's filter and the partition's; a TRUNCATE between.

    The three subscriptions share one look at their feed.
    """
    looks: list[int] = []
    read_feed = shared_feeds.read_feed

    def counted(*arguments: Any) -> Any:
        looks.append(len(arguments[3]))
        return read_feed(*arguments)

    monkeypatch.setattr(shared_feeds, "read_feed", counted)
    shell = Shell(tmp_path)
    assert shell.filtersql("init", "shop", "--example", "postgres").exit_code == 0
    shell.folder = tmp_path / "shop"
    first = shell.succeed("run", "--target", output, "--show", "10")
    assert rows(first.stdout, "s1.t1") == ["6|999|NSW", "555|102|NSW"]
    assert rows(first.stdout, "s4.parent") == ["2", "3", "4"]
    assert rows(first.stdout, "s4_leaf.child") == ["5", "6", "7"]

    truncate = {"relation": "public.child", "op": "truncate"}
    truncate |= {"relations": ["public.parent", "public.child"]}
    inserts = [
        {"relation": "public.child", "op": "insert", "after": {"a": a}} for a in _AFTER_THE_TRUNCATE
    ]
    later = [{"seq": seq, **change} for seq, change in enumerate([truncate, *inserts], 18)]
    feed = shell.folder / "changes" / "later.jsonl"
    feed.write_text("".join(json.dumps(change) + "\n" for change in later))
    assert looks == [_TARGETS]
    second = shell.succeed("run", "--target", output, "--show", "10")
    assert rows(second.stdout, "s1.t1") == ["6|999|NSW", "555|102|NSW"]
    assert rows(second.stdout, "s4.parent") == ["2", "3", "4"]
    assert rows(second.stdout, "s4_leaf.child") == ["5", "6", "7"]
    assert looks == [_TARGETS, _TARGETS]
    third = shell.filtersql("run", "--target", output)
    assert "Nothing changed: every target was up to date" in third.stdout


def test_compile_is_the_same_for_any_number_of_threads(tmp_path: Path) -> None:
    """Two compiles, byte for byte, files and manifest."""
    found = []
    for threads in ("1", "4"):
        (tmp_path / threads).mkdir()
        shell = Shell(tmp_path / threads)
        shell.filtersql("init", "shop", "--example", "postgres")
        shell.folder = tmp_path / threads / "shop"
        assert shell.filtersql("compile", "--threads", threads).exit_code == 0
        written = shell.filtersql("compile", "--threads", threads)
        assert written.exit_code == 0
        target = shell.folder / "target"
        files = sorted(path for path in target.rglob("*") if path.suffix in (".sql", ".json"))
        found.append({str(path.relative_to(target)): path.read_bytes() for path in files})

    assert len(found[0]) >= 10
    assert found[0] == found[1]
