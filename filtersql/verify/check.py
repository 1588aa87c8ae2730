"""`check`: compiled files are tried on every cell of the semantics, against the slow model.

Example
    proof = prove(node, folder, "s1/t1", bench)
    proof.cells, proof.histories, proof.counterexample

The counterexample is the smallest case that was found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from filtersql.compile import Node
from filtersql.errors import Mistakes
from filtersql.errors.proving import NOT_PROVED, NOTHING_TO_TRY
from filtersql.filter_cache import FilterCache
from filtersql.rendering import SETTINGS
from filtersql.rendering.compiled import CompiledTable
from filtersql.rendering.sql_fragments import quoted
from filtersql.storage import Engine as Dialect
from filtersql.storage import column_type
from filtersql.targets import depth
from filtersql.verify.attempts import Attempt, Counterexample
from filtersql.verify.cells import cells
from filtersql.verify.clock import show_trial
from filtersql.verify.expected_rows import Tried, answered
from filtersql.verify.histories import histories, moves
from filtersql.verify.kinds import Kind, statements
from filtersql.verify.layout import Case, Layout, free_name, value_names
from filtersql.verify.lifted_queries import NotLifted
from filtersql.verify.loading import TrialEngine
from filtersql.verify.lookups import show_lookups
from filtersql.verify.model import Model
from filtersql.verify.source_cases import audits, changed, copies
from filtersql.verify.statement import Statement, change_kinds, read_statement
from filtersql.verify.statement_outlines import Outlines
from filtersql.verify.values import Answers, trials, values_of
from filtersql.verify.world import World

__all__ = [
    "Bench",
    "Cases",
    "Proof",
    "answers_of",
    "cases_of",
    "configure",
    "prove",
    "read_statements",
    "tried",
]


class Proof(Struct, frozen=True):
    """What was tried, and what was found wrong."""

    cells: int
    histories: int
    counterexample: Counterexample | None = None


class Bench(Struct, frozen=True):
    """Where proofs are made: DuckDB for what filters say, and the engine that runs the statement.

    `dialect` is that of the files.
    """

    duckdb: TrialEngine
    engine: TrialEngine
    filters: FilterCache
    dialect: Dialect
    deep: bool = False
    #: of the files that were read
    outlines: Outlines = field(default_factory=Outlines)


class Cases(Struct, frozen=True):
    """All cases of one table, whatever its files say."""

    layout: Layout
    #: of these the cases that can share a statement do
    shared: Mapping[Kind, Tried]
    #: histories of three changes, in statements of their own
    deep: Mapping[Kind, Tried]
    #: how many cases have one change, and how many several
    cells: int
    histories: int


def answers_of(node: Node, bench: Bench) -> Answers:
    """What a target's filters say."""
    distinct = tuple({id(each): each for each in node.filters.values()}.values())
    return Answers(bench.duckdb, node.resolved.table, distinct)


def cases_of(
    node: Node, bench: Bench, answers: Answers | None = None, kinds: Sequence[Kind] = ()
) -> Cases:
    """What the file of a target is tried on. Raises Mistakes where there is nothing to try.

    `answers` are those that are known already, `kinds` those of the statements.
    """
    compiled = _typed(node, bench.engine.engine.dialect)
    show_lookups(node, (bench.duckdb.engine, bench.engine.engine))
    world = _world_of(node, compiled, answers or answers_of(node, bench))
    layout = Layout(compiled, free_name("filtersql_case", value_names(compiled)))
    several = histories(world, 2)
    drafts = [*cells(world), *several]
    shared = {
        Kind.MERGE: answered(world, drafts),
        Kind.COPY: Tried(copies(world)),
        Kind.AUDIT: Tried(audits(world)),
        **{kind: Tried(changed(world, kind)) for kind in kinds if kind.changes},
    }
    if Kind.COMPLETING in statements(node):
        shared[Kind.COMPLETING] = answered(world, [*drafts, *moves(world)], completing=True)
    longer = histories(world, 3) if bench.deep else []
    deep = {
        kind: answered(world, longer, completing=kind is Kind.COMPLETING)
        for kind in shared
        if kind.merges and longer
    }
    every = [case for tried in (*shared.values(), *deep.values()) for case in _all(tried)]
    single = sum(len(case.changes) < 2 for case in every)
    return Cases(layout, shared, deep, single, len(every) - single)


def configure(bench: Bench) -> None:
    """Set what the meaning of statements depends on."""
    depth.configure(bench.engine.engine, dict(SETTINGS[bench.engine.engine.dialect]))


def prove(node: Node, folder: Path, shown: str, bench: Bench, cases: Cases | None = None) -> Proof:
    """Try the files of one target. Raises Mistakes where they cannot be tried at all."""
    configure(bench)
    show_trial([node], bench.engine.engine)
    written = read_statements(node, folder, shown, bench)
    kinds = [statement.kind for statement in written]
    return tried(written, bench, cases or cases_of(node, bench, kinds=kinds))


def read_statements(node: Node, folder: Path, shown: str, bench: Bench) -> tuple[Statement, ...]:
    """The statements in a target's folder. Raises Mistakes where one is not what it should be."""
    read = partial(read_statement, node=node, filters=bench.filters, dialect=bench.dialect)
    kinds = (*statements(node), *change_kinds(folder / "change.sql", node, bench.dialect))
    return tuple(
        read(folder / name, f"{shown}/{name}", kind=kind, outlines=bench.outlines)
        for kind in kinds
        for name in [f"{kind.file}.sql"]
    )


def tried(
    written: Sequence[Statement],
    bench: Bench,
    cases: Cases,
    *,
    merged: bool = False,
    stopped: bool = False,
) -> Proof:
    """Try the statements of a target. Raises Mistakes where one cannot be tried at all.

    `merged`: all cases that can share a statement were tried already, and ended as they should;
    `stopped`: so did those that may stop it.
    """
    show_lookups(written[0].node, (bench.duckdb.engine, bench.engine.engine))
    left = {
        kind: Tried(() if merged else tried.together, () if stopped else tried.alone)
        for kind, tried in cases.shared.items()
    }
    found = (_wrong_in(statement, bench, cases, left[statement.kind]) for statement in written)
    counterexample = next((wrong for wrong in found if wrong is not None), None)
    return Proof(cases.cells, cases.histories, counterexample)


def _wrong_in(
    statement: Statement, bench: Bench, cases: Cases, left: Tried
) -> Counterexample | None:
    try:
        sql = statement.sql(cases.layout, bench.engine.engine)
    except NotLifted as reason:
        raise Mistakes([NOT_PROVED(path=statement.shown, reason=str(reason))]) from None
    kind = statement.kind
    attempt = Attempt(kind, sql, cases.layout, bench.engine)
    counterexample = attempt.first_wrong(left)
    if counterexample is None and kind in cases.deep:
        counterexample = attempt.first_wrong(cases.deep[kind])
    return counterexample


def _typed(node: Node, dialect: Dialect) -> CompiledTable:
    """The compiled table with the types of the engine that tries it."""
    compiled = node.compiled
    types = {one.name: column_type(one, dialect).sql for one in node.resolved.table.columns}
    return replace(
        compiled,
        columns=tuple(replace(one, sql_type=types[one.name]) for one in compiled.columns),
        feed_columns=tuple(replace(one, sql_type=types[one.name]) for one in compiled.feed_columns),
        column_definitions_sql=",\n  ".join(
            f"{quoted(one.name, dialect)} {types[one.name]}" for one in compiled.columns
        ),
    )


def _all(tried: Tried) -> tuple[Case, ...]:
    return (*tried.together, *tried.alone)


def _world_of(node: Node, compiled: CompiledTable, answers: Answers) -> World:
    """The table's model and rows to try. Raises Mistakes where there is nothing to try."""
    resolved = node.resolved
    for column in resolved.table.columns:
        carried = column.name in {each.name for each in compiled.feed_columns}
        must = resolved.table.never_null(column.name)
        if carried and must and not values_of(column) and column.name not in answers.read:
            raise Mistakes([NOTHING_TO_TRY(name=str(resolved.table.name), column=column.name)])
    found = trials(answers)
    if not found:
        raise Mistakes(
            [NOTHING_TO_TRY(name=str(resolved.table.name), column=", ".join(answers.read))]
        )
    feed = resolved.subscription.changes
    complete = feed is not None and feed.before_complete
    model = Model.of(resolved, node.filters, answers.say)
    return World(model, answers, found, compiled, complete)
