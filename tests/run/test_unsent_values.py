"""A value that was not sent, as it did not change, is the one of its row, or the run stops."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from running import World, delete, insert, table, update

from filtersql.targets.duckdb_file import connect

#: more of them: FILTERSQL_CONFLICT_EXAMPLES=5000
EXAMPLES = int(os.environ.get("FILTERSQL_CONFLICT_EXAMPLES", "25"))

#: (op, key, other key, whether the text is sent)
steps = st.lists(
    st.tuples(
        st.sampled_from(["insert", "update", "move", "move", "move", "delete"]),
        st.integers(1, 5),
        st.integers(1, 5),
        st.booleans(),
    ),
    min_size=1,
    max_size=14,
)


def recorded(plan: list[tuple]) -> tuple[list[dict], dict[int, tuple[int, str]], bool]:
    """What a source with these steps logs, its rows, and whether a row enters without its text."""
    rows: dict[int, tuple[int, str]] = {}
    feed: list[dict] = []
    enters = False
    for number, (op, key, other, sent) in enumerate(plan):
        text = f"text {number}"
        if op == "insert" and key not in rows:
            rows[key] = (number, text)
            feed.append(insert("t", a=key, b=number, c=text))
        elif op == "delete" and key in rows:
            del rows[key]
            feed.append(delete("t", a=key))
        elif op in ("update", "move") and key in rows:
            new = key if op == "update" else other
            if new != key and new in rows:
                continue
            old = rows.pop(key)
            rows[new] = (number, text if sent else old[1])
            image = {"a": new, "b": number, **({"c": text} if sent else {})}
            change = update("t", {"a": key} if new != key else None, **image)
            feed.append(change if sent else {**change, "unchanged": ["c"]})
            enters |= not sent and key <= 2 < new
    return feed, rows, enters


#: rows under each other's key, and a change of each that leaves the text out again
SWAP = [
    *(("insert", key, 1, True) for key in (3, 4)),
    *(("move", key, other, False) for key, other in ((3, 5), (4, 3), (5, 4))),
    *(("update", key, 1, False) for key in (3, 4)),
]


@pytest.mark.parametrize("mode", ["apply", "skip", "error"])
@example(plan=SWAP, cut=2)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(plan=steps, cut=st.integers(0, 13))
def test_it_moves_with_its_row(mode: str, plan: list[tuple], cut: int) -> None:
    """From key to key, within a batch and between batches; never NULL, never another row's."""
    feed, source, enters = recorded(plan)
    with TemporaryDirectory() as folder, closing(connect(None)) as engine:
        world = World(Path(folder)).publish(
            table("t", a="int4!", b="int4", c="text"), where="{p}a > 2"
        )
        world.subscribe(on_conflict=mode)
        numbered = [{"seq": seq, **change} for seq, change in enumerate(feed, 1)]
        mistakes = []
        for upto in (cut, len(feed)):
            world.feed(numbered[:upto])
            mistakes += world.run(engine).mistakes
        if mistakes:
            assert enters
            assert "not known" in mistakes[0].message
            assert "enters the target by change" in str(mistakes[0].detail)
        else:
            held = engine.rows("SELECT a, b, c FROM s1.t ORDER BY a")
            assert held == [(a, *rest) for a, rest in sorted(source.items()) if a > 2]
