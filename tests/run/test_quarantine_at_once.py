"""Two runs at once put changes aside once; of two releases one applies them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from one_by_one import OneByOne
from running import World, insert, table

from filtersql.catalog import Identity, ReplicaIdentity
from filtersql.run import rounds
from filtersql.targets.duckdb_file import connect

_RAISING = "CASE WHEN {p}b = 0 THEN error('no') ELSE {p}b > 0 END"
_FULL = ReplicaIdentity(Identity.FULL)


def _world(folder: Path, where: str = _RAISING) -> World:
    bare = replace(table("t", key=(), a="int4", b="int4"), replica_identity=_FULL)
    return World(folder).publish(bare, where=where).subscribe(on_filter_error="quarantine")


@pytest.mark.parametrize("begins", ["put_aside", "release_begins"])
def test_who_is_slower_leaves_the_quarantine_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begins: str
) -> None:
    """The ledger decides before anything is written beside the targets."""
    mended = "{p}b > -1"
    with closing(connect(tmp_path / "x.duckdb")) as opened:
        engine, other = OneByOne(opened.connection), OneByOne(opened.connection.cursor())
        world = _world(tmp_path).feed([insert("t", a=1, b=0)])
        assert world.run(engine).mistakes == ()
        world.feed([{"seq": 2, **insert("t", a=2, b=0)}], name="2")
        flags = {}
        if begins == "release_begins":
            world.run(engine)
            world = _world(tmp_path, mended)
            flags = {"release": True, "accept_filter_change": True}
        inner, between = getattr(rounds, begins), []

        def slower(*asked: object) -> None:
            if not between:
                between.append(True)
                between.append(world.run(other, **flags).mistakes)
            inner(*asked)

        with monkeypatch.context() as patch:
            patch.setattr(rounds, begins, slower)
            refused = world.run(engine, **flags).mistakes
        assert between == [True, ()]
        assert ["another run" in each.message for each in refused] == [True]
        ended = _world(tmp_path, mended).run(engine, release=True, accept_filter_change=True)
        assert ended.mistakes == ()
        assert sorted(engine.rows("SELECT * FROM s1.t")) == [(1, 0), (2, 0)]
        assert engine.rows("SELECT * FROM s1.t__quarantine") == []
