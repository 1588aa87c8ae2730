r"""`show`: one definition as PostgreSQL's \dRp+ and \d print it, and the filters in force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click
import msgspec

from filtersql.commands.console import Console
from filtersql.commands.remembered import Memory
from filtersql.commands.shared import load_project, subcommand

__all__ = ["command"]

#: by what kind a publication's own mistakes are kept
_HELD = {"publication": "publication", "set": "replication set"}


@dataclass(frozen=True, slots=True)
class _Shown:
    """An answer as text and as a JSON value."""

    text: str
    document: Any


@subcommand("show")
@click.argument("kind", type=click.Choice(["publication", "table", "set", "subscription", "term"]))
@click.argument("name")
def command(console: Console, *, kind: str, name: str) -> int:
    """Show one definition.

    \b
    show publication p1    what psql's \\dRp+ p1 prints
    show table t1          what psql's \\d t1 prints
    show set emea          a replication set
    show subscription s1   the filter in force for each table and action, and why
    show term секция       what a term means, asked for in English or Russian
    """
    if kind == "term":
        from filtersql.reviewing import glossary

        console.result(glossary.term_text(name))
        if console.options.json:
            console.document(glossary.term_json(name))
        return 0
    memory = Memory.of(console)
    asked = f"show {kind} {name}"
    known = memory.get(asked, _Shown) or _shown(console, memory, kind, name)
    console.result(known.text)
    if console.options.json:
        console.document(known.document)
    return 0


def _shown(console: Console, memory: Memory, kind: str, name: str) -> _Shown:
    from filtersql import reviewing
    from filtersql.compile import rules
    from filtersql.definitions.identifiers import relation_name
    from filtersql.errors import Mistakes
    from filtersql.errors.reviewing import NOT_DEFINED
    from filtersql.errors.wording import meant
    from filtersql.publications import Settings, index_of, resolve
    from filtersql.shelf import FilterShelf
    from filtersql.source import Passage, Source

    options = console.options
    project = load_project(console, need_output=False)
    definitions, deparse = project.definitions, FilterShelf(project).deparse
    flag = options.publish_via_partition_root
    settings = Settings(
        project.semantics, project.postgres_version, project.publish_via_partition_root, flag
    )
    # A table that is wrong would not be among those that are shown.
    if wrong := index_of(definitions, settings).mistakes.get((_HELD.get(kind, ""), name)):
        raise Mistakes(wrong)
    match kind:
        case "publication":
            found = reviewing.show_publication(name, definitions, settings, deparse)
            text, document = reviewing.publication_text(found), reviewing.publication_json(found)
        case "table":
            relation = relation_name(Passage(name, Source("the command line", name)))
            details = reviewing.show_table(relation, definitions, settings, deparse)
            text, document = reviewing.table_text(details), reviewing.table_json(details)
        case "set":
            needs_key = project.semantics.sets_need_key
            text = reviewing.set_text(name, definitions, deparse, needs_key=needs_key)
            document = reviewing.set_json(name, definitions, deparse, needs_key=needs_key)
        case _:
            if name not in definitions.subscriptions:
                known = definitions.subscriptions
                raise NOT_DEFINED(kind="subscription", name=name, hint=meant(name, known))
            subscription = definitions.subscriptions[name]
            targets = resolve(
                subscription, definitions, **rules(project, flag), identity_check="run"
            )
            text = reviewing.subscription_text(subscription, targets, deparse)
            document = reviewing.subscription_json(subscription, targets, deparse)
    # As JSON says it, now or from memory.
    shown = _Shown(text, msgspec.to_builtins(document))
    memory.put(f"show {kind} {name}", shown, project)
    return shown
