"""Feeds of two tables, right ones and wrong ones, for Hypothesis."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from running import World, table

__all__ = ["DELETED", "FEEDS", "POSITIONS", "RIGHT", "lines", "two_targets"]

#: where the two targets may stand
POSITIONS = [(None, None), (None, None), (None, 3), (2, 2), (4, 1), (12, 12)]

_RELATIONS = st.sampled_from(
    ["public.t1"] * 6 + ["public.t2"] * 3 + ["other", ["public", "t1"], "x.y.z", None, "t9"]
)
_VALUES = st.sampled_from([1, 7, 9, "7", None, 2**31, "x"])
_IMAGES = st.one_of(
    *[st.fixed_dictionaries({"a": st.integers(1, 9), "b": st.none() | st.integers(0, 9)})] * 8,
    *[st.fixed_dictionaries({"a": st.integers(1, 9)})] * 4,
    *[st.none()] * 3,
    st.dictionaries(st.sampled_from("abz"), _VALUES, max_size=3),
)
_CHANGES = st.fixed_dictionaries(
    {"op": st.sampled_from(["insert", "update", "delete", "read"] * 4
                           + ["truncate", "commit", "upsert"])},
    optional={
        "relation": _RELATIONS, "before": _IMAGES, "after": _IMAGES,
        "unchanged": st.sampled_from([None, None, [], ["b"], ["a"], ["z"]]),
        "seq": st.integers(-1, 12), "prev_seq": st.sampled_from([None, 0, 3]),
        "more": st.none(),
    },
)  # fmt: skip
RIGHT = st.fixed_dictionaries(
    {
        "relation": st.sampled_from(["public.t1", "public.t2", "other"]),
        "op": st.sampled_from(["insert", "update", "read"]),
        "after": st.fixed_dictionaries(
            {"a": st.integers(6, 9), "b": st.none() | st.integers(0, 9)}
        ),
    },
)
DELETED = st.fixed_dictionaries(
    {
        "relation": st.sampled_from(["public.t1", "public.t2"]),
        "op": st.just("delete"),
        "before": st.fixed_dictionaries({"a": st.integers(6, 9)}, optional={"b": st.none()}),
    }
)
_TX = st.sampled_from([None, None, "x", "x", 7, "7"])
FEEDS = st.lists(st.tuples(RIGHT | DELETED, _TX), max_size=9) | st.lists(
    st.tuples(RIGHT | DELETED | _CHANGES, _TX), max_size=9
)


def two_targets(root: Path) -> World:
    """The tables of these feeds: two that are published, and one that is not."""
    made = World(root)
    made.publish(table("t1", a="int4!", b="int4"), where="{p}a > 5")
    return made.publish(table("t2", a="int4!", b="text")).add(table("other", a="int4!", b="int4"))


def lines(feed: list[tuple[dict[str, Any], object]], torn: int) -> bytes:
    """The lines of a feed, without so many of its last bytes."""
    found = []
    for seq, (change, tx) in enumerate(feed, 1):
        found.append(json.dumps({"seq": seq, **({} if tx is None else {"tx": tx}), **change}))
    text = "".join(f"{line}\n" for line in found).encode()
    return text[:-torn] if torn else text
