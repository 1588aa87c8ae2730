"""The flags that every command takes, before or after its name.

Each may be set by an environment variable, too: `--fail-fast` by FILTERSQL_FAIL_FAST=1,
`--no-color` by FILTERSQL_NO_COLOR=1. A flag of the command line comes first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec.structs import replace

from filtersql.api.options import Options

__all__ = ["merged_options", "own_from_environment", "shared_options", "spread_selectors"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _nodes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """For the shell's completion: what may be selected."""
    from filtersql.commands.completing import selectors

    return selectors(ctx.params.get("project_dir"), incomplete)


_FLAGS: tuple[Callable[[_Command], _Command], ...] = (
    click.option("--project-dir", type=click.Path(path_type=Path), help="The project's folder."),
    click.option(
        "--profiles-dir", type=click.Path(path_type=Path), help="The folder of profiles.yml."
    ),
    click.option("-t", "--target", help="The output of the profile to use."),
    click.option("--vars", metavar="YAML", help="Variables, e.g. '{state: NSW}'."),
    click.option(
        "-s", "--select", multiple=True, shell_complete=_nodes, help="What to take: names, tag:…"
    ),
    click.option("--exclude", multiple=True, shell_complete=_nodes, help="What to leave out."),
    click.option(
        "--state",
        type=click.Path(path_type=Path),
        help="The folder of an earlier manifest.json, for state:modified.",
    ),
    click.option("--threads", type=click.IntRange(min=1), help="How many tasks run at a time."),
    click.option(
        "-x", "--fail-fast", is_flag=True, default=None, help="Stop at the first failure."
    ),
    click.option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        default=None,
        help="How to print messages.",
    ),
    click.option(
        "--log-path",
        type=click.Path(path_type=Path),
        help="The folder of filtersql.log. Default: logs.",
    ),
    click.option(
        "-q", "--quiet", is_flag=True, default=None, help="Print results, warnings and errors only."
    ),
    click.option("--color/--no-color", default=None, help="Colours, whatever the terminal is."),
    click.option("--debug", is_flag=True, default=None, help="Show the traceback of a fault."),
    click.option(
        "--publish-via-partition-root/--no-publish-via-partition-root",
        default=None,
        help="Whether a partition root's filter applies, or each partition's.",
    ),
)
_NAMES = frozenset(Options.__struct_fields__) - {"given"}
#: flags behind which several words may stand, as in dbt
_SELECTORS = frozenset({"-s", "--select", "--exclude"})
#: read by the project itself, which goes on to look elsewhere
_NOT_HERE = frozenset({"profiles_dir"})


def shared_options(
    command: _Command,
    formats: tuple[str, ...] = ("text", "json", "markdown", "html", "dbt", "github", "sarif"),
) -> _Command:
    """Adds the shared flags. The command receives them as keywords."""
    printing = click.option(
        "--format", type=click.Choice(formats), default=None, help="How to print results."
    )
    for flag in reversed((*_FLAGS, printing)):
        command = flag(command)
    return command


def merged_options(ctx: click.Context, flags: Mapping[str, object]) -> Options:
    """The flags of this level over those that stood before the command, over the environment's."""
    base = ctx.obj if isinstance(ctx.obj, Options) else Options()
    set_here = {
        name: value for name, value in flags.items() if name in _NAMES and value not in (None, ())
    }
    if ctx.obj is None:
        asked = [
            param for param in ctx.command.params if param.name in _NAMES - _NOT_HERE - {*set_here}
        ]
        set_here |= _from_environment(ctx, asked)
    return replace(base, **set_here, given=base.given | set(set_here))


def spread_selectors(arguments: Sequence[str]) -> list[str]:
    """`--select t1 t2` as `--select t1 --select t2`, for commands that take no arguments.

    >>> spread_selectors(["--select", "t1", "t2", "-q"])
    ['--select', 't1', '--select', 't2', '-q']
    """
    spread: list[str] = []
    flag, first = "", False
    for word in arguments:
        if word.startswith("-"):
            flag, first = (word if word in _SELECTORS else ""), True
        elif flag and not first:
            spread.append(flag)
        else:
            first = False
        spread.append(word)
    return spread


def own_from_environment(
    ctx: click.Context, arguments: Mapping[str, object]
) -> Mapping[str, object]:
    """A command's own flags, those that are not given filled from the environment."""
    given = click.core.ParameterSource.COMMANDLINE
    asked = [
        param
        for param in ctx.command.params
        if isinstance(param, click.Option)
        and param.name in arguments
        and param.name not in _NAMES
        and ctx.get_parameter_source(str(param.name)) is not given
    ]
    return {**arguments, **_from_environment(ctx, asked)}


def _from_environment(ctx: click.Context, params: Sequence[click.Parameter]) -> dict[str, object]:
    """The values of flags whose variable is set; click says what is wrong with one."""
    options: dict[str, object] = {}
    for param in params:
        if not isinstance(param, click.Option) or param.name is None:
            continue
        variable = f"FILTERSQL_{param.name.upper()}"
        opposite = f"FILTERSQL_NO_{param.name.upper()}"
        if text := os.environ.get(variable):
            value = param.type.split_envvar_value(text) if param.multiple else text
            options[param.name] = _read(ctx, param, value, variable)
        elif param.secondary_opts and (text := os.environ.get(opposite)):
            options[param.name] = not _read(ctx, param, text, opposite)
    return options


def _read(ctx: click.Context, param: click.Parameter, value: object, variable: str) -> object:
    """The value as the flag would take it; what is wrong with it is said of the variable."""
    try:
        return param.type_cast_value(ctx, value)
    except click.BadParameter as wrong:
        message = f"{wrong.message.rstrip('.')} (from {variable})."
        raise click.BadParameter(message, ctx=ctx, param=param) from None
