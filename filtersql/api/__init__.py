"""filtersql from Python: a project, its commands as methods, what they print as records."""

from filtersql.api.listener import Event
from filtersql.api.project import Project
from filtersql.api.records import (
    Applied,
    Audits,
    Checks,
    Compiled,
    Listing,
    Plan,
    Record,
    Run,
    Statuses,
    Tests,
)

__all__ = [
    "Applied",
    "Audits",
    "Checks",
    "Compiled",
    "Event",
    "Listing",
    "Plan",
    "Project",
    "Record",
    "Run",
    "Statuses",
    "Tests",
]
