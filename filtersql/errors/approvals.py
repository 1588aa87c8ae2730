"""Mistakes about approvals: missing, outdated, unreadable."""

from __future__ import annotations

from filtersql.errors.wording import Wording

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
