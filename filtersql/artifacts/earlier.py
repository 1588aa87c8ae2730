"""A manifest that an earlier compilation left: what `--state DIR` compares with.

Example
    `read_manifest(Path("before"), "shop")` reads before/manifest.json. One that is broken, of
    another project or of another version is refused with one message.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct, field

from filtersql.artifacts.manifest import MANIFEST_VERSION
from filtersql.errors.artifacts import (
    BROKEN_ARTIFACT,
    MANIFEST_OF_OTHER_PROJECT,
    NO_ARTIFACT,
    OTHER_VERSION,
)

__all__ = ["EarlierFilter", "EarlierManifest", "EarlierNode", "read_manifest"]


class EarlierFilter(Struct, frozen=True):
    """A filter as the manifest holds it: PostgreSQL's text."""

    publication: str
    where: str


class EarlierNode(Struct, frozen=True):
    """What is compared of a target; other keys of the manifest are left alone."""

    subscription: str
    relation: tuple[str, str]
    target: tuple[str, ...]
    columns: tuple[str, ...]
    key: tuple[str, ...]
    actions: tuple[str, ...]
    filters: Mapping[str, tuple[EarlierFilter, ...]]
    copy_filters: tuple[EarlierFilter, ...]
    fingerprint: str
    checksums: Mapping[str, str]
    types: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[tuple[str, str], ...] = ()
    only_from: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    config: Mapping[str, object] = field(default_factory=dict)
    form: str = ""
    #: what the state keeps, see rendering/definition.py; empty in a manifest of 0.1
    definition: str = ""


class EarlierManifest(Struct, frozen=True):
    """The targets of an earlier compilation by `<subscription>.<schema>.<table>`."""

    path: str
    target: str | None
    engine: str | None
    nodes: Mapping[str, EarlierNode]


class _Written(Struct, frozen=True):
    """What a manifest of any version says of itself."""

    manifest_version: int
    filtersql_version: str = ""


class _AnyVersion(Struct, frozen=True):
    metadata: _Written


class _Metadata(Struct, frozen=True):
    project_name: str
    target: str | None = None
    engine: str | None = None


class _Head(Struct, frozen=True):
    metadata: _Metadata


class _Whole(Struct, frozen=True):
    nodes: dict[str, EarlierNode]


def read_manifest(folder: Path, project_name: str) -> EarlierManifest:
    """The manifest.json of a folder (or the file itself)."""
    path = folder if folder.suffix == ".json" else folder / "manifest.json"
    shown = path.as_posix()
    try:
        content = path.read_bytes()
    except OSError:
        raise NO_ARTIFACT(what="earlier manifest", path=shown, command="compile") from None
    try:
        written = msgspec.json.decode(content, type=_AnyVersion).metadata
        if written.manifest_version != MANIFEST_VERSION:
            raise OTHER_VERSION(
                what="manifest",
                path=shown,
                found=written.manifest_version,
                known=MANIFEST_VERSION,
                by=written.filtersql_version or "of another version",
            )
        head = msgspec.json.decode(content, type=_Head).metadata
        if head.project_name != project_name:
            raise MANIFEST_OF_OTHER_PROJECT(
                path=shown, found=head.project_name, project=project_name
            )
        nodes = msgspec.json.decode(content, type=_Whole).nodes
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BROKEN_ARTIFACT(
            what="manifest", path=shown, problem=str(error), command="compile"
        ) from None
    return EarlierManifest(shown, head.target, head.engine, nodes)
