"""The command line: arguments in, text out, exit code. Commands are loaded when they are called.

Exit codes: 0 done; 1 something in the project or its data is wrong; 2 wrong usage or an engine
that cannot be reached; 130 interrupted.
"""

from __future__ import annotations

import gc
import sys
from contextlib import redirect_stderr, redirect_stdout
from difflib import get_close_matches
from importlib import import_module

import click

from filtersql import __version__
from filtersql.commands.console import fail
from filtersql.commands.options import merged_options, shared_options, spread_selectors
from filtersql.commands.pipes import lasting

__all__ = ["main"]

#: command -> what it does; the module of the same name in filtersql/commands holds it
COMMANDS = {
    "init": "Start a project that runs as it is.",
    "import": "Write the definitions of a live PostgreSQL, or of a dump, as a project's files.",
    "debug": "Check versions, files and the connection to the target.",
    "compile": "Write the SQL of every subscription.",
    "ls": "List what is defined.",
    "show": "Show a publication, table, set or subscription.",
    "run": "Copy what is missing, then apply every pending change once.",
    "capture": "Record a live PostgreSQL: its rows, then every transaction.",
    "plan": "Show what a changed definition moves, before it does.",
    "apply": "Carry out a plan: rows, definition and position in one commit.",
    "status": "Show position, lag and conflicts of every target.",
    "check": "Prove the compiled SQL against the reference semantics.",
    "audit": "Compare the targets with the filters over their sources.",
    "test": "Run the project's unit tests.",
    "retry": "Run again what failed or was skipped in the last run.",
    "review": "Write a page on which a person reviews the generated SQL.",
    "schema": "Print the JSON schemas of a project's files, for editors.",
    "completion": "Print a script that completes commands in a shell.",
    "clean": "Remove what was generated.",
}


class _Commands(click.Group):
    """Sub-commands by name; a module is imported only when its command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        # A module cannot have the name of a word of Python.
        name = "importing" if cmd_name == "import" else cmd_name
        module = import_module(f"filtersql.commands.{name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # Written from the table above, so that --help imports no command.
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS:
            close = get_close_matches(args[0], COMMANDS, n=1)
            hint = f' Did you mean "{close[0]}"?' if close else ""
            ctx.fail(f'No such command "{args[0]}".{hint}')
        name, command, rest = super().resolve_command(ctx, args)
        if command is None or any(
            isinstance(parameter, click.Argument) for parameter in command.params
        ):
            return name, command, rest
        return name, command, spread_selectors(rest)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Flags may stand before or after the command. FILTERSQL_<FLAG> sets a flag's default.",
)
@click.version_option(__version__, "-V", "--version", prog_name="filtersql")
@shared_options
@click.pass_context
def cli(ctx: click.Context, /, **flags: object) -> None:
    """Compile PostgreSQL's row filters to MERGE statements, and run them."""
    ctx.obj = merged_options(ctx, flags)


def main() -> None:
    """Runs the console script and ends the process with its exit code."""
    # A compiled project is some hundred thousand objects that all stay: looking for waste among
    # them every 700 costs more than what is found.
    gc.set_threshold(20_000, 20, 100)
    with redirect_stdout(lasting(sys.stdout)), redirect_stderr(lasting(sys.stderr)):
        code = _exit_code()
    # Python would look through all of them once more before it ends.
    gc.freeze()
    sys.exit(code)


def _exit_code() -> int:
    try:
        code = cli.main(prog_name="filtersql", standalone_mode=False)
    except click.exceptions.Exit as done:
        code = done.exit_code
    except click.ClickException as usage:
        usage.show()
        code = 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        code = 130
    except Exception as error:  # never a traceback
        code = fail(error, sys.argv[1:])
    return code if isinstance(code, int) else 0
