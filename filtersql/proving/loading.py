"""Cases on an engine: their changes, the rows before and the rows expected, under fixed names.

Example
    shelf.load(table, cases)          filtersql_check_feed, filtersql_check.target, …
    shelf.engine.execute(merge)
    shelf.differing(table)            the numbers of the cases with other rows than expected

Values go the way of a run: through the codecs of the feed into typed Parquet files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count
from pathlib import Path

from sqlglot import exp, select

from filtersql.catalog import Column, PgType
from filtersql.errors import Mistake, Mistakes
from filtersql.feeds.records import Record
from filtersql.feeds.repeating import repeat
from filtersql.feeds.staging import ChangeStage, Place, RowStage
from filtersql.proving.model import Change, Row
from filtersql.rendering.compiled import CompiledTable, FeedColumn
from filtersql.rendering.words import quoted
from filtersql.source import Source, Span
from filtersql.storage import column_type
from filtersql.targets.model import Engine

__all__ = ["CASES", "FEED", "TARGET", "Case", "Layout", "Shelf", "free_name"]

FEED, CASES = "filtersql_check_feed", "filtersql_check_cases"
#: schema and table of the rows that a statement is tried on
TARGET = ("filtersql_check", "target")
_CHANGES, _BEFORE, _EXPECTED = (
    "filtersql_check_changes",
    "filtersql_check_before",
    "filtersql_check_expected",
)
_NOWHERE: Place = ("", 0, b"")
_NUMBER = PgType("int8")

Answer = tuple[bool | None, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """Changes, the rows that the target holds before them, and those expected after them.

    `expected` None: the statement has to stop. `may_stop`: it may stop instead.
    """

    changes: tuple[Change, ...]
    before: tuple[Row, ...]
    expected: tuple[Row, ...] | None
    may_stop: bool = False

    @property
    def size(self) -> tuple[int, int]:
        """The smallest counterexample is the one that is shown."""
        return len(self.changes), len(self.before)


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a table's changes and of its target, on the engine of the trial.

    `number` is the column that says to which case a row belongs.
    """

    compiled: CompiledTable
    number: str

    @property
    def feed(self) -> CompiledTable:
        """What a change is staged as."""
        return self._shaped([column.name for column in self.compiled.feed_columns])

    @property
    def target(self) -> CompiledTable:
        """What a row of the target is staged as."""
        return self._shaped([column.name for column in self.compiled.columns])

    def _shaped(self, names: Sequence[str]) -> CompiledTable:
        known = {column.name: column for column in self.compiled.feed_columns}
        kept = (replace(known[name], not_null=False) for name in names)
        return replace(
            self.compiled,
            feed_columns=(FeedColumn(self.number, _NUMBER, "BIGINT", not_null=False), *kept),
        )

    def definitions(self, engine: Engine) -> str:
        """The columns of the target for CREATE TABLE."""
        number = f"{quoted(self.number, engine.dialect)} BIGINT"
        return f"{number},\n  {self.compiled.column_definitions_sql}"


@dataclass(slots=True)
class Shelf:
    """An engine that holds nothing of the user's, and a folder for staged files."""

    engine: Engine
    folder: Path
    _numbers: Iterator[int] = field(default_factory=count)

    def load(self, layout: Layout, cases: Mapping[int, Case]) -> None:
        """Put the cases in place of those that were there before."""
        stage = self._changes(layout, cases)
        before = self._rows(layout, {number: case.before for number, case in cases.items()})
        expected = self._rows(
            layout, {number: case.expected or () for number, case in cases.items()}
        )
        self.engine.view(_CHANGES, stage.path, stage.columns)
        self.engine.view(_BEFORE, before.path, before.columns)
        self.engine.view(_EXPECTED, expected.path, expected.columns)
        self._define_feed(layout, stage)
        number = _column(layout.number)
        self._define(CASES, select(number).distinct().from_(FEED))
        self.engine.create(TARGET, layout.definitions(self.engine), {})
        rows = select("*").from_(_BEFORE)
        into = exp.to_table(self.engine.table_sql(TARGET), dialect=self.engine.dialect)
        self.engine.execute(exp.insert(rows, into).sql(self.engine.dialect))

    def differing(self, layout: Layout) -> tuple[int, ...]:
        """The numbers of the cases whose target does not hold the expected rows."""
        count = free_name("copies", [column.name for column in layout.target.feed_columns])
        sides = [
            query.select(exp.alias_(_int(number), count, quoted=True))
            for query, number in ((self._found(), 1), (select("*").from_(_EXPECTED), -1))
        ]
        columns = [_column(column.name) for column in layout.target.feed_columns]
        # Rows of one case that are not there as often as they are expected.
        query = (
            select(columns[0])
            .distinct()
            .from_(exp.union(*sides, distinct=False, copy=False).subquery("both"))
            .group_by(*columns)
            .having(exp.NEQ(this=exp.Sum(this=_column(count)), expression=_int(0)))
        )
        rows = self.engine.rows(query.sql(self.engine.dialect))
        return tuple(sorted(int(str(row[0])) for row in rows))

    def held(self, layout: Layout, number: int) -> list[tuple[object, ...]]:
        """The target's rows of one case."""
        query = self._found().where(exp.EQ(this=_column(layout.number), expression=_int(number)))
        return [row[1:] for row in self.engine.rows(query.sql(self.engine.dialect))]

    def judge(
        self,
        columns: Sequence[Column],
        rows: Sequence[Mapping[str, str | None]],
        conditions: Sequence[exp.Expr],
    ) -> list[Answer | None]:
        """What conditions over the columns say of rows; None: one of them raises an error."""
        fields = tuple(
            FeedColumn(one.name, one.type, column_type(one, "duckdb").sql, not_null=False)
            for one in columns
        )
        place = free_name("place", [one.name for one in fields])
        first = FeedColumn(place, _NUMBER, "BIGINT", not_null=False)
        mistakes: list[tuple[Place, Mistake]] = []
        stage = RowStage(_bare((first, *fields)), "duckdb", self._path(), mistakes, _where)
        for number, row in enumerate(rows):
            stage.add({place: number, **row}, _NOWHERE)
        stage.close()
        _raise(mistakes)
        self.engine.view(_CHANGES, stage.path, stage.columns)
        return self._judged(conditions, place, 0, len(rows))

    def _judged(
        self, conditions: Sequence[exp.Expr], place: str, low: int, high: int
    ) -> list[Answer | None]:
        """The answers for some rows; where the engine refuses, for half of them at a time."""
        if low == high:
            return []
        some = exp.Between(this=_column(place), low=_int(low), high=_int(high - 1))
        rows = select("*").from_(_CHANGES).where(some).subquery("tried")
        query = select(*conditions).from_(rows).order_by(_column(place))
        try:
            return [_answer(row) for row in self.engine.rows(query.sql("duckdb"))]
        except Mistakes:
            if high - low == 1:
                return [None]
            middle = (low + high) // 2
            left = self._judged(conditions, place, low, middle)
            return left + self._judged(conditions, place, middle, high)

    def _changes(self, layout: Layout, cases: Mapping[int, Case]) -> ChangeStage:
        mistakes: list[tuple[Place, Mistake]] = []
        stage = ChangeStage(layout.feed, self.engine.dialect, self._path(), mistakes, _where)
        _remember(stage)
        # A change comes in many cases: it is converted once.
        every = [change for case in cases.values() for change in case.changes]
        known = {id(change): change for change in every}
        for change in known.values():
            stage.add(_record(change), _NOWHERE)
        order = dict(zip(known, count()))
        places = [order[id(change)] for change in every]
        numbers = _repeated({number: len(case.changes) for number, case in cases.items()})
        positions = [
            10 * position for case in cases.values() for position, _ in enumerate(case.changes, 1)
        ]
        # The number stands in the old row, so that a change without any has it too.
        names = [column.name for column in stage.columns]
        numbered = names.index(f"before_{layout.number}")
        repeat(stage, places, {names.index("seq"): positions, numbered: numbers})
        stage.close()
        _raise(mistakes)
        return stage

    def _rows(self, layout: Layout, rows: Mapping[int, Sequence[Row]]) -> RowStage:
        mistakes: list[tuple[Place, Mistake]] = []
        stage = RowStage(layout.target, self.engine.dialect, self._path(), mistakes, _where)
        _remember(stage)
        names = [column.name for column in layout.compiled.columns]
        every = [row for held in rows.values() for row in held]
        known = dict(zip(dict.fromkeys(every), count()))
        for row in known:
            stage.add({layout.number: 0, **dict(zip(names, row, strict=True))}, _NOWHERE)
        numbers = _repeated({number: len(held) for number, held in rows.items()})
        repeat(stage, [known[row] for row in every], {0: numbers})
        stage.close()
        _raise(mistakes)
        return stage

    def _define_feed(self, layout: Layout, stage: ChangeStage) -> None:
        logged, added = f"before_{layout.number}", f"after_{layout.number}"
        columns: list[exp.Expr] = [
            _column(column.name)
            for column in stage.columns
            if column.name not in (logged, added, "unchanged")
        ]
        # A feed may say NULL where nothing was left out: half of the cases do.
        absent = exp.and_(
            exp.EQ(this=exp.ArraySize(this=_column("unchanged")), expression=_int(0)),
            exp.EQ(this=exp.Mod(this=_column(logged), expression=_int(2)), expression=_int(0)),
        )
        unchanged = exp.case().when(exp.not_(absent), _column("unchanged"))
        columns.append(exp.alias_(unchanged, "unchanged", quoted=True))
        number = exp.alias_(_column(logged), layout.number, quoted=True)
        self._define(FEED, select(number, *columns).from_(_CHANGES))

    def _define(self, name: str, query: exp.Select) -> None:
        self.engine.define(name, query.sql(self.engine.dialect))

    def _found(self) -> exp.Select:
        table = exp.to_table(self.engine.table_sql(TARGET), dialect=self.engine.dialect)
        return select("*").from_(table)

    def _path(self) -> Path:
        return self.folder / f"{next(self._numbers)}.parquet"


def _record(change: Change) -> Record:
    return Record(
        seq=0,
        op=change.op,
        before=dict(change.before or {}),
        after=None if change.after is None else dict(change.after),
        unchanged=[*change.unchanged],
    )


def _repeated(times: Mapping[int, int]) -> list[int]:
    """Each number as often as it says."""
    return [number for number, often in times.items() for _ in range(often)]


def _remember(stage: ChangeStage | RowStage) -> None:
    """Few values come in many cases: each is converted once."""
    stage.codecs = [
        replace(code, store=lru_cache(maxsize=None)(code.store)) for code in stage.codecs
    ]


def free_name(name: str, taken: Sequence[str]) -> str:
    """A name like it that no column has."""
    folded = {one.lower() for one in taken}
    while any(one.endswith(name) for one in folded):
        name += "_"
    return name


def _bare(columns: tuple[FeedColumn, ...]) -> CompiledTable:
    """As much of a compiled table as staging rows asks for."""
    nothing: dict[str, object] = dict.fromkeys(CompiledTable.__dataclass_fields__, "")
    return CompiledTable(**{**nothing, "feed_columns": columns})  # type: ignore[arg-type]


def _raise(mistakes: Sequence[tuple[Place, Mistake]]) -> None:
    if mistakes:
        raise Mistakes(mistake for _, mistake in mistakes)


def _where(place: Place) -> Span:
    return Source("", "").span(0, 0)


def _answer(row: Sequence[object]) -> Answer:
    return tuple(None if value is None else bool(value) for value in row)


def _column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)


def _int(number: int) -> exp.Expr:
    return exp.Literal.number(number)
