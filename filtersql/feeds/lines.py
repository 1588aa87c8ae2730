"""The lines of JSON-lines files, plain or gzipped, each with its place.

Example
    `changes/*.jsonl` is a glob relative to the project; files are read in the order of their names.
"""

from __future__ import annotations

import glob
import gzip
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import repeat
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.feeds import FILE_CHANGED, NO_FEED_FILES, TORN_LINE, UNREADABLE_FEED_FILE
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.source import Source, Span

__all__ = [
    "Chunk",
    "FeedFile",
    "check_read",
    "chunks",
    "find_files",
    "line_span",
    "lines_in",
    "lines_of",
    "opened",
    "unread",
    "while_written",
]

_LONGEST_EXCERPT = 160
_BLOCK_BYTES = 2**20
_CHUNK_BYTES = 4 * 2**20
#: seconds that are waited for the rest of a line whose beginning was written
_PATIENCE = 60


class FeedFile(Struct, frozen=True):
    """A file as it was found; `shown` is its path as messages print it."""

    path: Path
    shown: str
    size: int
    modified: int


def find_files(pattern: str, root: Path, span: Span | None) -> tuple[FeedFile, ...]:
    """The files that a glob matches, in the order of their names. None at all is a mistake."""
    whole = str(root / pattern)
    found = sorted({*glob.glob(whole, recursive=True), *([whole] if Path(whole).is_file() else [])})
    files = tuple(_file(Path(name), root) for name in found if Path(name).is_file())
    if not files:
        raise Mistakes([NO_FEED_FILES(span, path=pattern)])
    return files


def while_written(file: FeedFile) -> FeedFile:
    """The file, without its last line where somebody is still writing that.

    A file that nobody has written to for a minute stays as it is: its torn line is a mistake.
    """
    rests = time.time() - file.modified / 1e9 > _PATIENCE
    if rests or file.path == Path() or file.path.suffix == ".gz":
        return file
    try:
        end, line = _last_line(file)
    except OSError:
        return file
    try:
        msgspec.json.decode(line or b"0", type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeError):
        return replace(file, size=end)
    return file


def _last_line(file: FeedFile) -> tuple[int, bytes]:
    """Where the last line begins, and the line: it is empty behind the newline of another one."""
    end, line = file.size, b""
    with file.path.open("rb") as stream:
        while end and b"\n" not in line:
            begin = max(0, end - _BLOCK_BYTES)
            stream.seek(begin)
            line, end = stream.read(end - begin) + line, begin
    before = line.rfind(b"\n") + 1
    return end + before, line[before:].strip()


class Chunk(Struct, frozen=True):
    """Whole lines that stand one behind the other; `first` is the number of the first."""

    shown: str
    first: int
    text: bytes


def chunks(file: FeedFile, start: int = 0, stop: int | None = None) -> Iterator[Chunk]:
    """All lines, some megabytes at a time, with the blank ones that are among them.

    Of a file that is not packed also those alone that begin in a range of its bytes; they are
    numbered from the first of them.
    """
    if stop is None and file.path.suffix != ".gz":
        # It may grow while it is read, perhaps for the second time.
        stop = file.size
    first = 1
    try:
        with opened(file) as stream:
            if start:
                stream.seek(start - 1)
                stream.readline()
            while text := _next_lines(stream, stop):
                if first == 1 and not start:
                    text = text.removeprefix(b"\xef\xbb\xbf")
                yield Chunk(file.shown, first, text)
                first += text.count(b"\n")
            check_read(file, stream.tell(), file.size if stop is None else stop)
    except (OSError, EOFError, zlib.error) as error:
        raise Mistakes(
            [UNREADABLE_FEED_FILE(path=file.shown, reason=str(error) or type(error).__name__)]
        ) from None


def lines_in(found: Iterable[Chunk]) -> Iterator[Place]:
    """The lines of chunks, blank ones left out; only a torn line lacks its newline."""
    for chunk in found:
        for numbers, some in lines_of(chunk):
            yield from zip(repeat(chunk.shown), numbers, some)


def lines_of(chunk: Chunk) -> Iterator[tuple[Sequence[int], list[bytes]]]:
    """The same of one chunk, a megabyte at a time: the numbers of some lines, and the lines."""
    first, stream = chunk.first, BytesIO(chunk.text)
    while some := stream.readlines(_BLOCK_BYTES):
        numbers: Sequence[int] = range(first, first + len(some))
        first += len(some)
        if any(map(bytes.isspace, some)):
            numbers = [n for n, line in zip(numbers, some, strict=True) if not line.isspace()]
            some = [line for line in some if not line.isspace()]
        yield numbers, some


def check_read(file: FeedFile, end: int, stop: int) -> None:
    """Whether a file was read up to a place. Raises Mistakes with exit code 2.

    It may have become shorter, or another machine does not see all of it yet. A packed file ends
    anywhere: it is asked for its size.
    """
    if file.path.suffix == ".gz":
        end, stop = file.path.stat().st_size, file.size
    if end < stop:
        raise Mistakes([FILE_CHANGED(path=file.shown)])


def _next_lines(stream: BinaryIO | gzip.GzipFile, stop: int | None) -> bytes:
    """The next lines that begin before a place."""
    size = _CHUNK_BYTES if stop is None else min(stop - stream.tell(), _CHUNK_BYTES)
    text = stream.read(size) if size > 0 else b""
    return text + stream.readline() if text and not text.endswith(b"\n") else text


def line_span(shown: str, number: int, line: bytes) -> Span:
    """The place of a line. Only its own text is kept: what stands before it may be large."""
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    if len(text) > _LONGEST_EXCERPT:
        text = text[:_LONGEST_EXCERPT] + "…"
    before = "\n" * (number - 1)
    return Source(shown, before + text).span(len(before), len(before) + len(text))


def unread(place: Place, error: Exception, wrong: Mistake) -> PlacedMistake:
    """What is to be said of a line that was not read: `wrong`, or that a file ends within it."""
    unfinished = isinstance(error, (msgspec.DecodeError, UnicodeError))
    if place[2].endswith(b"\n") or not unfinished or isinstance(error, msgspec.ValidationError):
        return place, wrong
    return place, TORN_LINE(wrong.span)


def opened(file: FeedFile) -> BinaryIO | gzip.GzipFile:
    """The bytes of a file, decompressed."""
    path = file.path
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _file(path: Path, root: Path) -> FeedFile:
    status = path.stat()
    shown = str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
    return FeedFile(path, shown, status.st_size, status.st_mtime_ns)
