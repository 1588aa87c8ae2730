"""How a Spark Connect server gives rows to work that was sent: as Arrow batches.

Example
    frame.mapInArrow(partial(answer_batches, sent, frame.schema), ANSWERS)

    Processes of the server import this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow
from pyspark.sql.conversion import ArrowTableToRowsConversion

from filtersql.targets.server_work import Sent

__all__ = ["ANSWERS", "answer_batches"]

#: what a package without types gives
_Spark = Any
#: the columns of the answers, as Spark spells them
ANSWERS = "number bigint, answer binary"


def answer_batches(
    work: Sent, schema: _Spark, batches: Iterator[pyarrow.RecordBatch]
) -> Iterator[pyarrow.RecordBatch]:
    """The answers to the rows of a partition. Raises what the work raises."""
    rows = (
        row
        for batch in batches
        for row in ArrowTableToRowsConversion.convert(pyarrow.Table.from_batches([batch]), schema)
    )
    for number, answer in work.answers(rows):
        yield pyarrow.record_batch(
            {"number": [number], "answer": pyarrow.array([answer], pyarrow.binary())}
        )
