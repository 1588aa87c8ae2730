"""How far every target got, since when its definition is in force, when rows leave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from filtersql.api.inputs import inputs_of
from filtersql.api.loading import loaded_compilation
from filtersql.api.records import Statuses, Target
from filtersql.api.reporter import Reporter
from filtersql.api.selecting import selected
from filtersql.review.text_table import aligned, sparkline
from filtersql.run import status as statuses_of
from filtersql.targets.open import open_engine

if TYPE_CHECKING:
    from filtersql.rendering.compiled import CompiledTable
    from filtersql.run.status import TargetStatus

__all__ = ["status"]

_HEADERS = (
    "Node",
    "Target",
    "State",
    "Position",
    "Lag",
    "Last run",
    "Changes per run",
    "Conflicts",
    "Quarantine",
)
#: targets that a line names
_NAMED = 3


def status(reporter: Reporter) -> Statuses:
    """What is known of each selected target."""
    project, compilation = loaded_compilation(reporter)
    tables: dict[str, list[CompiledTable]] = {}
    for node in selected(project, compilation, reporter.options):
        tables.setdefault(node.compiled.subscription, []).append(node.compiled)
    assert project.output is not None  # load() asked for one
    engine = open_engine(project.output, project.root)
    try:
        statuses = statuses_of(inputs_of(project), tables, engine)
    finally:
        engine.close()
    rows = [
        [
            each.compiled.unique_id,
            ".".join(each.compiled.target),
            each.state,
            _number(each.position),
            _number(each.lag),
            each.last_run or "",
            sparkline(each.changes_per_run),
            str(sum(each.conflicts.values())),
            str(each.quarantine),
        ]
        for each in statuses
    ]
    reporter.result(aligned(f"Targets of {project.name}", _HEADERS, rows, _below(statuses)))
    return Statuses(tuple(_record(each) for each in statuses))


def _record(each: TargetStatus) -> Target:
    return Target(
        unique_id=each.compiled.unique_id,
        target=".".join(each.compiled.target),
        state=each.state,
        position=each.position,
        lag=each.lag,
        last_run=each.last_run,
        conflicts=dict(each.conflicts),
        quarantine=each.quarantine,
        clock=each.clock,
        next_row_leaves=each.next_leaves,
        in_force_since=each.in_force_since,
        definition_changed=each.definition_changed,
        changes_per_run=list(each.changes_per_run),
    )


def _below(statuses: Sequence[TargetStatus]) -> Iterator[str]:
    """Since when definitions are in force, and when rows leave: what the table has no room for."""
    since: dict[str, list[str]] = {}
    for each in statuses:
        if each.in_force_since is not None:
            since.setdefault(each.in_force_since, []).append(each.compiled.unique_id)
    for moment, names in sorted(since.items()):
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        yield f"Definition in force since {moment}: {', '.join(names[:_NAMED])}{more}"
    for each in statuses:
        name = each.compiled.unique_id
        if each.definition_changed:
            yield f"{name}: the project has another definition, see filtersql plan"
        elif each.clock is not None:
            yield f"{name}: at the clock {each.clock} UTC, {_leaving(each)}"


def _leaving(each: TargetStatus) -> str:
    if each.next_leaves is None:
        return "no row is to leave"
    if len(each.compiled.next_leaving) > 1:
        return f"no row leaves before {each.next_leaves} UTC"
    return f"the time of the next row is over at {each.next_leaves} UTC"


def _number(value: int | None) -> str:
    return "" if value is None else str(value)
