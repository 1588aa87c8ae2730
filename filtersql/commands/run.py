"""`run`: compiles, then copies and applies everything pending, and says what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from filtersql.commands.console import Console
from filtersql.commands.shared import inputs_of, loaded_compilation, subcommand

if TYPE_CHECKING:
    from filtersql.applying import RunResult
    from filtersql.project import Project
    from filtersql.rendering.compiled import CompiledTable

__all__ = ["command"]


@subcommand("run")
@click.option("--dry-run", is_flag=True, help="Read and judge everything, write nothing.")
@click.option("--full-refresh", is_flag=True, help="Empty the targets and copy them again.")
@click.option(
    "--accept-filter-change",
    is_flag=True,
    help="Go on with a changed filter, as PostgreSQL does: nothing is sent again.",
)
@click.option("--show", type=click.IntRange(min=1), help="Print the first rows of each target.")
def command(
    console: Console,
    *,
    dry_run: bool,
    full_refresh: bool,
    accept_filter_change: bool,
    show: int | None,
) -> int:
    """Copy what is missing, then apply every pending change in order, once."""
    from filtersql import artifacts
    from filtersql.applying import Options, run
    from filtersql.commands.progress import Progress
    from filtersql.commands.selecting import selected
    from filtersql.targets.open import open_engine

    project, compilation = loaded_compilation(console)
    nodes = selected(project, compilation, console.options)
    artifacts.write(project, compilation, nodes)
    tables: dict[str, list[CompiledTable]] = {}
    for node in nodes:
        tables.setdefault(node.compiled.subscription, []).append(node.compiled)
    assert project.output is not None  # load() asked for one
    progress = Progress(console)
    progress.found(project, nodes)
    engine = open_engine(project.output, project.root)
    try:
        progress.connected(engine.title, project.output.name)
        options = Options(dry_run, full_refresh, accept_filter_change, console.options.fail_fast)
        result = run(inputs_of(project), tables, engine, options, progress.on_event)
        progress.done(result, dry_run=dry_run)
        _write_results(console, project, result, dry_run=dry_run)
        if show and not console.options.json:
            from filtersql.commands.rows import print_rows

            for table in result.results:
                if table.status == "success":
                    print_rows(console, engine, table.compiled, show)
    finally:
        engine.close()
    progress.failures(result)
    return result.exit_code


def _write_results(console: Console, project: Project, result: RunResult, *, dry_run: bool) -> None:
    import msgspec

    from filtersql.applying import run_results
    from filtersql.artifacts import write_file

    options = console.options
    arguments = {
        "command": "run",
        "target": project.output.name if project.output else None,
        "select": list(options.select),
        "exclude": list(options.exclude),
        "publish_via_partition_root": options.publish_via_partition_root,
        "dry_run": dry_run,
    }
    folder = project.compiled_path
    if folder.is_relative_to(project.root):
        folder = folder.relative_to(project.root)
    content = run_results(result, arguments, str(folder))
    if not dry_run:
        encoded = msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"
        write_file(project.root / "target" / "run_results.json", encoded)
    if options.json:
        console.document(content)
