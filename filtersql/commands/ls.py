"""`ls`: what is defined, one node a line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from filtersql.commands.asking import asks_for_state
from filtersql.commands.console import Console
from filtersql.commands.options import Options
from filtersql.commands.remembered import Memory
from filtersql.commands.shared import load_project, subcommand
from filtersql.selection import Traits, select

if TYPE_CHECKING:
    from filtersql.project import Project
    from filtersql.publications.model import ResolvedTable
    from filtersql.reviewing.listing import Listed

__all__ = ["command"]


@dataclass(frozen=True, slots=True)
class _Line:
    """A node as it is printed, and what it is selected by."""

    line: str
    traits: Traits
    record: dict[str, Any]


@subcommand("ls")
def command(console: Console) -> int:
    """List publications, tables, subscriptions and targets; each line is a selector."""
    options = console.options
    memory = None if asks_for_state(options) else Memory.of(console)
    known = None if memory is None else memory.get("ls", tuple[_Line, ...])
    lines = _lines(console, memory) if known is None else known
    nodes = select(lines, options.select, options.exclude)
    if options.json:
        console.document([node.record for node in nodes])
    elif nodes:
        console.result("\n".join(node.line for node in nodes))
    return 0


def _lines(console: Console, memory: Memory | None) -> tuple[_Line, ...]:
    from filtersql.compile import rules
    from filtersql.errors import Collector
    from filtersql.publications import resolve
    from filtersql.reviewing.listing import list_nodes, listing_json

    options = console.options
    project = load_project(console, need_output=memory is None)
    definitions = project.definitions
    keywords = rules(project, options.publish_via_partition_root)
    resolved: list[ResolvedTable] = []
    mistakes = Collector()
    for subscription in definitions.subscriptions.values():
        with mistakes:
            resolved += resolve(subscription, definitions, **keywords, identity_check="run")
    mistakes.raise_all()
    listed = list_nodes(definitions, resolved)
    if memory is None:
        listed = _with_states(listed, project, options)
    records = listing_json(listed)
    lines = tuple(
        _Line(node.line, node.traits, record) for node, record in zip(listed, records, strict=True)
    )
    if memory is not None:
        memory.put("ls", lines, project)
    return lines


def _with_states(
    listed: tuple[Listed, ...], project: Project, options: Options
) -> tuple[Listed, ...]:
    """The targets with how they stand to the manifest of --state; what else there is has none."""
    from filtersql.commands.selecting import states
    from filtersql.compile import compile_project

    compilation = compile_project(project, via_partition_root=options.publish_via_partition_root)
    found = states(project, compilation, options)
    return tuple(
        replace(each, traits=replace(each.traits, states=found.get(each.key, frozenset())))
        for each in listed
    )
