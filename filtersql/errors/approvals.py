"""Mistakes about approvals: missing, outdated, unreadable."""

from __future__ import annotations

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording

_HINT = 'Review it, then "filtersql review --approve {target} --by NAME --target {output}".'


class NotApproved(Mistake):
    """--require-approval, and nobody has approved the statements of a target."""

    def __init__(self, target: str, output: str) -> None:
        super().__init__(
            f'the statements of "{target}" for output "{output}" are not approved',
            hint=_HINT.format(target=target, output=output),
        )


class ApprovalOutdated(Mistake):
    """The statements are not those that were approved."""

    def __init__(self, target: str, output: str, changed: list[str], by: str, date: str) -> None:
        super().__init__(
            f'the statements of "{target}" have changed since they were approved',
            detail=f'"{by}" approved them on {date}; changed: {", ".join(changed)}.',
            hint=_HINT.format(target=target, output=output),
        )


# approvals.yml cannot be read: then nothing is approved, and nothing is written over it.
BROKEN_APPROVALS = Wording(
    "approvals.yml: not a file of approvals",
    detail="{problem:sentence}",
    hint='Take it from version control, or remove it and approve again with "review".',
)
