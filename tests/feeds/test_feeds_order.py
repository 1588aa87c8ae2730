"""What is remembered of an ordered feed says the same as what is remembered of any feed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filtersql.feeds.order import Order
from filtersql.feeds.records import Record
from filtersql.feeds.spill import Numbers
from filtersql.feeds.transaction_order import TransactionOrder, Unordered

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
    short, whole = TransactionOrder(start), Order(start)
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


def test_a_long_feed_is_remembered_in_a_file() -> None:
    """A tenth of the transactions are in memory, whatever is asked of the others."""
    order = TransactionOrder(None, Numbers(1_000), Numbers(1_000))
    for seq in range(1, 40_001):
        order.add(Record(seq=seq, op="insert", tx=str(seq // 4)))
    order.check()
    assert max(len(one.newest) for one in (order.lasts, order.names)) <= 1_000
    assert order.boundary(9) == 7
    assert order.boundary(40_000) == 39_999
    assert (order.cut(closed=True), order.cut(closed=False)) == (40_000, 39_999)
    order.add(Record(seq=40_001, op="insert", tx="17"))
    with pytest.raises(Unordered):
        order.check()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-9, 9), max_size=20), st.integers(1, 4))
def test_numbers_in_a_file_are_the_numbers(given_numbers: list[int], kept: int) -> None:
    """Whichever of them are in memory."""
    found = Numbers(kept)
    for number in given_numbers:
        found.append(number)
    assert found.repeats() == (len({*given_numbers}) < len(given_numbers))
    for before in range(22):
        rest = given_numbers[: max(0, len(given_numbers) - before)]
        assert found.last(before) == (rest[-1] if rest else None)
    rising = Numbers(kept)
    for number in sorted(given_numbers):
        rising.append(number)
    for number in range(-10, 11):
        below = [one for one in given_numbers if one < number]
        assert rising.last_below(number) == max(below, default=None)
