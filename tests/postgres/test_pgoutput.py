"""Messages of pgoutput, from bytes to records of the feed; what is none is refused."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from pgoutput_messages import (
    OID,
    STOP,
    begin,
    change,
    commit,
    in_stream,
    relation,
    stream_abort,
    stream_commit,
    stream_start,
    truncate,
)

from filtersql.errors import Mistakes
from filtersql.errors.capturing import TABLE_UNKNOWN
from filtersql.feeds.records import Record
from filtersql.postgres.pgoutput import Decoder, Malformed
from filtersql.postgres.pgoutput_messages import UNCHANGED
from filtersql.postgres.recording import Recorder
from filtersql.postgres.transactions import Transactions

#: int4, text, bool, numeric
COLUMNS = (("id", 23), ("note", 25), ("paid", 16), ("total", 1700))
TABLE = relation(COLUMNS)
ROW = [b"1", b'a"\n', b"t", b"1.50"]


def recorded(
    messages: Sequence[bytes], folder: Path, *, is_partition: bool = False, last: int = 0
) -> list[Record]:
    """The records of some messages."""
    recorder = Recorder(lambda *_: is_partition, {}, last)
    with closing(Transactions(folder)) as transactions:
        found = [
            record
            for payload in messages
            for message, _ in transactions.take(payload)
            for record in recorder.take(message)
        ]
    assert list(folder.iterdir()) == []
    return found


def within(*messages: bytes) -> list[bytes]:
    """A transaction that begins with the table's description."""
    return [begin(1600), TABLE, *messages, commit(1600)]


def only(messages: list[bytes], folder: Path) -> Record:
    """The one change of a transaction."""
    found, ended = recorded(messages, folder)
    assert (ended.op, ended.seq, ended.tx) == ("commit", found.seq + 1, found.tx)
    return found


def test_an_insert(tmp_path: Path) -> None:
    """Integers and booleans are JSON's own, all else is PostgreSQL's text."""
    found = only(within(change("I", new=ROW)), tmp_path)

    assert found.after == {"id": 1, "note": 'a"\n', "paid": True, "total": "1.50"}
    assert (found.op, found.relation, found.before) == ("insert", "public.t", None)
    assert (found.tx, found.seq) == ("7@0/640@0", (1600 >> 5) << 20)


def test_an_update_with_its_old_row(tmp_path: Path) -> None:
    """O is a whole old row, K the key alone; without either nothing was logged."""
    new = [b"2", None, b"f", b"NaN"]
    whole = only(within(change("U", old=ROW, kind="O", new=new)), tmp_path)
    key = only(within(change("U", old=[b"1", None, None, None], new=new)), tmp_path)
    none = only(within(change("U", new=new)), tmp_path)

    assert whole.before == {"id": 1, "note": 'a"\n', "paid": True, "total": "1.50"}
    assert (key.before, none.before) == ({"id": 1}, None)
    for found in (whole, key, none):
        assert found.after == {"id": 2, "note": None, "paid": False, "total": "NaN"}
        assert found.unchanged is None


def test_an_unchanged_value(tmp_path: Path) -> None:
    """It is named, and not in the new row."""
    found = only(within(change("U", new=[b"1", UNCHANGED, b"t", UNCHANGED])), tmp_path)

    assert found.unchanged == ["note", "total"]
    assert found.after == {"id": 1, "paid": True}


def test_a_delete(tmp_path: Path) -> None:
    """The key, or the whole row."""
    key = only(within(change("D", old=[b"1", None, None, None])), tmp_path)
    whole = only(within(change("D", old=ROW, kind="O")), tmp_path)

    assert (key.op, key.before, key.after) == ("delete", {"id": 1}, None)
    assert whole.before == {"id": 1, "note": 'a"\n', "paid": True, "total": "1.50"}


def test_a_truncate(tmp_path: Path) -> None:
    """A record for each table names all; of partitions it is not known who was named."""
    other = relation(COLUMNS, oid=OID + 1)
    messages = within(other, truncate(3, OID, OID + 1))
    first, second, _ = recorded(messages, tmp_path)

    assert (first.op, first.relations) == ("truncate", ["public.t", "public.t"])
    assert (first.cascade, first.restart_identity, second.seq) == (True, True, first.seq + 1)
    assert recorded(messages, tmp_path, is_partition=True)[0].relations is None


def test_transactions_are_numbered_by_their_commits(tmp_path: Path) -> None:
    """One that runs on into the numbers of the next pushes that one on."""
    start = 1600 >> 5 << 20
    inserted, behind = change("I", new=ROW), 3200 >> 5 << 20
    messages = [*within(inserted), begin(3200), inserted, commit(3200)]
    found = [record.seq for record in recorded(messages, tmp_path, last=start + 5)]

    assert found == [start + 6, start + 7, behind, behind + 1]


def test_streamed_transactions_come_in_the_order_of_commits(tmp_path: Path) -> None:
    """What was aborted never comes; a table that an aborted part described is known."""
    insert = [change("I", new=[str(number).encode(), None, None, None]) for number in range(6)]
    found = recorded(
        [
            stream_start(7), in_stream(TABLE, 9), in_stream(insert[0], 9), STOP,
            stream_start(8), in_stream(TABLE, 8), in_stream(insert[1], 8), STOP,
            begin(1600, 5), TABLE, insert[2], commit(1600),
            stream_start(7, first=False), in_stream(insert[3], 7), STOP,
            stream_abort(7, 9),
            stream_abort(8, 8),
            stream_commit(7, 3200),
            stream_start(11), in_stream(insert[4], 11), STOP,  # and the connection is lost
        ],
        tmp_path,
    )  # fmt: skip

    changes = [(record.tx, (record.after or {}).get("id")) for record in found]
    assert changes == [
        ("5@0/640@0", 2), ("5@0/640@0", None), ("7@0/C80@0", 3), ("7@0/C80@0", None),
    ]  # fmt: skip


def test_a_streamed_transaction_that_comes_to_nothing_leaves_nothing(tmp_path: Path) -> None:
    """When a server is asked for it again, it sends no such transaction."""
    inserted = change("I", new=ROW)
    streamed = [stream_start(7), in_stream(TABLE, 9), in_stream(inserted, 9), STOP]
    nothing = [*streamed, stream_abort(7, 9), stream_commit(7, 3200)]

    assert recorded([*nothing, *within(inserted)], tmp_path) == recorded(within(inserted), tmp_path)


def test_what_the_project_does_not_know_stops_at_its_first_change(tmp_path: Path) -> None:
    """A description alone is no harm."""

    def refuse(*_: object) -> bool:
        raise Mistakes([TABLE_UNKNOWN(table="t", source="erp")])

    recorder, decoder = Recorder(refuse, {}, 0), Decoder()
    for payload in (begin(1600), TABLE):
        assert not recorder.take(decoder.decode(payload))
    with pytest.raises(Mistakes):
        recorder.take(decoder.decode(change("I", new=ROW)))


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([b""], "unknown message b''"),
        ([b"Z"], "unknown message b'Z'"),
        ([begin(1600)[:-1]], "message B: it ends too early"),
        ([begin(1600) + b"x"], "message B: 22 bytes, 21 read"),
        ([TABLE[:-9]], "message R: "),
        ([change("I", new=ROW)[:-1]], "message I: it ends too early"),
        ([change("I", old=ROW)], "message I: row of kind 'K'"),
        ([truncate(0, 1, 2)[:-1]], "message T: it ends too early"),
        ([begin(1600), change("I", new=ROW)], "which was not described"),
        ([begin(1600), begin(3200)], "begins within another one"),
        ([commit(1600)], "ends that did not begin"),
        ([TABLE, change("I", new=ROW)], "outside of a transaction"),
        (within(change("I", new=ROW[:3])), "a row of public.t"),
        (within(change("I", new=[b"x", None, None, None])), "a row of public.t"),
        (within(change("I", new=[b"1", b"\xff", None, None])), "a row of public.t"),
        (within(change("I", new=[b"1", None, b"maybe", None])), "a row of public.t"),
        ([stream_start(7), stream_start(8)], "lie in each other"),
        ([STOP], "lie in each other"),
        ([stream_commit(7, 1600)], "was never streamed"),
    ],
)
def test_what_is_no_message_is_refused(messages: list[bytes], reason: str, tmp_path: Path) -> None:
    """Each says why."""
    with pytest.raises(Malformed, match=reason):
        recorded(messages, tmp_path)


def test_damaged_messages_never_pass_as_longer_or_shorter_ones(tmp_path: Path) -> None:
    """Bytes changed, lost and added: a clear stop, or records as they may be."""
    chance = random.Random(30)
    sound = [
        *within(change("I", new=ROW), change("U", old=ROW, kind="O", new=ROW), truncate(1, OID)),
        stream_start(9), in_stream(change("D", old=ROW), 9), STOP, stream_commit(9, 3200),
    ]  # fmt: skip
    refused = 0
    for _ in range(3000):
        messages = list(sound)
        place = chance.randrange(len(messages))
        damaged = bytearray(messages[place])
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(damaged) + 1)
            match chance.choice("cla"):
                case "c" if at < len(damaged):
                    damaged[at] = chance.randrange(256)
                case "l":
                    del damaged[at : at + chance.randint(1, 4)]
                case _:
                    damaged[at:at] = chance.randbytes(chance.randint(1, 4))
        messages[place] = bytes(damaged)
        try:
            found = recorded(messages, tmp_path)
        except Malformed:
            refused += 1
        else:
            assert [one.seq for one in found] == sorted({one.seq for one in found})
    assert refused > 2000
