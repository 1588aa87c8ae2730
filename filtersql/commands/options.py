"""The flags that every command takes, before or after its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import click

__all__ = ["Options", "merged_options", "shared_options"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Options:
    """The shared flags of one call. An unset flag has its default."""

    project_dir: Path | None = None
    profiles_dir: Path | None = None
    target: str | None = None
    vars: str | None = None
    select: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    threads: int | None = None
    fail_fast: bool = False
    format: str = "text"
    quiet: bool = False
    color: bool | None = None
    debug: bool = False
    publish_via_partition_root: bool | None = None
    #: names of the flags that were given
    given: frozenset[str] = field(default=frozenset())

    @property
    def json(self) -> bool:
        """Whether stdout is to hold one JSON document."""
        return self.format == "json"


_FLAGS: tuple[Callable[[_Command], _Command], ...] = (
    click.option("--project-dir", type=click.Path(path_type=Path), help="The project's folder."),
    click.option(
        "--profiles-dir", type=click.Path(path_type=Path), help="The folder of profiles.yml."
    ),
    click.option("-t", "--target", help="The output of the profile to use."),
    click.option("--vars", metavar="YAML", help="Variables, e.g. '{state: NSW}'."),
    click.option("-s", "--select", multiple=True, help="What to take: names, globs, tag:…"),
    click.option("--exclude", multiple=True, help="What to leave out."),
    click.option("--threads", type=click.IntRange(min=1), help="How many targets at a time."),
    click.option(
        "-x", "--fail-fast", is_flag=True, default=None, help="Stop at the first failure."
    ),
    click.option(
        "--format", type=click.Choice(["text", "json"]), default=None, help="How to print."
    ),
    click.option(
        "-q", "--quiet", is_flag=True, default=None, help="Print results and errors only."
    ),
    click.option("--color/--no-color", default=None, help="Colours, whatever the terminal is."),
    click.option("--debug", is_flag=True, default=None, help="Show the traceback of a fault."),
    click.option(
        "--publish-via-partition-root/--no-publish-via-partition-root",
        default=None,
        help="Whether a partition root's filter applies, or each partition's.",
    ),
)


def shared_options(command: _Command) -> _Command:
    """Adds the shared flags. The command receives them as keywords."""
    for flag in reversed(_FLAGS):
        command = flag(command)
    return command


def merged_options(ctx: click.Context, flags: Mapping[str, object]) -> Options:
    """The flags of this level over those that stood before the command, over the environment's."""
    base = ctx.obj if isinstance(ctx.obj, Options) else Options()
    names = {one.name for one in fields(Options)} - {"given"}
    set_here = {
        name: value for name, value in flags.items() if name in names and value not in (None, ())
    }
    return replace(base, **set_here, given=base.given | set(set_here))  # type: ignore[arg-type]
