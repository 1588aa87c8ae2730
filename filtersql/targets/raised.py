"""What the embedded Spark raises, as a mistake."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from filtersql.errors import Mistakes
from filtersql.errors.reaching import SPARK_ENDED
from filtersql.targets.refusals import spark_refusal

__all__ = ["raised_by_spark", "spark_refusals"]

#: what PySpark says where Java is gone, if it does not try to connect once more
_ENDED = re.compile(r"SparkContext was shut down|Answer from Java side is empty")


def raised_by_spark(error: BaseException) -> Exception | None:
    """What Spark raised: PySpark may fail to put it into Python's words, and raise something else.

    >>> raised_by_spark(TypeError("not of Spark")) is None
    True
    """
    kinds: tuple[type[Exception], ...] = (PySparkException, Py4JError, ConnectionError)
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, kinds):
            return found
        found = found.__context__
    return None


@contextmanager
def spark_refusals() -> Iterator[None]:
    """Spark's exceptions as one mistake."""
    logger = logging.getLogger("SQLQueryContextLogger")
    # What it would write to the terminal, with the JVM's stack, is in the message.
    before, logger.disabled = logger.disabled, True
    try:
        yield
    except Mistakes:
        raise
    except Exception as error:
        raised = raised_by_spark(error)
        if raised is None:
            raise
        if isinstance(raised, ConnectionError) or _ENDED.search(str(raised)):
            raise Mistakes([SPARK_ENDED()]) from None
        raise Mistakes([spark_refusal(str(raised))]) from None
    finally:
        logger.disabled = before
