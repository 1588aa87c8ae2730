"""`audit`: compares every target with the filter over its source, and mends what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from filtersql.commands.console import Console
from filtersql.commands.inputs import inputs_of
from filtersql.commands.loading import loaded_compilation
from filtersql.commands.progress import dotted
from filtersql.commands.selecting import selected
from filtersql.commands.shared import subcommand
from filtersql.errors import Mistakes
from filtersql.review.text_table import aligned
from filtersql.run.auditing import Audit, audit
from filtersql.targets.open import open_engine
from filtersql.verify.source_copies import source_copy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from filtersql.compile import Compilation, Node
    from filtersql.project import Project
    from filtersql.run.auditing import Audited

__all__ = ["audits_of", "command", "print_audits"]


@subcommand("audit")
@click.option("--repair", is_flag=True, help="Write exactly the rows that were found.")
def command(console: Console, *, repair: bool) -> int:
    """Compare each target with the filter over its source, at the target's position.

    The source's rows are brought to that position by the feed. Exits 1 when rows have leaked, are
    missing or differ, unless --repair mended them.
    """
    project, compilation = loaded_compilation(console)
    nodes = selected(project, compilation, console.options)
    assert project.output is not None  # load() asked for one
    engine = open_engine(project.output, project.root)
    try:
        audits = audits_of(project, nodes, compilation)
        done = audit(inputs_of(project), audits, engine, repair=repair)
    finally:
        engine.close()
    print_audits(console, done)
    wrong = [one for one in done if not one.right]
    # A target that is not filled yet was compared with nothing: it is not right.
    skipped = sum(one.right and one.found is None for one in done)
    right = len(done) - len(wrong) - skipped
    console.message(
        f"Done. RIGHT={right} WRONG={len(wrong)} "
        + (f"SKIP={skipped} " if skipped else "")
        + f"TOTAL={len(done)}",
        fg="red" if wrong else "green",
    )
    if console.options.json:
        console.document({"audits": [_record(one) for one in done]})
    codes = [mistake.exit_code for one in done for mistake in one.mistakes]
    return max(codes, default=1 if wrong else 0)


def audits_of(
    project: Project, nodes: Sequence[Node], compilation: Compilation
) -> dict[str, list[Audit]]:
    """The targets by subscription, each with what keeps a copy of its source."""
    found: dict[str, list[Audit]] = {}
    for node in nodes:
        compiled = node.compiled
        asked = {one.relation for one in compiled.lookups}
        looked_up = {
            each.compiled.relation: each.compiled
            for each in compilation.nodes
            if each.compiled.subscription == compiled.subscription
            and each.compiled.relation in asked
        }
        one = Audit(compiled, source_copy(node, project), looked_up)
        found.setdefault(compiled.subscription, []).append(one)
    return found


def print_audits(console: Console, done: Sequence[Audited]) -> None:
    """A line for each target, and the rows that were found."""
    for index, one in enumerate(done, 1):
        _print(console, f"{index} of {len(done)}", one)


def _print(console: Console, place: str, one: Audited) -> None:
    console.message(
        dotted(f"{place} {_word(one)} {one.unique_id}", f"[{_told(one)}]"),
        fg="green" if one.right else "red",
    )
    if one.mistakes:
        console.report(Mistakes(one.mistakes))
    if one.found is not None and one.found.sample:
        headers = list(one.found.sample[0])
        rows = [[_text(row[name]) for name in headers] for row in one.found.sample]
        few = len(rows) < one.found.total and one.compiled.key
        footer = [f"(the first {len(rows)} of {one.found.total})"] if few else []
        console.result(aligned(".".join(one.compiled.target), headers, rows, footer))
        console.result()


def _word(one: Audited) -> str:
    if one.mistakes:
        return "ERROR"
    if one.found is None:
        return "SKIP"
    if not one.found.total:
        return "OK"
    return "REPAIRED" if one.repaired else "FOUND"


def _told(one: Audited) -> str:
    if one.mistakes:
        return "not compared"
    if one.found is None:
        return "not yet filled"
    stands = "" if one.position is None else f" at seq {one.position}"
    if not one.found.total:
        return f"no difference{stands}"
    counts = (
        (one.found.leaked, "leaked"),
        (one.found.missing, "missing"),
        (one.found.differing, "differing"),
    )
    return ", ".join(f"{count} {word}" for count, word in counts if count) + stands


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, bytes | bytearray):
        return f"\\x{value.hex()}"
    return "NULL" if value is None else str(value)


def _record(one: Audited) -> dict[str, object]:
    found = one.found
    return {
        "unique_id": one.unique_id,
        "target": ".".join(one.compiled.target),
        "status": _word(one).lower(),
        "position": one.position,
        "leaked": found.leaked if found else 0,
        "missing": found.missing if found else 0,
        "differing": found.differing if found else 0,
        "sample": [dict(row) for row in found.sample] if found else [],
        "repaired": one.repaired,
        "message": "\n\n".join(map(str, one.mistakes)) or None,
    }
