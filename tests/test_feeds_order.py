"""What is remembered of an ordered feed says the same as what is remembered of any feed."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from filtersql.feeds.order import Order
from filtersql.feeds.records import Record
from filtersql.feeds.runs import Runs, Unordered

SEQ = st.integers(0, 30)
CHANGES = st.lists(
    st.builds(
        Record,
        seq=SEQ,
        op=st.sampled_from(["insert", "insert", "commit"]),
        tx=st.sampled_from([None, "a", "b", "c", 7]),
        prev_seq=st.sampled_from([None, None, None, 3, 9]),
    ),
    max_size=8,
)


@settings(max_examples=1500, deadline=None)
@given(CHANGES, st.none() | st.integers(-1, 3), st.booleans())
def test_both_ways_of_remembering_agree(
    changes: list[Record], start: int | None, rising: bool
) -> None:
    """Cut, last and every boundary where the order is kept; else the short one gives up."""
    if rising:
        changes.sort(key=lambda change: change.seq)
    changes = [change for change in changes if start is None or change.seq > start]
    short, whole = Runs(start), Order(start)
    new = [whole.add(change) for change in changes]
    wrong = not all(new) or not whole.sorted or any(whole.disorders())
    try:
        for change in changes:
            short.add(change)
        short.check()
    except Unordered:
        assert wrong
        return
    assert not wrong
    assert short.last == whole.last
    for closed in (True, False):
        assert short.cut(closed) == whole.cut(closed)
    for seq in range(32):
        assert short.boundary(seq) == whole.boundary(seq), seq


def test_a_long_feed_needs_few_bytes_for_each_transaction() -> None:
    """A million changes in a quarter of a million transactions: 16 bytes for each of these."""
    order = Runs(None)
    for seq in range(1, 1_000_001):
        order.add(Record(seq=seq, op="insert", tx=str(seq // 4)))
    order.check()
    size = sum(len(one) * one.itemsize for one in (order.lasts, order.names))
    assert size < 20 * 250_002
