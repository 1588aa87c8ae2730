"""Two questions that are asked of every call, answered without loading what works answers out."""

from __future__ import annotations

from pathlib import Path

from filtersql.api.options import Options
from filtersql.errors.artifacts import STATE_NEEDED
from filtersql.errors.project import NO_PROJECT
from filtersql.selection import criteria

__all__ = ["asks_for_state", "root_of"]


def root_of(options: Options) -> Path:
    """What project.find_root finds; that module brings the readers of definitions along."""
    start = options.project_dir or Path.cwd()
    folder = start.absolute()
    for candidate in (folder, *folder.parents):
        if (candidate / "filtersql_project.yml").is_file():
            return candidate
    raise NO_PROJECT(start=start)


def asks_for_state(options: Options) -> bool:
    """Whether a selector is a `state:`. Raises STATE_NEEDED where --state is missing."""
    asking = [
        each for each in criteria((*options.select, *options.exclude)) if each.startswith("state:")
    ]
    if asking and options.state is None:
        raise STATE_NEEDED(criteria=asking)
    return bool(asking)
