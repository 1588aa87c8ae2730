"""`audit --format html`: what differs in each target, as a page beside the review's.

Example
    ========= ====== === ============ =======
    finding   in     id  status       total
    ========= ====== === ============ =======
    differs   source 3   paid         **15.00**
    ..        target 3   paid         **99.00**
    missing   source 6   paid         20.00
    leaked    target 1   paid         40.00
    ========= ====== === ============ =======

    Values that differ are marked. It holds a few rows of each finding, never all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from filtersql.errors.concealing import concealed
from filtersql.errors.wording import counted, value_text
from filtersql.review.html_text import anchor, text
from filtersql.review.page_frame import framed
from filtersql.run.audit_findings import Sides
from filtersql.run.auditing import Audited

__all__ = ["audit_page"]

#: a longer value is cut: the page is for looking at, not for copying
_LONGEST = 300
_CLASSES = {"ok": "yes", "repaired": "yes", "skip": "null"}
_FINDINGS = {
    "leaked": "leaked: the target has it, the filter over the source does not give it",
    "missing": "missing: the filter over the source gives it, the target lacks it",
    "differs": "differs: both have the key, with other values",
}


def audit_page(project: str, place: str, audits: Sequence[Audited]) -> str:
    """The page. `place` says where the targets are."""
    targets = counted(len(audits), "target")
    facts = f"Output {text(place)}. {targets}, each beside the filter over its source."
    return framed(f"Audit of {project}", facts, (*_index(audits), *map(_target, audits)))


def _index(audits: Sequence[Audited]) -> Iterator[str]:
    heads = "".join(
        f"<th>{each}" for each in ("Target", "Status", "Leaked", "Missing", "Differing", "At seq")
    )
    yield f"<div class=wide><table>\n<tr>{heads}\n"
    for each in audits:
        found = each.found
        counts = ("", "", "") if found is None else (found.leaked, found.missing, found.differing)
        at = "" if each.position is None else each.position
        cells = "".join(f"<td>{cell}" for cell in (*counts, at))
        name = f'<a href="#{anchor(each.unique_id)}">{text(each.unique_id)}</a>'
        yield f"<tr><td>{name}<td>{_status(each)}{cells}\n"
    yield "</table></div>\n"


def _status(audited: Audited) -> str:
    return f"<span class={_CLASSES.get(audited.status, 'no')}>{audited.status}</span>"


def _target(audited: Audited) -> str:
    target = text(".".join(audited.compiled.target))
    parts = [
        f'<section class=target id="{anchor(audited.unique_id)}">\n',
        f"<h3>{text(audited.unique_id)}: {_status(audited)}</h3>\n",
        f"<p class=dim>Lands in <code>{target}</code>.</p>\n",
        *(f"<pre>{text(concealed(str(mistake)))}</pre>\n" for mistake in audited.mistakes),
        *_rows(audited),
        "</section>\n",
    ]
    return "".join(parts)


def _rows(audited: Audited) -> Iterator[str]:
    found = audited.found
    if found is None:
        if not audited.mistakes:
            yield "<p>It is not filled yet: there is nothing to compare.</p>\n"
        return
    if not found.total:
        yield "<p>No row differs.</p>\n"
        return
    if audited.repaired:
        yield "<p>These rows were found, and are repaired.</p>\n"
    kinds = dict.fromkeys(str(row["finding"]) for row in found.sample)
    yield "<ul>" + "".join(f"<li>{_FINDINGS[kind]}" for kind in kinds) + "</ul>\n"
    yield "<div class=wide><table>\n"
    yield from _counted(found.sample) if found.sides is None else _beside(found.sides)
    yield "</table></div>\n"
    if audited.compiled.key and len(found.sample) < found.total:
        yield f"<p class=dim>{len(found.sample)} of {found.total} rows are shown.</p>\n"


def _counted(sample: Sequence[Mapping[str, object]]) -> Iterator[str]:
    """Rows without a key, and how many copies are too many or too few."""
    yield "<tr>" + "".join(f"<th>{text(name)}" for name in sample[0]) + "\n"
    for row in sample:
        yield "<tr>" + "".join(f"<td>{_value(value)}" for value in row.values()) + "\n"


def _beside(sides: Sequence[Sides]) -> Iterator[str]:
    names = list(sides[0].source or sides[0].target or ())
    yield "<tr><th>finding<th>in" + "".join(f"<th>{text(name)}" for name in names) + "\n"
    for each in sides:
        outside = ", outside of the filter" if each.finding == "leaked" else ""
        rows = [(f"source{outside}", each.source), ("target", each.target)]
        there = [(side, row) for side, row in rows if row is not None]
        for number, (side, row) in enumerate(there):
            head = "" if number else f"<td rowspan={len(there)}>{each.finding}"
            cells = (
                f"<td{' class=differs' if name in each.differing else ''}>{_value(row[name])}"
                for name in names
            )
            yield f"<tr>{head}<td>{side}{''.join(cells)}\n"


def _value(value: object) -> str:
    if value is None:
        return "<span class=null>NULL</span>"
    shown = concealed(value_text(value))
    return f"<code>{text(shown[:_LONGEST])}{'…' * (len(shown) > _LONGEST)}</code>"
