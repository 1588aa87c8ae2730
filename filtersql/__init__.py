"""filtersql compiles PostgreSQL's row filters to MERGE statements and runs them.

Example
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
    "Failed",
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


#: where what is offered stands; all else are records
_MODULES = {
    "Event": "api.listener",
    "Failed": "api.answering",
    "Mistake": "errors",
    "Mistakes": "errors",
    "Project": "api.project",
}


def __getattr__(name: str) -> object:
    """What is offered is loaded when it is asked for; `__init__.pyi` has its types."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'api.records')}"), name)
