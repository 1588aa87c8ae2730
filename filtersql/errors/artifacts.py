"""Mistakes in files that an earlier command wrote: manifests, results, approvals."""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.errors import Mistake

__all__ = [
    "BrokenArtifact",
    "ManifestOfOtherProject",
    "NoArtifact",
    "OtherVersion",
    "StateNeeded",
]


class NoArtifact(Mistake):
    """A file that an earlier command should have left is not there."""

    def __init__(self, what: str, path: str, command: str) -> None:
        super().__init__(f"there is no {what}: {path}", hint=f'"filtersql {command}" writes it.')


class BrokenArtifact(Mistake):
    """A file that is no JSON, or lacks what such a file holds."""

    def __init__(self, what: str, path: str, problem: str, command: str) -> None:
        super().__init__(
            f"{path}: not a {what} of filtersql",
            detail=f"{problem[:1].upper()}{problem[1:].rstrip('.')}.",
            hint=f'"filtersql {command}" writes one.',
        )


class OtherVersion(Mistake):
    """A file of a format that this version does not read."""

    def __init__(self, what: str, path: str, found: object, known: int, by: object) -> None:
        super().__init__(
            f"{path}: {what} of version {found} cannot be read",
            detail=f"It was written by filtersql {by or 'of another version'}; this one reads "
            f"version {known}.",
            hint="Compile the earlier definitions with this version of filtersql.",
        )


class ManifestOfOtherProject(Mistake):
    """--state names a manifest of a project with another name."""

    def __init__(self, path: str, found: str, project: str) -> None:
        super().__init__(
            f'{path}: the manifest is of project "{found}", not of "{project}"',
            hint="--state names the folder of an earlier manifest.json of the same project.",
        )


class StateNeeded(Mistake):
    """A selector such as `state:modified` without --state."""

    exit_code = 2

    def __init__(self, criteria: Iterable[str]) -> None:
        super().__init__(
            f'"{", ".join(criteria)}" needs --state DIR',
            hint="--state names the folder that holds an earlier manifest.json.",
        )
