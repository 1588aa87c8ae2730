"""`ls`: what is defined, one node a line."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from filtersql.commands.asking import asks_for_state
from filtersql.commands.console import Console
from filtersql.commands.remembered import Memory
from filtersql.commands.shared import subcommand
from filtersql.selection import Traits, select

__all__ = ["command"]


class _Line(Struct, frozen=True):
    """A node as it is printed, and what it is selected by."""

    line: str
    traits: Traits
    record: dict[str, Any]


@subcommand("ls", ("text", "json", "dbt"))
def command(console: Console) -> int:
    """List publications, tables, subscriptions and targets; each line is a selector.

    With --format dbt the targets are sources of a dbt project, for its models/sources.yml.
    """
    options = console.options
    if options.format == "dbt":
        return _print_sources(console)
    memory = None if asks_for_state(options) else Memory.of(console)
    known = None if memory is None else memory.get("ls", tuple[_Line, ...])
    lines = _lines(console, memory) if known is None else known
    nodes = select(lines, options.select, options.exclude)
    if options.json:
        console.document([node.record for node in nodes])
    elif nodes:
        console.result("\n".join(node.line for node in nodes))
    return 0


def _print_sources(console: Console) -> int:
    from filtersql.commands import listing

    console.result(listing.sources(console).rstrip("\n"))
    return 0


def _lines(console: Console, memory: Memory | None) -> tuple[_Line, ...]:
    from filtersql.commands import listing

    project, nodes = listing.listed(console, with_states=memory is None)
    lines = tuple(
        _Line(node.line, node.traits, record)
        for node, record in zip(nodes, listing.listing_json(nodes), strict=True)
    )
    if memory is not None:
        memory.put("ls", lines, project)
    return lines
