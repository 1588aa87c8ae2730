"""approvals.yml on disk: read for `run --require-approval`, written by `review --approve`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from filtersql.artifacts import checksums, write_file
from filtersql.compile import Node
from filtersql.errors import Mistakes
from filtersql.errors.artifacts import BROKEN_APPROVALS
from filtersql.project import Project
from filtersql.review.approvals import (
    Approval,
    approvals_text,
    approved,
    check_approved,
    read_approvals,
)

__all__ = ["approve", "load", "output_name", "require"]

_FILE = "approvals.yml"


def load(project: Project) -> tuple[Approval, ...]:
    """The project's approvals; none where there is no file."""
    path = project.root / _FILE
    if not path.exists():
        return ()
    try:
        return read_approvals(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise Mistakes([BROKEN_APPROVALS(problem=str(error))]) from None


def require(project: Project, nodes: Sequence[Node]) -> None:
    """Raises Mistakes for every target whose statements are not approved as they are."""
    targets = {_name(node): checksums(node) for node in nodes}
    check_approved(load(project), output_name(project), targets)


def approve(project: Project, nodes: Sequence[Node], by: str) -> None:
    """Writes the approval of these targets as they are."""
    today = datetime.now(UTC).date().isoformat()
    output = output_name(project)
    now = [Approval(_name(node), output, by, today, checksums(node)) for node in nodes]
    text = approvals_text(approved(load(project), now))
    write_file(project.root / _FILE, text.encode())


def output_name(project: Project) -> str:
    """The output whose statements are approved."""
    return project.output.name if project.output else ""


def _name(node: Node) -> str:
    return f"{node.compiled.subscription}.{node.compiled.relation}"
