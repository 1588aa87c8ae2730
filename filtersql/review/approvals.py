"""approvals.yml: who approved which text of which statement, and when.

Example
    approvals:
    - target: s1.public.t1
      output: dev
      by: Ann
      date: '2026-11-20'
      statements:
        audit: 9e8ef8…
        initial_copy: 4d1e24…
        merge: b19125…

    A target has one approval for each output of the profile, because another output may be another
    engine. One changed character of a statement ends the approval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import yaml
from msgspec import Struct
from msgspec.structs import asdict

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.artifacts import APPROVAL_OUTDATED, BROKEN_APPROVALS, NOT_APPROVED

__all__ = ["Approval", "approvals_text", "approved", "check_approved", "read_approvals", "standing"]

_HEAD = "# Written by `filtersql review --approve`; kept in version control.\n"


class Approval(Struct, frozen=True):
    """One person's word for the statements of one target."""

    target: str
    output: str
    by: str
    date: str
    #: SHA-256 of each statement's text
    statements: Mapping[str, str]


class _File(Struct, frozen=True):
    approvals: tuple[Approval, ...]


def read_approvals(text: str) -> tuple[Approval, ...]:
    """The approvals of a file. Raises BROKEN_APPROVALS."""
    try:
        content = yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
        return () if content in (None, "") else msgspec.convert(content, _File).approvals
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        problem = f"{place}{getattr(error, 'problem', None) or 'not YAML'}"
    except (msgspec.MsgspecError, RecursionError) as error:
        problem = " ".join(str(error).split()) or "not YAML"
    raise Mistakes([BROKEN_APPROVALS(problem=problem)])


def approvals_text(approvals: Iterable[Approval]) -> str:
    """The file."""
    content = {"approvals": [asdict(each) for each in sorted(approvals, key=_key)]}
    return _HEAD + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1000)


def approved(earlier: Sequence[Approval], now: Sequence[Approval]) -> tuple[Approval, ...]:
    """The approvals with new ones, which take the places of those of the same target."""
    return tuple({_key(each): each for each in (*earlier, *now)}.values())


def standing(
    approvals: Sequence[Approval], target: str, output: str, checksums: Mapping[str, str]
) -> Mistake | Approval:
    """The approval of a target as it is now, or what is wrong with it."""
    approval = next((each for each in approvals if _key(each) == (target, output)), None)
    if approval is None:
        return NOT_APPROVED(target=target, output=output)
    changed = [name for name, sha in checksums.items() if approval.statements.get(name) != sha]
    if changed:
        return APPROVAL_OUTDATED(
            target=target, output=output, by=approval.by, date=approval.date, changed=changed
        )
    return approval


def check_approved(
    approvals: Sequence[Approval], output: str, targets: Mapping[str, Mapping[str, str]]
) -> None:
    """Raises Mistakes for every target that is not approved as it is now."""
    standings = [standing(approvals, name, output, sums) for name, sums in targets.items()]
    wrong = [each for each in standings if not isinstance(each, Approval)]
    if wrong:
        raise Mistakes(wrong)


def _key(approval: Approval) -> tuple[str, str]:
    return approval.target, approval.output
