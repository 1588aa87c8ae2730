r"""`show`: one definition as PostgreSQL's \dRp+ and \d print it, and the filters in force."""

from __future__ import annotations

from typing import Any

import click
import msgspec
from msgspec import Struct

from filtersql.api.remembered import Memory
from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand
from filtersql.review import glossary

__all__ = ["command"]


class _Shown(Struct, frozen=True):
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
    from filtersql.commands.showing import shown

    project, text, document = shown(console, kind, name)
    # As JSON says it, now or from memory.
    answer = _Shown(text, msgspec.to_builtins(document))
    memory.put(f"show {kind} {name}", answer, project)
    return answer
