"""The work of `compile`, where no earlier answer holds."""

from __future__ import annotations

from collections.abc import Iterator

from filtersql.api.by_family import compiled_by_family
from filtersql.api.loading import loaded_compilation
from filtersql.api.reporter import Reporter
from filtersql.api.selecting import selected
from filtersql.artifacts import checksums, compiled_path, stale_files, write
from filtersql.compile import Compilation, Node
from filtersql.project import Project
from filtersql.review.listing import target_traits
from filtersql.selection import Traits

__all__ = ["compiled", "compiled_by_family", "facts", "stale_files", "write"]


def compiled(reporter: Reporter) -> tuple[Project, Compilation, tuple[Node, ...]]:
    """The project, all its targets, and the selected ones."""
    project, compilation = loaded_compilation(reporter)
    return project, compilation, selected(project, compilation, reporter.options)


def facts(
    project: Project, compilation: Compilation
) -> Iterator[tuple[str, str, Traits, dict[str, str]]]:
    """The name of each target, its folder, what it is selected by, and its files' checksums."""
    for node in compilation.nodes:
        traits = target_traits(node.resolved, project.definitions)
        yield node.compiled.unique_id, compiled_path(node), traits, checksums(node)
