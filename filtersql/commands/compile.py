"""`compile`: definitions to SQL under target/compiled/ and manifest.json."""

from __future__ import annotations

import time

import click

from filtersql.commands.console import Console
from filtersql.commands.shared import loaded_compilation, subcommand

__all__ = ["command"]


@subcommand("compile")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when the files differ.")
def command(console: Console, *, check: bool) -> int:
    """Write the SQL of every subscription under target/compiled/, and manifest.json.

    Needs no engine. With --select, one target's MERGE is printed too.
    """
    from filtersql import artifacts
    from filtersql.commands.selecting import selected

    started = time.perf_counter()
    project, compilation = loaded_compilation(console)
    nodes = selected(project, compilation, console.options)
    if check:
        return _check(console, artifacts.stale_files(project, nodes))
    artifacts.write(project, compilation, nodes)
    seconds = time.perf_counter() - started
    if console.options.select and len(nodes) == 1:
        console.result(_printed(console, nodes[0].compiled.merge_sql))
    place = project.compiled_path
    shown = place.relative_to(project.root) if place.is_relative_to(project.root) else place
    console.message(f"Compiled {_counted(len(nodes), 'target')} to {shown} in {seconds:.2f}s")
    if console.options.json:
        console.document(
            {
                "compiled": [
                    {
                        "unique_id": f"{node.compiled.subscription}.{node.compiled.relation}",
                        "path": f"{shown}/{artifacts.compiled_path(node)}",
                    }
                    for node in nodes
                ],
                "warnings": [notice.message for notice in compilation.notices],
            }
        )
    return 0


def _check(console: Console, stale: list[str]) -> int:
    for path in stale:
        console.result(path)
    if console.options.json:
        console.document({"stale": stale})
    if stale:
        console.message(f"{_counted(len(stale), 'file')} not what the definitions give", fg="red")
        return 1
    console.message("All files are what the definitions give", fg="green")
    return 0


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _printed(console: Console, sql: str) -> str:
    if not console.colored or console.options.json:
        return sql
    from filtersql.commands.highlighting import highlighted

    return highlighted(sql)
