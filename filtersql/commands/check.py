"""`check`: proves the compiled SQL on disk against the reference semantics."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import click

from filtersql.commands.console import Console
from filtersql.commands.shared import loaded_compilation, subcommand


@subcommand("check")
@click.option("--deep", is_flag=True)
def command(console: Console, *, deep: bool) -> int:
    """Check."""
    from filtersql.artifacts import compiled_path
    from filtersql.commands.selecting import selected
    from filtersql.compile import FilterShelf, destination
    from filtersql.proving.check import Bench, prove
    from filtersql.proving.loading import Shelf
    from filtersql.targets.duckdb import connect

    project, compilation = loaded_compilation(console)
    nodes = selected(project, compilation, console.options)
    shelf = FilterShelf(project)
    for node in nodes:
        with tempfile.TemporaryDirectory() as folder:
            t = time.perf_counter()
            s = Shelf(connect(None), Path(folder))
            b = Bench(s, s, shelf, destination(project).engine, deep)
            p = prove(
                node,
                node.compiled,
                project.compiled_path / compiled_path(node) / "merge.sql",
                "x",
                b,
            )
            print(node.compiled.relation, p, time.perf_counter() - t)
    return 0
