"""How far every target got, since when its definition is in force, when rows leave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from filtersql.api.capture import capturing_of
from filtersql.api.loading import loaded_compilation
from filtersql.api.records import Statuses, Target
from filtersql.api.reporter import Reporter
from filtersql.api.selecting import selected
from filtersql.api.statuses import statuses
from filtersql.errors import Mistakes
from filtersql.review.text_table import aligned, sparkline

if TYPE_CHECKING:
    from filtersql.compile import Compilation
    from filtersql.postgres.capture_state import Lag
    from filtersql.project import Project
    from filtersql.run.status import TargetStatus

__all__ = ["status"]

_HEADERS = (
    "Node",
    "State",
    "Position",
    "Lag",
    "Last run (UTC)",
    "Changes per run",
    "Conflicts",
    "Quarantine",
)
#: columns that are left out where they say this of every target
_USUAL = {"State": "filled", "Conflicts": "0", "Quarantine": "0"}
#: targets that a line names
_NAMED = 3


def status(reporter: Reporter) -> Statuses:
    """What is known of each selected target."""
    project, compilation = loaded_compilation(reporter)
    nodes = selected(project, compilation, reporter.options)
    found = statuses(project, nodes)
    names = dict.fromkeys(node.compiled.subscription for node in nodes)
    lags = _lags(project, compilation, names)
    below = [*_below(found), *(f"Source {name}: {_behind(lag)}" for name, lag in lags.items())]
    reporter.result(_table(f"Targets of {project.name}", found, below))
    return Statuses(tuple(_record(each, _bytes_of(project, each, lags)) for each in found))


def _table(title: str, statuses: Sequence[TargetStatus], below: Iterable[str]) -> str:
    """As narrow as it can be: a terminal has 80 columns."""
    rows = [
        (
            each.compiled.unique_id,
            each.state,
            _number(each.position),
            _number(each.lag),
            _minute(each.last_run or ""),
            sparkline(each.changes_per_run),
            str(sum(each.conflicts.values())),
            str(each.quarantine),
        )
        for each in statuses
    ]
    shown = [
        place
        for place, header in enumerate(_HEADERS)
        if not rows or any(row[place] != _USUAL.get(header) for row in rows)
    ]
    chosen = [[row[place] for place in shown] for row in rows]
    return aligned(title, [_HEADERS[place] for place in shown], chosen, below)


def _lags(
    project: Project, compilation: Compilation, names: Iterable[str]
) -> dict[str, Lag | Mistakes | None]:
    """How far behind its live source each capture is, or why that is not known."""
    found: dict[str, Lag | Mistakes | None] = {}
    for name in names:
        changes = project.definitions.subscriptions[name].changes
        source = project.sources.get(changes.postgres or "") if changes is not None else None
        if source is not None and source.name not in found:
            try:
                found[source.name] = capturing_of(project, compilation, source).lag()
            except Mistakes as mistakes:
                found[source.name] = mistakes
    return found


def _behind(lag: Lag | Mistakes | None) -> str:
    if lag is None:
        return "nothing is captured, see filtersql capture --create"
    if isinstance(lag, Mistakes):
        return "; ".join(mistake.message for mistake in lag.mistakes)
    running = "a capture is running" if lag.running else "no capture is running"
    if lag.running and lag.rate is not None:
        running += f", {lag.rate:,.0f} changes a second"
    return f"captured up to {lag.position}, {lag.behind:,} bytes of its log behind; {running}"


def _bytes_of(
    project: Project, each: TargetStatus, lags: Mapping[str, Lag | Mistakes | None]
) -> int | None:
    changes = project.definitions.subscriptions[each.compiled.subscription].changes
    lag = None if changes is None or changes.postgres is None else lags.get(changes.postgres)
    return None if lag is None or isinstance(lag, Mistakes) else lag.behind


def _record(each: TargetStatus, behind: int | None) -> Target:
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
        source_behind=behind,
    )


def _below(statuses: Sequence[TargetStatus]) -> Iterator[str]:
    """Since when definitions are in force, and when rows leave: what the table has no room for."""
    since: dict[str, list[str]] = {}
    for each in statuses:
        if each.in_force_since is not None:
            since.setdefault(_minute(each.in_force_since), []).append(each.compiled.unique_id)
    for moment, names in sorted(since.items()):
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        yield f"Definition in force since {moment} UTC: {', '.join(names[:_NAMED])}{more}"
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


def _minute(moment: str) -> str:
    """A moment of the ledger, which are all in UTC, as far as a person reads it."""
    return moment[:16].replace("T", " ")


def _number(value: int | None) -> str:
    return "" if value is None else str(value)
