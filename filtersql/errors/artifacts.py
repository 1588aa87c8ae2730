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
# apply --plan: what was approved is not what would be done.
PLAN_OUTDATED = Wording(
    'the plan of {path} is not true any more for "{name}"',
    detail="Changed since: {moved:listed}.",
    hint="Look at a new one: filtersql plan.",
)
STATE_NEEDED = Wording(
    '"{criteria:listed}" needs --state DIR',
    hint="--state names the folder that holds an earlier manifest.json.",
    exit_code=2,
)

# Approvals
_REVIEW = 'Review it, then "filtersql review --approve {target} --by NAME --target {output}".'
# --require-approval, and nobody has approved the statements of a target.
NOT_APPROVED = Wording(
    'the statements of "{target}" for output "{output}" are not approved', hint=_REVIEW
)
APPROVAL_OUTDATED = Wording(
    'the statements of "{target}" have changed since they were approved',
    detail='"{by}" approved them on {date}; changed: {changed:listed}.',
    hint=_REVIEW,
)
# approvals.yml cannot be read: then nothing is approved, and nothing is written over it.
BROKEN_APPROVALS = Wording(
    "approvals.yml: not a file of approvals",
    detail="{problem:sentence}",
    hint='Take it from version control, or remove it and approve again with "review".',
)
