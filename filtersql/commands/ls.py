"""`ls`: what is defined, one node a line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from filtersql.commands.console import Console
from filtersql.commands.options import Options
from filtersql.commands.shared import load_project, subcommand

if TYPE_CHECKING:
    from filtersql.project import Project
    from filtersql.reviewing.listing import Listed

__all__ = ["command"]


@subcommand("ls")
def command(console: Console) -> int:
    """List publications, tables, subscriptions and targets; each line is a selector."""
    from filtersql.commands.selecting import asks_for_state
    from filtersql.compile import rules
    from filtersql.publications import resolve
    from filtersql.reviewing.listing import list_nodes, listing_json, listing_text
    from filtersql.reviewing.selection import select

    options = console.options
    project = load_project(console, need_output=options.state is not None)
    definitions = project.definitions
    keywords = rules(project, options.publish_via_partition_root)
    resolved = [
        target
        for subscription in definitions.subscriptions.values()
        for target in resolve(subscription, definitions, **keywords, identity_check="run")
    ]
    listed = list_nodes(definitions, resolved)
    if asks_for_state(options):
        listed = _with_states(listed, project, options)
    nodes = select(listed, options.select, options.exclude)
    if options.json:
        console.document(listing_json(nodes))
    elif nodes:
        console.result(listing_text(nodes))
    return 0


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
