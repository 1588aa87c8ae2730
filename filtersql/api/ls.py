"""What is defined, one node a line; nothing is loaded where nothing has changed."""

from __future__ import annotations

from msgspec import Struct, convert

from filtersql.api.asking import asks_for_state
from filtersql.api.records import Listed, Listing
from filtersql.api.remembered import Memory
from filtersql.api.reporter import Reporter
from filtersql.selection import Traits, select

__all__ = ["ls"]


class _Line(Struct, frozen=True):
    """A node as it is printed, and what it is selected by."""

    line: str
    traits: Traits
    record: Listed


def ls(reporter: Reporter) -> Listing:
    """The selected nodes, each also as a line."""
    options = reporter.options
    memory = None if asks_for_state(options) else Memory.of(reporter)
    known = None if memory is None else memory.get("ls", tuple[_Line, ...])
    lines = _lines(reporter, memory) if known is None else known
    nodes = select(lines, options.select, options.exclude)
    if nodes:
        reporter.result("\n".join(node.line for node in nodes))
    return Listing(tuple(node.record for node in nodes))


def _lines(reporter: Reporter, memory: Memory | None) -> tuple[_Line, ...]:
    from filtersql.api import listing

    project, nodes = listing.listed(reporter, with_states=memory is None)
    records = convert(listing.listing_json(nodes), tuple[Listed, ...])
    lines = tuple(
        _Line(node.line, node.traits, record) for node, record in zip(nodes, records, strict=True)
    )
    if memory is not None:
        memory.put("ls", lines, project)
    return lines
