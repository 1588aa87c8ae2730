"""A command with the flags that all share; its mistakes are reported, its end is logged."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps

import click

from filtersql.api.options import Options, WrongUsage
from filtersql.commands.console import Console
from filtersql.commands.options import merged_options, own_from_environment, shared_options
from filtersql.errors import Mistake, Mistakes

__all__ = ["Subcommand", "subcommand"]


class Subcommand(click.Command):
    """A command of click's, and the function that does its work: it gets a console."""

    function: Callable[..., int]


def subcommand(
    name: str, formats: tuple[str, ...] = ("text", "json")
) -> Callable[[Callable[..., int]], Subcommand]:
    """A sub-command with the shared flags. Its function gets `console` and its own arguments."""

    def decorate(function: Callable[..., int]) -> Subcommand:
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
            try:
                code = _called(Console(options), name, function, own)
            except WrongUsage as wrong:
                raise click.UsageError(str(wrong), ctx) from None
            ctx.exit(code)

        command = click.command(name, cls=Subcommand)(shared_options(call, formats))
        command.function = function
        return command

    return decorate


_SHARED = frozenset(Options.__struct_fields__)


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
                from filtersql.api.loading import load_project

                load_project(console)
        code = console.fail(mistake)
    finally:
        spent = round(time.perf_counter() - began, 6)
        content = {"command": name, "exit_code": code, "elapsed": spent}
        console.log.event("CommandDone", f"filtersql {name}: exit code {code}", "debug", content)
        console.log.close()
    console.end()
    return code
