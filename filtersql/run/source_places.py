"""The files or the table that a target is copied from, as a subscription's source names them.

Example
    source: "{catalog}.{schema}.{table}"                       a table of the engine
    source: {format: filtersql, path: "src/{table}.jsonl"}     files
    source: {postgres: erp}                                    files of what `capture` wrote
"""

from __future__ import annotations

import glob
import re
from collections.abc import Callable

from sqlglot import exp

from filtersql.definitions.model import SourceOfTables
from filtersql.errors import Mistakes
from filtersql.errors.targets import SPARK_TABLE_ON_DUCKDB, ConnectionLost
from filtersql.feeds.lines import FeedFile
from filtersql.project.captured import rows_pattern
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.fetching import found_files
from filtersql.run.model import Inputs
from filtersql.targets.model import Engine

__all__ = ["source_bytes", "source_files", "source_table"]


def source_files(
    inputs: Inputs, engine: Engine, source: SourceOfTables, compiled: CompiledTable
) -> tuple[FeedFile, ...]:
    """The files that a target is copied from. Raises Mistakes where there are none."""
    if source.postgres is not None:
        pattern = rows_pattern(source, compiled.relation)
    else:
        pattern = _filled(str(source.path), compiled, None, glob.escape)
    return found_files(engine, pattern, inputs.root, source.span)


def source_bytes(
    inputs: Inputs, engine: Engine, source: SourceOfTables, compiled: CompiledTable
) -> int | None:
    """How many bytes these files have; None where that is not known."""
    if source.path is None:
        return None
    try:
        return sum(file.size for file in source_files(inputs, engine, source, compiled))
    except ConnectionLost:
        raise
    except Mistakes:
        return None  # the copy says why


def source_table(
    inputs: Inputs, engine: Engine, source: SourceOfTables, compiled: CompiledTable
) -> str:
    """The name of the table that a target is copied from, quoted."""
    parts = [
        filled
        for part in str(source.table).split(".")
        if (filled := _filled(part, compiled, inputs.default_catalog, str))
    ]
    known = engine.exists(parts[-2:] if len(parts) > 1 else ["main", parts[-1]])
    if not known and engine.dialect == "duckdb":
        raise Mistakes([SPARK_TABLE_ON_DUCKDB(source.span, table=".".join(parts))])
    identifiers = (exp.to_identifier(part, quoted=True) for part in parts)
    return ".".join(identifier.sql(engine.dialect) for identifier in identifiers)


def _filled(
    pattern: str, compiled: CompiledTable, catalog: str | None, word: Callable[[str], str]
) -> str:
    values = {
        "subscription": compiled.subscription,
        "schema": compiled.relation.schema,
        "table": compiled.relation.name,
        "catalog": catalog or "",
    }
    return re.sub(
        r"\{(subscription|schema|table|catalog)\}", lambda match: word(values[match[1]]), pattern
    )
