"""What most commands begin with: the flags, the project, its compilation, the selected targets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

import click

from filtersql.commands.console import Console
from filtersql.commands.options import (
    Options,
    merged_options,
    own_from_environment,
    shared_options,
)
from filtersql.errors import Collector, Mistake, Mistakes

if TYPE_CHECKING:
    from filtersql.applying import Inputs
    from filtersql.compile import Compilation
    from filtersql.project import Project

__all__ = ["inputs_of", "load_project", "loaded_compilation", "subcommand", "variables"]


def subcommand(
    name: str, formats: tuple[str, ...] = ("text", "json")
) -> Callable[[Callable[..., int]], click.Command]:
    """A sub-command with the shared flags. Its function gets `console` and its own arguments."""

    def decorate(function: Callable[..., int]) -> click.Command:
        @click.pass_context
        @wraps(function)
        def call(ctx: click.Context, /, **arguments: object) -> None:
            options = merged_options(ctx, arguments)
            if options.format not in formats:
                raise click.UsageError(
                    f"{name} prints {' or '.join(formats)}, not {options.format}.", ctx
                )
            own = {
                key: value
                for key, value in own_from_environment(ctx, arguments).items()
                if key not in _SHARED
            }
            ctx.exit(_called(Console(options), name, function, own))

        return click.command(name)(shared_options(call, formats))

    return decorate


_SHARED = frozenset(Options.__dataclass_fields__)


def _called(
    console: Console, name: str, function: Callable[..., int], arguments: Mapping[str, object]
) -> int:
    """The command's exit code; its mistakes are reported, its end is logged."""
    began = time.perf_counter()
    console.log.event("Invocation", f"filtersql {name}", "debug", {"command": name})
    code = 2
    try:
        code = function(console=console, **arguments)
    except (Mistake, Mistakes) as mistake:
        if console.log.is_open and not console.loaded:
            # A remembered answer knows no secret, and a selector may be one.
            with suppress(Mistake, Mistakes):
                load_project(console)
        code = console.fail(mistake)
    finally:
        spent = round(time.perf_counter() - began, 6)
        content = {"command": name, "exit_code": code, "elapsed": spent}
        console.log.event("CommandDone", f"filtersql {name}: exit code {code}", "debug", content)
        console.log.close()
    return code


def load_project(console: Console, *, need_output: bool = True) -> Project:
    """The project around the working directory, or of --project-dir."""
    from filtersql import project

    def judge(known: Project) -> Iterable[Mistake]:
        from filtersql.compile import mistakes_in

        return mistakes_in(known, options.publish_via_partition_root)

    options = console.options
    console.loaded = True
    start = options.project_dir or Path.cwd()
    console.log.open(project.find_root(start))
    found = project.load(
        start,
        profiles_dir=options.profiles_dir,
        target=options.target,
        variables=variables(options),
        need_output=need_output,
        judge=judge,
    )
    if found.output is not None:
        console.log.open(found.root, found.output.secrets)
        if options.threads is not None:
            found = replace(found, output=replace(found.output, threads=options.threads))
    return found


def variables(options: Options) -> Mapping[str, object]:
    """What --vars says: a YAML mapping. Anything else is wrong usage."""
    if options.vars is None:
        return {}
    import yaml

    try:
        found = yaml.safe_load(options.vars)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" at column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "not YAML"
        raise click.UsageError(f"--vars: {problem}{place}: {options.vars}") from None
    if not isinstance(found, dict):
        raise click.UsageError(
            f"--vars: expected a mapping such as '{{state: NSW}}': {options.vars}"
        )
    return {str(key): value for key, value in found.items()}


def loaded_compilation(console: Console) -> tuple[Project, Compilation]:
    """The project and all its targets; warnings are printed."""
    from filtersql.commands.remembered import notices_of
    from filtersql.compile import compile_project

    flag = console.options.publish_via_partition_root
    project = load_project(console)
    mistakes = Collector()
    with mistakes:
        compilation = compile_project(project, via_partition_root=flag)
    with mistakes:
        _check_target_types(project)
    mistakes.raise_all(project.files)
    console.warn(notices_of(compilation.notices))
    return project, compilation


def _check_target_types(project: Project) -> None:
    tables = project.definitions.catalog.tables.values()
    if any(column.target_type for table in tables for column in table.columns):
        from filtersql.compile import destination
        from filtersql.feeds.target_types import check_target_types

        check_target_types(project.definitions.catalog, destination(project).engine)


def inputs_of(project: Project) -> Inputs:
    """What a run must know of the project."""
    from filtersql.applying import Inputs

    output = project.output
    return Inputs(
        root=project.root,
        catalog=project.definitions.catalog,
        subscriptions=project.definitions.subscriptions,
        state_schema=output.state_schema if output else "filtersql",
        default_catalog=output.catalog if output else None,
    )
