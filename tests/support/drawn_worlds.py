"""Worlds that Hypothesis draws for the test of three engines.

Example
    >>> worlds("postgres").example().definitions()["subscriptions/s.yml"]     # doctest: +SKIP
    'subscriptions:\\n  - {name: s, publications: [p1_t], …'
"""

from __future__ import annotations

from collections.abc import Sequence

from drawn_filters import Drawn, drawn_filters
from engine_worlds import ACTIONS, Publication, Published, World
from hypothesis import assume
from hypothesis import strategies as st
from source_histories import COLUMNS, LEAVES, SHAPES, Statement

__all__ = ["worlds"]

#: the tables that a system can replicate, and the replica identities that it takes
_SHAPES = {
    "postgres": {name: shape.identities for name, shape in SHAPES.items()},
    "xdb": dict.fromkeys(("t", "u", "root"), ("full",)),
    "pglogical": dict.fromkeys(("t", "u", "root"), ("default",)),
    "bdr": dict.fromkeys(("t", "u", "root"), ("default",)),
}
_LISTS = (("id", "v"), ("id", "v", "w"), ("id", "v", "big"))


def _statements(shapes: Sequence[str], ops: Sequence[str]) -> st.SearchStrategy[Statement]:
    small = st.integers(1, 6)
    row = st.tuples(
        st.integers(1, 4), small | st.none(), small | st.none(), st.sampled_from(("a", "b", None))
    )
    return st.builds(
        Statement, st.sampled_from(ops), st.sampled_from(shapes), st.integers(0, 4), row,
        st.booleans(), st.booleans(), st.booleans(),
    )  # fmt: skip


@st.composite
def _published(draw: st.DrawFn, profile: str, shape: str) -> Published:
    identity = draw(st.sampled_from(_SHAPES[profile][shape]))
    via_root = shape == "root" and draw(st.booleans())
    columns = None
    number = draw(st.integers(1, 1 if profile == "xdb" else 3))
    known = ACTIONS if identity != "nothing" else ("insert", "truncate")
    every = [known] * number
    if profile != "xdb" and draw(st.booleans()):
        some = st.lists(st.sampled_from(known), min_size=1, unique=True).map(
            lambda chosen: tuple(action for action in ACTIONS if action in chosen)
        )
        every = draw(st.lists(some, min_size=number, max_size=number))
    judges_old = any({"update", "delete"} & {*actions} for actions in every)
    listable = profile == "pglogical" or (profile == "postgres" and shape != "root")
    if listable and not (identity == "full" and judges_old):
        columns = draw(st.sampled_from((None, None, *_LISTS)))
    publications = []
    for actions in every:
        readable: Sequence[str] = COLUMNS[:3]
        if profile == "postgres" and {"update", "delete"} & {*actions}:
            readable = readable if identity == "full" else SHAPES[shape].key
        filters: dict[str, Drawn | None] = {}
        for relation in _listed(draw, shape):
            may = profile != "postgres" or relation != "root" or via_root
            filters[relation] = draw(drawn_filters(readable) | st.none()) if may else None
        publications.append(Publication(actions, filters, columns))
    return Published(shape, identity, tuple(publications), via_root)


def _listed(draw: st.DrawFn, shape: str) -> Sequence[str]:
    if shape != "root":
        return (shape,)
    return draw(st.sampled_from((("root",), LEAVES, ("root", "low"), ("low",), ("high",))))


@st.composite
def worlds(draw: st.DrawFn, profile: str, tree: bool | None = None, tables: int = 2) -> World:
    """Definitions of one or two tables, at most `tables`, and a history in one piece or two.

    `tree`: whether one of them is a partition tree.
    """
    known = [name for name in _SHAPES[profile] if tree is None or name != "root"]
    least, most = (0, tables - 1) if tree else (1, tables)
    others = st.lists(st.sampled_from(known), min_size=least, max_size=most, unique=True)
    shapes = [*(["root"] if tree else []), *draw(others)]
    tables = tuple(draw(_published(profile, shape)) for shape in shapes)
    flags: Sequence[bool | None] = (None,)
    if profile == "postgres" and "root" in shapes:
        flags = (None, True, False)
    conflicts = (None,) if profile == "xdb" else (None, None, "apply", "skip", "error")
    ops = (*["insert"] * 5, *["update"] * 7, *["delete"] * 3, "truncate")
    transaction = st.lists(_statements(shapes, ops), min_size=1, max_size=4).map(tuple)
    piece = st.lists(transaction, max_size=10).map(tuple)
    world = World(
        profile,
        tables,
        draw(st.sampled_from(flags)),
        draw(st.sampled_from(conflicts)),
        tuple(draw(st.lists(_statements(shapes, ("insert",)), max_size=8))),
        tuple(draw(st.lists(piece, min_size=1, max_size=2))),
        draw(st.booleans()),
        draw(st.booleans()),
    )
    assume(any(world.happened()[1]))
    return world
