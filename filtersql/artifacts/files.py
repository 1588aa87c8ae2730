"""The statements under `target/compiled/` and the manifest beside them, all or nothing.

Example
    A first compile writes a folder beside the final one, which then takes its place. A later one
    writes each file that changed beside the old one; once all are there, they take their places.

A compile that is interrupted while it writes leaves the old files, never half of a new one. Files
that stay as they are, are not touched. Of two that write at once, one waits for the other: what
stays is one's statements with its own manifest. No time of day enters a file.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from filtersql.artifacts.manifest import compiled_path, manifest, statements_of
from filtersql.compile import Compilation, Node
from filtersql.exclusive import alone
from filtersql.project import Project

__all__ = [
    "CHANGE_FILE",
    "compiled_path",
    "files_of",
    "read_compiled",
    "stale_files",
    "write",
    "write_changes",
    "write_file",
    "write_manifest",
    "write_statements",
]

#: beside a target's statements: what `apply` would execute; a later compile takes it away
CHANGE_FILE = "change.sql"


def files_of(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """(path below compiled/, text) of every statement."""
    for node in nodes:
        folder = compiled_path(node)
        for statement, text in statements_of(node).items():
            yield f"{folder}/{statement}.sql", text


def write(project: Project, compilation: Compilation, selected: Iterable[Node]) -> str:
    """Writes the statements of the selected targets, and the manifest of all: its SHA-256.

    Folders of targets that are no longer defined go; those of targets that are not selected stay
    as they are.
    """
    texts = {compiled_path(node): statements_of(node) for node in selected}
    target = project.root / "target"
    target.mkdir(exist_ok=True)
    with alone(target):
        write_statements(project.compiled_path, texts, map(compiled_path, compilation.nodes))
        return write_manifest(project, manifest(project, compilation))


def write_statements(
    final: Path, texts: Mapping[str, Mapping[str, str]], folders: Iterable[str]
) -> None:
    """The statements of some targets by folder; those of all other `folders` stay, the rest goes.

    Needs to be `alone`.
    """
    if final.is_dir():
        _rewrite(final, texts, {*folders, *texts})
        return
    final.parent.mkdir(parents=True, exist_ok=True)
    fresh = tempfile.mkdtemp(prefix=".compiled-", dir=final.parent)
    try:
        for folder, statements in texts.items():
            os.makedirs(f"{fresh}/{folder}", exist_ok=True)
            for statement, text in statements.items():
                _put(f"{fresh}/{folder}/{statement}.sql", text.encode())
        os.chmod(fresh, 0o755)
        os.rename(fresh, final)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def _rewrite(final: Path, texts: Mapping[str, Mapping[str, str]], folders: set[str]) -> None:
    """Puts changed files into their places once all are written; takes away what is idle."""
    moves: list[tuple[str, str]] = []
    idle: list[str] = []
    try:
        for folder, statements in texts.items():
            place = f"{final}/{folder}"
            os.makedirs(place, exist_ok=True)
            files = {f"{statement}.sql": text.encode() for statement, text in statements.items()}
            for name, content in files.items():
                if _content(f"{place}/{name}") != content:
                    fresh = f"{place}/.{name}.{secrets.token_hex(8)}"
                    moves.append((fresh, f"{place}/{name}"))
                    _put(fresh, content)
            written = {fresh for fresh, _ in moves}
            there = (f"{place}/{name}" for name in os.listdir(place) if name not in files)
            idle += (path for path in there if path not in written)
    except BaseException:
        for fresh, _ in moves:
            Path(fresh).unlink(missing_ok=True)
        raise
    for fresh, path in moves:
        os.replace(fresh, path)
    _remove(idle)
    _remove(_strangers(final, folders))


def _strangers(final: Path, folders: set[str]) -> Iterator[str]:
    """What is below compiled/ beside the folders of targets."""
    outer = {folder.partition("/")[0] for folder in folders}
    for above in list(os.scandir(final)):
        if above.name not in outer or not above.is_dir(follow_symlinks=False):
            yield above.path
            continue
        for inner in list(os.scandir(above.path)):
            if f"{above.name}/{inner.name}" not in folders:
                yield inner.path


def _remove(paths: Iterable[str]) -> None:
    for path in paths:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)


def _content(path: str) -> bytes | None:
    """What stands in a file; None where there is none."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return None


def _put(path: str, content: bytes) -> None:
    """A file, in as few calls of the system as there can be: a project has thousands."""
    with open(path, "wb", buffering=0) as file:
        rest = memoryview(content)
        while rest:
            rest = rest[file.write(rest) :]


def stale_files(project: Project, compilation: Compilation, selected: Iterable[Node]) -> list[str]:
    """Paths below compiled/ that `write` would change: other texts, missing or idle files."""
    folder = project.compiled_path
    texts = dict(files_of(selected))
    stale = [
        path
        for path, text in texts.items()
        if not (folder / path).is_file() or (folder / path).read_bytes() != text.encode()
    ]
    others = {compiled_path(node) for node in compilation.nodes}
    others -= {path.rpartition("/")[0] for path in texts}
    found = (file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    return stale + sorted(
        file.as_posix()
        for file in found
        if file.as_posix() not in texts
        and file.name != CHANGE_FILE
        and "/".join(file.parts[:2]) not in others
    )


def read_compiled(file: Path, expected: str) -> str:
    """A compiled file's text, where some text is expected.

    A checkout may write lines with a carriage return: it means nothing, unless a literal has one.
    """
    text = file.read_bytes().decode("utf-8")
    return text if "\r" in expected else text.replace("\r\n", "\n")


def write_changes(project: Project, texts: Mapping[str, str | None]) -> None:
    """The change.sql of some targets, by their folders below compiled/; None: there is none."""
    for folder, text in texts.items():
        path = project.compiled_path / folder / CHANGE_FILE
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, text.encode())


def write_file(path: Path, *parts: bytes) -> None:
    """Puts the content, part by part, in the file's place in one step."""
    # A name of its own: two processes may write at once.
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with fresh.open("wb") as file:
            file.writelines(parts)
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def write_manifest(project: Project, parts: Iterable[bytes]) -> str:
    """Writes manifest.json where it says something else now: its SHA-256. Needs to be `alone`."""
    path, digest = project.root / "target" / "manifest.json", sha256()
    # The parts of a thousand nodes are megabytes: they are not put together.
    parts = list(parts)
    for part in parts:
        digest.update(part)
    if sha256(_content(str(path)) or b"").digest() != digest.digest():
        write_file(path, *parts)
    return digest.hexdigest()
