"""Every target is compared with the filter over its source, and what differs is mended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from filtersql.api.inputs import inputs_of, opened, sourced_targets
from filtersql.api.loading import loaded_compilation
from filtersql.api.options import check_switches
from filtersql.api.progress import dotted
from filtersql.api.records import Audit, Audits
from filtersql.api.reporter import Reporter
from filtersql.api.selecting import selected
from filtersql.errors import Mistakes
from filtersql.errors.concealing import concealed
from filtersql.errors.wording import json_row, value_text
from filtersql.review.text_table import aligned
from filtersql.run import auditing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from filtersql.project import Project
    from filtersql.run.auditing import Audited

__all__ = ["audit", "audited", "print_audits"]


def audit(reporter: Reporter, *, repair: bool = False) -> Audits:
    """Compares the selected targets, and writes what differs where it is to be repaired."""
    check_switches(repair=repair)
    _, done = audited(reporter, repair=repair)
    print_audits(reporter, done)
    wrong = [each for each in done if not each.right]
    # A target that is not filled yet was compared with nothing: it is not right.
    skipped = sum(each.right and each.found is None for each in done)
    right = len(done) - len(wrong) - skipped
    reporter.message(
        f"Done. RIGHT={right} WRONG={len(wrong)} "
        + (f"SKIP={skipped} " if skipped else "")
        + f"TOTAL={len(done)}",
        color="red" if wrong else "green",
    )
    return Audits(tuple(_record(each) for each in done))


def audited(
    reporter: Reporter, *, repair: bool, beside: bool = False
) -> tuple[Project, Sequence[Audited]]:
    """What is found of each selected target; `beside` brings the source's rows, too."""
    project, compilation = loaded_compilation(reporter)
    nodes = selected(project, compilation, reporter.options)
    with opened(project, writes=repair) as engine:
        targets = sourced_targets(project, nodes, compilation)
        return project, auditing.audit(
            inputs_of(project), targets, engine, repair=repair, beside=beside
        )


def print_audits(reporter: Reporter, done: Sequence[Audited]) -> None:
    """A line for each target, and the rows that were found."""
    for index, audited in enumerate(done, 1):
        _print(reporter, f"{index} of {len(done)}", audited)


def _print(reporter: Reporter, place: str, audited: Audited) -> None:
    reporter.message(
        dotted(f"{place} {audited.status.upper()} {audited.unique_id}", f"[{_told(audited)}]"),
        color="green" if audited.right else "red",
    )
    if audited.mistakes:
        reporter.report(Mistakes(audited.mistakes))
    if audited.found is not None and audited.found.sample:
        headers = list(audited.found.sample[0])
        sample = audited.found.sample
        rows = [[concealed(value_text(row[name])) for name in headers] for row in sample]
        few = len(rows) < audited.found.total and audited.compiled.key
        footer = [f"(the first {len(rows)} of {audited.found.total})"] if few else []
        reporter.result(aligned(".".join(audited.compiled.target), headers, rows, footer))
        reporter.result()


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


def _record(audited: Audited) -> Audit:
    differences = audited.found
    return Audit(
        unique_id=audited.unique_id,
        target=".".join(audited.compiled.target),
        status=audited.status,
        position=audited.position,
        leaked=differences.leaked if differences else 0,
        missing=differences.missing if differences else 0,
        differing=differences.differing if differences else 0,
        sample=[json_row(row) for row in differences.sample] if differences else [],
        repaired=audited.repaired,
        message="\n\n".join(map(str, audited.mistakes)) or None,
    )
