"""Options, servers and sessions that the tests share, and the table of seconds at the end."""

from __future__ import annotations

import atexit
import gc
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from interpreting import INTERPRETED
from servers import RELEASES, Server, named, serve
from xdist.scheduler import LoadGroupScheduling

from filtersql.errors import Mistakes
from filtersql.targets.java_archive import archive_file

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from transcripts import Shell
    from xdist.remote import Producer

#: modules with fixtures of their own
pytest_plugins = ["browsers", "own_projects", "server_worlds"]

_SLOWEST = 10
#: the tests that share one Spark, as a unit of work
_SHARED = "spark"
#: one module with many cases, each named by its room and file
_CASES = "test_cases.py"
#: tests with Spark from which on many start one of their own
_MANY = 100
_ANNOUNCED = "announced"
_LONG = "FILTERSQL_LONG_TESTS"

#: `pytest -m quick`: whole modules, by folder, that need no server and prove the most in a second
_QUICK = {
    "cases": {"test_case_reader", "test_cases"},
    "definitions": {"test_definition_files", "test_definitions", "test_source"},
    "filters": {"test_filters_alike", "test_filters_refusals"},
    "house": {"test_layers", "test_public_names"},
    "publications": {"test_publications"},
    "rendering": {"test_macros_stay_sql", "test_skeletons"},
}

_GENERATED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
# What Spark would write in Java for a statement of a test runs once.
_JAVA = " ".join(
    (
        "-XX:+UseSerialGC",
        *(f"-D{name}={value}" for name, value in INTERPRETED.items()),
    )
)
# The start of Spark is mostly compilation of Java code: for a program of a few statements Java's
# first compiler is enough; the second one would only take its processor away. Without the second,
# Java keeps 48 MB of compiled code: full after a few tests, and from then on it throws away,
# interprets and compiles again. The Spark that the tests share lives long enough for the second.
os.environ.setdefault(
    "SPARK_SUBMIT_OPTS",
    f"-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:-UseCodeCacheFlushing {_JAVA}",
)

# As filtersql does it: most of what there is stays.
gc.set_threshold(20_000, 20, 100)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update`: write the program's answers into the Markdown cases."""
    parser.addoption(
        "--update", action="store_true", help="rewrite the answers of Markdown cases in place"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs Spark is first: with two processes the long modules should not be the last."""
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)
    first = os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0"
    if first and sum(item.get_closest_marker("spark") is not None for item in items) > _MANY:
        _keep_classes()
    for item in items:
        if "spark" in item.fixturenames:  # type: ignore[attr-defined]
            item.add_marker(pytest.mark.xdist_group(_SHARED))
        if _is_quick(item):
            item.add_marker("quick")
    if not os.environ.get(_LONG):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason=f"long: {_LONG}=1 runs it"))


def pytest_collection_finish() -> None:
    """What was collected stays: nobody looks through it for waste again."""
    gc.freeze()


def _keep_classes() -> None:
    """Java's classes, in the background where they are not kept yet: later Sparks map them."""
    with suppress(Mistakes):  # no Java is here: the tests that need one say so
        if archive_file().exists():
            return
        process = subprocess.Popen(
            [sys.executable, "-m", "filtersql.targets.java_training"], stderr=subprocess.DEVNULL
        )
        atexit.register(process.wait)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadGroupScheduling:
    """One process has the Spark that tests share, so that it starts and grows warm once."""
    return _Modules(config, log)


class _Modules(LoadGroupScheduling):
    """What shares Spark is one unit of work, each other module is one, and each room's cases."""

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.endswith(f"@{_SHARED}"):
            return _SHARED
        module, _, test = nodeid.partition("::")
        room = test.partition("[")[2].partition("/")[0] if module.endswith(_CASES) else ""
        return f"{module}[{room}]" if room else module


def _is_quick(item: pytest.Item) -> bool:
    slow = any(item.get_closest_marker(name) for name in ("spark", "postgres", "long"))
    return not slow and item.path.stem in _QUICK.get(item.path.parent.name, ())


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """What a test had of the shared Spark is let go: Java keeps all that Python still names."""
    if "spark" in item.fixturenames:  # type: ignore[attr-defined]
        gc.collect()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL 18 of the tests' own: `postgres.connect(postgres.create_database())`."""
    with serve() as server:
        yield server


@pytest.fixture(scope="session", params=(15, 16, 17))
def older(request: pytest.FixtureRequest) -> Iterator[tuple[Server, int]]:
    """A server of an older version, where FILTERSQL_POSTGRES_15, …_16 or …_17 names one.

    With the long tests 16 and 17 come as 18 does.
    """
    server = named(request.param)
    if server is not None:
        yield server, request.param
    elif request.param in RELEASES and os.environ.get(_LONG):
        with serve(request.param) as server:
            yield server, request.param
    else:
        pytest.skip(f"FILTERSQL_POSTGRES_{request.param} names no server")


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    """The one Spark of this process, with Delta and Iceberg; `run` makes sessions beside it."""
    from filtersql.targets.embedded import own_session

    with pytest.MonkeyPatch.context() as patch:
        # Most of what its many small statements leave is gone before it has to be copied.
        patch.setenv("SPARK_SUBMIT_OPTS", f"-Xmn512m {_JAVA}")
        return own_session(2, {}, ())


@pytest.fixture(scope="module")
def generated_code(spark: SparkSession) -> Iterator[None]:
    """Sessions that are made meanwhile run statements as users' do: Spark writes Java for each.

    Spark itself was started before: what it is started with is what all sessions begin with.
    """
    from filtersql.targets import embedded

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedded, "_SETTINGS", {**embedded._SETTINGS, **_GENERATED})
        yield


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The template's project, with DuckDB as its target."""
    from demo import edit, started

    for name in [name for name in os.environ if name.startswith("FILTERSQL_")]:
        monkeypatch.delenv(name)
    made = started(tmp_path)
    edit(made, "profiles.yml", "target: dev", "target: local")
    return made


@pytest.fixture
def announce(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Shows a text at the end of the run: a measurement, what a workload was made of."""

    def say(text: str) -> None:
        request.node.user_properties.append((_ANNOUNCED, text))

    return say


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What tests announced, the seconds of each module and the slowest tests."""
    reports = [
        report
        for some in terminalreporter.stats.values()
        for report in some
        if isinstance(report, pytest.TestReport)
    ]
    announced = [
        text
        for report in reports
        if report.when == "teardown"
        for kind, text in report.user_properties
        if kind == _ANNOUNCED
    ]
    if announced:
        terminalreporter.section("measured")
        for text in announced:
            terminalreporter.write_line(str(text))
    _print_seconds(terminalreporter, reports)


def _print_seconds(
    terminalreporter: pytest.TerminalReporter, reports: list[pytest.TestReport]
) -> None:
    """Nothing fails on time."""
    seconds: dict[str, float] = defaultdict(float)
    modules: dict[str, float] = defaultdict(float)
    for report in reports:
        seconds[report.nodeid] += report.duration
        modules[report.nodeid.partition("::")[0]] += report.duration
    if sum(seconds.values()) < 5:
        return
    terminalreporter.section("seconds of each module, and the slowest tests")
    for times, most in ((modules, len(modules)), (seconds, _SLOWEST)):
        for name, spent in sorted(times.items(), key=lambda item: -item[1])[:most]:
            terminalreporter.write_line(f"{spent:8.1f}  {name}")
