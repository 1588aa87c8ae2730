"""What a run must know of a project."""

from __future__ import annotations

from filtersql.project import Project
from filtersql.run import Inputs

__all__ = ["inputs_of"]


def inputs_of(project: Project) -> Inputs:
    """What a run must know of the project."""
    output = project.output
    return Inputs(
        root=project.root,
        catalog=project.definitions.catalog,
        subscriptions=project.definitions.subscriptions,
        state_schema=output.state_schema if output else "filtersql",
        default_catalog=output.catalog if output else None,
    )
