"""Answers that need no work because nothing that they depend on has changed.

Example
    memory = Memory.of(reporter)
    entry = memory.get("ls", Listing)             None: work it out
    memory.put("ls", listing, project)            for the next time

An answer is kept under target/.cache/, as MessagePack, below the hash of everything that was read
for it: each definition file and macro, the project file, every profiles.yml that could be taken,
the flags, the rules of time zones, and the program itself. The environment variables that a file
asked for are kept beside it, as salted hashes, and compared. What cannot be read or does not fit is
forgotten, never trusted.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar
from zoneinfo import TZPATH

import msgspec

from filtersql import __version__
from filtersql.api.asking import root_of

if TYPE_CHECKING:
    from filtersql.api.options import Options
    from filtersql.api.reporter import Reporter
    from filtersql.project import Project

__all__ = ["Memory"]

_FOLDERS = ("tables", "publications", "subscriptions", "tests")
_KEPT = 40
_Answer = TypeVar("_Answer")


class _Digest(Protocol):
    def update(self, content: bytes, /) -> None: ...


class _Entry(msgspec.Struct, frozen=True):
    """What a file of the cache holds."""

    salt: bytes
    #: environment variable -> hash of its value; None: it was not set
    environment: dict[str, bytes | None]
    answer: msgspec.Raw


class Memory:
    """The answers of one project as it is now.

    Those of `settings` hang on everything but the definition files.
    """

    def __init__(self, root: Path, key: str, settings: Memory | None = None) -> None:
        self.root = root
        self.settings = settings or self
        self._key = key
        self._folder = root / "target" / ".cache"

    @classmethod
    def of(cls, reporter: Reporter) -> Memory:
        """Reads every file that an answer may depend on, and works nothing out."""
        options = reporter.options
        root = root_of(options)
        reporter.log.open(root)
        digest = hashlib.sha256()
        _update(digest, (*_program(), *_flags(options), *_settings(root, options)))
        settings = cls(root, digest.hexdigest())
        _update(digest, _files(root, _FOLDERS))
        return cls(root, digest.hexdigest(), settings)

    def get(self, what: str, kind: type[_Answer]) -> _Answer | None:
        """The answer, if there is one for the project as it is."""
        try:
            content = self._file(what).read_bytes()
            entry = msgspec.msgpack.decode(content, type=_Entry)
            for name, kept in entry.environment.items():
                if _hashed(name, entry.salt) != kept:
                    return None
            return msgspec.msgpack.decode(entry.answer, type=kind)
        except (OSError, msgspec.MsgspecError, ValueError):
            return None

    def put(self, what: str, answer: object, project: Project) -> None:
        """Keeps an answer. A folder that cannot be written is no mistake."""
        salt = secrets.token_bytes(16)
        environment = {name: _hashed(name, salt) for name in sorted(project.environment)}
        entry = _Entry(salt, environment, msgspec.Raw(msgspec.msgpack.encode(answer)))
        file = self._file(what)
        fresh = file.with_name(f"{file.name}.{os.getpid()}")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            fresh.write_bytes(msgspec.msgpack.encode(entry))
            fresh.replace(file)
            kept = sorted(self._folder.iterdir(), key=lambda each: -each.stat().st_mtime_ns)
            for old in kept[_KEPT:]:
                old.unlink()
        except OSError:
            fresh.unlink(missing_ok=True)

    def _file(self, what: str) -> Path:
        name = hashlib.sha256(f"{self._key}\0{what}".encode()).hexdigest()
        return self._folder / f"{name[:40]}.msgpack"


def _hashed(name: str, salt: bytes) -> bytes | None:
    """A variable's value; slowly, because it may be a password."""
    value = os.environ.get(name)
    if value is None:
        return None
    return hashlib.scrypt(value.encode("utf-8", "surrogateescape"), salt=salt, n=1024, r=8, p=1)


def _program() -> Iterator[bytes]:
    """The version, and when its files were written: a checkout changes without a new version."""
    yield __version__.encode()
    yield sys.version.encode()
    # An update of the system's time zones moves what `'2030-01-01 Europe/Paris'` means.
    yield from (f"{folder} {_modified(folder)}".encode() for folder in TZPATH)
    yield from _installed()


@cache
def _installed() -> tuple[bytes, ...]:
    """The files of the program and the names of packages, as this process first saw them.

    A process answers by what it has loaded, whatever becomes of the files meanwhile.
    """
    found = [name.encode() for folder in sys.path for name in _packages(folder)]
    package = Path(__file__).parents[1]
    for folder in (package, package.parent / "macros"):
        for place, folders, names in os.walk(folder):
            folders[:] = sorted(each for each in folders if each != "__pycache__")
            for name in sorted(names):
                status = os.stat(os.path.join(place, name))
                found.append(f"{place}/{name} {status.st_mtime_ns} {status.st_size}".encode())
    return tuple(found)


def _packages(folder: str) -> list[str]:
    """What is installed there, each with its version: `sqlglot-27.0.0.dist-info`."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith("-info"))
    except OSError:
        return []


def _modified(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


def _flags(options: Options) -> Iterator[bytes]:
    """The flags that change what is compiled."""
    yield from (
        repr(each).encode("utf-8", "surrogateescape")
        for each in (
            options.target,
            options.vars,
            options.profiles_dir and str(options.profiles_dir.absolute()),
            options.publish_via_partition_root,
            options.threads,
            os.environ.get("FILTERSQL_PROFILES_DIR"),
            str(Path.cwd()),
        )
    )


def _settings(root: Path, options: Options) -> Iterator[bytes]:
    """The project's file and its macros, and every profiles.yml, also that one is not there."""
    chosen = os.environ.get("FILTERSQL_PROFILES_DIR")
    profiles = [root, Path.home() / ".filtersql"]
    profiles += [Path(each) for each in (options.profiles_dir, chosen) if each]
    for path in (root / "filtersql_project.yml", *(each / "profiles.yml" for each in profiles)):
        yield str(path).encode("utf-8", "surrogateescape")
        yield _content(path)
    yield from _files(root, ("macros",))


def _files(root: Path, folders: Iterable[str]) -> Iterator[bytes]:
    """Names and contents of all files, also behind links: Jinja includes what is there."""
    for folder in folders:
        reached: set[str] = set()
        for place, below, names in os.walk(root / folder, followlinks=True):
            reached.add(os.path.realpath(place))
            places = {name: os.path.realpath(f"{place}/{name}") for name in sorted(below)}
            yield repr(places).encode("utf-8", "surrogateescape")
            below[:] = (name for name, behind in places.items() if behind not in reached)
            for name in sorted(names):
                path = Path(place, name)
                yield str(path).encode("utf-8", "surrogateescape")
                yield _content(path)


def _update(digest: _Digest, parts: Iterable[bytes]) -> None:
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)


def _content(path: Path) -> bytes:
    try:
        return b"=" + path.read_bytes()
    except OSError as error:
        return f"!{error.errno}".encode()
