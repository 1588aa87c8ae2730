"""`status`: position, lag, last run, conflicts and quarantine of every target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from filtersql.commands.console import Console
from filtersql.commands.inputs import inputs_of
from filtersql.commands.loading import loaded_compilation
from filtersql.commands.selecting import selected
from filtersql.commands.shared import subcommand
from filtersql.review.text_table import aligned
from filtersql.run import status
from filtersql.targets.open import open_engine

if TYPE_CHECKING:
    from filtersql.rendering.compiled import CompiledTable

__all__ = ["command"]


@subcommand("status")
def command(console: Console) -> int:
    """Show position, lag, last run, conflicts and quarantine of every target."""
    project, compilation = loaded_compilation(console)
    tables: dict[str, list[CompiledTable]] = {}
    for node in selected(project, compilation, console.options):
        tables.setdefault(node.compiled.subscription, []).append(node.compiled)
    assert project.output is not None  # load() asked for one
    engine = open_engine(project.output, project.root)
    try:
        statuses = status(inputs_of(project), tables, engine)
    finally:
        engine.close()
    if console.options.json:
        console.document(
            [
                {
                    "unique_id": each.compiled.unique_id,
                    "target": ".".join(each.compiled.target),
                    "state": each.state,
                    "position": each.position,
                    "lag": each.lag,
                    "last_run": each.last_run,
                    "conflicts": dict(each.conflicts),
                    "quarantine": each.quarantine,
                }
                for each in statuses
            ]
        )
    rows = [
        [
            each.compiled.unique_id,
            ".".join(each.compiled.target),
            each.state,
            _number(each.position),
            _number(each.lag),
            each.last_run or "",
            str(sum(each.conflicts.values())),
            str(each.quarantine),
        ]
        for each in statuses
    ]
    headers = ["Node", "Target", "State", "Position", "Lag", "Last run", "Conflicts", "Quarantine"]
    console.result(aligned(f"Targets of {project.name}", headers, rows, []))
    return 0


def _number(value: int | None) -> str:
    return "" if value is None else str(value)
