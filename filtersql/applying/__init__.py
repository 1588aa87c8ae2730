"""Applying changes to targets: cut, stage, validate, merge, state."""

from filtersql.applying.model import Event, Inputs, Options, RunResult, TableResult
from filtersql.applying.results import run_results
from filtersql.applying.run import run
from filtersql.applying.status import TargetStatus, status

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
