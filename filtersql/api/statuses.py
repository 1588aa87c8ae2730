"""What the state says of targets: `statuses(project, nodes)`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from filtersql.api.inputs import inputs_of, opened
from filtersql.run import status

if TYPE_CHECKING:
    from filtersql.compile import Node
    from filtersql.project import Project
    from filtersql.rendering.compiled import CompiledTable
    from filtersql.run.status import TargetStatus

__all__ = ["statuses"]


def statuses(project: Project, nodes: Iterable[Node]) -> Sequence[TargetStatus]:
    """Ask the engine of some targets. Raises Mistakes."""
    tables: dict[str, list[CompiledTable]] = {}
    for node in nodes:
        tables.setdefault(node.compiled.subscription, []).append(node.compiled)
    with opened(project, writes=False) as engine:
        return status(inputs_of(project), tables, engine)
