"""Unit tests of a project: rows and changes in, rows out.

Example
    tests:
      - name: an update that leaves the filter becomes a delete
        subscription: s1
        changes:
          - {relation: public.t1, op: insert, after: {a: 9, b: 1, c: NSW}}
          - {relation: public.t1, op: update, before: {a: 9, c: NSW}, after: {a: 9, b: 1, c: VIC}}
        expect: {public.t1: []}

A test runs the real thing: `given` is the source of the initial copy, `changes` a feed, and the
target's rows are compared with `expect`, in any order, on the columns that an expected row names.
A change without `seq` gets the next number. `expect_error` is a part of the report that must come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlglot import exp

from filtersql.definitions.model import Feed, SourceOfTables, UnitTest
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.proving import NotExpected
from filtersql.feeds.lines import find_files
from filtersql.feeds.rows import stage_rows
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable, FeedColumn
from filtersql.run import Inputs
from filtersql.run.run import run
from filtersql.targets.model import Engine
from filtersql.targets.work_folder import work_folder

__all__ = ["Difference", "Outcome", "run_unit_test"]

Row = tuple[object, ...]
_EXPECTED = "filtersql_expected"


class Difference(Struct, frozen=True):
    """A target whose rows are not the expected ones."""

    relation: RelationName
    columns: tuple[str, ...]
    missing: tuple[Row, ...]
    unexpected: tuple[Row, ...]


class Outcome(Struct, frozen=True):
    """What a unit test found: nothing, differing rows, or a report that was not expected."""

    differences: tuple[Difference, ...] = ()
    report: str | None = None

    @property
    def passed(self) -> bool:
        """Whether all was as expected."""
        return not self.differences and self.report is None


def run_unit_test(
    test: UnitTest, inputs: Inputs, tables: Sequence[CompiledTable], engine: Engine
) -> Outcome:
    """Runs one test on an engine that holds none of its targets yet."""
    with work_folder(engine, "test") as folder:
        try:
            prepared = _prepared(test, inputs, tables, folder)
            result = run(prepared, {test.subscription: tables}, engine)
            if result.mistakes:
                raise Mistakes(result.mistakes)
            if test.expect_error is not None:
                return Outcome(report=f"expected an error with: {test.expect_error}")
            return Outcome(tuple(_differences(test, prepared, tables, engine, folder)))
        except (Mistake, Mistakes) as found:
            wanted = test.expect_error
            if wanted is not None and wanted in str(found):
                return Outcome()
            return Outcome(report=str(found))


def _prepared(
    test: UnitTest, inputs: Inputs, tables: Sequence[CompiledTable], folder: Path
) -> Inputs:
    """The inputs with the test's rows as source and its changes as feed."""
    known = {compiled.relation for compiled in tables}
    unknown = [name for name in (*test.given, *(test.expect or {})) if name not in known]
    if unknown:
        raise Mistakes(NotExpected(name, test.subscription, known, test.span) for name in unknown)
    for compiled in tables:
        rows = test.given.get(compiled.relation, ())
        _write(folder / "source" / f"{_plain(compiled.relation)}.jsonl", rows)
    _write(folder / "changes.jsonl", _numbered(test.changes))
    subscription = replace(
        inputs.subscriptions[test.subscription],
        copy_data=True,
        source=SourceOfTables(test.span, path="source/{schema}.{table}.jsonl"),
        changes=Feed(test.span, path="changes.jsonl"),
    )
    return replace(inputs, root=folder, subscriptions={test.subscription: subscription})


def _numbered(changes: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
    numbered: list[Mapping[str, object]] = []
    last = 0
    for change in changes:
        seq = change.get("seq", last + 1)
        last = seq if isinstance(seq, int) else last + 1
        numbered.append({"seq": seq, **change})
    return numbered


def _write(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(msgspec.json.encode(row, enc_hook=str) + b"\n" for row in rows))


def _plain(name: RelationName) -> str:
    return f"{name.schema}.{name.name}"


def _differences(
    test: UnitTest,
    inputs: Inputs,
    tables: Sequence[CompiledTable],
    engine: Engine,
    folder: Path,
) -> list[Difference]:
    found = []
    for compiled in tables:
        expected = (test.expect or {}).get(compiled.relation)
        if expected is None:
            continue
        columns = _compared(compiled, expected)
        wanted = _wanted(compiled, expected, inputs, engine, folder, columns)
        held = Counter(_rows(engine, columns, engine.table_sql(compiled.target)))
        if wanted != held:
            missing, unexpected = wanted - held, held - wanted
            found.append(
                Difference(
                    compiled.relation,
                    columns,
                    tuple(missing.elements()),
                    tuple(unexpected.elements()),
                )
            )
    return found


def _compared(compiled: CompiledTable, expected: Sequence[Mapping[str, object]]) -> tuple[str, ...]:
    """The target's columns that an expected row names; all of them when no row is expected."""
    named = {name for row in expected for name in row}
    columns = tuple(column.name for column in compiled.columns)
    return tuple(name for name in columns if not named or name in named)


def _wanted(
    compiled: CompiledTable,
    expected: Sequence[Mapping[str, object]],
    inputs: Inputs,
    engine: Engine,
    folder: Path,
    columns: tuple[str, ...],
) -> Counter[Row]:
    """The expected rows, read as the rows of a source are: so each value has the stored type."""
    names = [column.name for column in compiled.columns]
    types = {column.name: column for column in compiled.feed_columns}
    shape = replace(
        compiled,
        key=(),
        identity=(),
        feed_columns=tuple(
            FeedColumn(name, types[name].pg_type, types[name].sql_type, not_null=False)
            for name in names
        ),
    )
    path = folder / "expected" / f"{_plain(compiled.relation)}.jsonl"
    _write(path, [dict.fromkeys(names) | dict(row) for row in expected])
    files = find_files(str(path), folder, inputs.subscriptions[compiled.subscription].span)
    table = inputs.catalog.tables[compiled.relation]
    staged = stage_rows(files, shape, table, engine.dialect, folder / "expected.parquet")
    engine.view(_EXPECTED, staged.path, staged.columns)
    return Counter(_rows(engine, columns, exp.to_identifier(_EXPECTED).sql(engine.dialect)))


def _rows(engine: Engine, columns: Sequence[str], table: str) -> list[Row]:
    chosen = (exp.column(exp.to_identifier(name, quoted=True)) for name in columns)
    query = exp.select(*chosen).from_(exp.to_table(table, dialect=engine.dialect))
    return [tuple(map(_hashable, row)) for row in engine.rows(query.sql(engine.dialect))]


def _hashable(value: object) -> object:
    return bytes(value) if isinstance(value, bytearray | memoryview) else value
