"""Spark as it evaluates expressions itself instead of writing Java for each."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

__all__ = ["INTERPRETED", "interpreted"]

INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@contextlib.contextmanager
def interpreted(session: Any) -> Iterator[None]:
    """What a session is asked meanwhile costs no compilation of Java."""
    before = {name: session.conf.get(name) for name in INTERPRETED}
    try:
        for name, value in INTERPRETED.items():
            session.conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            session.conf.set(name, value)
