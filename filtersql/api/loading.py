"""What most commands begin with: the project, its variables, its compilation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import yaml
from msgspec.structs import replace

from filtersql.api.notices import notices_of
from filtersql.api.options import Options, WrongUsage
from filtersql.api.reporter import Reporter
from filtersql.compile import Compilation, compile_project, destination, mistakes_in
from filtersql.definitions.model import Definitions
from filtersql.errors import Collector, Mistake
from filtersql.project import Project, find_root, load
from filtersql.project.files import DefinitionFiles

__all__ = ["check_target_types", "load_project", "loaded_compilation", "variables"]


def load_project(
    reporter: Reporter,
    *,
    need_output: bool = True,
    read: Callable[[DefinitionFiles, list[Mistake]], Definitions] = DefinitionFiles.read,
) -> Project:
    """The project around the working directory, or of --project-dir; `read` reads its files."""

    def judge(known: Project) -> Iterable[Mistake]:
        return mistakes_in(known, options.publish_via_partition_root)

    options = reporter.options
    reporter.loaded = True
    start = options.project_dir or Path.cwd()
    reporter.log.open(find_root(start))
    found = load(
        start,
        profiles_dir=options.profiles_dir,
        target=options.target,
        variables=variables(options),
        need_output=need_output,
        judge=judge if read is DefinitionFiles.read else None,
        read=read,
    )
    if found.output is not None:
        reporter.log.open(found.root, found.output.secrets)
        if options.threads is not None:
            found = replace(found, output=replace(found.output, threads=options.threads))
    return found


def variables(options: Options) -> Mapping[str, object]:
    """What --vars says: a YAML mapping. Anything else is wrong usage."""
    if options.vars is None:
        return {}
    try:
        found = yaml.safe_load(options.vars)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" at column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "not YAML"
        raise WrongUsage(f"--vars: {problem}{place}: {options.vars}") from None
    if not isinstance(found, dict):
        raise WrongUsage(f"--vars: expected a mapping such as '{{state: NSW}}': {options.vars}")
    return {str(key): value for key, value in found.items()}


def loaded_compilation(reporter: Reporter) -> tuple[Project, Compilation]:
    """The project and all its targets; warnings are printed."""
    flag = reporter.options.publish_via_partition_root
    project = load_project(reporter)
    mistakes = Collector()
    with mistakes:
        compilation = compile_project(project, via_partition_root=flag)
    with mistakes:
        check_target_types(project)
    mistakes.raise_all(project.files)
    reporter.warn(notices_of(compilation.notices))
    return project, compilation


def check_target_types(project: Project) -> None:
    """Raises Mistakes where a column's `target_type` is none that the engine can hold it in."""
    tables = project.definitions.catalog.tables.values()
    if any(column.target_type for table in tables for column in table.columns):
        from filtersql.feeds import values

        values.check_target_types(project.definitions.catalog, destination(project).engine)
