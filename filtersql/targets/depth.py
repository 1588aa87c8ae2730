"""How deep a filter may nest: Spark's analyzer gives up after so many looks at a statement.

Example
    `nu + nv > 1 AND nu + nv > 2 AND …`, twelve of them, take more than the 100 looks that Spark
    allows by itself. A server that lets nothing be set is taken as it is: what needs more looks
    is refused there, by name, before anything is written.

Spark
    What `transform` is given is resolved in a look of its own, and so is what stands in that. A
    statement is looked at no more often than it needs, and giving up is an error: the number
    never decides what a statement means, so no statement's header asks for it.
"""

from __future__ import annotations

from contextlib import suppress

from filtersql.errors import Mistakes
from filtersql.targets.model import Engine

__all__ = ["DEPTH", "LOOKS", "configure"]

DEPTH = "spark.sql.analyzer.maxIterations"
LOOKS = "10000"


def configure(engine: Engine, settings: dict[str, str]) -> None:
    """The settings that statements need, and room for long filters. Raises Mistakes."""
    if engine.dialect == "spark":
        with suppress(Mistakes):
            engine.configure({**settings, DEPTH: LOOKS})
            return
    engine.configure(settings)
