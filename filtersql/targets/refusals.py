"""The part of an engine's error that a person needs.

Example
    >>> reason_of("[USER_RAISED_EXCEPTION] filtersql: public.t: x SQLSTATE: P0001\\n== SQL ==\\n…")
    'public.t: x'
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from filtersql.errors import Mistakes
from filtersql.errors.targets import EngineRefused

__all__ = ["reason_of", "spark_refusals"]

_OURS = re.compile(r"filtersql: (.+?)(?: SQLSTATE: \w{5})?(?:[;\n]|\Z)")
_NOISE = re.compile(
    r"\n*(?:JVM stacktrace:|\s+at [\w.$]+\(|== SQL|Caused by:|LINE \d+:).*", re.DOTALL
)


def reason_of(text: str) -> str:
    """The engine's words without stack traces and statement texts; filtersql's own guard alone."""
    if ours := _OURS.search(text):
        return ours[1]
    return _NOISE.sub("", text).strip() or text.strip()


@contextmanager
def spark_refusals() -> Iterator[None]:
    """Spark's exceptions as one mistake."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise Mistakes([EngineRefused("Spark", reason_of(str(error)))]) from None
