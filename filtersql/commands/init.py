"""`init`: a copy of project_template/, which runs as it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand
from filtersql.errors.project import FOLDER_NOT_EMPTY
from filtersql.project import package_folder

__all__ = ["command"]


@subcommand("init")
@click.argument("name")
def command(console: Console, *, name: str) -> int:
    """Start a project in the folder NAME: definitions, sample changes and unit tests."""
    folder = (console.options.project_dir or Path.cwd()) / name
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FOLDER_NOT_EMPTY(name=name)
    shutil.copytree(package_folder("project_template"), folder, dirs_exist_ok=True)
    console.message(f"Your project is in {name}/. Next:")
    console.message(f"  cd {name}")
    console.message("  filtersql compile                        # the SQL, in target/compiled/")
    console.message("  filtersql run --target local --show 10   # on DuckDB, in a second")
    console.message("  filtersql run --show 10                  # on Spark and Delta")
    if console.options.json:
        console.document({"created": str(folder)})
    return 0
