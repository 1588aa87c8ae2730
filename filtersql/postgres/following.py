"""Changes of a slot into closed files, until there are no more or for ever: `follow(…)`.

Example
    ======================= ==================================== ======================
    the server sends        the files                            the server is told
    ======================= ==================================== ======================
    begin, changes          open.part grows                      –
    commit                  a second later: closed and synced    where that commit is
    begin, changes, (kill)  open.part is thrown away             – and sends them again
    ======================= ==================================== ======================

    A slot sends again what it was not told of. The last transaction in the files must be among
    it, and the same: else the server has another past than the one that was captured.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from msgspec import Struct

from filtersql.errors import Mistakes
from filtersql.errors.capturing import NOT_PGOUTPUT, RESTORED
from filtersql.postgres.capture_folder import Folder, Progress
from filtersql.postgres.capture_state import End
from filtersql.postgres.feed_files import FeedFiles
from filtersql.postgres.pgoutput import Malformed
from filtersql.postgres.pgoutput_messages import Begin, Commit, Relation, Type
from filtersql.postgres.recording import Check, Recorder, position_text, tx_of
from filtersql.postgres.slot_stream import SlotStream
from filtersql.postgres.transactions import Transactions
from filtersql.project.captured import joined_tables

__all__ = ["Following", "Mark", "follow"]

#: a file is closed when it has so many bytes
_FILE_BYTES = 64 * 2**20
#: so much of the log may pass without a change before it is written down
_QUIET_BYTES = 16 * 2**20
_EACH = 10.0
#: seconds after which it is looked whether a file is to be closed, or the capture to end
_LOOK = 0.2
#: messages between two looks at the clock
_GLANCE = 256
#: the first letters of messages that end a transaction
_COMMITS = b"Cc"
#: what is recorded of a transaction that the files have
_DESCRIPTIONS = (Relation, Type)


class Mark(Struct, frozen=True):
    """A position in the log, and who is told the last seq of the files and the last that is taken.

    What it gives is the last one from then on.
    """

    position: int
    told: Callable[[int, int], int]


class Following:
    """One call of `follow`."""

    def __init__(
        self,
        stream: SlotStream,
        folder: Folder,
        end: End,
        sent_from: int,
        check: Check,
        types: Mapping[int, Type],
        source: str,
        mark: Mark | None = None,
    ) -> None:
        self.stream, self.folder, self.end, self.source = stream, folder, end, source
        for stale in (*folder.changes.glob("*.part"), *folder.changes.glob("*.stream")):
            stale.unlink()
        self.transactions = Transactions(folder.changes)
        self.files = FeedFiles(folder.changes)
        taken = [seq or 0 for name, seq in joined_tables(folder.path).items() if "/" not in name]
        self.recorder = Recorder(check, types, max([self.files.closed, *taken]))
        #: the last transaction in the files was sent again, or is not to be
        self.known = end.tx is None or sent_from > end.position
        self.skips, self.mark = False, mark
        #: the open transaction, if it can only have come to nothing
        self.covered: str | None = None
        #: of the last transaction that is whole: where it is, and when it was committed
        self.position, self.committed = end.position, 0
        self.written = end.reached
        self.wrote_at = self.began = time.monotonic()
        self.count = self.changes = self._seen = self._rested = 0
        #: how many transactions and changes are in closed files
        self.kept = 0, 0

    def go_on_from(self, before: Following) -> None:
        """Count what was closed before a connection was lost, and tell what is to be told."""
        self.mark, self.began, self.kept = before.mark, before.began, before.kept
        self.count, self.changes = self.kept

    @property
    def between(self) -> bool:
        """Whether no transaction is open."""
        return self.recorder.open is None and not self.skips

    def take_some(self) -> bool:
        """Some of what has arrived, now and then to the end of a transaction; False: all of it."""
        receive = self.stream.receive
        for _ in range(_GLANCE):
            payload = receive()
            if payload is None:
                return False
            self._take(payload)
            if payload[0] in _COMMITS and self._seen - self._rested >= _GLANCE:
                break
        return True

    def _take(self, payload: bytes) -> None:
        for message, size in self.transactions.take(payload):
            self._seen += 1
            if not self._seen % _GLANCE:
                self.stream.keep_alive()
            if isinstance(message, Begin):
                self.skips = self._has(message)
                self._pass(message.position)
                self.committed = message.at
                covered = self.end.position < message.position < self.end.reached
                self.covered = tx_of(message) if covered else None
            if self.skips:
                self.skips = not isinstance(message, Commit)
                if not isinstance(message, _DESCRIPTIONS):
                    continue
            if records := self.recorder.take(message):
                if self.covered is not None:
                    said = f"Transaction {self.covered} is not in the files, which go on behind it."
                    raise Mistakes([RESTORED(source=self.source, reason=said)])
                self.files.add(records, size)
                self.changes += len(records)
                if isinstance(message, Commit):
                    self.position = message.position
                    self.count += 1
                    self.changes -= 1  # the record of the commit is none
                    self.files.boundary(self.recorder.last_seq)

    def _has(self, begin: Begin) -> bool:
        if self.known and begin.position > self.end.reached:
            return False
        tx = tx_of(begin)
        try:
            found = self.end.has(begin, tx)
            self.known = self.known or tx == self.end.tx
            if not found and not self.known:
                reason = f"Transaction {self.end.tx}, the last in the files, never happened."
                raise ValueError(reason)
        except ValueError as error:
            raise Mistakes([RESTORED(source=self.source, reason=str(error))]) from None
        return found

    def _pass(self, position: int) -> None:
        """All transactions before a position were recorded."""
        if self.mark is not None and position >= self.mark.position:
            self.close()  # else they would be sent again, behind the seq of rows that hold them
            self.recorder.last_seq = self.mark.told(self.files.closed, self.recorder.last_seq)
            self.mark = None

    def close(self) -> None:
        """Close what is whole, and tell the server."""
        if self.files.close(self.stream.keep_alive):
            self.kept = self.count, self.changes
            self.stream.tell(self.position)

    def rest(self, *, at_once: bool) -> None:
        """Between two transactions: what waits is closed when it is time."""
        self._rested = self._seen
        if not self.known and self.stream.reached > self.end.position:
            reason = f"Transaction {self.end.tx}, the last in the files, never happened."
            raise Mistakes([RESTORED(source=self.source, reason=reason)])
        self._pass(self.stream.reached)
        waiting = self.files.size
        if waiting and (at_once or waiting >= _FILE_BYTES or self.files.age >= 1.0):
            self.close()
        elif not waiting and self.stream.reached > self.written:
            # Nothing of ours was changed: a server that stops waits until it is told so.
            quiet = self.stream.reached - self.written >= _QUIET_BYTES
            asked = self.stream.asked and time.monotonic() - self.wrote_at >= 1.0
            if at_once or quiet or asked:
                self.folder.write_reached(self.stream.reached)
                self.written, self.wrote_at = self.stream.reached, time.monotonic()
                self.stream.tell(self.written)

    def progress(self, since: tuple[float, int] | None = None) -> Progress:
        """How far it is, and how fast: in all, or since a moment with so many changes."""
        moment, changes = since or (self.began, 0)
        seconds = max(time.monotonic() - moment, 0.001)
        idle = self.stream.reached > self.position or not self.committed
        behind = 0.0 if idle else (self.stream.sent_at - self.committed) / 1_000_000
        position = position_text(max(self.position, self.written))
        return Progress(
            self.count, self.changes, position, max(behind, 0.0), (self.changes - changes) / seconds
        )


def follow(
    following: Following,
    until: int | None,
    stops: Callable[[], bool],
    on_progress: Callable[[Progress], object],
) -> Progress:
    """Capture until the server's log was sent up to `until`, or until `stops` says so.

    Raises Mistakes: what was whole before is in closed files then, and the server was told.
    """
    try:
        _follow(following, until, stops, on_progress)
        return following.progress()
    except Malformed as error:
        following.close()
        raise Mistakes([NOT_PGOUTPUT(source=following.source, reason=str(error))]) from None
    except Mistakes:
        following.close()
        raise
    finally:
        following.files.discard()
        following.transactions.close()
        following.count, following.changes = following.kept


def _follow(
    following: Following,
    until: int | None,
    stops: Callable[[], bool],
    on_progress: Callable[[Progress], object],
) -> None:
    stream, told = following.stream, (time.monotonic(), following.changes)
    arrived = False
    if until is not None:
        stream.ask()
    while not (arrived or stops()):
        more = following.take_some()
        if following.between:
            reached = 0 if more else stream.reached
            arrived = until is not None and max(following.position, reached) >= until
            following.rest(at_once=arrived)
        stream.keep_alive()
        if not (more or arrived or stream.wait(_LOOK)) and until is not None:
            stream.ask()
        if time.monotonic() - told[0] >= _EACH:
            on_progress(following.progress(told))
            told = time.monotonic(), following.changes
    following.close()
