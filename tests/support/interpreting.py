"""Spark as it evaluates expressions itself, without Java for each, and as it starts sooner."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

__all__ = ["INTERPRETED", "interpreted", "mapped"]

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


def mapped(options: str | None = None) -> dict[str, str]:
    """The environment of a program whose Java maps the file of classes, as filtersql's own does.

    `options` are others for Java than those of the tests.
    """
    from filtersql.targets.java_archive import mapping

    given = os.environ.get("SPARK_SUBMIT_OPTS", "") if options is None else options
    return {**os.environ, "SPARK_SUBMIT_OPTS": f"{given} {mapping()}".strip()}
