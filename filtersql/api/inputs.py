"""What a run must know of a project, and what reads a target's source needs to know of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from filtersql.compile import Compilation, Node
from filtersql.project import Project
from filtersql.run import Inputs
from filtersql.run.source_at_position import SourcedTarget
from filtersql.targets.model import Engine
from filtersql.targets.open import open_engine
from filtersql.verify.source_copies import source_copy

__all__ = ["inputs_of", "opened", "sourced_targets"]


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


@contextmanager
def opened(project: Project, *, writes: bool = True) -> Iterator[Engine]:
    """The engine of the project's target, until a block ends. Raises Mistakes."""
    assert project.output is not None  # load() asked for one
    engine = open_engine(project.output, project.root, writes=writes)
    try:
        yield engine
    finally:
        engine.close()


def sourced_targets(
    project: Project, nodes: Sequence[Node], compilation: Compilation
) -> dict[str, list[SourcedTarget]]:
    """The targets by subscription, each with what keeps a copy of its source."""
    found: dict[str, list[SourcedTarget]] = {}
    for node in nodes:
        compiled = node.compiled
        asked = {lookup.relation for lookup in compiled.lookups}
        looked_up = {
            each.compiled.relation: each.compiled
            for each in compilation.nodes
            if each.compiled.subscription == compiled.subscription
            and each.compiled.relation in asked
        }
        target = SourcedTarget(compiled, source_copy(node, project), looked_up)
        found.setdefault(compiled.subscription, []).append(target)
    return found
