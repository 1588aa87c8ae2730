"""Mistakes in files that an earlier command wrote: manifests, results, approvals."""

from __future__ import annotations

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording

# A file that an earlier command should have left is not there.
NO_ARTIFACT = Wording("there is no {what}: {path}", hint='"filtersql {command}" writes it.')
BROKEN_ARTIFACT = Wording(
    "{path}: not a {what} of filtersql",
    detail="{problem:sentence}",
    hint='"filtersql {command}" writes one.',
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


MANIFEST_OF_OTHER_PROJECT = Wording(
    '{path}: the manifest is of project "{found}", not of "{project}"',
    hint="--state names the folder of an earlier manifest.json of the same project.",
)
# A selector such as `state:modified` without --state.
STATE_NEEDED = Wording(
    '"{criteria:listed}" needs --state DIR',
    hint="--state names the folder that holds an earlier manifest.json.",
    exit_code=2,
)
