"""Applying changes to targets: cut, stage, validate, merge, state."""

from filtersql.run.model import Event, Inputs, Options, RunResult, TableResult
from filtersql.run.results import run_results
from filtersql.run.run import run
from filtersql.run.status import TargetStatus, status

__all__ = [
    "Event",
    "Inputs",
    "Options",
    "RunResult",
    "TableResult",
    "TargetStatus",
    "run",
    "run_results",
    "status",
]
