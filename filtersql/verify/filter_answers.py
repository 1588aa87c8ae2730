"""What row filters say of rows: asked of their DuckDB twins, those of many tables in one query.

Example
    t1: a > 5 of (4), (6)      place 0 1 2    SELECT CASE WHEN place < 2 THEN v1 > 5
    t2: c = 'x' of (x)         v1    4 6 –                WHEN place < 3 THEN v2 = 'x' END
                               v2    – – x

Columns of one type share a column of the staged rows. Where a filter raises, each table is asked
alone, and of its rows half at a time, until the row that it raises on is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise

from msgspec import Struct, field
from sqlglot import exp

from filtersql.catalog import Column, PgType
from filtersql.errors import Mistakes
from filtersql.feeds.repeated_rows import write_stacked
from filtersql.filters import Filter, write
from filtersql.rendering.compiled import FeedColumn
from filtersql.rendering.sql_fragments import as_written
from filtersql.storage import column_type
from filtersql.verify.clock import at_trial
from filtersql.verify.loading import TrialEngine

__all__ = ["Answer", "Question", "ask"]

#: what each filter says of a row; None: one of them raises an error
Answer = tuple[bool | None, ...] | None

_ROWS, _PLACE = "filtersql_check_asked", "place"


class Question(Struct, frozen=True):
    """Filters, the columns that they read, and rows of these columns."""

    columns: tuple[Column, ...]
    filters: tuple[Filter, ...]
    rows: Sequence[tuple[str | None, ...]]


class _Slots(Struct, frozen=True):
    """The staged columns, by type and by how many of that type come before."""

    known: dict[tuple[PgType, str, int], FeedColumn] = field(default_factory=dict)

    def of(self, columns: Sequence[Column]) -> dict[str, str]:
        """The staged column of each column."""
        found: dict[str, str] = {}
        before: dict[tuple[PgType, str], int] = {}
        for column in columns:
            kind = column.type, column_type(column, "duckdb").sql
            place = before[kind] = before.get(kind, 0) + 1
            slot = FeedColumn(f"v{len(self.known) + 1}", *kind, not_null=False)
            found[column.name] = self.known.setdefault((*kind, place), slot).name
        return found


def ask(trial: TrialEngine, questions: Sequence[Question]) -> list[list[Answer]]:
    """What the filters of each question say of each of its rows."""
    slots = _Slots()
    names = [slots.of(one.columns) for one in questions]
    stage = trial.staged(_PLACE, tuple(slots.known.values()))
    parts = []
    for one, some in zip(questions, names, strict=True):
        columns = zip(*one.rows, strict=True)
        parts.append((len(one.rows), dict(zip(some.values(), columns, strict=True))))
    write_stacked(stage, parts)
    trial.engine.view(_ROWS, stage.path, stage.columns)
    ends = [*accumulate(len(one.rows) for one in questions)]
    conditions = _conditions(questions, names, ends)
    if len(questions) == 1:
        return [_halved(trial, conditions, 0, ends[0])]
    try:
        found = _answers(trial, conditions, 0, ends[-1])
    except Mistakes:
        return [answers for one in questions for answers in ask(trial, [one])]
    widths = [len(one.filters) for one in questions]
    places = zip(pairwise([0, *ends]), widths, strict=True)
    return [[row[:width] for row in found[low:high]] for (low, high), width in places]


def _conditions(
    questions: Sequence[Question], names: Sequence[Mapping[str, str]], ends: Sequence[int]
) -> list[str]:
    """For each filter of a table the condition; of several tables, that of the row's own."""
    written = [
        [
            write(at_trial(each), "duckdb", partial(_slot, some)).sql("duckdb")
            for each in one.filters
        ]
        for one, some in zip(questions, names, strict=True)
    ]
    if len(written) == 1:
        return written[0]
    found = []
    for number in range(max(map(len, written))):
        arms = [
            f"WHEN {_PLACE} < {end} THEN {texts[number] if number < len(texts) else 'NULL'}"
            for texts, end in zip(written, ends, strict=True)
        ]
        found.append(f"CASE {' '.join(arms)} END")
    return found


def _slot(names: Mapping[str, str], name: str) -> exp.Expr:
    return exp.column(names[name])


def _halved(trial: TrialEngine, conditions: Sequence[str], low: int, high: int) -> list[Answer]:
    """The answers for some rows; where the engine refuses, for half of them at a time."""
    if low == high:
        return []
    try:
        return [*_answers(trial, conditions, low, high)]
    except Mistakes:
        if high - low == 1:
            return [None]
        middle = (low + high) // 2
        left = _halved(trial, conditions, low, middle)
        return left + _halved(trial, conditions, middle, high)


def _answers(
    trial: TrialEngine, conditions: Sequence[str], low: int, high: int
) -> list[tuple[bool | None, ...]]:
    place = exp.column(_PLACE)
    tried = exp.select("*").from_(_ROWS).where(place.between(low, high - 1)).subquery("tried")
    query = exp.select(*map(as_written, conditions)).from_(tried).order_by(place)
    rows = trial.engine.rows(query.sql(trial.engine.dialect))
    return [tuple(None if value is None else bool(value) for value in row) for row in rows]
