"""A plan as people read it: each target that changes in a few lines, and what it is in all.

Example
    europe/public.orders: mixed: 2 rows leave, 3 rows enter, 0 rows stay (at seq 9)
        was  ((region = 'eu'::text) AND (status <> 'cart'::text))
        is   ((region = 'us'::text) AND (status <> 'cart'::text))
        - leaves  id=3, region='eu', status='paid', total=15.00; and 1 more
        + enters  id=1, region='us', status='paid', total=40.00; and 2 more
        target/compiled/europe/public.orders/change.sql

    Plan: 1 of 2 targets. 2 rows leave, 3 rows enter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from filtersql.api.planned import statement_paths
from filtersql.errors import Mistakes
from filtersql.errors.wording import counted, value_text
from filtersql.rendering.definition import COPY, EVERY_ROW, Definition
from filtersql.review.row_trials import shown
from filtersql.review.text_table import in_one_line
from filtersql.run.planned_target import PlannedTarget

if TYPE_CHECKING:
    from filtersql.api.reporter import Reporter
    from filtersql.compile import Compilation
    from filtersql.project import Project

__all__ = ["print_plan"]


def print_plan(
    reporter: Reporter,
    project: Project,
    compilation: Compilation,
    asked: int,
    planned: Sequence[PlannedTarget],
) -> None:
    """Each target that changes, in a few lines, and what it is in all; `asked` were selected."""
    folders = statement_paths(project, compilation)
    for each in planned:
        reporter.result(f"{each.unique_id}: {_said(each)}")
        for line in _lines(each, folders):
            reporter.result(f"    {line}")
        if each.mistakes:
            reporter.report(Mistakes(each.mistakes))
        reporter.result()
    reporter.message(_summary(len(compilation.nodes), asked, planned))


def _said(planned: PlannedTarget) -> str:
    if planned.mistakes:
        return "cannot be planned"
    if planned.delete is None:
        return planned.change
    counted = ((planned.delete, "leave"), (planned.insert or 0, "enter"))
    counts = [_moves(count, verb) for count, verb in counted]
    if planned.update:
        counts.append(_moves(planned.update, "change"))
    counts.append(_moves(planned.unchanged or 0, "stay"))
    stands = "" if planned.position is None else f" (at seq {planned.position})"
    return f"{planned.change}: {', '.join(counts)}{stands}"


def _lines(planned: PlannedTarget, folders: Mapping[str, str]) -> list[str]:
    lines = []
    if planned.earlier is not None and planned.compiled is not None:
        now = planned.compiled.definition
        was, filters = (_filter(each) for each in (planned.earlier, now))
        if was != filters:
            lines += [f"was  {was}", f"is   {filters}"]
    for said, row, count in (
        ("- leaves", planned.leaves, planned.delete or 0),
        ("+ enters", planned.enters, planned.insert or 0),
    ):
        more = f"; and {count - 1:,} more" if count > 1 else ""
        if row is not None:
            made_up = planned.constructed and not count
            lines.append(f"{said}  {_row(row)}{' (constructed)' if made_up else more}")
    lines += planned.says
    if planned.statement:
        reads = "" if planned.reads_source else "; the source is not read"
        lines.append(f"{folders[planned.unique_id]}{reads}")
    return lines


def _filter(definition: Definition) -> str:
    texts = definition.filters.get(COPY, EVERY_ROW)
    return (" AND " if definition.every else " OR ").join(texts)


def _row(row: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={_value(value)}" for name, value in row.items())


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "t" if value else "f"
    return in_one_line(shown(None if value is None else value_text(value)))


def _summary(count: int, asked: int, planned: Sequence[PlannedTarget]) -> str:
    changing = [each for each in planned if _changes(each)]
    removed = sum(each.change == "removed" for each in planned)
    if not changing:
        parts = [f"{asked} target{' is' if asked == 1 else 's are'} as defined"]
        parts += [_removed(removed, "stay", "stays")]
        return f"Nothing changes: {_joined(parts, asked, removed)}."
    dropped = sum(each.change == "removed" for each in changing)
    defined = len(changing) - dropped
    parts = [f"{defined} of {counted(count, 'target')}"]
    parts += [_removed(dropped, "are dropped", "is dropped")]
    said = f"Plan: {_joined(parts, defined, dropped)}."
    if all(each.delete is None for each in changing):
        return said
    delete, insert = (
        sum(getattr(each, name) or 0 for each in planned) for name in ("delete", "insert")
    )
    return f"{said} {_moves(delete, 'leave')}, {_moves(insert, 'enter')}."


def _joined(parts: Sequence[str], defined: int, removed: int) -> str:
    """Both parts; where no target is defined, or none is removed, the other one alone."""
    if not removed:
        return parts[0]
    return ", ".join(parts) if defined else parts[1]


def _removed(count: int, many: str, one: str) -> str:
    return f"1 removed target {one}" if count == 1 else f"{count:,} removed targets {many}"


def _changes(planned: PlannedTarget) -> bool:
    return planned.change != "removed" or planned.delete is not None


def _moves(count: int, verb: str) -> str:
    """`1 row leaves`, `1,204 rows leave`."""
    return f"{count:,} row {verb}s" if count == 1 else f"{count:,} rows {verb}"
