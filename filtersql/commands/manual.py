"""docs/commands.md: every command and flag, from the commands themselves.

Example
    manual() is the page; `pytest tests/commands/test_manual.py --update` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc

import click

__all__ = ["manual"]

_HEAD = """\
# Commands

Written from the commands by `pytest tests/commands/test_manual.py --update`;
`filtersql COMMAND -h` says the same.

Exit codes: 0 done; 1 something in the project or its data is wrong, or a check found something, or
a selector matched nothing; 2 wrong usage or an engine that cannot be reached; 130 interrupted.
Results are printed on stdout, warnings and mistakes on stderr. With `--format json` stdout is one
JSON document.
"""
_FLAGS = """\
## Flags of every command

They may stand before or after the command. Each can be set by an environment variable, which a
flag of the command line overrides: `--fail-fast` by `FILTERSQL_FAIL_FAST=1`, `--select` by
`FILTERSQL_SELECT="s1 tag:nsw"`, `--no-color` by `FILTERSQL_NO_COLOR=1`. The same holds for a
command's own flags. Any `NO_COLOR` turns colours off.

"""
_SELECTORS = """
## What --select and --exclude take

| `--select` | takes |
|---|---|
| `orders`, `'order*'` | the table, and every target of it; names by a glob |
| `europe`, `europe:public.orders` | a subscription's targets, or one target, as `ls` prints it |
| `publication:large` | what the publication gives rows to |
| `subscription:europe` | the targets of the subscription |
| `tag:nsw` | what has the tag |
| `path:publications/` | what is defined, or published, there |
| `state:modified` | what is not as in the manifest of `--state`; also `new`, `old`, `unmodified` |

A blank between selectors means either of them, a comma both; what `--exclude` takes is left out.
Every line that `ls` prints is a selector. One that matches nothing is a mistake.
"""
_LOGS = """
Every command that reads a project appends what it says to `logs/filtersql.log` (`--log-path` names
another folder), as JSON lines:
`{"info": {"name", "code", "level", "msg", "ts", "invocation_id"}, "data": {…}}`. With
`--log-format json` messages are printed so, too.
"""


def manual(root: click.Group) -> str:
    """The page about a group of commands."""
    # With the group's own settings: click keeps the help option that the first context asks for.
    context = click.Context(root, info_name="filtersql", **root.context_settings)
    shared = {param.name for param in root.params if param.name != "version"}
    lines = [_HEAD, _FLAGS + "\n".join(_table(root, context, frozenset())), _LOGS, _SELECTORS]
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        assert command is not None  # it is in the list
        inner = click.Context(command, context, info_name=name)
        lines.append("\n".join(_command(name, command, inner, frozenset(filter(None, shared)))))
    return "\n".join(lines).rstrip("\n") + "\n"


def _command(
    name: str, command: click.Command, context: click.Context, shared: frozenset[str]
) -> Iterator[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    yield from (f"## {name}", "", f"`filtersql {name} {usage}`", "")
    for paragraph in cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b"):
            yield from ("```text", paragraph.removeprefix("\b\n"), "```", "")
        else:
            yield from (" ".join(paragraph.split()), "")
    rows = list(_table(command, context, shared))
    if len(rows) > 2:
        yield from (*rows, "")


def _table(
    command: click.Command, context: click.Context, left_out: frozenset[str]
) -> Iterator[str]:
    yield from ("| flag | does |", "|---|---|")
    for param in command.params:
        if isinstance(param, click.Option) and param.name not in left_out:
            record = param.get_help_record(context)
            if record is not None:
                flag, does = (each.replace("|", "\\|") for each in record)
                yield f"| `{flag}` | {does} |"
