"""`debug`: what is installed, what was found, whether the target can be reached."""

from __future__ import annotations

import platform
from collections.abc import Callable
from importlib.metadata import version
from typing import TYPE_CHECKING, TypeVar

import click

from filtersql import __version__
from filtersql.api.inputs import opened
from filtersql.api.loading import load_project
from filtersql.commands.console import Console, echo
from filtersql.commands.shared import subcommand
from filtersql.compile import compile_project
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.wording import counted
from filtersql.review.text_table import aligned
from filtersql.review.type_listing import type_listing
from filtersql.targets.jars import are_cached
from filtersql.targets.java_archive import JAVA_OPTIONS, archive_file, keep_classes
from filtersql.targets.probe import probe_merge

if TYPE_CHECKING:
    from filtersql.project import Project

__all__ = ["command"]

_PACKAGES = ("pyspark", "sqlglot", "duckdb", "postgast")
_Found = TypeVar("_Found")


@subcommand("debug")
@click.option("--types", is_flag=True, help="How each PostgreSQL type is stored on each engine.")
def command(console: Console, *, types: bool) -> int:
    """Check versions, files, the connection to the target, and MERGE there.

    Each line says OK, or what is missing: below them stands how to mend it, with the command where
    there is one. Of a Spark that runs here Java's classes are kept, once, in half a minute: each
    run then starts some seconds faster.
    """
    if types:
        return _types(console)
    report = _Report(console)
    report.check("filtersql", lambda: __version__)
    report.check("python", platform.python_version)
    for package in _PACKAGES:
        report.check(package, lambda name=package: version(name))  # type: ignore[misc]
    project = report.check("project", lambda: load_project(console), _described)
    if project is not None:
        report.check("compiles", lambda: _compiled(console, project))
        reached = report.check("target", lambda: _connected(project))
        if reached is not None and are_cached() and _starts_java(project):
            report.check("java", lambda: _kept(console))
    return report.end()


class _Report:
    """The lines, one a check, and what went wrong."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.lines: list[dict[str, object]] = []
        self.mistakes: list[Mistake] = []

    def check(
        self,
        subject: str,
        look: Callable[[], _Found],
        describe: Callable[[_Found], str] = str,
    ) -> _Found | None:
        """Prints `what … OK` with what was found, or ERROR; the mistake is kept for the end."""
        try:
            result = look()
        except (Mistake, Mistakes) as wrong:
            self.mistakes += wrong.mistakes if isinstance(wrong, Mistakes) else [wrong]
            self._line(subject, "ERROR", str(wrong).split("\n", 1)[0], self.mistakes[-1].hint)
            return None
        self._line(subject, "OK", describe(result))
        return result

    def end(self) -> int:
        """Prints the mistakes, or that all is well, and gives the exit code."""
        if self.console.options.json:
            self.console.document({"checks": self.lines})
        if not self.mistakes:
            self.console.message("All checks passed", color="green")
            return 0
        for mistake in self.mistakes:
            echo(f"\n{mistake}", err=True)
        return max(mistake.exit_code for mistake in self.mistakes)

    def _line(self, what: str, status: str, result: str, hint: str | None = None) -> None:
        self.lines.append({"check": what, "status": status, "found": result, "hint": hint})
        color = "green" if status == "OK" else "red"
        self.console.result(f"{what:<12} {click.style(f'{status:<6}', fg=color)}{result}")


def _described(project: Project) -> str:
    definitions = project.definitions
    published = len(definitions.publications) + len(definitions.replication_sets)
    output = project.output
    place = f", target {output.name} ({output.type})" if output else ""
    return (
        f"{project.name}: {counted(len(project.files), 'file')}, "
        f"{counted(len(definitions.catalog.tables), 'table')}, "
        f"{counted(published, 'publication')}, "
        f"{counted(len(definitions.subscriptions), 'subscription')}{place}"
    )


def _compiled(console: Console, project: Project) -> str:
    flag = console.options.publish_via_partition_root
    compilation = compile_project(project, via_partition_root=flag)
    count = len(compilation.notices)
    warnings = f", {counted(count, 'warning')}" if count else ""
    return f"{counted(len(compilation.nodes), 'target')}{warnings}"


def _connected(project: Project) -> str:
    assert project.output is not None  # load() asked for one
    with opened(project, writes=False) as engine:
        probe_merge(engine, project.output.state_schema)
        return f"{engine.title}, MERGE works"


def _starts_java(project: Project) -> bool:
    """Whether each run starts a Spark of its own, with filtersql's options of Java."""
    output = project.output
    if output is None or output.type != "spark" or output.method not in (None, "session"):
        return False
    conf = output.settings.get("spark_conf")
    return not (isinstance(conf, dict) and JAVA_OPTIONS in conf)


def _kept(console: Console) -> str:
    if not archive_file().exists():
        console.message("Keeping Java's classes for faster starts: once, half a minute")
    return keep_classes()


def _types(console: Console) -> int:
    rows = type_listing()
    headers = ["PostgreSQL", "Spark", "DuckDB"]
    console.result(aligned("How a type is stored", headers, rows, []))
    if console.options.json:
        console.document(
            [dict(zip(("postgresql", "spark", "duckdb"), row, strict=True)) for row in rows]
        )
    return 0
