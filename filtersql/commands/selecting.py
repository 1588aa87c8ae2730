"""`--select` and `--exclude` over the targets of a compilation."""

from __future__ import annotations

from dataclasses import dataclass

from filtersql.commands.options import Options
from filtersql.compile import Compilation, Node
from filtersql.project import Project
from filtersql.reviewing.listing import target_traits
from filtersql.reviewing.selection import Traits, select

__all__ = ["selected"]


@dataclass(frozen=True, slots=True)
class _Selectable:
    node: Node
    traits: Traits


def selected(project: Project, compilation: Compilation, options: Options) -> tuple[Node, ...]:
    """The targets that the flags take. Raises Mistakes where a selector matches nothing."""
    nodes = [
        _Selectable(node, target_traits(node.resolved, project.definitions))
        for node in compilation.nodes
    ]
    return tuple(each.node for each in select(nodes, options.select, options.exclude))
