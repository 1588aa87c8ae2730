"""filtersql compiles PostgreSQL's row filters to MERGE statements and runs them.

from filtersql import Project
Project.load("my_project").run()
"""

from importlib import import_module

__all__ = [
    "Applied",
    "Audits",
    "Checks",
    "Compiled",
    "Event",
    "Listing",
    "Mistake",
    "Mistakes",
    "Plan",
    "Project",
    "Run",
    "Statuses",
    "Tests",
    "__version__",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """What is offered is loaded when it is asked for; `__init__.pyi` has its types."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    room = "filtersql.errors" if name in ("Mistake", "Mistakes") else "filtersql.api"
    return getattr(import_module(room), name)
