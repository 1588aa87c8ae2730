"""`audit`: compares every target with the filter over its source, and mends what differs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from filtersql.commands.console import Console, echo
from filtersql.commands.inputs import inputs_of
from filtersql.commands.loading import loaded_compilation
from filtersql.commands.pages import write_page
from filtersql.commands.progress import dotted
from filtersql.commands.selecting import selected
from filtersql.commands.shared import subcommand
from filtersql.errors import Mistakes
from filtersql.errors.wording import counted
from filtersql.review.audit_page import audit_page, value_text
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


@subcommand("audit", formats=("text", "json", "html"))
@click.option("--repair", is_flag=True, help="Write exactly the rows that were found.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where to write the page of --format html, instead of printing it.",
)
def command(console: Console, *, repair: bool, output: Path | None = None) -> int:
    """Compare each target with the filter over its source, at the target's position.

    The source's rows are brought to that position by the feed. Exits 1 when rows have leaked, are
    missing or differ, unless --repair mended them. With --format html the answer is a page: a few
    rows of each finding, the source's beside the target's, with the values marked that differ.
    """
    html = console.options.format == "html"
    if output is not None and not html:
        raise click.UsageError("--output is where --format html writes.")
    project, compilation = loaded_compilation(console)
    nodes = selected(project, compilation, console.options)
    assert project.output is not None  # load() asked for one
    engine = open_engine(project.output, project.root)
    try:
        audits = audits_of(project, nodes, compilation)
        done = audit(inputs_of(project), audits, engine, repair=repair, beside=html)
    finally:
        engine.close()
    if html:
        _write_page(console, project, done, output)
    else:
        _tell(console, done)
    wrong = any(not audited.right for audited in done)
    codes = [mistake.exit_code for audited in done for mistake in audited.mistakes]
    return max(codes, default=int(wrong))


def _tell(console: Console, done: Sequence[Audited]) -> None:
    print_audits(console, done)
    wrong = [audited for audited in done if not audited.right]
    # A target that is not filled yet was compared with nothing: it is not right.
    skipped = sum(audited.right and audited.found is None for audited in done)
    right = len(done) - len(wrong) - skipped
    console.message(
        f"Done. RIGHT={right} WRONG={len(wrong)} "
        + (f"SKIP={skipped} " if skipped else "")
        + f"TOTAL={len(done)}",
        fg="red" if wrong else "green",
    )
    if console.options.json:
        console.document({"audits": [_record(audited) for audited in done]})


def _write_page(
    console: Console, project: Project, done: Sequence[Audited], output: Path | None
) -> None:
    assert project.output is not None  # load() asked for one
    for audited in done:
        if audited.mistakes:
            console.report(Mistakes(audited.mistakes))
    page = audit_page(project.name, f"{project.output.name} ({project.output.type})", done)
    if output is None:
        echo(page, nl=False)
        return
    write_page(output, page)
    console.message(f"Wrote the audit of {counted(len(done), 'target')} to {output}")


def audits_of(
    project: Project, nodes: Sequence[Node], compilation: Compilation
) -> dict[str, list[Audit]]:
    """The targets by subscription, each with what keeps a copy of its source."""
    audits: dict[str, list[Audit]] = {}
    for node in nodes:
        compiled = node.compiled
        asked = {lookup.relation for lookup in compiled.lookups}
        looked_up = {
            each.compiled.relation: each.compiled
            for each in compilation.nodes
            if each.compiled.subscription == compiled.subscription
            and each.compiled.relation in asked
        }
        of_target = Audit(compiled, source_copy(node, project), looked_up)
        audits.setdefault(compiled.subscription, []).append(of_target)
    return audits


def print_audits(console: Console, done: Sequence[Audited]) -> None:
    """A line for each target, and the rows that were found."""
    for index, audited in enumerate(done, 1):
        _print(console, f"{index} of {len(done)}", audited)


def _print(console: Console, place: str, audited: Audited) -> None:
    console.message(
        dotted(f"{place} {audited.status.upper()} {audited.unique_id}", f"[{_told(audited)}]"),
        fg="green" if audited.right else "red",
    )
    if audited.mistakes:
        console.report(Mistakes(audited.mistakes))
    if audited.found is not None and audited.found.sample:
        headers = list(audited.found.sample[0])
        rows = [[value_text(row[name]) for name in headers] for row in audited.found.sample]
        few = len(rows) < audited.found.total and audited.compiled.key
        footer = [f"(the first {len(rows)} of {audited.found.total})"] if few else []
        console.result(aligned(".".join(audited.compiled.target), headers, rows, footer))
        console.result()


def _told(audited: Audited) -> str:
    if audited.mistakes:
        return "not compared"
    if audited.found is None:
        return "not yet filled"
    stands = "" if audited.position is None else f" at seq {audited.position}"
    if not audited.found.total:
        return f"no difference{stands}"
    counts = (
        (audited.found.leaked, "leaked"),
        (audited.found.missing, "missing"),
        (audited.found.differing, "differing"),
    )
    return ", ".join(f"{count} {word}" for count, word in counts if count) + stands


def _record(audited: Audited) -> dict[str, object]:
    differences = audited.found
    return {
        "unique_id": audited.unique_id,
        "target": ".".join(audited.compiled.target),
        "status": audited.status,
        "position": audited.position,
        "leaked": differences.leaked if differences else 0,
        "missing": differences.missing if differences else 0,
        "differing": differences.differing if differences else 0,
        "sample": [dict(row) for row in differences.sample] if differences else [],
        "repaired": audited.repaired,
        "message": "\n\n".join(map(str, audited.mistakes)) or None,
    }
