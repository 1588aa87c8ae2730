"""Cases on an engine: their changes, the rows before and the rows expected, under fixed names.

Example
    trial.load(table, cases, kind)    filtersql_check_feed, filtersql_check.target, …
    trial.carry_out(table, sql, kind)
    trial.differing(table, kind)      the numbers of the cases with other rows than expected

Values go the way of a run: through the codecs of the feed into typed Parquet files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path

from msgspec import Struct, field
from sqlglot import exp, select

from filtersql.feeds.repeated_rows import RepeatedChange, RepeatedRows, write_changes, write_rows
from filtersql.feeds.staging import ChangeStage, RowStage
from filtersql.rendering.compiled import FeedColumn
from filtersql.targets.model import Engine
from filtersql.verify.kinds import Kind
from filtersql.verify.layout import Case, Layout, Rows, bare_table, free_name, number_column, seq_of
from filtersql.verify.model import Change, Row

__all__ = ["CASES", "FEED", "SOURCE", "TARGET", "TrialEngine"]

FEED, SOURCE, CASES = "filtersql_check_feed", "filtersql_check_source", "filtersql_check_cases"
#: schema and table of the rows that a statement is tried on
TARGET = ("filtersql_check", "target")
_CHANGES, _BEFORE, _EXPECTED = (
    "filtersql_check_changes",
    "filtersql_check_before",
    "filtersql_check_expected",
)
#: the rows that an audit gives
_FINDINGS = "filtersql_check_findings"


class TrialEngine(Struct, frozen=True):
    """An engine that holds nothing of the user's, and a folder for staged files."""

    engine: Engine
    folder: Path
    _numbers: Iterator[int] = field(default_factory=count)

    def load(self, layout: Layout, cases: Mapping[int, Case], kind: Kind = Kind.MERGE) -> None:
        """Put the cases in place of those that were there before."""
        stage, before, expected = self._staged(layout, cases, kind)
        self.engine.view(_CHANGES, stage.path, stage.columns)
        self.engine.view(_BEFORE, before.path, before.columns)
        self.engine.view(_EXPECTED, expected.path, expected.columns)
        number = _column(layout.number)
        if kind.merges:
            self._define_feed(layout, stage)
            self._define(CASES, select(number).distinct().from_(FEED))
        else:
            self._define_source(layout)
            held = select(number.copy()).from_(_BEFORE)
            self._define(CASES, exp.union(select(number).from_(SOURCE), held, distinct=True))
        self.engine.create(TARGET, layout.definitions(self.engine), {})
        rows = select("*").from_(_BEFORE)
        into = exp.to_table(self.engine.table_sql(TARGET), dialect=self.engine.dialect)
        self.engine.execute(exp.insert(rows, into).sql(self.engine.dialect))

    def carry_out(self, layout: Layout, sql: str, kind: Kind) -> str | None:
        """Run a statement over the cases; None, or why there is nothing to compare."""
        if kind is not Kind.AUDIT:
            self.engine.execute(sql)
            return None
        given, wanted = self.engine.stage(_FINDINGS, sql), layout.result(kind, self.engine)
        if sorted(given) == sorted(wanted):
            return None
        return f"its columns are {', '.join(given[1:])}, not {', '.join(wanted[1:])}"

    def differing(self, layout: Layout, kind: Kind = Kind.MERGE) -> tuple[int, ...]:
        """The numbers of the cases that did not end with the expected rows."""
        columns = layout.result(kind, self.engine)
        dialect, names = self.engine.dialect, [_column(name) for name in columns]
        copies = free_name("copies", columns)

        def side(rows: str, count: int) -> exp.Select:
            counted = exp.alias_(exp.convert(count), copies, quoted=True)
            return exp.select(*names, counted).from_(exp.to_table(rows, dialect=dialect))

        # Rows of one case that are not there as often as they are expected.
        sides = exp.union(side(self._found_in(kind), 1), side(_EXPECTED, -1), distinct=False)
        query = exp.select(names[0]).distinct().from_(sides.subquery("sides")).group_by(*names)
        differ = exp.Sum(this=_column(copies)).neq(0)
        rows = self.engine.rows(query.having(differ).sql(dialect))
        return tuple(sorted(int(str(row[0])) for row in rows))

    def held(self, layout: Layout, number: int, kind: Kind) -> tuple[Rows, Rows, Rows]:
        """A case's rows before, those expected and those found, as the engine has them."""
        result = layout.result(kind, self.engine)
        rows = partial(self._rows, number)
        before = rows(_BEFORE, layout.result(Kind.MERGE, self.engine))
        return before, rows(_EXPECTED, result), rows(self._found_in(kind), result)

    def _rows(self, number: int, table: str, columns: Sequence[str]) -> Rows:
        first, *names = map(_column, columns)
        same = exp.EQ(this=first, expression=_int(number))
        source = exp.to_table(table, dialect=self.engine.dialect)
        query = select(*names).from_(source).where(same)
        return tuple(self.engine.rows(query.sql(self.engine.dialect)))

    def staged(self, number: str, columns: tuple[FeedColumn, ...]) -> RowStage:
        """A file for rows of these columns, with a number before each."""
        table = bare_table((number_column(number), *columns))
        return RowStage(table, "duckdb", self._path())

    def _staged(
        self, layout: Layout, cases: Mapping[int, Case], kind: Kind
    ) -> tuple[ChangeStage, RowStage, RowStage]:
        """The changes, the rows before them and those expected, each in a file."""
        dialect = self.engine.dialect
        changes = ChangeStage(layout.feed, dialect, self._path())
        shaped = layout.findings(self.engine) if kind is Kind.AUDIT else layout.target
        before, expected = (
            RowStage(shape, dialect, self._path()) for shape in (layout.target, shaped)
        )
        names = [column.name for column in layout.compiled.feed_columns]
        rows = RepeatedRows(changes.codecs[1:])
        # A change comes in many cases, and so does a row.
        every = [change for case in cases.values() for change in case.changes]
        distinct = {id(change): change for change in every}
        order = dict(zip(distinct, count()))
        placed = [_placed(change, names, rows) for change in distinct.values()]
        own = [column.name for column in layout.compiled.columns]
        befores = {number: case.before for number, case in cases.items()}
        after = {number: case.expected or () for number, case in cases.items()}
        if kind is Kind.AUDIT:
            _write_findings(expected, after)
            after = {}
        sides = [_held(held, names, own, rows) for held in (befores, after)]
        columns = rows.columns()
        write_changes(
            changes,
            columns,
            placed,
            [order[id(change)] for change in every],
            positions=[
                seq_of(at) for case in cases.values() for at, _ in enumerate(case.changes, 1)
            ],
            numbers=[number for number, case in cases.items() for _ in case.changes],
        )
        shown = [columns[names.index(name)] for name in own]
        for stage, (places, numbers) in zip((before, expected), sides, strict=True):
            if stage is before or kind is not Kind.AUDIT:
                write_rows(stage, shown, places, numbers)
        return changes, before, expected

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
        self._define(FEED, select(number, *columns, copy=False).from_(_CHANGES, copy=False))

    def _define_source(self, layout: Layout) -> None:
        number = exp.alias_(_column(f"before_{layout.number}"), layout.number, quoted=True)
        columns = [
            exp.alias_(_column(f"after_{column.name}"), column.name, quoted=True)
            for column in layout.compiled.feed_columns
        ]
        self._define(SOURCE, select(number, *columns, copy=False).from_(_CHANGES, copy=False))

    def _define(self, name: str, query: exp.Query) -> None:
        self.engine.define(name, query.sql(self.engine.dialect))

    def _found_in(self, kind: Kind) -> str:
        return _FINDINGS if kind is Kind.AUDIT else self.engine.table_sql(TARGET)

    def _path(self) -> Path:
        return self.folder / f"{next(self._numbers)}.parquet"


def _placed(change: Change, names: Sequence[str], rows: RepeatedRows) -> RepeatedChange:
    before, after = (
        None if image is None else rows.place(tuple([image.get(name) for name in names]))
        for image in (change.before, change.after)
    )
    return RepeatedChange(change.op, before, after, change.unchanged)


def _held(
    held: Mapping[int, Sequence[Row]],
    names: Sequence[str],
    own: Sequence[str],
    rows: RepeatedRows,
) -> tuple[list[int], list[int]]:
    """The places of the rows of each case, and the cases' numbers."""
    every = [row for some in held.values() for row in some]
    known = dict.fromkeys(every)
    places: dict[Row, int] = {}
    for row in known:
        image = dict(zip(own, row, strict=True))
        places[row] = rows.place(tuple([image.get(name) for name in names]))
    numbers = [number for number, some in held.items() for _ in some]
    return [places[row] for row in every], numbers


def _write_findings(stage: RowStage, findings: Mapping[int, Sequence[Row]]) -> None:
    rows = RepeatedRows(stage.codecs[1:])
    places = [rows.place(row) for some in findings.values() for row in some]
    numbers = [number for number, some in findings.items() for _ in some]
    write_rows(stage, rows.columns(), places, numbers)


def _column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)


def _int(number: int) -> exp.Expr:
    return exp.Literal.number(number)
