"""Options, servers and sessions that the tests share, and the table of seconds at the end."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent / "recorders"))

from servers import Server, serve

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SLOWEST = 10

# Spark's start and its many small statements are mostly compilation of Java code. For tables of a
# few rows the first compiler is enough; the second one would only take its processor away.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update`: write the program's answers into the Markdown cases."""
    parser.addoption(
        "--update", action="store_true", help="rewrite the answers of Markdown cases in place"
    )


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL 18 of the tests' own: `postgres.connect(postgres.create_database())`."""
    with serve() as server:
        yield server


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    """The one Spark of this process, with Delta and Iceberg; `run` makes sessions beside it."""
    from filtersql.targets.embedded import own_session

    return own_session(2, {}, ())


_ANNOUNCED = pytest.StashKey[list[str]]()


@pytest.fixture
def announce(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Shows a text at the end of the run: a measurement, what a workload was made of."""
    return request.config.stash.setdefault(_ANNOUNCED, []).append


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """What tests announced, the seconds of each module and the slowest tests."""
    announced = config.stash.get(_ANNOUNCED, [])
    if announced:
        terminalreporter.section("measured")
        for text in announced:
            terminalreporter.write_line(text)
    _print_seconds(terminalreporter)


def _print_seconds(terminalreporter: pytest.TerminalReporter) -> None:
    """Nothing fails on time."""
    seconds: dict[str, float] = defaultdict(float)
    modules: dict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid] += report.duration
                modules[report.nodeid.partition("::")[0]] += report.duration
    if sum(seconds.values()) < 5:
        return
    terminalreporter.section("seconds of each module, and the slowest tests")
    for times, most in ((modules, len(modules)), (seconds, _SLOWEST)):
        for name, spent in sorted(times.items(), key=lambda item: -item[1])[:most]:
            terminalreporter.write_line(f"{spent:8.1f}  {name}")
