"""Mistakes in files that an earlier command wrote: manifests, results, approvals."""

from __future__ import annotations

from filtersql.errors.wording import Wording

# A file that an earlier command should have left is not there.
NO_ARTIFACT = Wording("there is no {what}: {path}", hint='"filtersql {command}" writes it.')
BROKEN_ARTIFACT = Wording(
    "{path}: not a {what} of filtersql",
    detail="{problem:sentence}",
    hint='"filtersql {command}" writes one.',
)


OTHER_VERSION = Wording(
    "{path}: {what} of version {found} cannot be read",
    detail="It was written by filtersql {by}; this one reads version {known}.",
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
