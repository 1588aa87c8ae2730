"""Tables that log no old row: an INSERT finds by the primary key what is in its way."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from running import World, insert, table

from filtersql.catalog import Identity, ReplicaIdentity
from filtersql.targets.duckdb_file import connect


@pytest.mark.parametrize(
    ("mode", "rows", "message"),
    [
        ("apply", [(1, "inserted"), (2, "new")], None),
        ("skip", [(1, "copied"), (2, "new")], None),
        ("error", [(1, "copied")], 'conflict detected on relation "public.t": '),
    ],
)
def test_a_row_that_was_copied_comes_as_an_insert_too(
    mode: str, rows: list[tuple[int, str]], message: str | None, tmp_path: Path
) -> None:
    nothing = ReplicaIdentity(Identity.NOTHING)
    unlogged = replace(table("t", a="int4!", b="text"), replica_identity=nothing)
    world = World(tmp_path).publish(unlogged, publish=["insert"]).subscribe(on_conflict=mode)
    world.source(path="source.jsonl")
    world.write("source.jsonl", [{"a": 1, "b": "copied"}])
    world.feed([{"seq": 1, **insert("t", a=1, b="inserted")}], name="1")
    world.feed([{"seq": 2, **insert("t", a=2, b="new")}], name="2")
    with closing(connect(None)) as engine:
        found = [one.message for one in world.run(engine).mistakes]
        assert [one.partition("conflict=")[0] for one in found] == [*filter(None, [message])]
        assert engine.rows("SELECT a, b FROM s1.t ORDER BY a") == rows
