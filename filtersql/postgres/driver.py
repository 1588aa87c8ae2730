"""Whether psycopg is here: asked before the modules beside this one, which need it, are imported.

Example
    require_driver()
    from filtersql.postgres.connection import connect
"""

from __future__ import annotations

from importlib.util import find_spec

from filtersql.errors.live import DRIVER_MISSING

__all__ = ["require_driver"]


def require_driver() -> None:
    """Raises a Mistake that says what to install where psycopg is missing."""
    if find_spec("psycopg") is None:
        raise DRIVER_MISSING()
