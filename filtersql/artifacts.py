"""What a compilation leaves under `target/`: the statements and the manifest, all or nothing.

Files are written into a folder beside the final one, which then takes its place: a compile that is
interrupted leaves the old files, never half of the new ones. No time of day enters a file.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from filtersql import __version__
from filtersql.compile import Compilation, Node
from filtersql.definitions.model import Action
from filtersql.names import path_name
from filtersql.project import Project

__all__ = [
    "MANIFEST_VERSION",
    "compiled_path",
    "files_of",
    "manifest",
    "stale_files",
    "write",
    "write_file",
]

MANIFEST_VERSION = 1
STATEMENTS = ("merge", "initial_copy", "audit")


def compiled_path(node: Node) -> str:
    """The folder of a target under compiled/: `<subscription>/<schema>.<table>`."""
    return f"{path_name(node.compiled.subscription)}/{node.compiled.relation.path}"


def files_of(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """(path below compiled/, text) of every statement."""
    for node in nodes:
        folder = compiled_path(node)
        for statement in STATEMENTS:
            yield f"{folder}/{statement}.sql", getattr(node.compiled, f"{statement}_sql")


def write(project: Project, compilation: Compilation, selected: Iterable[Node]) -> None:
    """Writes the statements of the selected targets, and the manifest of all.

    Folders of targets that are no longer defined go; those of targets that are not selected stay
    as they are.
    """
    chosen = list(selected)
    final = project.compiled_path
    final.parent.mkdir(parents=True, exist_ok=True)
    target = project.root / "target"
    target.mkdir(exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".compiled-", dir=final.parent))
    try:
        if len(chosen) < len(compilation.nodes):
            _keep_others(compilation, chosen, final, fresh)
        for path, text in files_of(chosen):
            file = fresh / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        fresh.chmod(0o755)
        _replace(fresh, final)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    write_file(target / "manifest.json", manifest(project, compilation))


def stale_files(project: Project, nodes: Iterable[Node]) -> list[str]:
    """Paths below compiled/ whose text is not what the definitions give (missing ones too)."""
    stale = []
    for path, text in files_of(nodes):
        file = project.compiled_path / path
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            stale.append(path)
    return stale


def manifest(project: Project, compilation: Compilation) -> bytes:
    """The manifest as JSON: what was compiled, from what, and why."""
    content = {
        "metadata": {
            "manifest_version": MANIFEST_VERSION,
            "filtersql_version": __version__,
            "project_name": project.name,
            "semantics": project.semantics.name,
            "postgres_version": project.postgres_version,
            "target": project.output.name if project.output else None,
        },
        "nodes": {
            f"{node.compiled.subscription}.{node.compiled.relation}": _node(node)
            for node in compilation.nodes
        },
        "warnings": [
            {"name": notice.name, "message": notice.message, "place": _place(notice.span)}
            for notice in compilation.notices
        ],
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


def _node(node: Node) -> dict[str, Any]:
    compiled, resolved = node.compiled, node.resolved
    return {
        "subscription": compiled.subscription,
        "relation": list(compiled.relation),
        "target": list(compiled.target),
        "publications": list(dict.fromkeys(part.publication for part in resolved.contributions)),
        "sources": [list(source) for source in compiled.sources],
        "columns": [column.name for column in compiled.columns],
        "key": list(compiled.key),
        "actions": sorted(action.value for action in resolved.filters)
        + ([Action.TRUNCATE.value] if resolved.truncates else []),
        "filters": {
            action.value: [
                {"publication": part.publication, "where": node.filters[part].deparsed}
                for part in parts
            ]
            for action, parts in sorted(resolved.filters.items())
        },
        "copy_filters": [
            {"publication": part.publication, "where": node.filters[part].deparsed}
            for part in resolved.copy_filters
        ],
        "why": list(resolved.why),
        "filter_hash": compiled.filter_hash,
        "via_partition_root": compiled.via_partition_root,
        "defined_at": _place(resolved.subscription.span),
        "compiled_path": compiled_path(node),
        "checksums": {
            statement: sha256(getattr(compiled, f"{statement}_sql").encode()).hexdigest()
            for statement in STATEMENTS
        },
    }


def _place(span: object) -> str | None:
    return None if span is None else str(span)


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
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_bytes(content)
    fresh.replace(path)
