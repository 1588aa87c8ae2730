"""Without a key a change looks for a copy of its old row; one that finds none is skipped."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from running import World, delete, insert, table, truncate, update

from filtersql.catalog import Identity, ReplicaIdentity
from filtersql.targets.duckdb_file import connect

#: more of them: FILTERSQL_CONFLICT_EXAMPLES=5000
EXAMPLES = int(os.environ.get("FILTERSQL_CONFLICT_EXAMPLES", "8"))

rows = st.builds(lambda a, b: {"a": a, "b": b}, st.sampled_from((1, 1, 2, None)), st.integers(0, 2))
changes = st.one_of(
    st.builds(lambda new: insert("t", **new), rows),
    *[st.builds(lambda old, new: update("t", old, **new), rows, rows)] * 4,
    st.builds(lambda old: delete("t", **old), rows),
)
histories = st.lists(st.one_of(*[changes] * 15, st.just(truncate("t"))), min_size=1, max_size=25)


def play(held: Counter, history: list[dict], *, adds: bool) -> Counter:
    """One change at a time, `b > 0` is the row filter; what was met. `adds`: as apply does."""
    met: Counter[str] = Counter()
    for change in history:
        if change["op"] == "truncate":
            held.clear()
            continue
        old, new = (
            image and (image["a"], image["b"])
            for image in (change.get("before"), change.get("after"))
        )
        left, arrives = bool(old and old[1] > 0), bool(new and new[1] > 0)
        if left and not held[old]:
            met["update_missing" if arrives else "delete_missing"] += 1
            if not (arrives and adds):
                continue
        elif left:
            held[old] -= 1
        if arrives:
            held[new] += 1
    return met


@pytest.mark.parametrize("mode", ["skip", "error", "apply"])
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    history=histories,
    before=st.lists(rows, max_size=4),
    cuts=st.lists(st.integers(1, 24), max_size=1),
)
def test_an_update_that_finds_no_copy_is_skipped(mode, history, before, cuts):
    """Also where the copy would have come by an update that was skipped itself; in any batches."""
    bag = replace(
        table("t", key=(), a="int4", b="int4"), replica_identity=ReplicaIdentity(Identity.FULL)
    )
    held = Counter((row["a"], row["b"]) for row in before if row["b"] > 0)
    with TemporaryDirectory() as folder, closing(connect(None)) as engine:
        world = World(Path(folder)).publish(bag, where="{p}b > 0").subscribe(on_conflict=mode)
        world.source(path="source.jsonl")
        world.write("source.jsonl", before)
        assert not world.feed([]).run(engine).mistakes
        done = 0
        for upto in [*sorted({*cuts}), len(history)]:
            some = history[done:upto]
            expected = play(held, some, adds=mode == "apply")
            world.feed([{"seq": seq, **change} for seq, change in enumerate(history[:upto], 1)])
            result = world.run(engine)
            assert not result.mistakes
            assert Counter(engine.rows("SELECT a, b FROM s1.t")) == +held
            if not any(change["op"] == "truncate" for change in some):
                found = Counter(result.results[0].conflicts)
                assert +found == expected
            done = max(done, upto)
