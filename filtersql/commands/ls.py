"""`ls`: what is defined, one node a line."""

from __future__ import annotations

from filtersql.commands.console import Console
from filtersql.commands.shared import load_project, subcommand

__all__ = ["command"]


@subcommand("ls")
def command(console: Console) -> int:
    """List publications, tables, subscriptions and targets; each line is a selector."""
    from filtersql.compile import rules
    from filtersql.publications import resolve
    from filtersql.reviewing.listing import list_nodes, listing_json, listing_text
    from filtersql.reviewing.selection import select

    options = console.options
    project = load_project(options, need_output=False)
    definitions = project.definitions
    keywords = rules(project, options.publish_via_partition_root)
    resolved = [
        target
        for subscription in definitions.subscriptions.values()
        for target in resolve(subscription, definitions, **keywords, identity_check="run")
    ]
    nodes = select(list_nodes(definitions, resolved), options.select, options.exclude)
    if options.json:
        console.document(listing_json(nodes))
    elif nodes:
        console.result(listing_text(nodes))
    return 0
