"""What `run --adopt` says of the targets that it takes over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from filtersql.api.audit import print_audits
from filtersql.api.inputs import inputs_of, sourced_targets
from filtersql.api.reporter import Reporter
from filtersql.errors import Mistakes
from filtersql.errors.auditing import NOT_ADOPTED
from filtersql.run.adopt import adopt as adopt_targets

if TYPE_CHECKING:
    from filtersql.compile import Compilation, Node
    from filtersql.project import Project
    from filtersql.targets.model import Engine

__all__ = ["adopt"]


def adopt(
    reporter: Reporter,
    project: Project,
    nodes: Sequence[Node],
    compilation: Compilation,
    engine: Engine,
    at: int,
) -> None:
    """Takes over all unknown targets. Raises Mistakes where one is not right at a position."""
    audited = adopt_targets(
        inputs_of(project), sourced_targets(project, nodes, compilation), engine, at=at
    )
    print_audits(reporter, audited)
    if wrong := [audit.unique_id for audit in audited if not audit.right]:
        raise Mistakes(NOT_ADOPTED(name=name) for name in wrong)
