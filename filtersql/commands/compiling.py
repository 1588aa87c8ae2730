"""The work of `compile`, where no earlier answer holds."""

from __future__ import annotations

from collections.abc import Iterator

from filtersql.artifacts import checksums, compiled_path, stale_files, write
from filtersql.commands.by_family import compiled_by_family
from filtersql.commands.console import Console
from filtersql.commands.loading import loaded_compilation
from filtersql.commands.selecting import selected
from filtersql.compile import Compilation, Node
from filtersql.project import Project
from filtersql.review.listing import target_traits
from filtersql.selection import Traits

__all__ = ["compiled", "compiled_by_family", "facts", "stale_files", "write"]


def compiled(console: Console) -> tuple[Project, Compilation, tuple[Node, ...]]:
    """The project, all its targets, and the selected ones."""
    project, compilation = loaded_compilation(console)
    return project, compilation, selected(project, compilation, console.options)


def facts(
    project: Project, compilation: Compilation
) -> Iterator[tuple[str, str, Traits, dict[str, str]]]:
    """The name of each target, its folder, what it is selected by, and its files' checksums."""
    for node in compilation.nodes:
        traits = target_traits(node.resolved, project.definitions)
        yield node.compiled.unique_id, compiled_path(node), traits, checksums(node)
