"""The folder of a captured source, and what it says of itself: `Folder.of(root, "erp")`.

Example
    captured/erp/source.json
        {"system_identifier": "7520…", "timeline": 1, "slot": "filtersql_shop_erp",
         "publication": "filtersql_shop_erp", "start": "0/16B3748"}

    `start` is null while the rows are being copied: what was interrupted then is begun anew. How
    far the files go they say themselves; `reached` holds a later position, up to which nothing of
    the project's tables was changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from filtersql.errors import Mistakes
from filtersql.errors.capturing import ALREADY_CAPTURING, CANNOT_WRITE
from filtersql.exclusive import alone
from filtersql.feeds.positions import lsn
from filtersql.names import RelationName
from filtersql.postgres.feed_files import write_whole
from filtersql.postgres.recording import position_text
from filtersql.project.captured import JOINED, TREES, captured_trees, changes_folder, joined_tables

__all__ = ["Captured", "Folder", "Progress"]


class Captured(Struct, frozen=True):
    """What source.json says. `start` is where the slot began, once the rows were copied."""

    system_identifier: str
    timeline: int
    slot: str
    publication: str
    start: str | None = None


class Progress(Struct, frozen=True):
    """How far a capture is: of this call, in all. `behind` is in seconds, by the server's clock.

    `rate`: changes a second, of the last seconds while it goes on, of the whole call at its end.
    """

    transactions: int
    changes: int
    position: str
    behind: float
    rate: float


class Folder(Struct, frozen=True):
    """The files of one source below the project's folder."""

    path: Path
    changes: Path

    @classmethod
    def of(cls, root: Path, source: str) -> Folder:
        """The folder; it need not exist."""
        changes = changes_folder(root, source)
        return cls(changes.parent, changes)

    def read(self) -> Captured | None:
        """What is known of what was captured; None: nothing was."""
        path = self.path / "source.json"
        return msgspec.json.decode(path.read_bytes(), type=Captured) if path.exists() else None

    def write(self, captured: Captured) -> None:
        """Keep it."""
        write_whole(self.path / "source.json", msgspec.json.encode(captured) + b"\n")

    def forget(self) -> None:
        """Nothing is captured any more; the files stay."""
        for name in ("source.json", "reached", "progress.json", JOINED, TREES):
            (self.path / name).unlink(missing_ok=True)

    def greatest_seq(self) -> int:
        """The greatest seq that any file has, also one that is not valid any more."""
        found = (*self.changes.glob("*.jsonl"), *self.path.glob("rows/*/*"))
        return max((int(path.stem) for path in found if path.stem.isdecimal()), default=-1)

    def write_joined(self, tables: Mapping[str, int | None]) -> None:
        """Keep what `joined_tables` gives."""
        write_whole(self.path / JOINED, msgspec.json.encode(tables) + b"\n")

    def note_moving(self, tables: Iterable[RelationName]) -> None:
        """Tables come, or stand elsewhere: what targets hold of them is not known to be all."""
        if moving := {table.path: None for table in tables}:
            self.write_joined({**joined_tables(self.path), **moving})

    def write_trees(self, trees: Collection[str]) -> None:
        """Keep what `captured_trees` gives."""
        if captured_trees(self.path) != trees:
            write_whole(self.path / TREES, msgspec.json.encode(sorted(trees)) + b"\n")

    def note_left(self, trees: Iterable[str], until: int) -> None:
        """Tables are below others no more: up to a seq, changes of them were those of a tree."""
        if left := dict.fromkeys(trees, until):
            self.write_joined({**joined_tables(self.path), **left})

    def reached(self) -> int:
        """Up to where nothing more was changed; 0 where that was not written down."""
        path = self.path / "reached"
        return lsn(path.read_text(encoding="utf-8").strip()) if path.exists() else 0

    def write_reached(self, position: int) -> None:
        """Keep it."""
        write_whole(self.path / "reached", f"{position_text(position)}\n".encode())

    def progress(self) -> Progress | None:
        """How far the last capture was when it last said so."""
        path = self.path / "progress.json"
        return msgspec.json.decode(path.read_bytes(), type=Progress) if path.exists() else None

    def write_progress(self, progress: Progress) -> None:
        """Keep it."""
        write_whole(self.path / "progress.json", msgspec.json.encode(progress) + b"\n")

    @contextmanager
    def alone(self, source: str) -> Iterator[None]:
        """No other process captures the source meanwhile. Raises Mistakes."""
        try:
            with alone(self.path, wait=False):
                yield
        except BlockingIOError:
            raise Mistakes([ALREADY_CAPTURING(source=source, folder=self.path)]) from None

    @contextmanager
    def written(self, source: str) -> Iterator[None]:
        """What a disk refuses becomes a mistake."""
        try:
            yield
        except OSError as error:
            reason, path = error.strerror or str(error), error.filename or self.path
            raise Mistakes([CANNOT_WRITE(path=path, reason=reason, source=source)]) from None
