"""`init`: a copy of project_template/, or of one of examples/, which runs as it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from filtersql.commands.console import Console
from filtersql.commands.schema import write_schemas
from filtersql.commands.shared import subcommand
from filtersql.errors.project import FOLDER_NOT_EMPTY
from filtersql.project import package_folder

__all__ = ["command"]

_TEMPLATE = "shop"
#: how each example is run first; what it lacks is the template's
_RUN = {_TEMPLATE: "run", "postgres": "run", "window": "run --as-of 2026-11-20"}
_DEFINED_BY_EACH = (
    "tables",
    "publications",
    "subscriptions",
    "changes",
    "tests",
    "filtersql_project.yml",
)


@subcommand("init")
@click.argument("name")
@click.option(
    "--example",
    type=click.Choice([*_RUN]),
    default=_TEMPLATE,
    show_default=True,
    help="A shop's regions; PostgreSQL's own examples, with partitions; rows that leave in time.",
)
def command(console: Console, *, name: str, example: str) -> int:
    """Start a project in the folder NAME: definitions, sample changes and unit tests."""
    folder = (console.options.project_dir or Path.cwd()) / name
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FOLDER_NOT_EMPTY(name=name)
    template = package_folder("project_template")
    if example == _TEMPLATE:
        shutil.copytree(template, folder, dirs_exist_ok=True)
    else:
        defined = shutil.ignore_patterns(*_DEFINED_BY_EACH)
        shutil.copytree(template, folder, ignore=defined, dirs_exist_ok=True)
        examples = Path(__file__).parents[1] / "examples"
        shutil.copytree(examples / example, folder, dirs_exist_ok=True)
    write_schemas(folder)
    run = f"filtersql {_RUN[example]}"
    steps = (
        (f"{run} --target local --show 10", "on DuckDB, in a second"),
        (f"{run} --show 10", "on Spark and Delta"),
        ("filtersql compile", "the SQL, in target/compiled/"),
    )
    width = max(len(step) for step, _ in steps)
    console.message(f"Your project is in {name}/. Next:")
    console.message(f"  cd {name}")
    for step, what in steps:
        console.message(f"  {step:<{width}}   # {what}")
    if console.options.json:
        console.document({"created": str(folder)})
    return 0
