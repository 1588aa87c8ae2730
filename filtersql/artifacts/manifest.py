"""manifest.json: what was compiled, from what, and why; filtersql/schemas/manifest.json says how.

Two compiles of the same definitions give the same bytes: no time of day, no secret, no machine's
path is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from filtersql import __version__
from filtersql.artifacts.fingerprints import Fingerprints, config_of, types_of
from filtersql.artifacts.source_map import SourceMaps
from filtersql.compile import Compilation, Node, destination
from filtersql.definitions.model import Action
from filtersql.names import path_name
from filtersql.project import Project
from filtersql.publications.model import Contribution
from filtersql.source import Span

__all__ = [
    "MANIFEST_VERSION",
    "Entries",
    "checksums",
    "compiled_path",
    "framed",
    "manifest",
    "statements_of",
]

MANIFEST_VERSION = 1
#: what stands around the entries of `{"nodes": {…}}`, indented
_BEGIN, _END = b'{\n  "nodes": {', b"\n  }\n}"


def compiled_path(node: Node) -> str:
    """The folder of a target under compiled/: `<subscription>/<schema>.<table>`."""
    return f"{path_name(node.compiled.subscription)}/{node.compiled.relation.path}"


def manifest(project: Project, compilation: Compilation) -> Iterator[bytes]:
    """The manifest as JSON, in parts: of 1,000 nodes it has megabytes, and few are ever at hand."""
    warnings = (
        (notice.name, notice.message, _place(notice.span)) for notice in compilation.notices
    )
    entries, maps = Entries(project.macro_paths), SourceMaps(project.definitions)
    return framed(
        project, warnings, (entries.of(node, maps, checksums(node)) for node in compilation.nodes)
    )


def framed(
    project: Project, warnings: Iterable[tuple[str, str, str | None]], entries: Iterable[bytes]
) -> Iterator[bytes]:
    """The manifest around its nodes' entries; each warning has its name, its message, its place."""
    frame = {
        "metadata": {
            "manifest_version": MANIFEST_VERSION,
            "filtersql_version": __version__,
            "project_name": project.name,
            "semantics": project.semantics.name,
            "postgres_version": project.postgres_version,
            "target": project.output.name if project.output else None,
            "engine": destination(project).engine,
        },
        "nodes": {},
        "warnings": [
            {"name": name, "message": message, "place": place} for name, message, place in warnings
        ],
    }
    # No text of JSON holds a line end: this one is the frame's own.
    before, nodes, behind = _indented(frame).partition(b'\n  "nodes": {')
    yield before + nodes
    comma = b""
    for entry in entries:
        yield comma
        yield entry
        comma = b","
    yield (b"\n  " if comma else b"") + behind + b"\n"


class Entries:
    """The entries of a manifest's nodes; what they share is worked out once."""

    def __init__(self, macro_folders: tuple[Path, ...]) -> None:
        self._fingerprints = Fingerprints(macro_folders)

    def of(self, node: Node, maps: SourceMaps, sums: Mapping[str, str]) -> bytes:
        """`"<subscription>.<schema>.<table>": {…}` as it stands in the manifest."""
        name = f"{node.compiled.subscription}.{node.compiled.relation}"
        # An entry is printed where it stands, and what stands around it is cut off.
        entry = _node(node, self._fingerprints, maps, sums)
        return _indented({"nodes": {name: entry}})[len(_BEGIN) : -len(_END)]


def _indented(content: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(content), indent=2)


def checksums(node: Node) -> dict[str, str]:
    """The SHA-256 of each statement's text."""
    return {
        statement: sha256(text.encode()).hexdigest()
        for statement, text in statements_of(node).items()
    }


def statements_of(node: Node) -> dict[str, str]:
    """What a person reviews: the texts of the files under compiled/, by their names."""
    compiled = node.compiled
    texts = {
        "merge": compiled.merge_sql,
        "merge_completing": compiled.merge_completing_sql,
        "initial_copy": compiled.initial_copy_sql,
        "audit": compiled.audit_sql,
    }
    return {statement: text for statement, text in texts.items() if text is not None}


def _node(
    node: Node, fingerprints: Fingerprints, maps: SourceMaps, sums: Mapping[str, str]
) -> dict[str, Any]:
    compiled, resolved = node.compiled, node.resolved
    return {
        "unique_id": compiled.unique_id,
        "subscription": compiled.subscription,
        "relation": list(compiled.relation),
        "target": list(compiled.target),
        "publications": list(dict.fromkeys(part.publication for part in resolved.contributions)),
        "sources": [list(source) for source in compiled.sources],
        "columns": [column.name for column in compiled.columns],
        "types": types_of(node),
        "key": list(compiled.key),
        "form": compiled.form,
        "actions": sorted(action.value for action in resolved.filters)
        + ([Action.TRUNCATE.value] if resolved.truncates else []),
        "filters": {
            action.value: _filters(node, parts, maps)
            for action, parts in sorted(resolved.filters.items())
        },
        "copy_filters": _filters(node, resolved.copy_filters, maps),
        "only_from": {
            action: [list(source) for source in sources]
            for action, sources in sorted(compiled.only_from.items())
        },
        "why": list(resolved.why),
        "filter_hash": compiled.filter_hash,
        "definition": compiled.definition.text,
        "fingerprint": fingerprints.of(node),
        "via_partition_root": compiled.via_partition_root,
        "config": config_of(node),
        "defined_at": maps.place(resolved.subscription.span),
        "compiled_path": compiled_path(node),
        "checksums": sums,
        "source_map": {statement: maps.of(node, statement) for statement in sums},
    }


def _filters(node: Node, parts: Iterable[Contribution], maps: SourceMaps) -> list[dict[str, str]]:
    return [
        {
            "publication": part.publication,
            "where": row_filter.deparsed,
            "place": maps.place(row_filter.text),
        }
        for part, row_filter in ((part, node.filters[part]) for part in parts)
    ]


def _place(span: Span | None) -> str | None:
    return None if span is None else str(span)
