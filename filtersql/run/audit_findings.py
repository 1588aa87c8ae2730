"""What audit.sql says of a target: rows that are there and should not be, and the reverse.

Example
    ========== ==================================================================
    leaked     the target has a row that the filter over the source does not give
    missing    the filter gives a row that the target lacks
    differs    both have the key, and other values
    ========== ==================================================================

    Without a key rows are counted: a copy too many has leaked, one too few is missing.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from sqlglot import exp, select

from filtersql.errors import Mistakes
from filtersql.errors.auditing import REPEATED_KEYS
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.counts import count_repeated
from filtersql.targets.model import Engine

__all__ = ["FINDINGS", "Found", "check_keys", "compare"]

#: the rows that audit.sql gave, under a temporary name
FINDINGS = "filtersql_findings"
_SAMPLE = 5
_PLACE = "filtersql_place"


class Found(Struct, frozen=True):
    """How many rows of each kind, and a few of each with their key and `finding`."""

    leaked: int
    missing: int
    differing: int
    sample: tuple[Mapping[str, object], ...]

    @property
    def total(self) -> int:
        """How many rows are not as they should be."""
        return self.leaked + self.missing + self.differing


def compare(engine: Engine, compiled: CompiledTable) -> Found:
    """Run audit.sql over the source's view; its rows stay staged under `FINDINGS`.

    Rows are compared key by key: raises Mistakes where a key of the target is not unique.
    """
    finding, copies, dialect = compiled.finding_column, compiled.copies_column, engine.dialect
    if compiled.key:
        check_keys(engine, compiled)
    columns = engine.stage(FINDINGS, compiled.audit_sql)
    staged = exp.to_table(FINDINGS)
    counted = exp.Sum(this=_column(copies)) if not compiled.key else exp.Count(this=exp.Star())
    kinds = select(_column(finding), counted).from_(staged).group_by(_column(finding))
    counts = {str(kind): int(str(count)) for kind, count in engine.rows(kinds.sql(dialect))}
    place = exp.Window(
        this=exp.RowNumber(),
        partition_by=[_column(finding)],
        order=exp.Order(expressions=[exp.Ordered(this=_column(name)) for name in columns]),
    )
    placed = select("*", exp.alias_(place, _PLACE)).from_(staged)
    shown = (
        select(*map(_column, columns))
        .from_(placed.subquery("placed"))
        .where(exp.LTE(this=_column(_PLACE), expression=exp.convert(_SAMPLE)))
        .order_by(_column(finding), _column(_PLACE))
    )
    rows = engine.rows(shown.sql(dialect)) if counts else []
    named = {finding: "finding", copies: "copies"}
    sample = tuple(
        dict(zip((named.get(column, column) for column in columns), row, strict=True))
        for row in rows
    )
    return Found(
        counts.get("leaked", 0), counts.get("missing", 0), counts.get("differs", 0), sample
    )


def check_keys(engine: Engine, compiled: CompiledTable) -> None:
    """Raises Mistakes where a key of the target is not unique."""
    target = exp.to_table(compiled.target_sql, dialect=engine.dialect)
    repeated = count_repeated(engine, target, compiled.key)
    if repeated:
        name = compiled.unique_id
        raise Mistakes(
            [
                REPEATED_KEYS(
                    name=name,
                    target=compiled.target_sql,
                    key=compiled.key,
                    count=repeated,
                    table=name.partition("/")[2],
                )
            ]
        )


def _column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)
