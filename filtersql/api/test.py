"""The unit tests of tests/*.yml, run on DuckDB unless --target says otherwise."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from filtersql.api.inputs import inputs_of
from filtersql.api.loading import load_project
from filtersql.api.progress import dotted
from filtersql.api.records import Test, Tests
from filtersql.api.reporter import Reporter
from filtersql.compile import compile_project
from filtersql.project import Output
from filtersql.review.text_table import aligned
from filtersql.selection import Traits, select
from filtersql.source import Source
from filtersql.targets.open import open_engine
from filtersql.verify.unit_tests import run_unit_test

if TYPE_CHECKING:
    from filtersql.compile import Compilation
    from filtersql.definitions.model import UnitTest
    from filtersql.project import Project
    from filtersql.targets.model import Engine
    from filtersql.verify.unit_tests import Difference, Outcome

__all__ = ["test"]


_COLORS = {"-": "red", "+": "green"}


class _Selectable(Struct, frozen=True):
    test: UnitTest
    traits: Traits


def test(reporter: Reporter) -> Tests:
    """Runs the selected tests, on DuckDB in memory or on the output of --target."""
    options = reporter.options
    project = load_project(reporter, need_output=options.target is not None)
    if options.target is None:
        project = replace(project, output=_in_memory())
    flag = options.publish_via_partition_root
    compilation = compile_project(project, via_partition_root=flag)
    tests = _selected(reporter, project)
    outcomes: list[tuple[UnitTest, Outcome]] = []
    with _engines(project) as fresh:
        for index, one in enumerate(tests, 1):
            began = time.perf_counter()
            with fresh() as engine:
                outcome = _outcome(one, project, compilation, engine)
            seconds = time.perf_counter() - began
            outcomes.append((one, outcome))
            _tell(reporter, f"{index} of {len(tests)}", one, outcome, seconds)
            if not outcome.passed and options.fail_fast:
                break
    failed = sum(not outcome.passed for _, outcome in outcomes)
    reporter.message(
        f"Done. PASS={len(outcomes) - failed} FAIL={failed} TOTAL={len(tests)}",
        color="red" if failed else "green",
    )
    return Tests(tuple(_record(one, outcome) for one, outcome in outcomes))


def _in_memory() -> Output:
    return Output("memory", "duckdb", Source("memory", "").span(0, 0))


def _selected(reporter: Reporter, project: Project) -> list[UnitTest]:
    """The tests whose name or subscription a selector takes."""
    options = reporter.options
    tests = project.definitions.unit_tests
    if not options.select and not options.exclude:
        return list(tests)
    nodes = [
        _Selectable(
            test,
            Traits(
                (test.name, test.subscription),
                subscriptions=frozenset([test.subscription]),
                paths=frozenset([test.span.source.path]),
            ),
        )
        for test in tests
    ]
    return [node.test for node in select(nodes, options.select, options.exclude)]


def _outcome(test: UnitTest, project: Project, compilation: Compilation, engine: Engine) -> Outcome:
    tables = [
        node.compiled
        for node in compilation.nodes
        if node.compiled.subscription == test.subscription
    ]
    return run_unit_test(test, inputs_of(project), tables, engine)


@contextmanager
def _engines(project: Project) -> Iterator[Callable[[], AbstractContextManager[Engine]]]:
    """Gives an engine without any table for each test; DuckDB is connected to only once."""
    output = project.output
    assert output is not None  # one was asked for, or made
    if output.engine != "duckdb":
        yield lambda: _own_engine(project)
        return
    engine = _opened(project, project.root)
    # Dozens of tiny statements a test: handing each to several threads costs more than it gives.
    engine.execute("SET threads = 1")
    try:
        yield lambda: _own_database(engine)
    finally:
        engine.close()


@contextmanager
def _own_database(engine: Engine) -> Iterator[Engine]:
    """An empty database in memory, which is forgotten afterwards."""
    engine.execute("ATTACH ':memory:' AS filtersql_test")
    engine.execute("USE filtersql_test")
    try:
        yield engine
    finally:
        engine.clear()
        engine.execute("USE memory")
        engine.execute("DETACH filtersql_test")


@contextmanager
def _own_engine(project: Project) -> Iterator[Engine]:
    """An engine in a folder of its own: a test on Spark leaves the project's warehouse alone."""
    with tempfile.TemporaryDirectory(prefix="filtersql-test-") as folder:
        engine = _opened(project, Path(folder))
        try:
            yield engine
        finally:
            engine.close()


def _opened(project: Project, folder: Path) -> Engine:
    """The project's output, in memory or in a folder that is not the project's."""
    output = project.output
    assert output is not None  # one was asked for, or made
    settings = {key: value for key, value in output.settings.items() if key != "path"}
    return open_engine(replace(output, settings=settings), folder)


def _tell(reporter: Reporter, place: str, test: UnitTest, outcome: Outcome, seconds: float) -> None:
    word, color = ("PASS", "green") if outcome.passed else ("FAIL", "red")
    title = f"{place} {word} {test.subscription}: {test.name}"
    reporter.message(dotted(title, f"[{word} in {seconds:.2f}s]"), color=color)
    if outcome.passed:
        return
    reporter.result(f"  {test.span}")
    if outcome.report is not None:
        reporter.result("  " + outcome.report.replace("\n", "\n  "))
    for difference in outcome.differences:
        for line in _diff(difference):
            reporter.result(f"  {line}", color=_COLORS.get(line.strip()[:1]))


def _diff(difference: Difference) -> list[str]:
    """The rows that are missing (-) and those that should not be there (+), as a table."""
    rows = [["-", *map(_text, row)] for row in difference.missing]
    rows += [["+", *map(_text, row)] for row in difference.unexpected]
    title = f"{difference.relation}: - expected, + found"
    return aligned(title, ["", *difference.columns], rows, []).split("\n")


def _text(value: object) -> str:
    return "NULL" if value is None else str(value)


def _record(test: UnitTest, outcome: Outcome) -> Test:
    return Test(
        name=test.name,
        subscription=test.subscription,
        status="pass" if outcome.passed else "fail",
        message=outcome.report,
        differences=[
            {
                "relation": list(each.relation),
                "missing": [dict(zip(each.columns, row, strict=True)) for row in each.missing],
                "unexpected": [
                    dict(zip(each.columns, row, strict=True)) for row in each.unexpected
                ],
            }
            for each in outcome.differences
        ],
    )
