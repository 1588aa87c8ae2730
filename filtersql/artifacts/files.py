"""The statements under `target/compiled/` and the manifest beside them, all or nothing.

Files are written into a folder beside the final one, which then takes its place: a compile that is
interrupted leaves the old files, never half of the new ones. Of two that write at once, one waits
for the other: what stays is one's statements with its own manifest. No time of day enters a file.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from filtersql.artifacts.manifest import compiled_path, manifest, statements_of
from filtersql.compile import Compilation, Node
from filtersql.exclusive import alone
from filtersql.project import Project

__all__ = ["compiled_path", "files_of", "read_compiled", "stale_files", "write", "write_file"]


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
    target = project.root / "target"
    target.mkdir(exist_ok=True)
    with alone(target):
        _write_statements(project.compiled_path, compilation, list(selected))
        return _write_parts(target / "manifest.json", manifest(project, compilation))


def _write_statements(final: Path, compilation: Compilation, chosen: list[Node]) -> None:
    final.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".compiled-", dir=final.parent))
    try:
        if len(chosen) < len(compilation.nodes):
            _keep_others(compilation, chosen, final, fresh)
        for node in chosen:
            folder = f"{fresh}/{compiled_path(node)}"
            os.makedirs(folder, exist_ok=True)
            for statement, text in statements_of(node).items():
                _put(f"{folder}/{statement}.sql", text.encode())
        fresh.chmod(0o755)
        _replace(fresh, final)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


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
        if file.as_posix() not in texts and "/".join(file.parts[:2]) not in others
    )


def read_compiled(file: Path, expected: str) -> str:
    """A compiled file's text, where some text is expected.

    A checkout may write lines with a carriage return: it means nothing, unless a literal has one.
    """
    text = file.read_bytes().decode("utf-8")
    return text if "\r" in expected else text.replace("\r\n", "\n")


def _keep_others(compilation: Compilation, chosen: list[Node], final: Path, fresh: Path) -> None:
    rewritten = {compiled_path(node) for node in chosen}
    for node in compilation.nodes:
        folder = compiled_path(node)
        if folder not in rewritten and (final / folder).is_dir():
            shutil.copytree(final / folder, fresh / folder)


def _replace(fresh: Path, final: Path) -> None:
    if final.exists():
        old = Path(tempfile.mkdtemp(prefix=".old-", dir=final.parent))
        final.rename(old / "compiled")
        fresh.rename(final)
        shutil.rmtree(old)
    else:
        fresh.rename(final)


def write_file(path: Path, content: bytes) -> None:
    """Puts the content in the file's place in one step."""
    _write_parts(path, (content,))


def _write_parts(path: Path, parts: Iterable[bytes]) -> str:
    """The SHA-256 of what was written: the file may be another process's a moment later."""
    # A name of its own: two processes may write at once.
    fresh, digest = path.with_name(f".{path.name}.{secrets.token_hex(8)}"), sha256()
    try:
        with fresh.open("wb") as file:
            for part in parts:
                digest.update(part)
                file.write(part)
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    return digest.hexdigest()
