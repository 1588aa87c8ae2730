"""`completion`: a script that makes the shell complete commands, flags and node names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand

__all__ = ["command"]


@subcommand("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(console: Console, *, shell: str) -> int:
    """Print a script that completes commands, flags and node names in a shell.

    \b
    bash   eval "$(filtersql completion bash)"             in ~/.bashrc
    zsh    eval "$(filtersql completion zsh)"              in ~/.zshrc
    fish   filtersql completion fish | source              in config.fish

    Node names come from target/manifest.json, which `compile` writes.
    """
    completion = get_completion_class(shell)
    assert completion is not None  # click knows the three
    root = click.get_current_context().find_root().command
    click.echo(completion(root, {}, "filtersql", "_FILTERSQL_COMPLETE").source())
    if shell == "bash":
        # A node's name has a colon, at which bash would begin a new word.
        click.echo('COMP_WORDBREAKS="${COMP_WORDBREAKS//:}"')
    return 0
