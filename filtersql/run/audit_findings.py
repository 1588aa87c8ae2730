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

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct
from sqlglot import exp, select

from filtersql.errors import Mistakes
from filtersql.errors.auditing import REPEATED_KEYS
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.counts import count_repeated
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_column, same_values, table

__all__ = ["FINDINGS", "Differences", "Sides", "check_target_keys", "compare"]

#: the rows that audit.sql gave, under a temporary name
FINDINGS = "filtersql_findings"
_SAMPLE = 5
_PLACE = "filtersql_place"


class Sides(Struct, frozen=True):
    """A row as the source and the target have it; None: it is not there.

    Of a leaked row the source may have one that its filter does not take.
    """

    finding: str
    source: Mapping[str, object] | None
    target: Mapping[str, object] | None

    @property
    def differing(self) -> frozenset[str]:
        """The columns with other values, where both have the row. NaN is NaN."""
        source, target = self.source or {}, self.target or {}
        return frozenset(
            name
            for name in source.keys() & target.keys()
            if (source[name] != target[name])
            and not (_is_nan(source[name]) and _is_nan(target[name]))
        )


class Differences(Struct, frozen=True):
    """How many rows of each kind, and a few of each with their key and `finding`."""

    leaked: int
    missing: int
    differing: int
    sample: tuple[Mapping[str, object], ...]
    #: the same rows with all columns, where they were asked for and there is a key
    sides: tuple[Sides, ...] | None = None

    @property
    def total(self) -> int:
        """How many rows are not as they should be."""
        return self.leaked + self.missing + self.differing


def compare(engine: Engine, compiled: CompiledTable, *, beside: bool = False) -> Differences:
    """Run audit.sql over the source's view; its rows stay staged under `FINDINGS`.

    Rows are compared key by key: raises Mistakes where a key of the target is not unique. `beside`
    asks for the whole rows of the sample, too.
    """
    finding, copies, dialect = compiled.finding_column, compiled.copies_column, engine.dialect
    if compiled.key:
        check_target_keys(engine, compiled)
    columns = engine.stage(FINDINGS, compiled.audit_sql)
    staged = exp.to_table(FINDINGS)
    counted = exp.Sum(this=named_column(copies)) if not compiled.key else exp.Count(this=exp.Star())
    kinds = select(named_column(finding), counted).from_(staged).group_by(named_column(finding))
    counts = {str(kind): int(str(count)) for kind, count in engine.rows(kinds.sql(dialect))}
    place = exp.Window(
        this=exp.RowNumber(),
        partition_by=[named_column(finding)],
        order=exp.Order(expressions=[exp.Ordered(this=named_column(name)) for name in columns]),
    )
    placed = select("*", exp.alias_(place, _PLACE)).from_(staged)
    few = (
        select(*map(named_column, [*columns, _PLACE]))
        .from_(placed.subquery("placed"))
        .where(named_column(_PLACE) <= _SAMPLE)
    )
    shown = (
        select(*map(named_column, columns))
        .from_(few.subquery("few"))
        .order_by(named_column(finding), named_column(_PLACE))
    )
    rows = engine.rows(shown.sql(dialect)) if counts else []
    named = {finding: "finding", copies: "copies"}
    sample = tuple(
        dict(zip((named.get(column, column) for column in columns), row, strict=True))
        for row in rows
    )
    return Differences(
        counts.get("leaked", 0),
        counts.get("missing", 0),
        counts.get("differs", 0),
        sample,
        _sides(engine, compiled, few) if beside and counts and compiled.key else None,
    )


def _sides(engine: Engine, compiled: CompiledTable, few: exp.Select) -> tuple[Sides, ...]:
    """The rows of the sample in the source's view and in the target, in the sample's order."""
    target = table(compiled.target_sql, engine.dialect)
    names = [column.name for column in compiled.columns]
    query = select(named_column(compiled.finding_column, "few")).from_(few.subquery("few"))
    for side, rows in (("e", exp.to_table(compiled.source_view)), ("t", target)):
        same = same_values(compiled.key, side, "few")
        query = query.join(exp.alias_(rows, side, table=True), on=same, join_type="left").select(
            *(exp.alias_(named_column(name, side), f"{side}_{n}") for n, name in enumerate(names))
        )
    query = query.order_by(
        *(named_column(name, "few") for name in (compiled.finding_column, _PLACE))
    )

    def row(values: Sequence[object]) -> dict[str, object] | None:
        held = dict(zip(names, values, strict=True))
        return None if held[compiled.key[0]] is None else held

    return tuple(
        Sides(str(finding), row(values[: len(names)]), row(values[len(names) :]))
        for finding, *values in engine.rows(query.sql(engine.dialect))
    )


def check_target_keys(engine: Engine, compiled: CompiledTable) -> None:
    """Raises Mistakes where a key of the target is not unique."""
    target = table(compiled.target_sql, engine.dialect)
    repeated = count_repeated(engine, target, compiled.key)
    if repeated:
        name, key, shown = compiled.unique_id, compiled.key, compiled.target_sql
        table_name = name.partition("/")[2]
        raise Mistakes(
            [REPEATED_KEYS(name=name, target=shown, key=key, count=repeated, table=table_name)]
        )


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
